/**
 * The three-valued operators, by their whole tables: all pairs of operands of all kinds, as literals and as variables
 * (compiled code has ways of its own for both).
 *
 * Source: DMN 1.5, 10.3.2.15, tables 49 (and, or, some, every), 50, 53 (=), 54 (<), 55 (between, in).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Meter, TurnBudget } from '../../../definitions/feel/budget.ts';
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { compileProgram, compileTestProgram } from '../../../definitions/feel/compile/program.ts';
import { parseExpression, parseUnaryTests } from '../../../definitions/feel/parse-expression.ts';
import type { FeelContext, FeelValue } from '../../../definitions/feel/runtime.ts';
import { isList } from '../../../definitions/feel/value-kind.ts';
import { lookupIn, NOW_MS, show } from './compile-run.ts';

function newRun(): Evaluation {
  return new Evaluation(new Meter(new TurnBudget(NOW_MS)));
}

function valueOf(text: string, variables: FeelContext = {}): FeelValue {
  return compileProgram(parseExpression(text), { builtins }).evaluate(newRun(), lookupIn(variables));
}

/** Texts in one expression: reading takes longer than all else. */
const AT_ONCE = 30;

/** Each expression gives the value that is written beside it. */
function check(rows: readonly (readonly [text: string, value: string])[], variables: FeelContext = {}): void {
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = rows.slice(from, from + AT_ONCE);
    const values = valueOf(`[${some.map(([text]) => text).join(', ')}]`, variables);
    assert.ok(isList(values));
    for (const [index, [text, value]] of some.entries())
      assert.equal(show(values[index] ?? null), value, text);
  }
}

/** Each value passes the tests as is written beside it, and `not(…)` of them as it says of that. */
function checkTests(
  tests: string,
  rows: readonly (readonly [kind: string, passes: string])[],
  variables: FeelContext = {},
): void {
  for (const [text, isNegated] of [
    [tests, false],
    [`not(${tests})`, true],
  ] as const) {
    const program = compileTestProgram(parseUnaryTests(text), { builtins });
    for (const [kind, passes] of rows) {
      const result = program.evaluate(valueOfKind(kind), newRun(), lookupIn(variables));
      assert.equal(show(result), isNegated ? not(passes) : passes, `${kind}: ${text}`);
    }
  }
}

/** The cells of a table, by the words of their row and column. */
function table(text: string): (row: string, column: string) => string {
  const [columns = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const cells = new Map(
    rows.map(([row = '', ...values]) => [
      row,
      new Map(values.map((cell, index) => [columns[index] ?? '', cell])),
    ]),
  );
  return (row, column) => {
    const cell = cells.get(row)?.get(column);
    assert.ok(cell !== undefined, `the table has no ${row} and ${column}`);
    return cell;
  };
}

/** One literal of each kind, by its kind; of some kinds another one, which is larger. */
const literals: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  false: 'false',
  number: '1',
  number2: '12345678901234567890.5',
  string: '"a"',
  string2: '"b"',
  date: '@"2026-03-01"',
  time: '@"10:00:00"',
  zoned: '@"10:00:00Z"',
  moment: '@"2026-03-01T10:00:00"',
  days: '@"P1D"',
  days2: '@"P2D"',
  months: '@"P1M"',
  list: '[1]',
  list2: '[1, 2]',
  context: '{a: 1}',
  range: '[1..2]',
  function: 'function(x) x',
};
const kinds = Object.keys(literals);
const literalOf = (kind: string): string => literals[kind] ?? '';

const values = new Map(kinds.map((kind) => [kind, valueOf(literalOf(kind))]));
const valueOfKind = (kind: string): FeelValue => values.get(kind) ?? null;

/** Each way to write an operation of two operands gives what `expected` says, for operands of all kinds. */
function checkPairs(
  write: (left: string, right: string) => string,
  expected: (left: string, right: string, isSame: boolean) => string,
): void {
  const ofVariables = compileProgram(parseExpression(write('a', 'b')), { builtins });
  for (const left of kinds) {
    const a = valueOfKind(left);
    const literal = `(${literalOf(left)})`;
    check(kinds.map((right) => [write(literal, `(${literalOf(right)})`), expected(left, right, false)]));
    check(
      kinds.map((right) => [write('a', `(${literalOf(right)})`), expected(left, right, false)]),
      { a },
    );
    check(
      kinds.map((right) => [write(`(${literalOf(right)})`, 'a'), expected(right, left, false)]),
      { a },
    );
    for (const right of kinds) {
      const variables = { a, b: valueOfKind(right) };
      assert.equal(
        show(ofVariables.evaluate(newRun(), lookupIn(variables))),
        expected(left, right, left === right),
        `${left}, ${right}`,
      );
    }
  }
}

/** What an operand is to `and` and `or`: what is no boolean counts as null. */
const truth = (kind: string): string => (kind === 'true' || kind === 'false' ? kind : 'null');

const conjunction = table(`
          true    false   null
  true    true    false   null
  false   false   false   false
  null    null    false   null
`);
const disjunction = table(`
          true    false   null
  true    true    true    true
  false   true    false   null
  null    true    null    null
`);

const and = (...words: readonly string[]): string =>
  words.map(truth).reduce((all, word) => conjunction(all, word), 'true');
const or = (...words: readonly string[]): string =>
  words.map(truth).reduce((all, word) => disjunction(all, word), 'false');
const negation: Readonly<Record<string, string>> = { true: 'false', false: 'true', null: 'null' };
const not = (word: string): string => negation[truth(word)] ?? '';

/** All rows of `length` words. */
function rowsOf(words: readonly string[], length: number): readonly (readonly string[])[] {
  if (length === 0) return [[]];
  return rowsOf(words, length - 1).flatMap((row) => words.map((word) => [...row, word]));
}

describe('logic', () => {
  it('and', () =>
    checkPairs(
      (left, right) => `${left} and ${right}`,
      (left, right) => and(left, right),
    ));
  it('or', () =>
    checkPairs(
      (left, right) => `${left} or ${right}`,
      (left, right) => or(left, right),
    ));

  it('and, or of three and more', () => {
    const rows = rowsOf(['true', 'false', 'null', 'number'], 4);
    check(rows.map((row) => [row.map(literalOf).join(' and '), and(...row)]));
    check(rows.map((row) => [row.map(literalOf).join(' or '), or(...row)]));
  });

  it('not, if', () => {
    check(kinds.map((kind) => [`not(${literalOf(kind)})`, not(kind)]));
    check(kinds.map((kind) => [`if ${literalOf(kind)} then 1 else 2`, kind === 'true' ? '1' : '2']));
  });

  it('some is or, every is and, of lists of any length; a filter leaves what is true', () => {
    for (const length of [0, 1, 2, 3, 4]) {
      const rows = rowsOf(['true', 'false', 'null', 'string'], length);
      const lists = rows.map((row) => ({ row, list: `[${row.map(literalOf).join(', ')}]` }));
      check(lists.map(({ row, list }) => [`some x in ${list} satisfies x`, or(...row)]));
      check(lists.map(({ row, list }) => [`every x in ${list} satisfies x`, and(...row)]));
      check(lists.map(({ row, list }) => [`any(${list})`, or(...row)]));
      check(lists.map(({ row, list }) => [`all(${list})`, and(...row)]));
      const passing = (row: readonly string[]): string => row.filter((word) => word === 'true').join(', ');
      check(lists.map(({ row, list }) => [`(for x in ${list} return {v: x})[v].v`, `[${passing(row)}]`]));
    }
  });

  it('some and every over null are null, over what is no list they are of that one', () => {
    for (const quantifier of ['some', 'every']) {
      check([
        [`${quantifier} x in null satisfies true`, 'null'],
        [`${quantifier} x in [1], y in null satisfies true`, 'null'],
        [`${quantifier} x in 1 satisfies true`, 'true'],
        [`${quantifier} x in 1 satisfies false`, 'false'],
        [`${quantifier} x in 1 satisfies null`, 'null'],
      ]);
    }
  });
});

/** Kinds of which some are equal to each other, or at least compare: all others are of kinds of their own. */
const families: Readonly<Record<string, string>> = {
  ...{
    true: 'boolean',
    false: 'boolean',
    number2: 'number',
    string2: 'string',
    days2: 'days',
    list2: 'list',
    zoned: 'time',
  },
};
const familyOf = (kind: string): string => families[kind] ?? kind;

/** @param isSame the two are one value: a function is equal to itself alone */
const equal = (left: string, right: string, isSame: boolean): string => {
  if (left === 'function' && right === 'function') return String(isSame);
  if (left === 'null' || right === 'null') return String(left === right);
  if (familyOf(left) !== familyOf(right)) return 'null';
  return String(left === right);
};

const ordered: ReadonlySet<string> = new Set([
  'number',
  'string',
  'date',
  'time',
  'moment',
  'days',
  'months',
]);

/** -1, 0, 1, or nothing. */
const orderOf = (left: string, right: string): number | null => {
  if (familyOf(left) !== familyOf(right) || !ordered.has(familyOf(left))) return null;
  if (left === right) return 0;
  // A time with a zone and one without have no order.
  if (familyOf(left) === 'time') return null;
  return left.endsWith('2') ? 1 : -1;
};

const signs: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

describe('comparison', () => {
  it('=', () => checkPairs((left, right) => `${left} = ${right}`, equal));
  it('!=', () =>
    checkPairs(
      (left, right) => `${left} != ${right}`,
      (...operands) => not(equal(...operands)),
    ));

  for (const [operator, holds] of Object.entries(signs)) {
    it(operator, () => {
      checkPairs(
        (left, right) => `${left} ${operator} ${right}`,
        (left, right) => {
          const order = orderOf(left, right);
          return order === null ? 'null' : String(holds(order));
        },
      );
    });
  }

  it('between is two comparisons with and', () => {
    const words = ['null', 'true', 'number', 'number2', 'string', 'string2', 'days', 'list'];
    const atMost = (left: string, right: string): string => {
      const order = orderOf(left, right);
      return order === null ? 'null' : String(order <= 0);
    };
    for (const value of words) {
      const rows = rowsOf(words, 2).map(([low = '', high = '']) => ({
        ends: `between (${literalOf(low)}) and (${literalOf(high)})`,
        expected: and(atMost(low, value), atMost(value, high)),
      }));
      check(rows.map(({ ends, expected }) => [`(${literalOf(value)}) ${ends}`, expected]));
      check(
        rows.map(({ ends, expected }) => [`a ${ends}`, expected]),
        { a: valueOfKind(value) },
      );
    }
  });
});

/** Whether a value passes one test, by the kinds of both. */
function passes(value: string, test: string): string {
  if (test === 'function') return value === 'function' ? 'false' : truth(value);
  if (test === 'range') {
    if (value === 'range') return 'true';
    if (familyOf(value) !== 'number') return 'null';
    return String(value === 'number');
  }
  if (test === 'list' || test === 'list2') return String(value === test || value === 'number');
  if (test === 'true' || test === 'false') return String(value === test);
  return String(value === test);
}

describe('tests', () => {
  it('in, and unary tests, of literals', () => {
    for (const test of kinds) {
      check(kinds.map((value) => [`(${literalOf(value)}) in (${literalOf(test)})`, passes(value, test)]));
      checkTests(
        literalOf(test),
        kinds.map((value) => [value, passes(value, test)]),
      );
    }
    for (const value of kinds) {
      const a = valueOfKind(value);
      check(
        kinds.map((test) => [`a in (${literalOf(test)})`, passes(value, test)]),
        { a },
      );
    }
  });

  it('of several is or', () => {
    const words = ['null', 'true', 'number', 'range', 'list', 'function'];
    for (const tests of rowsOf(words, 3)) {
      const list = tests.map(literalOf).join(', ');
      const rows = words.map((value) => [value, or(...tests.map((test) => passes(value, test)))] as const);
      checkTests(list, rows);
      check(rows.map(([value, expected]) => [`(${literalOf(value)}) in (${list})`, expected]));
    }
  });

  it('that are conditions are what they say: true, false or null', () => {
    const variables = { yes: true, no: false, none: null };
    for (const [name, word] of [
      ['yes', 'true'],
      ['no', 'false'],
      ['none', 'null'],
    ] as const) {
      // `?` is there, so it is a condition whatever it gives.
      checkTests(
        `if ? = ? then ${name} else ${name}`,
        kinds.map((kind) => [kind, word]),
        variables,
      );
    }
  });

  it('with one side compare, and are null without an order', () => {
    for (const bound of kinds.filter((kind) => ordered.has(familyOf(kind)))) {
      for (const [operator, holds] of Object.entries(signs)) {
        const text = `${operator} ${literalOf(bound)}`;
        const rows = kinds.map((value) => {
          const order = orderOf(value, bound);
          // A range is compared with another one as a whole.
          if (value === 'range') return [value, 'false'] as const;
          return [value, order === null ? 'null' : String(holds(order))] as const;
        });
        checkTests(text, rows);
        check(rows.map(([value, expected]) => [`(${literalOf(value)}) in ${text}`, expected]));
      }
    }
  });

  it('- passes all, also when it cannot be told what the value is', () => {
    const program = compileTestProgram(parseUnaryTests('-'), { builtins });
    for (const kind of kinds)
      assert.equal(
        program.evaluate(valueOfKind(kind), newRun(), () => undefined),
        true,
      );
  });
});
