/** What is remembered, and what is not any more. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RecentMemo } from '../../../definitions/feel/temporal/recent-memo.ts';

describe('a memo of recent values', () => {
  it('keeps those used last', () => {
    const memo = new RecentMemo<number>(2);
    memo.set('a', 1);
    memo.set('b', 2);
    assert.equal(memo.get('a'), 1);
    memo.set('c', 3);
    assert.deepEqual([memo.get('a'), memo.get('b'), memo.get('c')], [1, undefined, 3]);
  });

  it('takes a new value for a key in the place of the old one', () => {
    const memo = new RecentMemo<number>(2);
    memo.set('a', 1);
    memo.set('b', 2);
    memo.set('a', 3);
    assert.deepEqual([memo.get('a'), memo.get('b')], [3, 2]);
  });

  it('holds no more than its capacity, whatever is asked of it', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__');
    const calls = fc.array(fc.tuple(fc.boolean(), key), { maxLength: 50 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), calls, (capacity, made) => {
        const memo = new RecentMemo<number>(capacity);
        /** The most recently used first. */
        let recent: string[] = [];
        for (const [isSet, name] of made) {
          const isKnown = recent.slice(0, capacity).includes(name);
          if (isSet) memo.set(name, made.length);
          else assert.equal(memo.get(name), isKnown ? made.length : undefined);
          if (isSet || isKnown)
            recent = [name, ...recent.filter((other) => other !== name)].slice(0, capacity);
          assert.equal(memo.size, recent.length);
        }
      }),
    );
  });
});
