/** What the checks know of built-in functions and properties, against the functions themselves. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Expression } from '../../../definitions/feel/ast.ts';
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import { isBuiltinSignature } from '../../../definitions/feel/builtins/define.ts';
import { wrong } from '../../../definitions/feel/builtins/parameter.ts';
import { checkExpression, type CheckedExpression } from '../../../definitions/feel/check/check-expression.ts';
import { itemKinds } from '../../../definitions/feel/check/builtin-types.ts';
import { properties } from '../../../definitions/feel/check/paths.ts';
import { kindsOf, type StaticType } from '../../../definitions/feel/check/static-type.ts';
import { parseExpression } from '../../../definitions/feel/parse-expression.ts';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import { temporalProperty } from '../../../definitions/feel/temporal/properties.ts';
import { kindOf } from '../../../definitions/feel/value-kind.ts';
import { bound, call, newRun, samples } from './builtins-calls.ts';
import { isOf, typeOfValue } from './check-types.ts';
import { NOW_MS } from './temporal-values.ts';

/** With texts that spell something. */
const values: readonly FeelValue[] = [
  ...Object.values(samples),
  ...['1', 'PT1H', '[1..2]', 'a'],
  1,
  ['a', 'b'],
  [samples.date],
  [true, false],
  [[1], ['a']],
  [{ key: 'a', value: 1 }],
];
/** Of which all lists of three are tried. */
const fewValues: readonly FeelValue[] = [
  ...[null, true, 1, 'a', '1', '.', samples.date, samples.duration, samples.context, samples.function],
  ...[[1, 2], ['a'], [true]],
];

/** All lists of so many. */
function* argumentLists(
  count: number,
  from = count > 2 ? fewValues : values,
): Iterable<readonly FeelValue[]> {
  if (count === 0) yield [];
  else for (const rest of argumentLists(count - 1, from)) for (const value of from) yield [...rest, value];
}

/** `name(v0, v1, v2)` */
function treeOf(name: string, count: number): Expression {
  return parseExpression(`${name}(${Array.from({ length: count }, (_, index) => `v${index}`).join(', ')})`);
}

function checked(tree: Expression, args: readonly FeelValue[]): CheckedExpression {
  const names = new Map(args.map((value, index) => [`v${index}`, typeOfValue(value)] as const));
  return checkExpression(tree, { names, unknownNames: 'error' });
}

describe('of calls of built-in functions', () => {
  for (const name of builtins.keys()) {
    it(`of ${name}() the result is of the type, and what is refused is null`, () => {
      let [toldCount, errorCount] = [0, 0];
      for (const count of [0, 1, 2, 3]) {
        const tree = treeOf(name, count);
        for (const args of argumentLists(count)) {
          const { type, findings } = checked(tree, args);
          const isError = findings.some(({ severity }) => severity === 'error');
          if (bound(name, args) === null) {
            assert.ok(isError, `${count} arguments`);
            break;
          }
          const value = call(name, args);
          const title = `${name} of ${args.map(kindOf).join(', ')}`;
          assert.ok(isOf(value, type), `${title} gave a ${kindOf(value)}, not ${JSON.stringify(type)}`);
          assert.ok(!isError || value === null, `${title}: ${JSON.stringify(findings)}`);
          if (isError) errorCount += 1;
          else if (value !== null && kindsOf(type) !== null) toldCount += 1;
        }
      }
      const isAnything = name === 'get value';
      assert.ok(isAnything || toldCount > 0, 'nothing is known of the result');
      const takesAnything = new Set(
        [
          'string',
          'is',
          'list contains',
          'index of',
          'count',
          'append',
          'concatenate',
          'union',
          'reverse',
        ].concat(['distinct values', 'flatten', 'now', 'today', 'context', 'context merge']),
      );
      assert.equal(errorCount > 0, !takesAnything.has(name));
    });
  }

  it('what a parameter says that it takes is what it reads, and null aside nothing else', () => {
    let checkedCount = 0;
    for (const signature of [...builtins.values()].flatMap(({ signatures }) => signatures)) {
      if (!isBuiltinSignature(signature)) continue;
      for (const [name, kind] of signature.parameters) {
        if (kind.takes === null) continue;
        checkedCount += 1;
        for (const value of values) {
          const valueKind = kindOf(value);
          if (value === null || valueKind === 'list') continue;
          assert.equal(kind.read(value) !== wrong, kind.takes.has(valueKind), `${name}: ${valueKind}`);
        }
      }
    }
    assert.ok(checkedCount > 80, `${checkedCount} parameters`);
  });

  it('items of a kind that a variadic function does not take make it null, with a warning', () => {
    for (const [name, kinds] of itemKinds) {
      for (const value of Object.values(samples)) {
        const kind = kindOf(value);
        if (value === null || kind === 'list') continue;
        const run = newRun();
        const result = call(name, [[value, value]], run);
        const isTaken = kinds.includes(kind);
        assert.equal(run.warnings.length, isTaken ? 0 : 1, `${name} of ${kind}`);
        assert.equal(result === null, !isTaken);
      }
    }
  });
});

describe('of properties', () => {
  const temporals = ['date', 'time', 'date and time', 'duration', 'duration of months'] as const;
  const names = new Set(Object.values(properties).flatMap((ofKind) => Object.keys(ofKind)));

  for (const sample of temporals) {
    it(`those of a ${sample} are the ones that it has, of their types`, () => {
      const value = samples[sample];
      const own: Readonly<Record<string, StaticType>> = properties[value.kind] ?? {};
      for (const name of [...names, 'toString', '__proto__', 'constructor']) {
        const actual = temporalProperty(value, name, NOW_MS);
        const type = Object.hasOwn(own, name) ? own[name] : undefined;
        assert.equal(actual === undefined, type === undefined, name);
        if (actual !== undefined && type !== undefined) assert.ok(isOf(actual, type), name);
      }
    });
  }
});
