/** Operators: logic, comparison, arithmetic, `in` and `instance of`, by tables. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FeelRange } from '../../../definitions/feel/runtime.ts';
import { run, show } from './compile-run.ts';

const variables = {
  n: 5,
  text: 'DE',
  none: null,
  xs: [1, 2, 3],
  order: { amount: 120, country: 'DE', lines: [{ price: 3 }, { price: null }] },
  open: new FeelRange(null, false, 10, true),
};

type Rows = readonly (readonly [expression: string, value: string])[];

function check(rows: Rows): void {
  for (const [expression, value] of rows) {
    assert.equal(show(run(expression, { variables }).value), value, expression);
  }
}

describe('and, or', () => {
  const operand = fc.constantFrom('true', 'false', 'null', '1', '"true"', '[]', '{}');
  const truth = (text: string): boolean | null => (text === 'true' ? true : text === 'false' ? false : null);

  it('are three-valued, whatever the operands are, and however many', () => {
    fc.assert(
      fc.property(fc.array(operand, { minLength: 2, maxLength: 5 }), (operands) => {
        const values = operands.map(truth);
        const conjunction = values.includes(false) ? false : values.includes(null) ? null : true;
        const disjunction = values.includes(true) ? true : values.includes(null) ? null : false;
        assert.equal(run(operands.join(' and ')).value, conjunction);
        assert.equal(run(operands.join(' or ')).value, disjunction);
      }),
    );
  });

  it('say of an operand that is no truth value that it is none, when the result is unknown for it', () => {
    const codes = (text: string): string[] =>
      run(text).warnings.map(({ code, message }) => `${code}: ${message}`);
    assert.deepEqual(codes('true and 1'), ["CONDITION: 'and' takes true and false, not a number"]);
    assert.deepEqual(codes('false or "x" or null'), ["CONDITION: 'or' takes true and false, not a string"]);
    assert.deepEqual(codes('false and 1'), []);
    assert.deepEqual(codes('null and true'), []);
  });

  it('evaluate no more than it takes', () => {
    assert.deepEqual(run('false and missing').warnings, []);
    assert.deepEqual(run('true or missing or missing').warnings, []);
  });
});

describe('if', () => {
  it('takes else for all that is not true', () => {
    check([
      ['if true then 1 else 2', '1'],
      ['if false then 1 else 2', '2'],
      ['if null then 1 else 2', '2'],
      ['if 1 then 1 else 2', '2'],
      ['if n > 3 then "more" else "less"', '"more"'],
    ]);
  });
});

describe('= and !=', () => {
  it('compare values of the same type, and null with all', () => {
    check([
      ['1 = 1.0', 'true'],
      ['n = 5', 'true'],
      ['n != 5', 'false'],
      ['5 = n', 'true'],
      ['text = "DE"', 'true'],
      ['text != "de"', 'true'],
      ['none = null', 'true'],
      ['none != null', 'false'],
      ['n = null', 'false'],
      ['null = n', 'false'],
      ['[] = null', 'false'],
      ['{} != null', 'true'],
      ['true = true', 'true'],
      ['true != false', 'true'],
      ['[1, [2]] = [1, [2]]', 'true'],
      ['[1, 2] = [2, 1]', 'false'],
      ['{a: 1, b: 2} = {b: 2, a: 1}', 'true'],
      ['{a: 1} = {a: 1, b: 2}', 'false'],
      ['[1..3] = [1..3]', 'true'],
      ['[1..3] = [1..3)', 'false'],
      ['@"P1Y" = @"P12M"', 'true'],
      ['@"P1D" = @"PT24H"', 'true'],
      ['9007199254740993 = 9007199254740993', 'true'],
      ['9007199254740993 = 9007199254740992', 'false'],
    ]);
  });

  it('are null for values of different types', () => {
    check([
      ['1 = "1"', 'null'],
      ['text = 5', 'null'],
      ['text != 5', 'null'],
      ['n = "5"', 'null'],
      ['true = 1', 'null'],
      ['[] = 0', 'null'],
      ['[100] = 100', 'null'],
      ['{} = []', 'null'],
      ['@"2026-03-01" = @"2026-03-01T00:00:00"', 'null'],
      ['@"P1Y" = @"P365D"', 'null'],
    ]);
  });

  it('of times of which one has a zone and the other has none are false', () => {
    check([
      ['@"10:00:00" = @"10:00:00Z"', 'false'],
      ['@"2026-03-01T10:00:00" != @"2026-03-01T10:00:00@Europe/Paris"', 'true'],
      ['@"10:00:00Z" = @"10:00:00+00:00"', 'true'],
    ]);
  });

  it('go on from the left', () => check([['1 = 1 = true', 'true']]));
});

describe('<, <=, >, >= and between', () => {
  it('order numbers, strings, dates, times and durations', () => {
    check([
      ['n > 4', 'true'],
      ['n >= 5', 'true'],
      ['n < 5', 'false'],
      ['n <= 5', 'true'],
      ['4 < n', 'true'],
      ['n < 9007199254740993', 'true'],
      ['9007199254740993 >= n', 'true'],
      ['9007199254740993 > 2', 'true'],
      ['"a" < "b"', 'true'],
      ['"ab" > "a"', 'true'],
      ['@"2026-03-01" < @"2026-03-02"', 'true'],
      ['@"10:00:00" <= @"10:00:00"', 'true'],
      ['@"P1D" > @"PT23H"', 'true'],
      ['n between 1 and 5', 'true'],
      ['n between 6 and 9', 'false'],
      ['"b" between "a" and "c"', 'true'],
    ]);
  });

  it('order strings by their code points', () => check([['"\\U01F642" > "\uffff"', 'true']]));

  it('are null for what has no order', () => {
    check([
      ['n < "5"', 'null'],
      ['none > 1', 'null'],
      ['1 > none', 'null'],
      ['true > false', 'null'],
      ['[1] < [2]', 'null'],
      ['@"P1Y" > @"P1D"', 'null'],
      ['none between 1 and 2', 'null'],
      ['2 between null and 10', 'null'],
      ['2 between 1 and null', 'null'],
    ]);
  });

  it('are false where one side of between is', () => check([['2 between null and 1', 'false']]));
});

describe('arithmetic', () => {
  it('computes decimals', () => {
    check([
      ['0.1 + 0.2', '0.3'],
      ['n + 1', '6'],
      ['10 - n * 3', '-5'],
      ['1 / 8', '0.125'],
      ['1 / 3', '0.3333333333333333333333333333333333'],
      ['2 ** 10', '1024'],
      ['-3 ** 2', '9'],
      ['2 ** 3 ** 2', '64'],
      ['4 ** 0.5', '2'],
      ['9007199254740991 + 2', '9007199254740993'],
      ['-n', '-5'],
      ['--n', '5'],
    ]);
  });

  it('joins strings', () => check([['"a" + "b" + ""', '"ab"']]));

  it('computes with dates, times and durations', () => {
    check([
      ['@"2026-03-01" + @"P1D"', '2026-03-02'],
      ['@"P1M" + @"2026-01-31"', '2026-02-28'],
      ['@"2026-03-02" - @"2026-03-01"', 'P1D'],
      ['@"10:00:00" - @"PT30M"', '09:30:00'],
      ['@"P1D" * 1.5', 'P1DT12H'],
      ['2 * @"P1Y"', 'P2Y'],
      ['@"P1D" / 2', 'PT12H'],
      ['@"P1Y" / @"P1M"', '12'],
      ['-@"P1Y"', '-P1Y'],
      ['-@"PT1H"', '-PT1H'],
    ]);
  });

  it('is null for what an operator does not take, and for what has no result', () => {
    check([
      ['1 / 0', 'null'],
      ['0.0 / 0.0', 'null'],
      ['10 ** 7000', 'null'],
      ['0 ** -1', 'null'],
      ['none + 1', 'null'],
      ['1 + "1"', 'null'],
      ['"a" - "b"', 'null'],
      ['"a" * 2', 'null'],
      ['true + true', 'null'],
      ['[1] + [2]', 'null'],
      ['@"2026-03-01" + @"2026-03-01"', 'null'],
      ['@"2026-03-01" * 2', 'null'],
      ['2 / @"P1D"', 'null'],
      ['@"P1D" / @"P1M"', 'null'],
      ['@"P1D" / 0', 'null'],
      ['@"P1D" ** 2', 'null'],
      ['-"1"', 'null'],
      ['-[1]', 'null'],
      ['-@"2026-03-01"', 'null'],
    ]);
  });
});

describe('in', () => {
  it('tests for ranges, comparisons, lists and values', () => {
    check([
      ['n in [1..5]', 'true'],
      ['n in [1..5)', 'false'],
      ['n in ]5..9]', 'false'],
      ['n in < 6', 'true'],
      ['n in >= 6', 'false'],
      ['n in (1, < 3, >= 5)', 'true'],
      ['n in (1, 2)', 'false'],
      ['n in 5', 'true'],
      ['n in = 5', 'true'],
      ['n in != 5', 'false'],
      ['n in [1, 5]', 'true'],
      ['n in xs', 'false'],
      ['2 in xs', 'true'],
      ['n in [[1..3], [4..6]]', 'true'],
      ['n in [[1..3], [6..9]]', 'false'],
      ['n in open', 'true'],
      ['11 in open', 'false'],
      ['[1, 2, 3] in [[1, 2], [1, 2, 3]]', 'true'],
      ['[1, 2, 3] in xs', 'true'],
      ['{a: 1} in [{a: 2}, {a: 1}]', 'true'],
      ['"b" in ["a".."c"]', 'true'],
      ['@"2026-03-02" in [@"2026-03-01"..@"2026-03-03"]', 'true'],
      ['[1..3] in [[1..3], 4]', 'true'],
      ['true in (false, true)', 'true'],
      ['true in [false, 2]', 'false'],
      ['none in null', 'true'],
      ['none in (1, null)', 'true'],
    ]);
  });

  it('takes conditions and functions', () => {
    check([
      ['n in (? > 4)', 'true'],
      ['n in (? > 5, ? = 1)', 'false'],
      ['n in (? + 0)', 'true'],
      ['n in (function(x) x > 4)', 'true'],
      ['n in (function(x) x)', 'null'],
      ['n in (function() true)', 'null'],
      ['[1, 2] in (? [1] = 1)', 'true'],
      ['1 in (? in (2, ? < 1) or ? = 1)', 'true'],
    ]);
  });

  it('is null where there is no order', () => {
    check([
      ['null in [1..10]', 'null'],
      ['"a" in [1..10]', 'null'],
      ['"a" in < 5', 'null'],
      ['5 in (null..10]', 'null'],
      ['5 in [1..null]', 'null'],
      ['"a" in ([1..10], "a")', 'true'],
      ['"a" in ([1..10], "b")', 'null'],
      ['5 in "5"', 'false'],
    ]);
  });
});
