import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WakeLoop } from '../../engine/relay/wake-loop.ts';
import { keepProcessAlive } from './fixtures.ts';

keepProcessAlive();

type Outcome = number | null | Error;

/** A loop whose passes end when the test says so, and a way to await the next pass. */
function recorded() {
  const ends: ((outcome: Outcome) => void)[] = [];
  const timed: boolean[] = [];
  const failures: number[] = [];
  let noticed: () => void = () => {};
  const loop = new WakeLoop({
    pass: (isTimed) => {
      timed.push(isTimed);
      return new Promise((resolve, reject) => {
        ends.push((outcome) => {
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        });
        noticed();
      });
    },
    onFailure: (_error, count) => failures.push(count),
    random: () => 0,
  });
  const passCount = async (count: number): Promise<void> => {
    while (ends.length < count) {
      await new Promise<void>((resolve) => {
        noticed = resolve;
      });
    }
  };
  return { loop, ends, timed, failures, passCount };
}

function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

test('W1: any number of wakes during a pass cause exactly one more pass', async () => {
  const { loop, ends } = recorded();
  await loop.start();
  loop.wake();
  await settle();
  for (let index = 0; index < 100; index += 1) loop.wake();
  assert.equal(ends.length, 1);
  ends[0]?.(null);
  await settle();
  assert.equal(ends.length, 2);
  ends[1]?.(null);
  await settle();
  assert.equal(ends.length, 2);
  await loop.stop();
});

test('a pass that names a delay is followed by a timed pass', async () => {
  const { loop, ends, timed, passCount } = recorded();
  await loop.start();
  loop.wake();
  await settle();
  ends[0]?.(5);
  await passCount(2);
  assert.deepEqual(timed, [false, true]);
  ends[1]?.(null);
  await loop.stop();
});

test('the earlier of two times is kept, whichever is asked for first', async () => {
  for (const delays of [
    [5, 60_000],
    [60_000, 5],
  ]) {
    const { loop, ends, passCount } = recorded();
    await loop.start();
    for (const delayMs of delays) loop.wakeIn(delayMs);
    await passCount(1);
    ends[0]?.(null);
    await loop.stop();
  }
});

test('a delay longer than a timer takes does not fire at once', async () => {
  const { loop, ends } = recorded();
  await loop.start();
  loop.wakeIn(2 ** 40);
  await settle();
  await settle();
  assert.equal(ends.length, 0);
  await loop.stop();
});

test('W2: a failed pass is run again by itself, and wakes meanwhile change nothing', async () => {
  const { loop, ends, failures, passCount } = recorded();
  await loop.start();
  loop.wake();
  await settle();
  for (let failed = 0; failed < 3; failed += 1) {
    ends[failed]?.(new Error('away'));
    await settle();
    for (let index = 0; index < 50; index += 1) loop.wake();
    loop.wakeIn(0);
    assert.equal(ends.length, failed + 1);
    await passCount(failed + 2);
  }
  assert.deepEqual(failures, [1, 2, 3]);
  ends[3]?.(null);
  await settle();
  loop.wake();
  await settle();
  assert.equal(ends.length, 5);
  ends[4]?.(new Error('away'));
  await settle();
  assert.deepEqual(failures, [1, 2, 3, 1]);
  await loop.stop();
});

test('W3: stop waits for the pass under way and nothing runs after it', async () => {
  const { loop, ends } = recorded();
  await loop.start();
  loop.wake();
  await settle();
  loop.wake();
  let isStopped = false;
  const stopped = loop.stop().then(() => {
    isStopped = true;
  });
  await settle();
  assert.equal(isStopped, false);
  assert.equal(loop.isStopping, true);
  ends[0]?.(1);
  await stopped;
  loop.wake();
  loop.wakeIn(0);
  await settle();
  assert.equal(ends.length, 1);
});

test('W3: a pass that fails while stopping is not run again', async () => {
  const { loop, ends } = recorded();
  await loop.start();
  loop.wake();
  await settle();
  const stopped = loop.stop();
  ends[0]?.(new Error('away'));
  await stopped;
  await settle();
  assert.equal(ends.length, 1);
});

test('a pass that wakes its own loop as it begins is followed by one more, never joined by one', async () => {
  let passes = 0;
  let active = 0;
  const loop: WakeLoop = new WakeLoop({
    pass: async () => {
      assert.equal(active, 0);
      active += 1;
      passes += 1;
      if (passes === 1) loop.wake();
      await settle();
      active -= 1;
      return null;
    },
    onFailure: (error) => {
      throw error;
    },
    random: () => 0,
  });
  await loop.start();
  loop.wake();
  for (let turn = 0; turn < 5; turn += 1) await settle();
  await loop.stop();
  assert.equal(passes, 2);
});

test('before start, wakes do nothing, and stop is legal', async () => {
  const { loop, ends } = recorded();
  loop.wake();
  loop.wakeIn(0);
  await settle();
  assert.equal(ends.length, 0);
  await loop.stop();
  await loop.stop();
});
