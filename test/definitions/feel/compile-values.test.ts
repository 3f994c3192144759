/** Names, paths, lists, contexts, ranges, filters and iterations, by tables. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FeelRange, type FeelContext } from '../../../definitions/feel/runtime.ts';
import { temporalFromText } from '../../../definitions/feel/temporal/functions.ts';
import { run, show } from './compile-run.ts';

const variables: FeelContext = {
  n: 5,
  i: 2,
  none: null,
  xs: [10, 20, 30],
  matrix: [[{ a: 1 }], [{ a: 2 }, { b: 3 }]],
  people: [
    { name: 'Ada', age: 36, tags: ['x', 'y'] },
    { name: 'Bob', age: 17, tags: [] },
    { name: 'Cid', age: null, item: 'own' },
  ],
  order: { lines: [{ price: 3, count: 2 }, { price: 5 }], 'ship to': { city: 'Rome' } },
  date: temporalFromText('2026-03-01'),
  constructor: 'own',
  span: new FeelRange(1, true, 10, false),
};

type Rows = readonly (readonly [expression: string, value: string])[];

function check(rows: Rows): void {
  for (const [expression, value] of rows) {
    assert.equal(show(run(expression, { variables }).value), value, expression);
  }
}

describe('names', () => {
  it('are variables, and null where there is none', () => {
    check([
      ['n', '5'],
      ['order.ship to.city', '"Rome"'],
      ['missing', 'null'],
      ['none', 'null'],
      ['constructor', '"own"'],
      ['toString', 'null'],
      ['?', 'null'],
    ]);
  });

  it('of built-in functions are those, unless something else has the name', () => {
    check([
      ['count', 'function'],
      ['count(xs)', '3'],
      ['date', '2026-03-01'],
      ['date("2026-01-01")', '2026-01-01'],
      ['{count: 3, d: count + 1}.d', '4'],
      ['{count: function(x) 7, d: count(xs)}.d', '7'],
      ['apply(count, xs)', '3'],
    ]);
  });

  it('are looked up once in an evaluation', () => {
    let reads = 0;
    const counted = Object.defineProperty({}, 'n', {
      enumerable: true,
      get() {
        reads += 1;
        return 1;
      },
    });
    assert.equal(
      show(run('[n, n, (function() n)(), for x in [1, 2] return n]', { variables: counted }).value),
      '[1, 1, 1, [1, 1]]',
    );
    assert.equal(reads, 1);
  });
});

describe('paths', () => {
  it('go into contexts, lists, dates and ranges', () => {
    check([
      ['order.lines[1].price', '3'],
      ['order.lines.price', '[3, 5]'],
      ['order.lines.count', '[2, null]'],
      ['people.name', '["Ada", "Bob", "Cid"]'],
      ['matrix.a', '[[1], [2, null]]'],
      ['[].a', '[]'],
      ['date.year', '2026'],
      ['date.weekday', '7'],
      ['@"P1Y2M".months', '2'],
      ['span.start', '1'],
      ['span.end', '10'],
      ['span.start included', 'true'],
      ['span.end included', 'false'],
      ['(< 5).start', 'null'],
      ['{a: {b: 1}}.a.b', '1'],
    ]);
  });

  it('are null for what has no such property', () => {
    check([
      ['order.missing', 'null'],
      ['order.toString', 'null'],
      ['order.constructor', 'null'],
      ['none.a', 'null'],
      ['n.a', 'null'],
      ['"text".length', 'null'],
      ['date.hour', 'null'],
      ['span.constructor', 'null'],
      ['count.a', 'null'],
    ]);
  });
});

describe('lists, contexts and ranges', () => {
  it('are made of what is in them', () => {
    check([
      ['[]', '[]'],
      ['[1, "a", [null]]', '[1, "a", [null]]'],
      ['[n, n + 1]', '[5, 6]'],
      ['{}', '{}'],
      ['{a: 1, "b c": a + 1, d: {e: a + b c}}', '{a: 1, b c: 2, d: {e: 3}}'],
      ['{a: n, b: {a: 1, c: a}, d: a}', '{a: 5, b: {a: 1, c: 1}, d: 5}'],
      ['{n: n + 1, m: n}', '{n: 6, m: 6}'],
      ['[1..n)', '[1..5)'],
      ['> n', '(5..)'],
      ['["a".."b"]', '["a".."b"]'],
    ]);
  });

  it('are null where they cannot be made', () => {
    check([
      ['{a: 1, a: 2}', 'null'],
      ['[1.."a"]', 'null'],
      ['[null..3]', 'null'],
      ['< none', 'null'],
      ['[true..false]', 'null'],
      ['[@"P1Y"..@"P1D"]', 'null'],
      ['@"tomorrow"', 'null'],
      ['1e7000', 'null'],
    ]);
  });
});

describe('filters', () => {
  it('by a number give the element, from 1, and from the end below 0', () => {
    check([
      ['xs[1]', '10'],
      ['xs[3]', '30'],
      ['xs[-1]', '30'],
      ['xs[-3]', '10'],
      ['xs[0]', 'null'],
      ['xs[4]', 'null'],
      ['xs[-4]', 'null'],
      ['xs[1.5]', 'null'],
      ['xs[9007199254740993]', 'null'],
      ['xs[i]', '20'],
      ['xs[i + 1]', '30'],
      ['xs[count(xs)]', '30'],
      ['[][1]', 'null'],
      ['[][n]', 'null'],
      ['[null][1]', 'null'],
    ]);
  });

  it('by a condition give the elements for which it is true', () => {
    check([
      ['xs[item > 10]', '[20, 30]'],
      ['xs[item > n and item < 25]', '[10, 20]'],
      ['people[age > 18].name', '["Ada"]'],
      ['people[item.age > 18].name', '["Ada"]'],
      ['people[age = null].name', '["Cid"]'],
      ['people[item = "own"].name', '["Cid"]'],
      ['people[count(tags) > 0].name', '["Ada"]'],
      ['order.lines[count > 1].price', '[3]'],
      ['people[some t in tags satisfies t = "y"].name', '["Ada"]'],
      ['people[age > n][1].name', '"Ada"'],
      ['[{x: 1}, {y: 2}][y > 1]', '[{y: 2}]'],
      ['xs[true]', '[10, 20, 30]'],
      ['xs[false]', '[]'],
      ['xs[null]', '[]'],
      ['xs["a"]', '[]'],
      ['[][item > 1]', '[]'],
      ['[][missing]', '[]'],
      ['[{ok: true}, {ok: false}, {ok: null}][ok]', '[{ok: true}]'],
      ['[1, true][item]', '1'],
      ['[true, 1][item]', '[true]'],
    ]);
  });

  it('see the properties of the element first, then what is around', () => {
    check([
      ['{age: 20, r: people[age > 18].name}.r', '["Ada"]'],
      ['{limit: 20, r: people[age > limit].name}.r', '["Ada"]'],
      ['people[people[age = 17].name[1] = name].age', '[17]'],
      ['[{a: [{a: 1}, {b: 2}], b: 2}][a[a = 1][1].a = 1].b', '[2]'],
      ['for limit in [10, 20] return xs[item > limit]', '[[20, 30], [30]]'],
    ]);
  });

  it('take what is no list as a list of one', () => {
    check([
      ['n[1]', '5'],
      ['n[-1]', '5'],
      ['n[2]', 'null'],
      ['"a"[item = "a"]', '["a"]'],
      ['true[false]', '[]'],
      ['order[lines[1].price = 3].ship to.city', '["Rome"]'],
      ['none[1]', 'null'],
      ['none[true]', 'null'],
    ]);
  });
});

describe('for', () => {
  it('goes through lists, ranges up and down, and dates', () => {
    check([
      ['for x in xs return x + 1', '[11, 21, 31]'],
      ['for x in [] return x', '[]'],
      ['for x in 1..3 return x', '[1, 2, 3]'],
      ['for x in 3..1 return x', '[3, 2, 1]'],
      ['for x in -1..1 return x', '[-1, 0, 1]'],
      ['for x in 2..2 return x', '[2]'],
      ['for x in 1 + 1..n - 1 return x', '[2, 3, 4]'],
      ['for x in [1..3] return x', '[1, 2, 3]'],
      ['for x in (1..3) return x', '[2]'],
      ['for x in (1..2) return x', '[]'],
      ['for x in span return x', '[1, 2, 3, 4, 5, 6, 7, 8, 9]'],
      ['for d in @"2026-02-28"..@"2026-03-02" return d', '[2026-02-28, 2026-03-01, 2026-03-02]'],
      ['for d in @"2026-03-01"..@"2026-02-28" return d.day', '[1, 28]'],
      ['for x in n return x', '[5]'],
      ['for x in order return x.lines[1].price', '[3]'],
      ['for x in [null, 1] return x', '[null, 1]'],
    ]);
  });

  it('with several variables changes the last one fastest', () => {
    check([
      ['for x in [1, 2], y in [10, 20] return x + y', '[11, 21, 12, 22]'],
      ['for x in [[1, 2], [3]], y in x return y', '[1, 2, 3]'],
      ['for x in 1..3, y in 1..x return y', '[1, 1, 2, 1, 2, 3]'],
      ['for x in [1, 2], x in [x, x + 1] return x', '[1, 2, 2, 3]'],
      ['for x in [1, 2] return for y in [x] return y', '[[1], [2]]'],
    ]);
  });

  it('shows the results so far as partial', () => {
    check([
      ['for i in 0..4 return if i = 0 then 1 else i * partial[-1]', '[1, 1, 2, 6, 24]'],
      ['for i in 1..3 return partial', '[[], [[]], [[], [[]]]]'],
      ['for i in 1..3 return count(partial)', '[0, 1, 2]'],
      ['for i in 1..3 return sum(partial) + 1', '[1, 2, 4]'],
      ['for i in 1..3 return append(partial, i)', '[[1], [[1], 2], [[1], [[1], 2], 3]]'],
      ['for i in 1..2, j in 1..2 return count(partial)', '[0, 1, 2, 3]'],
      ['for i in 1..3 return count(for p in partial return p)', '[0, 1, 2]'],
      ['for i in 1..2 return for j in partial return j', '[[], [[]]]'],
      ['for partial in [7] return partial', '[7]'],
      ['(for i in 1..2 return function() partial)[2]()[1]()', '[]'],
      ['for i in 1..2 return partial[true]', '[[], [[]]]'],
      ['(for i in [partial] return i)', '[null]'],
    ]);
  });

  it('is null over null, and over what has no steps', () => {
    check([
      ['for x in none return x', 'null'],
      ['for x in [1], y in none return x', 'null'],
      ['for x in [3..1] return x', 'null'],
      ['for x in (> 3) return x', 'null'],
      ['for x in 1.5..3 return x', 'null'],
      ['for x in 1..none return x', 'null'],
      ['for x in "a".."c" return x', 'null'],
      ['for x in ["a".."c"] return x', 'null'],
      ['for x in @"P1D"..@"P2D" return x', 'null'],
      ['for x in 1..@"2026-03-01" return x', 'null'],
      ['for x in @"10:00:00"..@"10:00:00" return x', 'null'],
    ]);
  });
});

describe('some and every', () => {
  it('are the or and the and of their conditions', () => {
    check([
      ['some x in xs satisfies x > 20', 'true'],
      ['some x in xs satisfies x > 30', 'false'],
      ['every x in xs satisfies x > 0', 'true'],
      ['every x in xs satisfies x > 10', 'false'],
      ['some x in [] satisfies true', 'false'],
      ['every x in [] satisfies false', 'true'],
      ['some x in [1, null] satisfies x > 0', 'true'],
      ['some x in [null, 0] satisfies x > 0', 'null'],
      ['every x in [1, null] satisfies x > 0', 'null'],
      ['every x in [null, 0] satisfies x > 0', 'false'],
      ['some x in xs satisfies "yes"', 'null'],
      ['some x in xs, y in [x * 2] satisfies y = 40', 'true'],
      ['every x in 1..3, y in 1..x satisfies y <= x', 'true'],
      ['some x in none satisfies true', 'null'],
      ['every x in n satisfies x = 5', 'true'],
    ]);
  });
});
