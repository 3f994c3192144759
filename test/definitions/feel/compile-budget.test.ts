/** Budgets: what grows ends, what costs nothing extra does not end, and cost is counted in one way only. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCostLimits } from '../../../definitions/feel/budget.ts';
import { FeelEvaluationError } from '../../../definitions/feel/errors.ts';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import { run } from './compile-run.ts';

const numbers: readonly FeelValue[] = Array.from({ length: 2_000 }, (_, index) => index);
const text = 'x'.repeat(100_000);
const variables = { numbers, text, other: `x${text.slice(1)}`, rows: numbers.map((n) => ({ n, s: 'abc' })) };

describe('the budget', () => {
  it('ends what goes through too much, or grows', () => {
    const endless = [
      'for a in 1..100001 return a',
      'for a in 1..9007199254740991 return a',
      'for a in -9007199254740991..9007199254740991 return a',
      'for a in @"-999999999-01-01"..@"999999999-01-01" return a',
      'for a in [0..9007199254740991] return a',
      'for a in 1..1000, b in 1..1000 return a',
      'some a in 1..1000, b in 1..1000 satisfies false',
      'every a in numbers satisfies numbers[item = a][1] = a',
      'for a in numbers return for b in numbers return b',
      'numbers[count(numbers[item > 0]) > 0]',
      'for a in 1..100 return if a = 1 then "abcdefgh" else partial[-1] + partial[-1]',
      'for a in 1..50000 return partial',
      'for a in 1..50000 return [partial]',
      'for a in 1..40 return if a = 1 then [0] else for b in [1, 2], c in partial[-1] return c',
      'for a in numbers return text = other',
      'for a in numbers return text < other',
      'for a in numbers return text + "a"',
      'for a in numbers return rows.n',
      'for a in numbers return rows = rows',
      'for a in numbers return rows instance of list<context<n: number>>',
      'for a in numbers return a in numbers',
      'for a in numbers return 1.5 ** 2.5',
      'for a in numbers return @"P1D" * 1.234567890123456789e-6000',
      '{f: function(g, n) if n = 0 then 0 else g(g, n - 1) + g(g, n - 1), r: f(f, 60)}.r',
      'for a in 1..100000 return [missing, missing, missing, missing, missing]',
    ];
    for (const expression of endless) {
      assert.throws(() => run(expression, { variables }), FeelEvaluationError, expression);
    }
  });

  it('is enough for what is usual', () => {
    const usual = [
      'sum(for a in numbers return a * 2)',
      'rows[n > 1000].n',
      'count(rows[s = "abc" and n in [10..20]])',
      'some a in rows satisfies a.n = 1999',
      'for a in 1..300, b in 1..300 return a * b',
      'for i in 1..1000 return if i = 1 then 1 else partial[-1] + i',
      'text = other and text + other != text',
      '{f: function(g, n) if n = 0 then 0 else 1 + g(g, n - 1), r: f(f, 80)}.r',
    ];
    for (const expression of usual) {
      const { units } = run(expression, { variables });
      assert.ok(units < defaultCostLimits.evaluationUnits / 2, `${expression} costs ${units}`);
    }
  });

  it('is spent alike for equal values, whether they are the same objects or not', () => {
    const expressions = [
      'numbers = numbers',
      'rows[n = 3]',
      'text = other',
      'text < other',
      'rows.s',
      '3 in numbers',
    ];
    const copies = structuredClone(variables);
    for (const expression of expressions) {
      assert.equal(
        run(expression, { variables }).units,
        run(expression, { variables: copies }).units,
        expression,
      );
    }
  });

  it('pays for what is inside of a loop as often as it runs', () => {
    const cost = (expression: string): number => run(expression, { variables }).units;
    const one = cost('for a in 1..100 return a');
    assert.equal(cost('[][item > 1 and item > 2 and item > 3]'), cost('[][item > 1]'));
    const two = cost('for a in 1..200 return a');
    assert.ok(two - one >= 100);
    assert.ok(cost('for a in 1..100 return a + a + a + a') > one + 100 * 4);
    assert.ok(cost('numbers[item > 1 and item > 2 and item > 3]') > cost('numbers[item > 1]') + 2_000 * 4);
    assert.ok(
      cost('[1, 2][(function(x) x + x + x + x)(1) = 4]') > cost('[1, 2][(function(x) x)(1) = 4]') + 2 * 3,
    );
  });
});

describe('deep data', () => {
  it('made by an expression does not exhaust the stack', () => {
    const deep = 'for a in 1..20000 return [partial[-1]]';
    const uses = [
      `(${deep})[-1] = (${deep})[-1]`,
      `(${deep})[-1].a`,
      `(${deep})[-1] instance of list<list<list<Any>>>`,
      `(${deep})[-1][1][1][1]`,
    ];
    for (const use of uses) {
      try {
        run(use);
      } catch (error) {
        assert.ok(error instanceof FeelEvaluationError, `${use}: ${String(error)}`);
      }
    }
  });
});
