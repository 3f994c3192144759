/** The comparison tells what is not the same: without that, the TCK would prove nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Meter, TurnBudget } from '../../../definitions/feel/budget.ts';
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { compileProgram } from '../../../definitions/feel/compile/program.ts';
import { parseExpression } from '../../../definitions/feel/parse-expression.ts';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import { isExpected } from './tck-compare.ts';

function valueOf(text: string): FeelValue {
  const run = new Evaluation(new Meter(new TurnBudget(0)));
  return compileProgram(parseExpression(text), { builtins }).evaluate(run, () => undefined);
}

const rows: readonly (readonly [actual: string, expected: string, isSame: boolean])[] = [
  ['null', 'null', true],
  ['null', '0', false],
  ['0', 'null', false],
  ['false', 'null', false],
  ['"1"', '1', false],
  ['1', '1.0', true],
  ['0.3', '0.3', true],
  ['0.30000000001', '0.3', false],
  // Rounded to its last digit.
  ['log(4)', '1.38629436', true],
  ['log(4)', '1.38629437', false],
  ['log(4)', '1.386', false],
  ['333.33333', '333.333333', false],
  // Computed with doubles.
  ['1680.880325608634796819', '1680.880325608555', true],
  ['1680.880325608634796819', '1680.88032560755', false],
  ['1234567890.1', '1234567890', false],
  ['[1, 2]', '[1, 2]', true],
  ['[1, 2]', '[2, 1]', false],
  ['[1]', '[1, null]', false],
  ['1', '[1]', false],
  ['{a: 1, b: 2}', '{b: 2, a: 1}', true],
  ['{a: 1, b: 2}', '{a: 1}', false],
  ['{a: 1}', '{a: 1, b: null}', false],
  ['@"2026-03-01"', '@"2026-03-01"', true],
  ['@"2026-03-01"', '@"2026-03-02"', false],
  ['@"2026-03-01"', '@"2026-03-01T00:00:00"', false],
  ['@"10:00:00Z"', '@"10:00:00"', false],
  ['@"10:00:00Z"', '@"11:00:00+01:00"', false],
  ['@"P12M"', '@"P1Y"', true],
  ['[1..2]', '[1, 2]', false],
];

describe('the comparison with the results of the TCK', () => {
  for (const [actual, expected, isSame] of rows) {
    it(`says that ${actual} is ${isSame ? '' : 'not '}${expected}`, () => {
      assert.equal(isExpected(valueOf(actual), valueOf(expected)), isSame);
    });
  }
});
