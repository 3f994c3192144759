import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SetAside } from '../../engine/relay/set-aside.ts';

const backoff = { baseDelayMs: 20, maxDelayMs: 1_000, jitter: false };

function withClock(capacity = 100) {
  const clock = { nowMs: 0 };
  const aside = new SetAside(
    backoff,
    capacity,
    () => 0,
    () => clock.nowMs,
  );
  return { aside, clock };
}

test('a key stays away for its delay and is then let back', () => {
  const { aside, clock } = withClock();
  aside.put('a');
  assert.deepEqual(aside.keys(), ['a']);
  assert.equal(aside.nextMs(), 20);
  clock.nowMs = 19;
  assert.deepEqual(aside.keys(), ['a']);
  clock.nowMs = 20;
  assert.deepEqual(aside.keys(), []);
  assert.equal(aside.nextMs(), null);
});

test('A1: put aside again and again, a key stays away longer, up to the cap', () => {
  const { aside, clock } = withClock();
  const delays: (number | null)[] = [];
  for (let times = 0; times < 12; times += 1) {
    aside.put('a');
    delays.push(aside.nextMs());
    clock.nowMs += delays.at(-1) ?? 0;
    aside.keys();
  }
  assert.deepEqual(delays, [20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000]);
});

test('a key that came back while nobody looked is due at once, not never', () => {
  const { aside, clock } = withClock();
  aside.put('a');
  clock.nowMs = 500;
  assert.equal(aside.nextMs(), 0);
  assert.deepEqual(aside.keys(), []);
  assert.equal(aside.nextMs(), null);
});

test('a released key starts again with the first delay', () => {
  const { aside } = withClock();
  aside.put('a');
  aside.put('a');
  aside.release('a');
  assert.equal(aside.nextMs(), null);
  aside.put('a');
  assert.equal(aside.nextMs(), 20);
});

test('A2: over its capacity the oldest key is forgotten', () => {
  const { aside } = withClock(3);
  for (const key of ['a', 'b', 'c', 'd']) aside.put(key);
  assert.deepEqual(aside.keys(), ['b', 'c', 'd']);
});

test('keys that nobody puts aside again are forgotten', () => {
  const { aside, clock } = withClock();
  aside.put('a');
  clock.nowMs = 10_000;
  aside.keys();
  aside.put('a');
  assert.equal(aside.nextMs(), 20);
});
