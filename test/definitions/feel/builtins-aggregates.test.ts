/** Functions that make one value of many. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { FeelNumber } from '../../../definitions/feel/number.ts';
import { compareValues } from '../../../definitions/feel/order.ts';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import { isList } from '../../../definitions/feel/value-kind.ts';
import {
  anyText,
  assertSame,
  call,
  doNotFit,
  givesValues,
  newRun,
  num,
  refuses,
  samples,
} from './builtins-calls.ts';
import { at } from './temporal-values.ts';

const ofNumbers = ['sum', 'mean', 'product', 'median', 'stddev', 'mode'];
const all = ['min', 'max', 'all', 'any', ...ofNumbers];

describe('min and max', () => {
  givesValues([
    ['min', [[1, 2, 3]], 1],
    ['min', [3, 1, 2], 1],
    ['max', [[1, 2, 3]], 3],
    ['max', [1, 3, 2], 3],
    ['min', [1], 1],
    ['min', [[1]], 1],
    ['max', [[]], null],
    ['min', [[]], null],
    ['min', ['b', 'a', 'c'], 'a'],
    // By code points: the units of the second are smaller.
    ['max', ['\u{FF5E}', '\u{1F40E}'], '\u{1F40E}'],
    ['min', [num('1e40'), 2, num('-1e40')], num('-1e40')],
    ['max', [at('2026-03-01'), at('2026-03-02')], at('2026-03-02')],
    ['min', [at('PT2H'), at('PT119M')], at('PT119M')],
    ['max', [at('P1Y'), at('P13M')], at('P13M')],
    // Of equal ones the first.
    ['max', [at('10:00:00+01:00'), at('09:00:00Z')], at('10:00:00+01:00')],
    ['min', { list: [2, 1] }, 1],
    ['max', { list: 2 }, 2],
  ]);
  refuses([
    ['min', [null]],
    ['max', [[1, null]]],
    ['min', [[null, 1]]],
    ['min', [1, 'a']],
    ['max', [[true, false]]],
    ['max', [true]],
    ['min', [[[1, 2]]]],
    ['min', [at('PT1H'), at('P1M')]],
    ['max', [at('10:00:00'), at('10:00:00Z')]],
    ['max', [samples.context]],
  ]);

  it('is of the items, and none is beyond', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1 }), (texts) => {
        const [least, greatest] = [call('min', [texts]), call('max', texts)];
        assert.ok(texts.some((text) => text === least));
        for (const text of texts) {
          assert.notEqual(compareValues(text, least, newRun()), -1);
          assert.notEqual(compareValues(text, greatest, newRun()), 1);
        }
      }),
    );
  });
});

describe('sum, mean and product', () => {
  givesValues([
    ['sum', [[1, 2, 3]], 6],
    ['sum', [1, 2, 3], 6],
    ['sum', [1], 1],
    ['sum', [[]], null],
    ['sum', [0.1, 0.2], 0.3],
    ['sum', [num('1e34'), 1], num('1e34')],
    ['sum', { list: [1, 2] }, 3],
    ['mean', [[1, 2, 3]], 2],
    ['mean', [1, 2], 1.5],
    ['mean', [1, 0, 0], num('0.3333333333333333333333333333333333')],
    ['mean', [[]], null],
    ['product', [2, 3, 4], 24],
    ['product', [[2, 3, 4]], 24],
    ['product', [[]], null],
    ['product', [[0.1, 0.1]], 0.01],
    ['product', { list: [2, 3] }, 6],
  ]);
  refuses([
    ['sum', [[num('9e6144'), num('9e6144')]], 'NUMBER'],
    ['mean', [num('9e6144'), num('9e6144')], 'NUMBER'],
    ['product', [num('1e4000'), num('1e4000')], 'NUMBER'],
  ]);
});

describe('median, stddev and mode', () => {
  givesValues([
    ['median', [8, 2, 5, 3, 4], 4],
    ['median', [[6, 1, 2, 3]], 2.5],
    ['median', [[]], null],
    ['median', [10], 10],
    // By size, not as texts.
    ['median', [[10, 9, 100]], 10],
    ['median', [num('1e40'), num('1e39'), 1], num('1e39')],
    ['median', { list: [1, 3] }, 2],
    ['stddev', [2, 4, 7, 5], num('2.081665999466132735282297706979931')],
    ['stddev', [[47]], null],
    ['stddev', [47], null],
    ['stddev', [[]], null],
    ['stddev', [[3, 3, 3]], 0],
    ['stddev', { list: [1, 3] }, num('1.414213562373095048801688724209698')],
    ['mode', [6, 3, 9, 6, 6], [6]],
    ['mode', [[6, 1, 9, 6, 1]], [1, 6]],
    ['mode', [[10, 9, 2]], [2, 9, 10]],
    ['mode', [[]], []],
    ['mode', [num('1e40'), 1, num('1e40')], [num('1e40')]],
    ['mode', { list: 4 }, [4]],
  ]);

  it('takes the middle of what is in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1 }), (integers) => {
        const inOrder = integers.toSorted((a, b) => a - b);
        const [low = 0, high = 0] = [
          inOrder[Math.ceil(inOrder.length / 2) - 1],
          inOrder[Math.floor(inOrder.length / 2)],
        ];
        assertSame(call('median', [integers]), (low + high) / 2);
      }),
    );
  });

  it('finds what is there as often as nothing else is more often', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1 }), (integers) => {
        const countOf = (n: number): number => integers.filter((other) => other === n).length;
        const most = Math.max(...integers.map(countOf));
        const expected = [...new Set(integers)].filter((n) => countOf(n) === most).toSorted((a, b) => a - b);
        assertSame(call('mode', [integers]), expected);
      }),
    );
  });

  it('does not change when all numbers are moved as far', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 2 }),
        fc.integer(),
        (integers, distance) => {
          const moved = integers.map((n) => n + distance);
          const [deviation, other] = [call('stddev', [integers]), call('stddev', [moved])];
          // Means that do not end are rounded.
          assertSame(call('round half up', [deviation, 15]), call('round half up', [other, 15]));
        },
      ),
    );
  });
});

describe('all and any', () => {
  givesValues([
    ['all', [[true, true]], true],
    ['all', [true, true], true],
    ['all', [[true, false]], false],
    ['all', [[false, null, true]], false],
    ['all', [[null, true]], null],
    ['all', [[true, null]], null],
    ['all', [null], null],
    ['all', [[]], true],
    ['all', [[0, false]], false],
    ['all', { list: [true] }, true],
    ['any', [[false, false]], false],
    ['any', [[false, null, true]], true],
    ['any', [[null, false]], null],
    ['any', [[]], false],
    ['any', [true], true],
    ['any', [['x', true]], true],
    ['any', { list: false }, false],
  ]);
  refuses([
    ['all', [0]],
    ['all', [[true, 'x']]],
    ['any', [0]],
    ['any', [[false, {}]]],
  ]);
});

describe('functions of many', () => {
  refuses([
    ...ofNumbers.map((name) => [name, [null]] as const),
    ...ofNumbers.map((name) => [name, [[1, null]]] as const),
    ...ofNumbers.map((name) => [name, [1, 'a']] as const),
    ...ofNumbers.map((name) => [name, [[[1, 2], 3]]] as const),
    ...ofNumbers.map((name) => [name, [at('PT1H')]] as const),
  ]);
  doNotFit(all.map((name) => [name, []] as const));

  it('says the same of a list and of its items', () => {
    const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1 });
    fc.assert(
      fc.property(numbers, (items) => {
        for (const name of ['min', 'max', ...ofNumbers]) {
          assertSame(call(name, [items]), call(name, items), name);
        }
      }),
    );
  });

  it('does not depend on the order of integers', () => {
    const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2 });
    fc.assert(
      fc.property(numbers, (items) => {
        for (const name of ['min', 'max', 'sum', 'mean', 'median', 'mode']) {
          assertSame(call(name, [items]), call(name, [items.toReversed()]), name);
        }
      }),
    );
  });

  it('has modes among the numbers, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<FeelNumber>(1, 2.5, num('1e40'), num('-1e40'))), (numbers) => {
        const modes: FeelValue = call('mode', [numbers]);
        assert.ok(isList(modes));
        for (const [index, mode] of modes.slice(1).entries()) {
          assert.equal(compareValues(modes[index] ?? null, mode, newRun()), -1);
        }
        assert.equal(modes.length === 0, numbers.length === 0);
        for (const mode of modes) {
          assert.ok(numbers.some((n) => typeof mode !== 'string' && compareValues(n, mode, newRun()) === 0));
        }
      }),
    );
  });
});
