import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FeelContext, FeelValue } from '../../../definitions/feel/runtime.ts';
import { context, decide, entry, faultsOf, it, literal, table, type TableOptions } from './decide.ts';

function decideTable(options: TableOptions, inputs: FeelContext): ReturnType<typeof decide> {
  return decide(it(table(options), Object.keys(inputs)), 'it', inputs);
}

describe('input entries', () => {
  /** Unary tests, what passes them, and what does not. */
  const cases: readonly (readonly [string, readonly FeelValue[], readonly FeelValue[]])[] = [
    ['-', [1, 'a', null, [1]], []],
    ['"a"', ['a'], ['b', 1, null, ['a']]],
    ['"a", "b"', ['a', 'b'], ['c', null]],
    ['5', [5], [6, '5', null]],
    ['1, "a"', [1, 'a'], ['1', 2]],
    ['< 5', [4, -1], [5, 6, '4', null]],
    ['<= 5', [5, 4], [6]],
    ['> 5', [6], [5, null]],
    ['>= 5', [5], [4]],
    ['[1..5]', [1, 3, 5], [0, 6, null]],
    ['(1..5)', [2], [1, 5]],
    [']1..5[', [2], [1, 5]],
    ['[1..5], 9', [5, 9], [6]],
    ['not(5)', [4], [5]],
    ['not("a", "b")', ['c'], ['a', 'b']],
    ['not(< 5)', [5], [4, null]],
    ['null', [null], [1]],
    ['true', [true], [false, null]],
    ['? > 5 and ? < 7', [6], [5, 7]],
    ['other', [7], [8]],
    ['< other', [6], [7]],
    ['["a", "b"]', ['a'], ['c']],
    ['contains(?, "b")', ['abc'], ['ac']],
    ['["a" < "b"]', [true], [false]],
  ];
  for (const [tests, passing, failing] of cases) {
    test(`${tests} passes what it says`, () => {
      const options: TableOptions = {
        inputs: ['value'],
        rules: [`${tests} -> "yes"`],
        defaults: { 0: '"no"' },
      };
      const inside = it(table(options), ['value', 'other']);
      const results = (values: readonly FeelValue[]): readonly string[] =>
        values.map((value) => decide(inside, 'it', { value, other: 7 }).value);
      assert.deepEqual(
        results(passing),
        passing.map(() => '"yes"'),
      );
      assert.deepEqual(
        results(failing),
        failing.map(() => '"no"'),
      );
    });
  }

  test('a blank entry passes everything, and a blank output is null', () => {
    const options: TableOptions = { inputs: ['n'], outputs: ['a', 'b'], rules: [' -> 1 | '] };
    assert.equal(decideTable(options, { n: 3 }).value, '{a: 1, b: null}');
  });

  test('a number that is no double is compared exactly', () => {
    const options: TableOptions = {
      inputs: ['n'],
      rules: ['0.1234567890123456789 -> "same"', '< 0.1234567890123456789 -> "less"'],
    };
    const inside = it(table(options), []);
    assert.match(faultsOf(inside).join(' '), /NAME_UNKNOWN/);
    const given = context(entry('n', literal('0.1234567890123456789')), entry(null, table(options)));
    assert.equal(decide(it(given), 'it').value, '"same"');
    const less = context(entry('n', literal('0.1234567890123456788')), entry(null, table(options)));
    assert.equal(decide(it(less), 'it').value, '"less"');
  });
});

describe('inputs', () => {
  test('an input is any expression, and sees the context around the table', () => {
    const logic = context(
      entry('total', literal('n * 2')),
      entry(null, table({ inputs: ['total + 1'], rules: ['> 6 -> "many"', '<= 6 -> "few"'] })),
    );
    assert.equal(decide(it(logic, ['n']), 'it', { n: 3 }).value, '"many"');
  });

  test('all inputs must pass', () => {
    const options: TableOptions = {
      inputs: ['a', 'b'],
      rules: ['1 | 1 -> "both"', '1 | not(1) -> "first"', 'not(1) | 1 -> "second"'],
    };
    const results = [
      [1, 1],
      [1, 2],
      [2, 1],
      [2, 2],
    ].map(([a = 0, b = 0]) => decideTable(options, { a, b }).value);
    assert.deepEqual(results, ['"both"', '"first"', '"second"', 'null']);
  });

  test('a value that is not allowed leaves the table without a result', () => {
    const options: TableOptions = {
      inputs: ['n'],
      inputValues: { 0: '"low", "high"' },
      rules: ['- -> 1'],
    };
    assert.deepEqual(decideTable(options, { n: 'low' }), { value: '1', errors: [], warnings: [] });
    assert.deepEqual(decideTable(options, { n: 'middle' }), {
      value: 'null',
      errors: ['SUTRA.DMN.VALUE_NOT_ALLOWED 5'],
      warnings: [],
    });
  });

  test('null is no value that could be forbidden', () => {
    const options: TableOptions = { inputs: ['n'], inputValues: { 0: '"low"' }, rules: ['- -> 1'] };
    assert.deepEqual(decideTable(options, { n: null }), { value: '1', errors: [], warnings: [] });
  });

  test('a value of another type is null, and an error', () => {
    const options: TableOptions = { inputs: ['n: number'], rules: ['null -> "nothing"', '> 0 -> "some"'] };
    const { value, errors } = decideTable(options, { n: 'a' });
    assert.equal(value, '"nothing"');
    assert.deepEqual(errors, ['SUTRA.DMN.TYPE_MISMATCH 5']);
  });
});

describe('outputs', () => {
  test('one output is the value itself, with or without a name', () => {
    for (const name of ['', 'rate']) {
      const options: TableOptions = { inputs: ['n'], outputs: [name], rules: ['- -> n + 1'] };
      assert.equal(decideTable(options, { n: 1 }).value, '2');
    }
  });

  test('several outputs are a context', () => {
    const options: TableOptions = { inputs: ['n'], outputs: ['rate', 'is ok'], rules: ['- -> 5 | true'] };
    assert.equal(decideTable(options, { n: 1 }).value, '{rate: 5, is ok: true}');
  });

  test('an output that is not of its type, or not listed, is null and an error', () => {
    const options: TableOptions = {
      inputs: ['n'],
      outputs: ['a: number', 'b'],
      outputValues: { 1: '"x", "y"' },
      rules: ['1 -> "one" | "x"', '2 -> 2 | "z"', '3 -> null | null'],
    };
    const results = [1, 2, 3].map((n) => decideTable(options, { n }));
    assert.deepEqual(results, [
      { value: '{a: null, b: "x"}', errors: ['SUTRA.DMN.TYPE_MISMATCH 8'], warnings: [] },
      { value: '{a: 2, b: null}', errors: ['SUTRA.DMN.VALUE_NOT_ALLOWED 9'], warnings: [] },
      { value: '{a: null, b: null}', errors: [], warnings: [] },
    ]);
  });

  test('only outputs of rules that match are evaluated', () => {
    const options: TableOptions = { inputs: ['n', 's'], rules: ['1 | - -> 1', '2 | - -> 1 + s'] };
    assert.deepEqual(decideTable(options, { n: 1, s: 'a' }).warnings, []);
    assert.deepEqual(decideTable(options, { n: 2, s: 'a' }).warnings, ['OPERAND 10']);
  });

  test('defaults are given when no rule matches', () => {
    const options: TableOptions = {
      inputs: ['n'],
      outputs: ['a', 'b'],
      defaults: { 0: 'n + 1' },
      rules: ['1 -> 1 | 1'],
    };
    assert.equal(decideTable(options, { n: 1 }).value, '{a: 1, b: 1}');
    assert.equal(decideTable(options, { n: 5 }).value, '{a: 6, b: null}');
  });

  test('without defaults there is nothing', () => {
    const options: TableOptions = { inputs: ['n'], outputs: ['a', 'b'], rules: ['1 -> 1 | 1'] };
    assert.deepEqual(decideTable(options, { n: 2 }), { value: 'null', errors: [], warnings: [] });
  });
});

describe('faults in tables', () => {
  test('entries that cannot be read are reported where they stand', () => {
    const logic = table({ inputs: ['n'], rules: ['< -> 1', '2 -> 1 +'] });
    assert.deepEqual(faultsOf(it(logic, ['n'])), [
      'SUTRA.FEEL.SYNTAX_INVALID 7:29',
      'SUTRA.FEEL.SYNTAX_INVALID 8:68',
    ]);
  });

  test('names in entries are known', () => {
    const logic = table({ inputs: ['n'], rules: ['< limit -> ?', 'n -> n'] });
    // Only tests have something that `?` stands for.
    const expected = ['SUTRA.FEEL.NAME_UNKNOWN 7:30', 'SUTRA.FEEL.NAME_UNKNOWN 7:74'];
    assert.deepEqual(faultsOf(it(logic, ['n'])), expected);
  });
});

describe('large tables', () => {
  /** Text keys in one column, and `-` in every tenth rule. */
  const rules = Array.from({ length: 1_000 }, (_, index) =>
    index % 10 === 9 ? `- | ${index} -> ${index}` : `"k${index % 100}" | - -> ${index}`,
  );
  const options: TableOptions = { hitPolicy: 'RULE ORDER', inputs: ['key', 'number'], rules };
  const inside = it(table(options), ['key', 'number']);

  test('every rule that matches is found, in order', () => {
    const expected = (key: string, number: number): string =>
      `[${rules
        .flatMap((_, index) => {
          const isMatch = index % 10 === 9 ? index === number : key === `k${index % 100}`;
          return isMatch ? [index] : [];
        })
        .join(', ')}]`;
    assert.equal(decide(inside, 'it', { key: 'k7', number: 509 }).value, expected('k7', 509));
    assert.equal(decide(inside, 'it', { key: 'k99', number: 999 }).value, expected('k99', 999));
    assert.equal(decide(inside, 'it', { key: 'none', number: 0 }).value, '[]');
  });
});
