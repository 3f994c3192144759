import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatJson, toJsonValue } from '../../cli/decision-output.ts';
import { Meter, TurnBudget } from '../../definitions/feel/budget.ts';
import { builtins } from '../../definitions/feel/builtins/index.ts';
import { Evaluation } from '../../definitions/feel/compile/evaluation.ts';
import { compileProgram } from '../../definitions/feel/compile/program.ts';
import { parseExpression } from '../../definitions/feel/parse-expression.ts';

function shown(expression: string): string {
  const run = new Evaluation(new Meter(new TurnBudget(0)));
  const value = compileProgram(parseExpression(expression), { builtins }).evaluate(run, () => undefined);
  return formatJson(toJsonValue(value));
}

describe('what a decision gives, as JSON', () => {
  const rows: readonly (readonly [expression: string, json: string])[] = [
    ['null', 'null'],
    ['1 / 3', '0.3333333333333333333333333333333333'],
    ['9007199254740993', '9007199254740993'],
    ['0.10', '0.1'],
    ['"a, \\"b\\": [c]"', '"a, \\"b\\": [c]"'],
    ['@"2026-03-01"', '"2026-03-01"'],
    ['@"PT1H"', '"PT1H"'],
    ['[1..5)', '"[1..5)"'],
    ['[@"2026-03-01"..@"2026-03-31"]', '"[@\\"2026-03-01\\"..@\\"2026-03-31\\"]"'],
    ['function(a) a', '"<function>"'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['[1, [2]]', '[\n  1,\n  [\n    2\n  ]\n]'],
    [
      '{a: 1 / 3, "b c": {r: [1..2]}}',
      '{\n  "a": 0.3333333333333333333333333333333333,\n  "b c": {\n    "r": "[1..2]"\n  }\n}',
    ],
  ];
  for (const [expression, json] of rows) {
    it(`has ${expression} as ${json.replaceAll(/\s+/g, ' ')}`, () => {
      assert.equal(shown(expression), json);
    });
  }

  it('is laid out as the runtime lays out JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(formatJson(value), JSON.stringify(value, null, 2));
      }),
    );
  });

  it('refuses what is nested too deep', () => {
    assert.throws(() => shown('for i in 1..5000 return [partial[-1]]'), { code: 'SUTRA.CODEC.TOO_DEEP' });
  });
});
