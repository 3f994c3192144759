import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide, faultsOf, it, table, type TableOptions } from './decide.ts';

/** By `n`: rule 1 for 1 and 12, rule 2 for 2 and 12 and 22, rule 3 for 22. */
function rulesOf(...outputs: readonly [string, string, string]): readonly string[] {
  const [one, two, three] = outputs;
  return [`1, 12 -> ${one}`, `2, 12, 22 -> ${two}`, `22 -> ${three}`];
}

function results(options: Omit<TableOptions, 'inputs'>, ...numbers: readonly number[]): readonly string[] {
  const inside = it(table({ ...options, inputs: ['n'] }), ['n']);
  return numbers.map((n) => {
    const { value, errors } = decide(inside, 'it', { n });
    return [value, ...errors].join(' ');
  });
}

describe('hit policies that give one rule', () => {
  const rules = rulesOf('"a"', '"b"', '"b"');

  test('UNIQUE gives the one that matches, and nothing where there are two', () => {
    assert.deepEqual(results({ rules }, 1, 2, 12, 3), [
      '"a"',
      '"b"',
      'null SUTRA.DMN.HIT_POLICY_VIOLATED 5',
      'null',
    ]);
  });

  test('ANY gives what all that match give, and nothing where they differ', () => {
    assert.deepEqual(results({ hitPolicy: 'ANY', rules }, 1, 22, 12, 3), [
      '"a"',
      '"b"',
      'null SUTRA.DMN.HIT_POLICY_VIOLATED 5',
      'null',
    ]);
  });

  test('ANY compares all outputs', () => {
    const outputs = ['x', 'y'];
    const same = results({ hitPolicy: 'ANY', outputs, rules: rulesOf('1 | 1', '1 | 1.0', '1 | 2') }, 12, 22);
    assert.deepEqual(same, ['{x: 1, y: 1}', 'null SUTRA.DMN.HIT_POLICY_VIOLATED 5']);
  });

  test('FIRST gives the first that matches', () => {
    assert.deepEqual(results({ hitPolicy: 'FIRST', rules }, 12, 22, 3), ['"a"', '"b"', 'null']);
  });

  test('PRIORITY gives the output that is listed first', () => {
    const options = { hitPolicy: 'PRIORITY', rules: rulesOf('"low"', '"high"', '"middle"') };
    const outputValues = { 0: '"high", "middle", "low"' };
    assert.deepEqual(results({ ...options, outputValues }, 1, 12, 22, 3), [
      '"low"',
      '"high"',
      '"high"',
      'null',
    ]);
  });

  test('PRIORITY looks at the first output first', () => {
    const options = {
      hitPolicy: 'PRIORITY',
      outputs: ['x', 'y'],
      outputValues: { 0: '1, 2', 1: '"a", "b"' },
    };
    const rules = rulesOf('2 | "a"', '1 | "b"', '1 | "a"');
    assert.deepEqual(results({ ...options, rules }, 12, 22), ['{x: 1, y: "b"}', '{x: 1, y: "a"}']);
  });

  test('priorities may be those of one output only', () => {
    const options = { hitPolicy: 'PRIORITY', outputs: ['x', 'y'], outputValues: { 1: '"a", "b"' } };
    assert.deepEqual(results({ ...options, rules: rulesOf('2 | "b"', '1 | "a"', '0 | "b"') }, 12, 22), [
      '{x: 1, y: "a"}',
      '{x: 1, y: "a"}',
    ]);
  });

  test('priorities that nobody lists are reported', () => {
    for (const hitPolicy of ['PRIORITY', 'OUTPUT ORDER']) {
      const faults = faultsOf(it(table({ hitPolicy, inputs: ['n'], rules }), ['n']));
      assert.deepEqual(faults, ['SUTRA.DMN.PRIORITIES_MISSING 5:1']);
    }
  });
});

describe('hit policies that give a list', () => {
  test('RULE ORDER gives all in the order of the rules', () => {
    const rules = rulesOf('"b"', '"a"', '"a"');
    assert.deepEqual(results({ hitPolicy: 'RULE ORDER', rules }, 1, 12, 22, 3), [
      '["b"]',
      '["b", "a"]',
      '["a", "a"]',
      '[]',
    ]);
  });

  test('OUTPUT ORDER gives all in the order of the output values, equal ones in that of the rules', () => {
    const options = {
      hitPolicy: 'OUTPUT ORDER',
      outputs: ['x', 'y'],
      outputValues: { 0: '"a", "b"' },
    };
    const rules = rulesOf('"b" | 1', '"a" | 2', '"a" | 3');
    assert.deepEqual(results({ ...options, rules }, 12, 22, 3), [
      '[{x: "a", y: 2}, {x: "b", y: 1}]',
      '[{x: "a", y: 2}, {x: "a", y: 3}]',
      '[]',
    ]);
  });

  test('COLLECT gives all', () => {
    const rules = rulesOf('1 | "a"', '2 | "b"', '3 | "c"');
    assert.deepEqual(results({ hitPolicy: 'COLLECT', outputs: ['x', 'y'], rules }, 12, 3), [
      '[{x: 1, y: "a"}, {x: 2, y: "b"}]',
      '[]',
    ]);
  });

  test('a default is the only element of the list', () => {
    const rules = rulesOf('1', '2', '3');
    assert.deepEqual(results({ hitPolicy: 'COLLECT', defaults: { 0: '0' }, rules }, 12, 3), [
      '[1, 2]',
      '[0]',
    ]);
  });
});

describe('aggregations', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['SUM', ['0.1', '0.3', '0.2', 'null']],
    ['MIN', ['0.1', '0.1', '0', 'null']],
    ['MAX', ['0.1', '0.2', '0.2', 'null']],
    ['COUNT', ['1', '2', '2', '0']],
  ];
  for (const [aggregation, expected] of cases) {
    test(`${aggregation} of what the rules give`, () => {
      const options = { hitPolicy: 'COLLECT', aggregation, rules: rulesOf('0.1', '0.2', '0') };
      assert.deepEqual(results(options, 1, 12, 22, 3), expected);
    });
  }

  test('MAX compares texts too', () => {
    const options = { hitPolicy: 'COLLECT', aggregation: 'MAX', rules: rulesOf('"a"', '"b"', '"c"') };
    assert.deepEqual(results(options, 12), ['"b"']);
  });

  test('the sum of what is no number is null', () => {
    const options = { hitPolicy: 'COLLECT', aggregation: 'SUM', rules: rulesOf('1', '"b"', '1') };
    assert.deepEqual(results(options, 12), ['null']);
  });

  test('equal outputs count each', () => {
    const options = { hitPolicy: 'COLLECT', aggregation: 'COUNT', rules: rulesOf('1', '1', '1') };
    assert.deepEqual(results(options, 12), ['2']);
  });

  test('where nothing matches the default is given as it is', () => {
    const options = {
      hitPolicy: 'COLLECT',
      aggregation: 'SUM',
      defaults: { 0: '-1' },
      rules: rulesOf('1', '2', '3'),
    };
    assert.deepEqual(results(options, 12, 3), ['3', '-1']);
  });

  test('of several outputs only their number can be told', () => {
    const options = { inputs: ['n'], outputs: ['x', 'y'], hitPolicy: 'COLLECT', rules: ['1 -> 1 | 2'] };
    const faults = (aggregation: string): readonly string[] =>
      faultsOf(it(table({ ...options, aggregation }), ['n']));
    assert.deepEqual(faults('SUM'), ['SUTRA.DMN.AGGREGATION_INVALID 5:1']);
    assert.deepEqual(faults('COUNT'), []);
  });
});
