import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batcher } from '../../engine/relay/batcher.ts';

/** A batcher whose writes end only when the test says so. */
function recorded(options: { readonly maxItems?: number; readonly isCommonFailure?: boolean } = {}) {
  const batches: (readonly string[])[] = [];
  const ends: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  const batcher = new Batcher<string>({
    maxItems: options.maxItems ?? 100,
    isCommonFailure: () => options.isCommonFailure ?? false,
    write: (items) => {
      batches.push(items);
      return new Promise((resolve, reject) => {
        ends.push({ resolve, reject });
      });
    },
  });
  return { batcher, batches, ends };
}

/** Lets everything that is ready run. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

test('B1: an idle batcher writes at once, and what comes meanwhile is written together', async () => {
  const { batcher, batches, ends } = recorded();
  const all = ['a', 'b', 'c'].map((item) => batcher.submit(item));
  assert.deepEqual(batches, [['a']]);
  ends[0]?.resolve();
  await settle();
  assert.deepEqual(batches, [['a'], ['b', 'c']]);
  ends[1]?.resolve();
  await Promise.all(all);
});

test('B1: no batch has more than its most items', async () => {
  const { batcher, batches, ends } = recorded({ maxItems: 2 });
  const all = ['a', 'b', 'c', 'd'].map((item) => batcher.submit(item));
  for (let index = 0; index < 3; index += 1) {
    ends[index]?.resolve();
    await settle();
  }
  await Promise.all(all);
  assert.deepEqual(batches, [['a'], ['b', 'c'], ['d']]);
});

test('B2: submit does not resolve before the write has', async () => {
  const { batcher, ends } = recorded();
  let isDone = false;
  const submitted = batcher.submit('a').then(() => {
    isDone = true;
  });
  await settle();
  assert.equal(isDone, false);
  ends[0]?.resolve();
  await submitted;
  assert.equal(isDone, true);
});

test('B3: a bad item fails alone, and its neighbours are written', async () => {
  const written: string[] = [];
  const batcher = new Batcher<string>({
    maxItems: 100,
    isCommonFailure: () => false,
    write: (items) => {
      if (items.includes('bad')) return Promise.reject(new Error('bad'));
      written.push(...items);
      return Promise.resolve();
    },
  });
  const results = await Promise.allSettled(['a', 'b', 'bad', 'c'].map((item) => batcher.submit(item)));
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(written, ['a', 'b', 'c']);
});

test('B3: an error that is common to all items is not tried again item by item', async () => {
  const { batcher, batches, ends } = recorded({ isCommonFailure: true });
  const first = batcher.submit('a');
  const others = ['b', 'c'].map((item) => batcher.submit(item));
  ends[0]?.resolve();
  await first;
  await settle();
  ends[1]?.reject(new Error('away'));
  const results = await Promise.allSettled(others);
  assert.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'rejected'],
  );
  assert.equal(batches.length, 2);
});

test('a batcher goes on after failing many times in a row', async () => {
  let remaining = 20;
  const batcher = new Batcher<string>({
    maxItems: 10,
    isCommonFailure: () => true,
    write: () => {
      remaining -= 1;
      return remaining >= 0 ? Promise.reject(new Error('away')) : Promise.resolve();
    },
  });
  for (let attempt = 0; attempt < 20; attempt += 1) await assert.rejects(batcher.submit('a'), /away/);
  await batcher.submit('a');
});
