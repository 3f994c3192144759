/** What built-in functions cost: B1 and B2 of `definitions/feel/builtins/index.ts`, K1 and K2 of `budget.ts`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCostLimits } from '../../../definitions/feel/budget.ts';
import { usePatterns } from '../../../definitions/feel/builtins/index.ts';
import { RegularExpressions } from '../../../definitions/feel/regular-expression.ts';
import { FeelRange, type FeelValue } from '../../../definitions/feel/runtime.ts';
import { call, newRun, num, predicate, type Args } from './builtins-calls.ts';
import { at } from './temporal-values.ts';

function cost(name: string, args: Args): number {
  const run = newRun();
  const before = run.meter.spentUnits;
  call(name, args, run);
  return run.meter.spentUnits - before;
}

function integers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => (index * 7_919) % 10_007);
}

function texts(count: number): readonly string[] {
  return integers(count).map((n) => `text ${n}`);
}

function pairs(count: number): readonly FeelValue[] {
  return integers(count).map((n) => ({ key: `k${n}`, value: [n, { n }] }));
}

function letters(count: number): string {
  return 'a'.repeat(count);
}

const isLess = predicate((a, b) => typeof a === 'number' && typeof b === 'number' && a < b);

/** Calls of some size; what they cost grows no faster than the size, or the size times its logarithm. */
const calls: Readonly<Record<string, (size: number) => readonly [name: string, args: Args]>> = {
  'list contains of lists': (size) => ['list contains', [[integers(size), integers(size)], integers(size)]],
  'index of': (size) => ['index of', [integers(size), -1]],
  'distinct values of numbers': (size) => ['distinct values', [integers(size)]],
  'distinct values of contexts': (size) => ['distinct values', [pairs(size)]],
  'distinct values of texts': (size) => ['distinct values', [texts(size)]],
  'distinct values of functions': (size) => [
    'distinct values',
    [Array.from({ length: size }, () => predicate(() => null))],
  ],
  union: (size) => ['union', [integers(size), integers(size), texts(size)]],
  mode: (size) => ['mode', [integers(size)]],
  median: (size) => ['median', [integers(size)]],
  sort: (size) => ['sort', [integers(size), isLess]],
  flatten: (size) => ['flatten', [integers(size).map((n) => [[n]])]],
  min: (size) => ['min', [texts(size)]],
  'context merge': (size) => ['context merge', [integers(size).map((n) => ({ [`k${n}`]: n }))]],
  context: (size) => ['context', [pairs(size).slice(0, 1_000)]],
  'string join': (size) => ['string join', [texts(size), ', ']],
  string: (size) => ['string', [pairs(size)]],
  is: (size) => ['is', [pairs(size), pairs(size)]],
  contains: (size) => ['contains', [letters(size * 10), `${letters(size)}b${letters(size)}`]],
  'substring before': (size) => ['substring before', [letters(size * 10), `b${letters(size)}`]],
  split: (size) => ['split', [letters(size), 'a']],
  replace: (size) => ['replace', [letters(size), '(a|aa)+b', '$1']],
  'string length': (size) => ['string length', [letters(size)]],
  substring: (size) => ['substring', [letters(size), -1]],
  number: (size) => ['number', ['1'.repeat(size), null, null]],
};

describe('what functions cost', () => {
  for (const [title, made] of Object.entries(calls)) {
    it(`grows with the size of the arguments, and not with its square: ${title}`, () => {
      const [small, large] = [cost(...made(500)), cost(...made(4_000))];
      assert.ok(large > small, `${small} and ${large}`);
      // Eight times, by the logarithm eleven times; the square would be 64 times. Contexts of many keys cost more each.
      assert.ok(large < small * 26, `${small} and ${large}`);
    });
  }

  it('is the same for equal arguments, whatever was called before', () => {
    const run = newRun();
    for (const made of Object.values(calls)) {
      const [name, args] = made(100);
      const first = cost(name, args);
      call('time', ['10:00:00@Europe/Paris'], run);
      assert.equal(cost(name, args), first, name);
    }
    for (const args of [['10:00:00@Asia/Kolkata'], ['10:00:00@No/Where']]) {
      assert.equal(cost('time', args), cost('time', args));
    }
  });
});

function assertCosts([name, args]: readonly [name: string, args: Args], most: number, title = name): void {
  const units = cost(name, args);
  assert.ok(units < most, `${title} costs ${units} units`);
}

/** A value in which one list is there twice, and in that another twice, and so on. */
function doubled(levels: number): FeelValue {
  let value: FeelValue = [1];
  for (let level = 0; level < levels; level += 1) value = [value, value];
  return value;
}

describe('what is huge', () => {
  const huge: Readonly<Record<string, readonly [name: string, args: Args]>> = {
    'flattening what doubles with each level': ['flatten', [doubled(60)]],
    'writing it': ['string', [doubled(60)]],
    'writing a text of which every character is escaped': ['string', [['"'.repeat(3_000_000)]]],
    'comparing it': ['is', [doubled(60), doubled(60)]],
    'searching it': ['list contains', [[doubled(60)], doubled(60)]],
    'its key': ['distinct values', [[doubled(60)]]],
    'a text that is searched for all its letters': ['contains', [letters(30_000_000), letters(20_000_000)]],
    'counting the letters of a text': ['string length', [letters(50_000_000)]],
    'joining many texts': ['string join', [Array.from({ length: 100 }, () => letters(1_000_000))]],
    'upper case': ['upper case', [letters(20_000_000)]],
    'a pattern that matches everywhere': ['replace', [letters(4_000_000), 'a', '$0$0$0']],
    'a pattern that looks ahead from everywhere': ['replace', [letters(100_000), 'a.*b|a', 'x']],
    'sorting with a function that is paid for': [
      'sort',
      [
        integers(150_000),
        predicate((a, b) => (typeof a === 'number' && typeof b === 'number' ? a < b : null)),
      ],
    ],
    'concatenating a list with itself': ['concatenate', Array.from({ length: 2_000 }, () => integers(1_000))],
    'distinct values of long texts': [
      'distinct values',
      [Array.from({ length: 200 }, () => letters(1_000_000))],
    ],
    'a context of many keys': [
      'context merge',
      [
        Array.from({ length: 200 }, (_, index) =>
          Object.fromEntries(integers(2_000).map((n) => [`${index} ${n}`, n])),
        ),
      ],
    ],
    'a range in a long text': ['range', [`[1..${' '.repeat(6_000_000)}2]`]],
  };
  for (const [title, [name, args]] of Object.entries(huge)) {
    it(`ends by the budget: ${title}`, () => {
      const run = newRun();
      assert.throws(() => call(name, args, run), { name: 'FeelEvaluationError' });
      assert.ok(run.meter.spentUnits > defaultCostLimits.evaluationUnits);
      assert.deepEqual(run.warnings, []);
    });
  }

  it('ends when functions that take long are called again and again', () => {
    const long: readonly (readonly [name: string, args: Args])[] = [
      ['exp', [num('1.234567890123456789012345678901234')]],
      ['log', [num('1.234567890123456789012345678901234e-6000')]],
      ['modulo', [num('9e6144'), num('7e-6100')]],
      ['matches', ['a', '(a{100}){10}']],
    ];
    for (const [name, args] of long) {
      const run = newRun();
      let count = 0;
      assert.throws(() => {
        for (; count < 1_000_000; count += 1) {
          usePatterns(run, new RegularExpressions(new Set()));
          call(name, args, run);
        }
      });
      assert.ok(count > 20 && count < 5_000, `${name}: ${count}`);
    }
  });

  it('does not load more zones than one evaluation may', () => {
    const run = newRun();
    let count = 0;
    assert.throws(() => {
      for (; count < 2_048; count += 1) {
        // A zone's name may be written in upper and lower case, and each of them may be another zone.
        const name = Array.from('europeparis', (letter, index) =>
          (count >> index) & 1 ? letter.toUpperCase() : letter,
        ).join('');
        call('time', [`10:00:00@${name.slice(0, 6)}/${name.slice(6)}`], run);
      }
    });
    assert.ok(count < 600, String(count));
  });

  it('costs no more than it may where it is not huge', () => {
    for (const [title, made] of Object.entries(calls)) assertCosts(made(1_000), 250_000, title);
    assertCosts(['distinct values', [integers(100_000)]], 2_000_000);
    assertCosts(['sort', [integers(50_000), isLess]], 4_000_000);
    assertCosts(['median', [integers(100_000)]], 4_000_000);
    assertCosts(['max', [integers(100_000).map((n) => at(`PT${n}S`))]], 3_000_000);
    assertCosts(['includes', [new FeelRange(1, true, 2, true), 1]], 100);
    assertCosts(['contains', ['keyboard', 'key']], 10);
  });
});

describe('patterns of an expression', () => {
  it('stay compiled where the expression keeps them, and are paid for once in an evaluation where it does not', () => {
    const kept = newRun();
    usePatterns(kept, new RegularExpressions(new Set(['[a-z]+'])));
    const own = newRun();
    const [free, first, again] = [kept, own, own].map((run) => {
      const before = run.meter.spentUnits;
      assert.equal(call('matches', ['abc', '[a-z]+'], run), true);
      return run.meter.spentUnits - before;
    });
    assert.ok(free !== undefined && first !== undefined && first > free);
    assert.equal(again, free);
  });
});
