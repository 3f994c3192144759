import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { TurnBudget, TurnBudgetError, defaultCostLimits } from '../../../definitions/feel/budget.ts';
import { FeelEvaluationError } from '../../../definitions/feel/errors.ts';
import type { Decision } from '../../../definitions/dmn/decisions.ts';
import type { FeelContext } from '../../../definitions/feel/runtime.ts';
import { lookupIn, NOW_MS } from '../feel/compile-run.ts';
import { decide, entry, context, find, it, knowledge, literal, table } from './decide.ts';

function costOf(decision: Decision, inputs: FeelContext): number {
  const budget = new TurnBudget(NOW_MS);
  decision.evaluate(lookupIn(inputs), budget);
  return defaultCostLimits.turnUnits - budget.unitsLeft;
}

/** A decision that requires this function. */
function calling(text: string, functionId: string): string {
  return `<decision id="it" name="it"><variable name="it"/><knowledgeRequirement><requiredKnowledge href="#${functionId}"/></knowledgeRequirement>${literal(text)}</decision>`;
}

describe('what an evaluation may cost', () => {
  test('a function that never ends does not exhaust the stack', () => {
    const bodies = [
      literal('f(n + 1)'),
      context(entry('a', literal('f(n + 1)')), entry('b', literal('a'))),
      table({ inputs: ['f(n + 1)'], rules: ['- -> 1'] }),
      table({ inputs: ['n'], rules: ['f(?) -> 1'] }),
      table({ inputs: ['n'], rules: ['- -> f(n)'] }),
      `<for iteratorVariable="i"><in>${literal('[n]')}</in><return>${literal('f(i)')}</return></for>`,
      `<filter><in>${literal('[n]')}</in><match>${literal('f(item)')}</match></filter>`,
      `<list><list><list><list>${literal('f(n)')}</list></list></list></list>`,
      `<invocation>${literal('f')}<binding><parameter name="n"/>${literal('n')}</binding></invocation>`,
      `<conditional><if>${literal('f(n)')}</if><then>${literal('1')}</then><else>${literal('2')}</else></conditional>`,
    ];
    for (const body of bodies) {
      const decision = find([knowledge('f', ['n'], body), calling('f(1)', 'f')].join('\n'), 'it');
      assert.throws(() => decision.evaluate(lookupIn({}), new TurnBudget(NOW_MS)), FeelEvaluationError, body);
    }
  });

  test('a function may call itself some hundred times', () => {
    const inside = [
      knowledge('f', ['n'], literal('if n = 0 then 0 else 1 + f(n - 1)')),
      calling('f(150)', 'f'),
    ].join('\n');
    assert.equal(decide(inside, 'it').value, '150');
  });

  test('a long row of decisions does not exhaust the stack', () => {
    const rowOf = (length: number): string =>
      Array.from({ length }, (_, index) => {
        const required = `<informationRequirement><requiredDecision href="#d${index - 1}"/></informationRequirement>`;
        const logic = literal(index === 0 ? '1' : `d${index - 1} + 1`);
        return `<decision id="d${index}" name="d${index}"><variable name="d${index}"/>${index === 0 ? '' : required}${logic}</decision>`;
      }).join('\n');
    assert.equal(decide(rowOf(200), 'd199').value, '200');
    const decision = find(rowOf(5_000), 'd4999');
    assert.throws(() => decision.evaluate(lookupIn({}), new TurnBudget(NOW_MS)), FeelEvaluationError);
  });

  test('all that is evaluated for a decision is paid from one budget', () => {
    const element = `<for iteratorVariable="i"><in>${literal('[1..60000]')}</in><return>${literal('1')}</return></for>`;
    const decision = find(it(`<list>${element}${element}</list>`), 'it');
    assert.throws(() => decision.evaluate(lookupIn({}), new TurnBudget(NOW_MS)), FeelEvaluationError);
  });

  test('a turn without units makes no decision', () => {
    const budget = new TurnBudget(NOW_MS);
    budget.spend(defaultCostLimits.turnUnits);
    const decision = find(it(literal('1')), 'it');
    assert.throws(() => decision.evaluate(lookupIn({}), budget), TurnBudgetError);
  });

  test('a table costs by the rules that are looked at', () => {
    const ofRules = (count: number): Decision =>
      find(
        it(
          table({
            hitPolicy: 'FIRST',
            inputs: ['n', 'n'],
            rules: Array.from({ length: count }, (_, index) => `> ${index + 10} | - -> ${index}`),
          }),
          ['n'],
        ),
        'it',
      );
    const [few, many] = [ofRules(100), ofRules(1_000)];
    assert.ok(costOf(many, { n: 0 }) > 5 * costOf(few, { n: 0 }));
    assert.ok(costOf(many, { n: 0 }) < 10_000);
    assert.ok(costOf(many, { n: 11 }) < 200, 'the first rule is enough');
  });

  test('a table of many costly entries ends with its budget', () => {
    const costly = '? = count(for i in 1..20000 return i)';
    const decision = find(
      it(
        table({
          inputs: ['n'],
          rules: Array.from({ length: 100 }, (_, index) => `${costly} + ${index} -> 1`),
        }),
        ['n'],
      ),
      'it',
    );
    assert.throws(() => decision.evaluate(lookupIn({ n: 1 }), new TurnBudget(NOW_MS)), FeelEvaluationError);
  });

  test('equal input costs the same', () => {
    const decision = find(it(table({ inputs: ['n'], rules: ['< 5 -> 1', '>= 5 -> 2'] }), ['n']), 'it');
    assert.equal(costOf(decision, { n: 7 }), costOf(decision, { n: 7 }));
  });

  test('problems are kept up to a number', () => {
    const logic = `<for iteratorVariable="i"><in>${literal('[1..1000]')}</in><return>${literal('i + "a"')}</return></for>`;
    const { warnings } = decide(it(logic), 'it');
    assert.equal(warnings.length, 50);
  });

  test('many warnings do not hide an error', () => {
    const noise = `<for iteratorVariable="i"><in>${literal('[1..1000]')}</in><return>${literal('i + "a"')}</return></for>`;
    const { errors } = decide(it(context(entry('a', noise), entry('b', literal('1', 'string')))), 'it');
    assert.equal(errors.length, 1);
  });
});

describe('a table over ranges of numbers', () => {
  interface Range {
    readonly low: number | null;
    readonly high: number | null;
    readonly isLowIncluded: boolean;
    readonly isHighIncluded: boolean;
  }

  const bound = fc.option(fc.integer({ min: -20, max: 20 }), { freq: 3 });
  const range = fc
    .record({ low: bound, high: bound, isLowIncluded: fc.boolean(), isHighIncluded: fc.boolean() })
    .filter(({ low, high }) => low === null || high === null || low <= high);

  function textOfRange({ low, high, isLowIncluded, isHighIncluded }: Range): string {
    if (low === null && high === null) return '-';
    if (low === null) return `<${isHighIncluded ? '=' : ''} ${String(high)}`;
    if (high === null) return `>${isLowIncluded ? '=' : ''} ${low}`;
    return `${isLowIncluded ? '[' : '('}${low}..${high}${isHighIncluded ? ']' : ')'}`;
  }

  function isIn(value: number, { low, high, isLowIncluded, isHighIncluded }: Range): boolean {
    const isAbove = low === null || value > low || (isLowIncluded && value === low);
    const isBelow = high === null || value < high || (isHighIncluded && value === high);
    return isAbove && isBelow;
  }

  test('gives what a naive reading of its rules gives', () => {
    const cells = fc.tuple(range, range);
    fc.assert(
      fc.property(
        fc.array(cells, { minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(fc.integer({ min: -22, max: 22 }), fc.integer({ min: -22, max: 22 })), {
          maxLength: 10,
        }),
        (rules, inputs) => {
          const texts = rules.map(([a, b], index) => `${textOfRange(a)} | ${textOfRange(b)} -> ${index}`);
          const decision = find(it(table({ inputs: ['a', 'b'], rules: texts }), ['a', 'b']), 'it');
          for (const [a, b] of inputs) {
            const matching = rules.flatMap(([one, other], index) =>
              isIn(a, one) && isIn(b, other) ? [index] : [],
            );
            const { value, problems } = decision.evaluate(lookupIn({ a, b }), new TurnBudget(NOW_MS));
            assert.equal(value, matching.length === 1 ? matching[0] : null);
            assert.equal(problems.length, matching.length > 1 ? 1 : 0);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a table with keys gives what it gives without an index', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd');
    const cell = fc.oneof(fc.constant(null), fc.uniqueArray(key, { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 40 }), key, (rules, given) => {
        const texts = rules.map((keys, index) => {
          const text = keys === null ? '-' : keys.map((one) => JSON.stringify(one)).join(', ');
          return `${text} -> ${index}`;
        });
        const decision = find(it(table({ hitPolicy: 'COLLECT', inputs: ['k'], rules: texts }), ['k']), 'it');
        const expected = rules.flatMap((keys, index) =>
          keys === null || keys.includes(given) ? [index] : [],
        );
        assert.deepEqual(decision.evaluate(lookupIn({ k: given }), new TurnBudget(NOW_MS)).value, expected);
      }),
      { numRuns: 60 },
    );
  });
});
