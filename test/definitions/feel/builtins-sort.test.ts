/** `sort`: S1 to S3 of `definitions/feel/builtins/sort.ts`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FeelFunction, type FeelValue } from '../../../definitions/feel/runtime.ts';
import { isList } from '../../../definitions/feel/value-kind.ts';
import { builtin, call, doNotFit, givesValues, newRun, predicate, refuses } from './builtins-calls.ts';

function numberOf(value: FeelValue): number {
  return typeof value === 'number' ? value : Number.NaN;
}

const ascending = predicate((a, b) => numberOf(a) < numberOf(b));
const descending = predicate((a, b) => numberOf(a) > numberOf(b));

describe('sort', () => {
  givesValues([
    ['sort', [[3, 1, 4, 5, 2], ascending], [1, 2, 3, 4, 5]],
    ['sort', [[3, 1, 4, 5, 2], descending], [5, 4, 3, 2, 1]],
    ['sort', [[], ascending], []],
    ['sort', [[1], ascending], [1]],
    ['sort', [1, ascending], [1]],
    ['sort', { list: [2, 1], precedes: ascending }, [1, 2]],
    // A built-in function orders as well.
    ['sort', [[2, 3, 1], builtin('before')], [1, 2, 3]],
  ]);
  refuses([
    ['sort', [null, ascending]],
    ['sort', [[1, 2], null]],
    ['sort', [[1, 2], 'precedes']],
    ['sort', [[1, 2], new FeelFunction([{ names: ['a'] }], () => true)]],
    ['sort', [[1, 2], new FeelFunction([{ names: ['a', 'b', 'c'] }], () => true)]],
    ['sort', [[1, 2], predicate(() => null)]],
    ['sort', [[1, 2], predicate(() => 1)]],
    ['sort', [[1, 2], builtin('concatenate')]],
  ]);
  doNotFit([
    ['sort', []],
    ['sort', [[1]]],
    ['sort', [[1], ascending, 1]],
  ]);

  it('takes functions that may be called with two arguments', () => {
    const invoke = ([a = null, b = null]: readonly (FeelValue | undefined)[]): boolean =>
      numberOf(a) < numberOf(b);
    const many = ([all = null]: readonly (FeelValue | undefined)[]): boolean =>
      isList(all) && numberOf(all[0] ?? null) < numberOf(all[1] ?? null);
    for (const fn of [
      new FeelFunction([{ names: ['a'] }, { names: ['a', 'b'] }], invoke),
      new FeelFunction([{ names: ['a', 'b', 'c'], least: 1 }], invoke),
      new FeelFunction([{ names: ['all'], isVariadic: true }], many),
    ]) {
      assert.deepEqual(call('sort', [[2, 3, 1], fn]), [1, 2, 3]);
    }
  });

  it('S1 is in order, and stable', () => {
    const keyed = predicate(
      (a, b) => isList(a) && isList(b) && numberOf(a[0] ?? null) < numberOf(b[0] ?? null),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 })), (keys) => {
        const items = keys.map((key, index): readonly number[] => [key, index]);
        const expected = items.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
        assert.deepEqual(call('sort', [items, keyed]), expected);
      }),
    );
  });

  it('S2 ends with the same elements, whatever the function says', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.infiniteStream(fc.boolean()), (items, answers) => {
        const precedes = predicate(() => answers.next().value === true);
        const sorted = call('sort', [items, precedes]);
        assert.ok(isList(sorted));
        const numbers = sorted.map(numberOf);
        assert.deepEqual(
          numbers.toSorted((a, b) => a - b),
          items.toSorted((a, b) => a - b),
        );
      }),
    );
  });

  it('S3 asks fewer than n log2 n times', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { maxLength: 300 }), (items) => {
        let count = 0;
        const counting = predicate((a, b) => {
          count += 1;
          return numberOf(a) < numberOf(b);
        });
        call('sort', [items, counting]);
        assert.ok(
          count <= items.length * Math.ceil(Math.log2(items.length + 1)),
          `${count} for ${items.length}`,
        );
      }),
    );
  });

  it('asks no more after the function has not given a boolean', () => {
    let count = 0;
    const broken = predicate(() => {
      count += 1;
      return null;
    });
    const run = newRun();
    assert.equal(call('sort', [[4, 3, 2, 1], broken], run), null);
    assert.equal(count, 1);
    assert.equal(run.warnings.length, 1);
  });
});
