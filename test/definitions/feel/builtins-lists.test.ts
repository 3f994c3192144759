/** Functions that look into lists, or make lists of lists. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { equalValues } from '../../../definitions/feel/equality.ts';
import { FeelFunction, type FeelValue } from '../../../definitions/feel/runtime.ts';
import { isList } from '../../../definitions/feel/value-kind.ts';
import {
  anyValue,
  assertSame,
  call,
  doNotFit,
  givesValues,
  newRun,
  num,
  predicate,
  refuses,
  samples,
} from './builtins-calls.ts';
import { at } from './temporal-values.ts';

const isLess = predicate((a, b) => typeof a === 'number' && typeof b === 'number' && a < b);
const anyList = fc.array(anyValue, { maxLength: 8 });

function listOf(value: FeelValue): readonly FeelValue[] {
  assert.ok(isList(value));
  return value;
}

function leavesOf(items: readonly FeelValue[]): readonly FeelValue[] {
  return items.flatMap((item) => (isList(item) ? leavesOf(item) : [item]));
}

function areEqual(left: FeelValue, right: FeelValue): boolean {
  return equalValues(left, right, newRun()) === true;
}

describe('count, list contains and index of', () => {
  givesValues([
    ['count', [[1, 2, 3]], 3],
    ['count', [[]], 0],
    ['count', [[1, [2, 3], null]], 3],
    ['count', [7], 1],
    ['count', { list: 'text' }, 1],
    ['list contains', [[1, 2, 3], 2], true],
    ['list contains', [[1, 2, 3], 4], false],
    ['list contains', [[1, null], null], true],
    ['list contains', [[1, 2], null], false],
    ['list contains', [[], null], false],
    ['list contains', [['1', 2], 1], false],
    ['list contains', [[[1, 2], [3]], [3]], true],
    ['list contains', [[{ a: 1, b: 2 }], { b: 2, a: 1 }], true],
    ['list contains', [3, 3], true],
    ['list contains', [[at('10:00:00+01:00')], at('09:00:00Z')], true],
    ['list contains', { element: 'a', list: ['a'] }, true],
    ['index of', [[1, 2, 3, 2], 2], [2, 4]],
    ['index of', [[1, null, 3, null], null], [2, 4]],
    ['index of', [[1, 2], 3], []],
    ['index of', [[], 3], []],
    ['index of', { list: [num('1e40')], match: num('1e40') }, [1]],
  ]);
  refuses([
    ['count', [null]],
    ['list contains', [null, null]],
    ['index of', [null, 1]],
  ]);
  doNotFit([
    ['count', []],
    ['count', [1, 2]],
    ['list contains', [[1]]],
    ['index of', [[1]]],
    ['index of', { list: [], element: 1 }],
  ]);

  it('finds an element where it is, and only there', () => {
    fc.assert(
      fc.property(anyList, anyValue, (items, match) => {
        const positions = listOf(call('index of', [items, match]));
        const expected = items.flatMap((item, index) => (areEqual(item, match) ? [index + 1] : []));
        assertSame(positions, expected);
        assert.equal(call('list contains', [items, match]), positions.length > 0);
      }),
    );
  });
});

describe('sublist, insert before, remove and list replace', () => {
  givesValues([
    ['sublist', [[4, 5, 6], 1, 2], [4, 5]],
    ['sublist', [[4, 5, 6], 2], [5, 6]],
    ['sublist', [[4, 5, 6], -2], [5, 6]],
    ['sublist', [[4, 5, 6], -3, 1], [4]],
    ['sublist', [[4, 5, 6], 2.9, 1.9], [5]],
    ['sublist', [4, 1], [4]],
    ['sublist', { list: [4, 5, 6], 'start position': 3, length: 1 }, [6]],
    ['insert before', [[1, 3], 1, 2], [2, 1, 3]],
    ['insert before', [[1, 3], 2, null], [1, null, 3]],
    ['insert before', [[1, 3], -1, 2], [1, 2, 3]],
    ['insert before', [[1, 3], -2, 2], [2, 1, 3]],
    ['insert before', { list: [1], position: 1, newItem: [2] }, [[2], 1]],
    ['remove', [[1, 2, 3], 2], [1, 3]],
    ['remove', [[1, 2, 3], -1], [1, 2]],
    ['remove', [[1], 1], []],
    ['remove', { position: 1, list: [1, 2] }, [2]],
    ['list replace', [[2, 4, 7, 8], 3, 6], [2, 4, 6, 8]],
    ['list replace', [[2, 4, 7, 8], -1, null], [2, 4, 7, null]],
    ['list replace', [[2, 4, 7, 8], 2.5, 6], [2, 6, 7, 8]],
    ['list replace', [[2, 4, 7, 8], isLess, 5], [5, 5, 7, 8]],
    ['list replace', [[], isLess, 5], []],
    ['list replace', [2, 1, 3], [3]],
    ['list replace', { list: [1], position: 1, newItem: 2 }, [2]],
    ['list replace', { list: [1, 3], match: isLess, newItem: 2 }, [2, 3]],
  ]);
  refuses([
    ...['sublist', 'remove'].flatMap((name) =>
      [0, 4, -4, 0.9, num('1e40'), null, '1'].map((position) => [name, [[1, 2, 3], position]] as const),
    ),
    ...['insert before', 'list replace'].flatMap((name) =>
      [0, 4, -4, 0.9, num('1e40'), null, '1'].map((position) => [name, [[1, 2, 3], position, 9]] as const),
    ),
    ['sublist', [[1, 2, 3], 2, 3]],
    ['sublist', [[1, 2, 3], -1, 2]],
    ['sublist', [[1, 2, 3], 1, 0]],
    ['sublist', [[1, 2, 3], 1, '1']],
    ['sublist', [[], 1]],
    ['sublist', [null, 1]],
    ['remove', [null, 1]],
    ['insert before', [[], 1, 2]],
    ['list replace', [null, 1, 2]],
    ['list replace', [[1], predicate(() => null), 2]],
    ['list replace', [[1], samples.context, 2]],
  ]);
  doNotFit([
    ['sublist', [[1]]],
    ['insert before', [[1], 1]],
    ['remove', [[1]]],
    ['list replace', [[1], 1]],
    ['list replace', { list: [1], index: 1, newItem: 2 }],
  ]);

  it('refuses a function of other than two arguments', () => {
    const run = newRun();
    assert.equal(
      call('list replace', [[1], new FeelFunction([{ names: ['item'] }], () => true), 2], run),
      null,
    );
    assert.equal(run.warnings.length, 1);
  });

  it('inserts what it can remove, and replaces by doing both', () => {
    fc.assert(
      fc.property(
        fc.array(anyValue, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        anyValue,
        (items, seed, item) => {
          const position = (seed % items.length) + 1;
          const inserted = call('insert before', [items, position, item]);
          assertSame(call('remove', [inserted, position]), items);
          assertSame(call('list replace', [items, position, item]), call('remove', [inserted, position + 1]));
          const fromEnd = position - items.length - 1;
          assertSame(call('remove', [items, position]), call('remove', [items, fromEnd]));
          assertSame(call('sublist', [items, position]), call('sublist', [items, fromEnd]));
        },
      ),
    );
  });
});

describe('append, concatenate, reverse and flatten', () => {
  givesValues([
    ['append', [[1], 2, 3], [1, 2, 3]],
    ['append', [[], null], [null]],
    ['append', [[1], [2, 3]], [1, [2, 3]]],
    ['append', [1, 2], [1, 2]],
    ['append', [[1]], [1]],
    ['append', { list: [1], item: 2 }, [1, 2]],
    ['concatenate', [[1, 2], [3]], [1, 2, 3]],
    ['concatenate', [[1, null], [], [[2]]], [1, null, [2]]],
    ['concatenate', [1, [2], 'a'], [1, 2, 'a']],
    ['concatenate', [[1, 2]], [1, 2]],
    ['concatenate', { list: [1, 2] }, [1, 2]],
    ['reverse', [[1, 2, 3]], [3, 2, 1]],
    ['reverse', [[]], []],
    ['reverse', { list: 1 }, [1]],
    ['flatten', [[[1, 2], [[3]], 4]], [1, 2, 3, 4]],
    ['flatten', [[[], [[]], null]], [null]],
    ['flatten', [[{ a: [1] }]], [{ a: [1] }]],
    ['flatten', { list: 1 }, [1]],
  ]);
  refuses([
    ['append', [null, 1]],
    ['concatenate', [[1], null]],
    ['concatenate', [null]],
    ['reverse', [null]],
    ['flatten', [null]],
  ]);
  doNotFit([
    ['append', []],
    ['concatenate', []],
    ['reverse', []],
    ['flatten', [1, 2]],
  ]);

  it('has the laws of lists', () => {
    fc.assert(
      fc.property(anyList, anyList, anyList, (a, b, c) => {
        const left = call('concatenate', [call('concatenate', [a, b]), c]);
        assertSame(left, call('concatenate', [a, call('concatenate', [b, c])]));
        assertSame(call('concatenate', [a, []]), a);
        assertSame(left, call('append', [a, ...b, ...c]));
        assertSame(
          call('reverse', [call('concatenate', [a, b])]),
          call('concatenate', [call('reverse', [b]), call('reverse', [a])]),
        );
        assertSame(call('reverse', [call('reverse', [a])]), a);
        const flat = call('flatten', [[a, b]]);
        assertSame(call('flatten', [flat]), flat);
        assertSame(flat, call('concatenate', [call('flatten', [a]), call('flatten', [b])]));
        assertSame(flat, leavesOf([...a, ...b]));
      }),
    );
  });
});

describe('union and distinct values', () => {
  givesValues([
    [
      'union',
      [
        [1, 2],
        [2, 3],
      ],
      [1, 2, 3],
    ],
    ['union', [[1, 1], [1]], [1]],
    ['union', [1, [1, 2]], [1, 2]],
    ['union', [[null], [null, 1]], [null, 1]],
    ['union', { list: [1, 1] }, [1]],
    ['distinct values', [[1, 2, 3, 2, 1]], [1, 2, 3]],
    ['distinct values', [[1, '1', true, null, '1', null, true, 1]], [1, '1', true, null]],
    [
      'distinct values',
      [
        [
          [1, 2],
          [2, 1],
          [1, 2],
        ],
      ],
      [
        [1, 2],
        [2, 1],
      ],
    ],
    [
      'distinct values',
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
      [{ a: 1, b: 2 }],
    ],
    ['distinct values', [[[], [[]], {}, [], {}]], [[], [[]], {}]],
    ['distinct values', [['a', ['a'], 'n', null]], ['a', ['a'], 'n', null]],
    ['distinct values', [[num('1e40'), 0.1, num('1e40'), 0.1]], [num('1e40'), 0.1]],
    // Equal is what `=` says.
    [
      'distinct values',
      [[at('10:00:00+01:00'), at('09:00:00Z'), at('09:00:00')]],
      [at('10:00:00+01:00'), at('09:00:00')],
    ],
    ['distinct values', [[at('P1Y'), at('P12M'), at('PT24H'), at('P1D')]], [at('P1Y'), at('PT24H')]],
    [
      'distinct values',
      [[at('2026-03-01'), at('2026-03-01T00:00:00')]],
      [at('2026-03-01'), at('2026-03-01T00:00:00')],
    ],
    ['distinct values', { list: 1 }, [1]],
  ]);
  refuses([
    ['union', [[1], null]],
    ['distinct values', [null]],
  ]);
  doNotFit([
    ['union', []],
    ['distinct values', []],
  ]);

  it('keeps the first of each that are equal, and is done at once', () => {
    fc.assert(
      fc.property(anyList, anyList, (a, b) => {
        const distinct = listOf(call('distinct values', [a]));
        const expected = a.filter((item, index) => a.findIndex((other) => areEqual(item, other)) === index);
        assertSame(distinct, expected);
        assertSame(call('distinct values', [distinct]), distinct);
        const union = call('union', [a, b]);
        assertSame(union, call('distinct values', [call('concatenate', [a, b])]));
        assertSame(call('union', [union, b]), union);
        assertSame(call('union', [a, a]), distinct);
      }),
    );
  });

  it('tells functions apart by what they are', () => {
    const [one, other] = [predicate(() => true), predicate(() => true)];
    assert.equal(listOf(call('distinct values', [[one, other, one]])).length, 2);
  });
});
