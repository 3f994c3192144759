/** Range functions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FeelRange, type FeelValue } from '../../../definitions/feel/runtime.ts';
import { bound, call, doNotFit, givesValues, newRun, refuses, samples } from './builtins-calls.ts';
import { at } from './temporal-values.ts';

/** `[1..3)` as a range, `3` as a number; ends are whole numbers, or nothing. */
function operand(text: string): FeelValue {
  const groups = /^([[(])(-?\d*)\.\.(-?\d*)([\])])$/.exec(text);
  if (groups === null) return Number(text);
  const [, open, start = '', end = '', close] = groups;
  return new FeelRange(endOf(start), open === '[', endOf(end), close === ']');
}

function endOf(text: string): FeelValue {
  return text === '' ? null : Number(text);
}

/** Pairs that are so related, and pairs that are not. */
const pairs: Readonly<Record<string, { readonly so: readonly string[]; readonly not: readonly string[] }>> = {
  before: {
    so: [
      '1 10',
      '1 (1..10]',
      '1 [5..10]',
      '[1..10) 10',
      '[1..10] 15',
      '[1..10] [15..20]',
      '[1..10) [10..20]',
      '[1..10] (10..20]',
      '(..3) 3',
      '2 (2..)',
      '(..3) [3..)',
    ],
    not: [
      '10 1',
      '1 1',
      '1 [1..10]',
      '[1..10] 10',
      '[1..10] [10..20]',
      '(..3] 3',
      '(..) 3',
      '3 (..)',
      '(..3] [3..)',
      '[1..) 99',
    ],
  },
  after: {
    so: [
      '10 5',
      '12 [1..10]',
      '10 [1..10)',
      '[11..20] 10',
      '(11..20] 11',
      '[11..20] [1..10]',
      '[11..20] [1..11)',
      '(11..20] [1..11]',
      '(3..) 3',
      '9 (..9)',
    ],
    not: [
      '5 10',
      '10 [1..10]',
      '[11..20] 12',
      '[11..20] 11',
      '[1..10] [11..20]',
      '[3..) 3',
      '9 (..9]',
      '9 (1..)',
    ],
  },
  meets: {
    so: ['[1..5] [5..10]', '(..5] [5..)'],
    not: ['[1..5) [5..10]', '[1..5] (5..10]', '[1..5] [6..10]', '[1..) [1..5]', '[5..10] [1..5]'],
  },
  'met by': {
    so: ['[5..10] [1..5]', '[5..) (..5]'],
    not: ['[5..10] [1..5)', '(5..10] [1..5]', '[6..10] [1..5]', '[1..5] [5..10]'],
  },
  overlaps: {
    so: [
      '[1..5] [3..8]',
      '[3..8] [1..5]',
      '[1..8] [3..5]',
      '[3..5] [1..8]',
      '[1..5] [5..8]',
      '[5..8] [1..5]',
      '(..5] (3..)',
      '(..) [1..2]',
      '(..1) (..2)',
    ],
    not: [
      '[1..5] [6..8]',
      '[6..8] [1..5]',
      '[1..5] (5..8]',
      '[1..5) [5..8]',
      '[1..5) (5..8]',
      '(5..8] [1..5]',
      '[5..8] [1..5)',
      '(5..8] [1..5)',
      '(..3) [3..)',
    ],
  },
  'overlaps before': {
    so: ['[1..5] [3..8]', '[1..5] [5..8]', '[1..5) (1..5]', '[1..5] (1..5]', '(..5] [3..8]', '[1..5] [3..)'],
    not: [
      '[1..5] [6..8]',
      '[1..5] (5..8]',
      '[1..5) [5..8]',
      '[1..5) [1..5]',
      '[1..5] [1..5]',
      '[1..) [3..8]',
      '[3..8] [1..5]',
    ],
  },
  'overlaps after': {
    so: ['[3..8] [1..5]', '[5..8] [1..5]', '(1..5] [1..5)', '(1..5] [1..5]', '[3..) [1..5]'],
    not: ['[6..8] [1..5]', '(5..8] [1..5]', '[5..8] [1..5)', '[1..5] [1..5)', '[1..5] [1..5]'],
  },
  finishes: {
    so: [
      '10 [1..10]',
      '[5..10] [1..10]',
      '[5..10) [1..10)',
      '[1..10] [1..10]',
      '(1..10] [1..10]',
      '10 (..10]',
      '[5..) (..)',
      '[5..10] (..10]',
    ],
    not: ['10 [1..10)', '9 [1..10]', '[5..10) [1..10]', '[1..10] [5..10]', '[1..10] (1..10]', '10 [1..)'],
  },
  'finished by': {
    so: [
      '[1..10] 10',
      '[1..10] [5..10]',
      '[1..10) [5..10)',
      '[1..10] [1..10]',
      '[1..10] (1..10]',
      '(..10] [5..10]',
    ],
    not: ['[1..10) 10', '[1..10] [5..10)', '[5..10] [1..10]'],
  },
  includes: {
    so: [
      '[1..10] 5',
      '[1..10] 1',
      '[1..10] 10',
      '[1..10] [4..6]',
      '[1..10] [1..5]',
      '(1..10] (1..5]',
      '[1..10] (1..10)',
      '[1..10) [5..10)',
      '[1..10] [1..10)',
      '[1..10] (1..10]',
      '[1..10] [1..10]',
      '(..) 5',
      '(..10] (..9)',
      '[1..) [1..)',
    ],
    not: [
      '[1..10] 12',
      '(1..10] 1',
      '[1..10) 10',
      '(1..10] [1..5]',
      '[1..10) [5..10]',
      '[1..10] [0..5]',
      '[1..10] (..)',
    ],
  },
  during: {
    so: [
      '5 [1..10]',
      '1 [1..10]',
      '10 [1..10]',
      '[4..6] [1..10]',
      '[1..5] [1..10]',
      '(1..5] (1..10]',
      '(1..10) [1..10]',
      '[5..10) [1..10)',
      '[1..10) [1..10]',
      '(1..10] [1..10]',
      '[1..10] [1..10]',
      '5 (..)',
    ],
    not: ['12 [1..10]', '1 (1..10]', '10 [1..10)', '[1..5] (1..10]', '[0..5] [1..10]'],
  },
  starts: {
    so: [
      '1 [1..10]',
      '[1..5] [1..10]',
      '(1..5] (1..10]',
      '[1..10] [1..10]',
      '[1..10) [1..10]',
      '(1..10) (1..10)',
      '1 [1..)',
      '(..5] (..)',
    ],
    not: ['1 (1..10]', '2 [1..10]', '(1..5] [1..10]', '[1..5] (1..10]', '[1..10] [1..5]', '[1..10] [1..10)'],
  },
  'started by': {
    so: [
      '[1..10] 1',
      '[1..10] [1..5]',
      '(1..10] (1..5]',
      '[1..10] [1..10]',
      '[1..10] [1..10)',
      '(1..10) (1..10)',
    ],
    not: ['(1..10] 1', '[1..10] 2', '[1..10] (1..5]', '(1..10] [1..5]', '[1..5] [1..10]'],
  },
  coincides: {
    so: ['5 5', '[1..5] [1..5]', '(..5] (..5]', '(..) (..)'],
    not: ['3 4', '(1..5) [1..5]', '[1..5] [2..6]', '[1..5] [1..)'],
  },
};

const names = Object.keys(pairs);

/** Whether they are so related; null: the function does not take them. */
function related(name: string, a: FeelValue, b: FeelValue): boolean | null {
  const result = call(name, [a, b], newRun());
  assert.ok(typeof result === 'boolean' || result === null);
  return result;
}

for (const [name, { so, not }] of Object.entries(pairs)) {
  describe(name, () => {
    givesValues([...so.map((pair) => [name, pair.split(' ').map(operand), true] as const)]);
    givesValues([...not.map((pair) => [name, pair.split(' ').map(operand), false] as const)]);
  });
}

describe('range functions', () => {
  givesValues([
    ['before', [at('2026-03-01'), at('2026-03-02')], true],
    ['during', [at('10:00:00Z'), new FeelRange(at('10:00:00+01:00'), true, at('11:00:00Z'), true)], true],
    ['includes', [new FeelRange('a', true, 'c', true), 'bb'], true],
    ['coincides', ['a', 'a'], true],
    // A list of one stands for its element.
    ['before', [[1], [2]], true],
    ['includes', [[operand('[1..3]')], [2]], true],
    ['before', { point1: 1, point2: 2 }, true],
    ['before', { range: operand('[2..3]'), point: 1 }, true],
    ['before', { range2: operand('[2..3]'), range1: operand('[0..1]') }, true],
    ['after', { point: 5, range: operand('[2..3]') }, true],
    ['finishes', { point: 3, range: operand('[2..3]') }, true],
    ['includes', { range: operand('[2..3]'), point: 3 }, true],
    ['during', { range1: operand('[2..3]'), range2: operand('[1..3]') }, true],
    ['coincides', { point1: 3, point2: 3 }, true],
  ]);
  refuses([
    ...names.map((name) => [name, [null, operand('[1..2]')]] as const),
    ...names.map((name) => [name, [operand('[1..2]'), null]] as const),
    ...names.map((name) => [name, [operand('[1..2]'), new FeelRange('a', true, 'b', true)]] as const),
    ...names.map((name) => [name, [samples.context, operand('[1..2]')]] as const),
    ...['meets', 'met by', 'overlaps', 'overlaps before', 'overlaps after'].flatMap((name) => [
      [name, [1, operand('[1..2]')]] as const,
      [name, [operand('[1..2]'), 1]] as const,
      [name, [1, 1]] as const,
    ]),
    ...['finishes', 'starts', 'during'].map((name) => [name, [operand('[1..2]'), 1]] as const),
    ...['finished by', 'started by', 'includes'].map((name) => [name, [1, operand('[1..2]')]] as const),
    ['coincides', [1, operand('[1..1]')]],
    ['coincides', [1, '1']],
    ['before', [true, false]],
    ['before', [1, at('2026-03-01')]],
    ['before', [at('10:00:00'), at('10:00:00Z')]],
    ['includes', [operand('[1..3]'), 'a']],
    ['includes', [operand('[1..3]'), [1, 2]]],
  ]);
  doNotFit([
    ...names.flatMap((name) => [
      [name, []] as const,
      [name, [1]] as const,
      [name, [1, 2, 3]] as const,
      [name, { a: 1, b: 2 }] as const,
    ]),
    ['meets', { point: 1, range: operand('[1..2]') }],
    ['includes', { point1: 1, point2: 2 }],
  ]);

  it('takes both operands of one kind by their names', () => {
    for (const name of names) {
      assert.ok(name === 'coincides' || bound(name, { range1: null, range2: null }) !== null);
    }
  });
});

/** Closed and of some length, as Allen's intervals are. */
const anyInterval = fc
  .uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 2, maxLength: 2 })
  .map((ends) => new FeelRange(Math.min(...ends), true, Math.max(...ends), true));

const anyRange = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.boolean(), fc.integer({ min: 0, max: 5 }), fc.boolean())
  .filter(([start, isStart, end, isEnd]) => start < end || (start === end && isStart && isEnd))
  .map(([start, isStart, end, isEnd]) => new FeelRange(start, isStart, end, isEnd));

/** Inverses of each other. */
const inverses: readonly (readonly [string, string])[] = [
  ['before', 'after'],
  ['meets', 'met by'],
  ['overlaps', 'overlaps'],
  ['overlaps before', 'overlaps after'],
  ['finishes', 'finished by'],
  ['includes', 'during'],
  ['starts', 'started by'],
  ['coincides', 'coincides'],
];

/**
 * Allen's thirteen, which exclude each other. FEEL's functions are wider: intervals that meet overlap too, and one that
 * coincides with another starts and finishes it, and is during it.
 */
function allenRelations(a: FeelRange, b: FeelRange): readonly string[] {
  const is = (name: string): boolean => related(name, a, b) === true;
  const candidates: Readonly<Record<string, boolean>> = {
    precedes: is('before'),
    'is preceded by': is('after'),
    meets: is('meets'),
    'is met by': is('met by'),
    overlaps: is('overlaps before') && !is('meets') && !is('includes'),
    'is overlapped by': is('overlaps after') && !is('met by') && !is('during'),
    starts: is('starts') && !is('coincides'),
    'is started by': is('started by') && !is('coincides'),
    during: is('during') && !is('starts') && !is('finishes'),
    contains: is('includes') && !is('started by') && !is('finished by'),
    finishes: is('finishes') && !is('coincides'),
    'is finished by': is('finished by') && !is('coincides'),
    equals: is('coincides'),
  };
  return Object.keys(candidates).filter((name) => candidates[name] === true);
}

describe('relations between ranges', () => {
  it('are inverse where their names are', () => {
    fc.assert(
      fc.property(anyRange, anyRange, fc.integer({ min: 0, max: 5 }), (a, b, point) => {
        for (const [name, inverse] of inverses) {
          assert.equal(related(name, a, b), related(inverse, b, a), name);
        }
        assert.equal(related('before', a, point), related('after', point, a));
        assert.equal(related('before', point, a), related('after', a, point));
        assert.equal(related('includes', a, point), related('during', point, a));
        assert.equal(related('starts', point, a), related('started by', a, point));
        assert.equal(related('finishes', point, a), related('finished by', a, point));
      }),
      { numRuns: 500 },
    );
  });

  it('are exactly one of the thirteen of Allen', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyInterval, anyInterval, (a, b) => {
        const relations = allenRelations(a, b);
        assert.equal(relations.length, 1, relations.join(', '));
        seen.add(relations[0] ?? '');
      }),
      { numRuns: 2_000 },
    );
    assert.equal(seen.size, 13);
  });

  it('are before, after or overlapping, and only one of these', () => {
    fc.assert(
      fc.property(anyRange, anyRange, (a, b) => {
        const answers = ['before', 'after', 'overlaps'].filter((name) => related(name, a, b) === true);
        // Two of one point each, or an open end, may touch without sharing a point.
        assert.equal(answers.length, 1, answers.join(', '));
      }),
      { numRuns: 500 },
    );
  });

  it('of ranges follow from those of points', () => {
    const points = Array.from({ length: 23 }, (_, index) => index / 2 - 3);
    const pointsOf = (range: FeelRange): readonly number[] =>
      points.filter((point) => related('includes', range, point) === true);
    fc.assert(
      fc.property(anyRange, anyRange, (a, b) => {
        const [inA, inB] = [pointsOf(a), pointsOf(b)];
        fc.pre(inA.length > 0 && inB.length > 0);
        assert.equal(
          related('overlaps', a, b),
          inA.some((point) => inB.includes(point)),
        );
        assert.equal(related('before', a, b), Math.max(...inA) < Math.min(...inB));
        assert.equal(
          related('during', a, b),
          inA.every((point) => inB.includes(point)),
        );
        assert.equal(
          related('coincides', a, b),
          inA.length === inB.length && inA.every((point, index) => inB[index] === point),
        );
      }),
      { numRuns: 500 },
    );
  });
});
