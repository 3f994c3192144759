/** What the checks say of expressions against what these give. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Expression } from '../../../definitions/feel/ast.ts';
import { defaultCostLimits, Meter, TurnBudget } from '../../../definitions/feel/budget.ts';
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import { SyntaxFault } from '../../../definitions/feel/check-text.ts';
import { checkExpression, type CheckScope } from '../../../definitions/feel/check/check-expression.ts';
import { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { compileProgram } from '../../../definitions/feel/compile/program.ts';
import { FeelEvaluationError } from '../../../definitions/feel/errors.ts';
import { parseExpression } from '../../../definitions/feel/parse-expression.ts';
import type { FeelContext, FeelValue } from '../../../definitions/feel/runtime.ts';
import { printExpression } from '../../support/feel-print.ts';
import { asExpression, scope } from './check-run.ts';
import { isOf, typeOfValue } from './check-types.ts';
import { lookupIn, NOW_MS, show } from './compile-run.ts';
import { data, trees } from './compile-trees.ts';

function scopeOf(variables: FeelContext): CheckScope {
  const names = Object.entries(variables).map(([name, value]) => [name, typeOfValue(value)] as const);
  return { names: new Map(names), unknownNames: 'nothing' };
}

/** Null: what is printed of a type that has no text cannot be read. */
function treeOf(text: string): Expression | null {
  try {
    return parseExpression(text);
  } catch (error) {
    if (error instanceof SyntaxFault) return null;
    throw error;
  }
}

/** Little, so that thousands of expressions take seconds. */
const limits = { ...defaultCostLimits, evaluationUnits: 50_000, iterations: 1_000 };

/** Undefined: it costs too much, which says nothing of types. */
function valueOf(tree: Expression, variables: FeelContext): FeelValue | undefined {
  const program = compileProgram(tree, { builtins });
  const run = new Evaluation(new Meter(new TurnBudget(NOW_MS, limits)));
  try {
    return program.evaluate(run, lookupIn(variables));
  } catch (error) {
    if (error instanceof FeelEvaluationError) return undefined;
    throw error;
  }
}

describe('what is said of any expression', () => {
  it('is a type that its value has, for all data of the types that were known', () => {
    let toldCount = 0;
    fc.assert(
      fc.property(trees.inner, data, (tree, variables) => {
        const text = printExpression(tree);
        const root = treeOf(text);
        if (root === null) return;
        const { type } = checkExpression(root, scopeOf(variables));
        const value = valueOf(root, variables);
        if (value === undefined) return;
        if (value !== null && type.kind !== 'any') toldCount += 1;
        assert.ok(isOf(value, type), `${text} is ${show(value)}, not ${JSON.stringify(type)}`);
      }),
      { numRuns: 1_500 },
    );
    assert.ok(toldCount > 200, `something was told of ${toldCount}`);
  });

  it('is an error only where it has no value, or does not hold', () => {
    let errorCount = 0;
    fc.assert(
      fc.property(trees.inner, data, (tree, variables) => {
        const text = printExpression(tree);
        const root = treeOf(text);
        if (root === null) return;
        const { findings } = checkExpression(root, scopeOf(variables));
        const error = findings.find(
          ({ severity, code, from, to }) =>
            severity === 'error' &&
            code !== 'SUTRA.FEEL.NAME_UNKNOWN' &&
            from === root.from &&
            to === root.to,
        );
        if (error === undefined) return;
        const value = valueOf(root, variables);
        if (value === undefined) return;
        errorCount += 1;
        assert.ok(value === null || value === false, `${text} is ${show(value)}: ${error.message}`);
      }),
      { numRuns: 1_500 },
    );
    assert.ok(errorCount > 40, `${errorCount} errors`);
  });

  it('is within the text, at most twenty findings, and the same each time', () => {
    fc.assert(
      fc.property(trees.inner, data, (tree, variables) => {
        const root = treeOf(printExpression(tree));
        if (root === null) return;
        const within = { ...scopeOf(variables), unknownNames: 'error' as const };
        const { findings } = checkExpression(root, within);
        assert.deepEqual(checkExpression(root, within).findings, findings);
        assert.ok(findings.length <= 20);
        for (const { from, to } of findings) assert.ok(root.from <= from && from < to && to <= root.to);
      }),
      { numRuns: 500 },
    );
  });
});

/** `{kind}` stands for a leaf of that kind. */
const templates = fc.letrec<Record<'number' | 'string' | 'boolean' | 'date' | 'numbers', string>>((tie) => {
  const [number, string, boolean, date, numbers] = [
    tie('number'),
    tie('string'),
    tie('boolean'),
    tie('date'),
    tie('numbers'),
  ];
  const made = (
    parts: readonly fc.Arbitrary<string>[],
    make: (...texts: string[]) => string,
  ): fc.Arbitrary<string> => fc.tuple(...parts).map((texts) => make(...texts));
  const sized = (leaf: string, ...inner: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.oneof({ maxDepth: 4, depthSize: 'small' }, fc.constant(`{${leaf}}`), ...inner);
  return {
    number: sized(
      'number',
      made([number, number], (a, b) => `(${a} + ${b})`),
      made([number, number], (a, b) => `(${a} ** ${b} - 1)`),
      made([numbers], (a) => `count(${a})`),
      made([numbers], (a) => `sum(${a})`),
      made([number], (a) => `numbers[${a}]`),
      made([boolean, number, number], (a, b, c) => `(if b or ${a} then ${b} else ${c})`),
      made([date], (a) => `day of year(${a})`),
      made([string], (a) => `string length(string: ${a})`),
      made([number, string], (a, b) => `{x: ${a}, y: ${b}, z: x}.z`),
    ),
    string: sized(
      'string',
      made([string, string], (a, b) => `(${a} + ${b})`),
      made([string, number], (a, b) => `substring(${a}, ${b})`),
      made([number], (a) => `string(${a})`),
      made([string], (a) => `(function(x: string) upper case(x))(${a})`),
    ),
    boolean: sized(
      'boolean',
      made([number, number], (a, b) => `(${a} >= ${b})`),
      made([string, string], (a, b) => `(${a} != ${b})`),
      made([boolean, boolean], (a, b) => `(${a} and ${b})`),
      made([boolean], (a) => `not(${a})`),
      made([numbers, number], (a, b) => `(some x in ${a} satisfies x > ${b})`),
      made([number, number], (a, b) => `(${a} in (> ${b}, [n..${b}], ? < n, numbers))`),
      made([date, date], (a, b) => `(${a} between ${b} and today())`),
    ),
    date: sized(
      'date',
      made([date], (a) => `(${a} + hours - months)`),
      made([date, date], (a, b) => `(if b then ${a} else ${b})`),
    ),
    numbers: sized(
      'numbers',
      made([number, number], (a, b) => `[${a}, null, ${b}]`),
      made([numbers, number], (a, b) => `(for x in ${a} return x * ${b})`),
      made([number], (a) => `numbers[item > ${a} and b]`),
      made([numbers, number], (a, b) => `append(${a}, ${b})`),
      made([numbers], (a) => `sort(${a}, function(x, y) x < y)`),
    ),
  };
});

const leaves: Readonly<Record<string, readonly string[]>> = {
  number: ['1', 'n', 'order.amount', 'order.lines[1].price', 'a', 'null', 'day.year', '-5'],
  string: ['"x"', 's', 'order.country', 'a', 'order.customer.name', 'null'],
  boolean: ['b', 'a', '(n > 1)', 'null'],
  date: ['day', 'today()', '@"2026-03-01"', 'a', 'date(s)'],
  numbers: ['numbers', '[1, 2]', 'order.lines.price', 'anything', 'a'],
};

/** One mistake each, marked. */
const faults = [
  '«("a" * 2)»',
  '«(day + 1)»',
  '«(n > "1")»',
  '«nme»',
  'order.«cuntry»',
  '(order.amount).«x»',
  '«cuont»(numbers)',
  'upper case(«5»)',
  '«contains("a")»',
  'numbers[«"a"»]',
  '(if «5» then a else a)',
  '(s in «5»)',
  '«@"no date"»',
  '(for x in numbers return «x + "a"»)[1]',
];

const filled = (chosen: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> =>
  fc.tuple(chosen, fc.array(fc.nat(), { minLength: 8, maxLength: 8 })).map(([template, choices]) =>
    template.split(/(\{(?:number|string|boolean|date|numbers)\})/).map((part, index) => {
      const options = leaves[part.slice(1, -1)];
      return part.startsWith('{') && options !== undefined
        ? (options[(choices[index % choices.length] ?? 0) % options.length] ?? '')
        : part;
    }),
  );

/** Parentheses around an expression count to it, how many there are. */
function bare(text: string): string {
  return text.replace(/^\(+|\)+$/g, '');
}

const anyTemplate = fc.oneof(
  templates.number,
  templates.string,
  templates.boolean,
  templates.date,
  templates.numbers,
);

describe('what is large', () => {
  it('is checked in time, also where parts of types are shared twice over at each of many levels', () => {
    const levels = Array.from({ length: 60 }, (_, index) => `k${index + 1}: {x: k${index}, y: k${index}}`);
    const doubled = `{k0: 1, ${levels.join(', ')}}.k60`;
    const text = `[${doubled}, ${doubled}, if b then ${doubled} else ${doubled}][1].x.y.z`;
    // Of contexts that differ in their parts nothing more is known.
    assert.deepEqual(asExpression(scope)(text), []);
  });

  it('is checked as deep as an expression may be', () => {
    const text = `${'['.repeat(140)}«n > "a"»${']'.repeat(140)}`;
    const findings = asExpression(scope)(text.replace(/[«»]/g, ''));
    assert.deepEqual(
      findings.map(({ from }) => from),
      [140],
    );
  });
});

describe('of an expression whose kinds go together', () => {
  it('nothing is reported', () => {
    fc.assert(
      fc.property(filled(anyTemplate), (parts) => {
        assert.deepEqual(asExpression(scope)(parts.join('')), [], parts.join(''));
      }),
      { numRuns: 1_000 },
    );
  });

  it('with one mistake anywhere, that one is reported, and at its place', () => {
    fc.assert(
      fc.property(filled(anyTemplate), fc.nat(), fc.constantFrom(...faults), (parts, place, fault) => {
        const leafCount = Math.floor(parts.length / 2);
        const index = (place % leafCount) * 2 + 1;
        const marked = parts.with(index, fault).join('');
        const from = marked.indexOf('«');
        const to = marked.indexOf('»') - 1;
        const text = marked.replace(/[«»]/g, '');
        const findings = asExpression(scope)(text);
        const reported = findings.map((finding) => bare(text.slice(finding.from, finding.to)));
        assert.deepEqual(reported, [bare(text.slice(from, to))], `${marked} ${JSON.stringify(findings)}`);
        assert.ok(findings.every((finding) => finding.from <= from && finding.to >= to));
      }),
      { numRuns: 1_500 },
    );
  });
});
