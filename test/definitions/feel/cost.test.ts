/**
 * What expressions may cost. Nothing here looks at a clock: without a bound, most of these would not end at all,
 * or take the memory of the process first.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  compileExpression,
  FeelEvaluationError,
  TurnBudget,
  TurnBudgetError,
} from '../../../definitions/feel.ts';
import { defaultCostLimits } from '../../../definitions/feel/budget.ts';
import { Temporal, type Context, type Value } from '../../../definitions/value.ts';

const { evaluationUnits, turnUnits } = defaultCostLimits;

function evaluate(text: string, scope: Context = {}, turn = new TurnBudget(0)): Value {
  return compileExpression(text).evaluate((name) => scope[name], turn);
}

/** What it costs, in units. */
function evaluateCosting(text: string, scope: Context): number {
  const turn = new TurnBudget(0);
  evaluate(text, scope, turn);
  return turnUnits - turn.unitsLeft;
}

/** `v0` to `v40`, each made of the one before, then `last` of the last one. */
function chain(first: string, step: (before: string) => string, last: (name: string) => string): string {
  const steps = Array.from({ length: 40 }, (_, index) => `v${index + 1}: ${step(`v${index}`)}`);
  return `{v0: ${first}, ${steps.join(', ')}, r: ${last('v40')}}.r`;
}

const same = (name: string): string => name;
const listType = `${'list<'.repeat(30)}number${'>'.repeat(30)}`;
const twice = (name: string): string => `[${name}, ${name}]`;

const numbers = Array.from({ length: 100_000 }, (_, index) => index);
const orders = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `order ${id}` }));
const wide = Object.fromEntries(numbers.slice(0, 50_000).map((index) => [`k${index}`, index]));
const text = 'abc '.repeat(500_000);
const scope: Context = { numbers, orders, wide, text, texts: Array.from({ length: 1_000 }, () => text) };

describe('what grows inside one expression ends by its budget', () => {
  const rows: Readonly<Record<string, string>> = {
    'a text added to itself': chain('"ab"', (x) => `${x} + ${x}`, same),
    'a text added to itself, looked at': chain(
      '"ab"',
      (x) => `${x} + ${x}`,
      (x) => `string length(${x})`,
    ),
    'texts that are joined': chain('"ab"', (x) => `string join([${x}, ${x}])`, same),
    'a delimiter': chain('"ab"', (x) => `string join([${x}, "a"], ${x})`, same),
    'a replacement': chain('"x"', (x) => `replace(${x}, "x", "xx")`, same),
    'a group that is replaced by itself twice': chain('"x"', (x) => `replace(${x}, "(.+)", "$1$1")`, same),
    'a text that is written with escapes': chain('"\\"\\\\"', (x) => `string([${x}])`, same),
    'a list of itself twice': chain('[1]', twice, same),
    'a list of itself twice, flattened': chain('[1]', twice, (x) => `count(flatten(${x}))`),
    'a list of itself twice, written': chain('[1]', twice, (x) => `string length(string(${x}))`),
    'a list of itself twice, compared': chain('[1]', twice, (x) => `${x} = ${x}`),
    'a list of itself twice, in another': chain('[1]', twice, (x) => `${x} in (${x}, 2)`),
    'a list of itself twice, made distinct': chain('[1]', twice, (x) => `distinct values(${x})`),
    'lists that are joined': chain('[1]', (x) => `concatenate(${x}, ${x})`, same),
    'a list to which itself is added': chain('[1]', (x) => `append(${x}, ${x}, ${x})`, same),
    'a list into which itself is put': chain('[1]', (x) => `insert before(${x}, 1, ${x})`, same),
    'a list that is flattened': chain('[1]', (x) => `flatten([${x}, ${x}])`, same),
    'a loop over two': chain('[1]', (x) => `for i in [1, 2] return ${x}`, same),
    'what a loop has made before, added':
      'for i in 1..60 return if i = 1 then "ab" else partial[-1] + partial[-1]',
    'what a loop has made before, twice': 'for i in 1..60 return [partial[-1], partial[-1]]',
    'a function that calls itself twice':
      '{f: function(g, n) if n = 0 then 1 else g(g, n - 1) + g(g, n - 1), r: f(f, 60)}.r',
    'a built-in function under another name': `{c: concatenate, f: function(x) c(x, x), r: ${'f('.repeat(40)}[1]${')'.repeat(40)}}.r`,
  };
  for (const [what, expression] of Object.entries(rows)) {
    it(what, () => {
      assert.throws(
        () => evaluate(expression),
        (error) =>
          error instanceof FeelEvaluationError && /more work than one|list of more than/.test(error.message),
      );
    });
  }

  const both = (name: string): string => `{a: ${name}, b: ${name}}`;
  for (const last of [
    same,
    twice,
    (x: string) => `if n = null then ${x} else 1`,
    (x: string) => `${x}[a = v39]`,
  ]) {
    it(`contexts that hold each other: ${last('x')}`, () => {
      assert.throws(() => evaluate(chain('{a: 1}', both, last)), /more work than one evaluation/);
    });
  }
});

describe('what goes through much again and again ends by its budget', () => {
  for (const work of [
    ...['sort(numbers, function(a, b) a > b)', 'reverse(numbers)', 'list contains(numbers, -1)', 'orders.id'],
    ...['orders', 'orders = orders', 'get entries(wide)', 'context put(wide, "a", 1)'],
    'context merge(wide, {a: 1})',
    ...['text = text + ""', 'contains(text, "z")', 'substring(text, 3)', 'matches(text, "z$")', 'date(text)'],
  ]) {
    it(work, () => {
      assert.throws(
        () => evaluate(`for i in 1..100000 return ${work}`, scope),
        /more work than one evaluation/,
      );
    });
  }

  it('different lists compared with each other', () => {
    const lists = Array.from({ length: 2_000 }, (_, index) => [...numbers.slice(0, 1_000), index]);
    assert.throws(() => evaluate('distinct values(lists)', { lists }), /more work/);
  });

  for (const work of ['count(numbers)', 'wide.nothing', 'get value(wide, "nothing")', 'text.a', '1 * text']) {
    it(`but not ${work}, which is quick with any data`, () => {
      const small = evaluateCosting(`for i in 1..100 return ${work}`, {});
      const large = evaluateCosting(`for i in 1..100 return ${work}`, scope);
      assert.ok(large <= small * 2, `${large} units over much data, ${small} over none`);
    });
  }
});

describe('what does not grow', () => {
  const rows: Readonly<Record<string, string>> = {
    'a list of itself twice, told apart': chain('[1]', twice, (x) => `${x} != [${x}]`),
    'a list of itself twice, ordered': chain('[1]', twice, (x) => `${x} < 2`),
    'a list of itself twice, ordered by a function': chain('[1]', twice, (x) => `before(${x}, ${x})`),
    'a list of itself twice, between': chain('[1]', twice, (x) => `${x} between 1 and 2`),
    'a list of itself twice, as an end of a range': chain('[1]', twice, (x) => `1 in [${x}..3]`),
    'a list of itself twice, filtered': chain('[1]', twice, (x) => `${x}[item = ${x}]`),
    'a list type that is as deep': chain('[1]', twice, (x) => `${x} instance of ${listType}`),
  };
  for (const [what, expression] of Object.entries(rows)) {
    it(what, () => assert.ok(evaluateCosting(expression, {}) < 10_000));
  }
});

describe('a turn', () => {
  it('pays for all its evaluations, and says so when it cannot', () => {
    const turn = new TurnBudget(0);
    const expression = compileExpression('count(for i in 1..n return i)');
    const run = (): unknown => expression.evaluate(() => 50_000, turn);
    assert.throws(() => Array.from({ length: 100 }, run), TurnBudgetError);
    assert.equal(turn.isSpent, true);
    assert.throws(() => evaluate('1', {}, turn), TurnBudgetError);
    assert.equal(evaluate('1', {}, new TurnBudget(0)), 1);
  });

  it('does not tell what costs too much for one evaluation from its own end', () => {
    const turn = new TurnBudget(0);
    assert.throws(() => evaluate(chain('[1]', twice, same), {}, turn), FeelEvaluationError);
    assert.equal(turn.isSpent, false);
    assert.ok(turn.unitsLeft <= turnUnits - evaluationUnits);
  });

  it('has enough for some expressions over each of 10,000 objects', () => {
    const turn = new TurnBudget(0);
    const items = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `item ${id}`, price: id % 100 }));
    const expressions = [
      ...['item.id', 'item.price * 2 + 1', 'if item.price > 50 then "high" else item.name'],
      ...['{id: item.id, name: upper case(item.name)}', 'items[loopCounter].price = item.price'],
    ].map(compileExpression);
    assert.equal(
      compileExpression('items').evaluate(() => items, turn),
      items,
    );
    for (const [index, item] of items.entries()) {
      const scope: Context = { item, items, loopCounter: index + 1 };
      for (const expression of expressions) expression.evaluate((name) => scope[name], turn);
    }
    assert.equal(
      compileExpression('count(items[price > 50])').evaluate(() => items, turn),
      4_900,
    );
  });

  it('pays the same for the same, whatever was evaluated before', () => {
    const made = (): Context => ({
      items: Array.from({ length: 200 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', ''] })),
      at: new Temporal('date', '2026-01-01'),
      pattern: '^item \\d{1,3}$',
    });
    const rows = [
      ...['items', '{all: items}', '[items[1], items]', 'items[id = 5]', '[at, items]', 'count(items)'],
      ...['for i in 1..100 return i', '{a: 1, b: [2, "three"]}', 'items[matches(name, pattern)].id'],
      ...['items[matches(name, "^item")]', 'string(items)'],
    ];
    for (const row of rows) {
      const given = made();
      const costOf = (values: Context): number => {
        const turn = new TurnBudget(0);
        expression.evaluate((name) => values[name], turn);
        return turnUnits - turn.unitsLeft;
      };
      const expression = compileExpression(row);
      const first = costOf(given);
      assert.equal(costOf(given), first, row);
      assert.equal(costOf(made()), first, row);
      evaluate('[items, at, pattern]', given);
      assert.equal(costOf(given), first, row);
    }
  });
});
