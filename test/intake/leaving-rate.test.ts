import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeavingRate } from '../../engine/intake/leaving-rate.ts';

/** `batches` of `size` turns, `everyMs` apart, of a line that does not run empty; then the time. */
function busy(rate: LeavingRate, fromMs: number, batches: number, size: number, everyMs: number): number {
  let nowMs = fromMs;
  rate.left(size, true, nowMs);
  for (let batch = 0; batch < batches; batch += 1) {
    nowMs += everyMs;
    rate.left(size, true, nowMs);
  }
  return nowMs;
}

test('nothing is known before turns have left while others waited', () => {
  const rate = new LeavingRate();
  assert.equal(rate.waitMs(10_000), 0);
  rate.left(100, true, 0);
  assert.equal(rate.waitMs(10_000), 0);
});

test('the wait follows from how many wait and how fast they leave', () => {
  const rate = new LeavingRate();
  busy(rate, 0, 50, 20, 10);
  assert.equal(Math.round(rate.waitMs(4_000)), 2_000);
  assert.equal(rate.waitMs(0), 0);
});

test('an idle time in between does not count (L1)', () => {
  const rate = new LeavingRate();
  const nowMs = busy(rate, 0, 50, 20, 10);
  rate.left(20, false, nowMs + 10);
  rate.left(5, true, nowMs + 60_000);
  assert.equal(Math.round(rate.waitMs(4_000)), 2_000);
});

test('a slower database is noticed within seconds (L2)', () => {
  const rate = new LeavingRate();
  const nowMs = busy(rate, 0, 500, 20, 10);
  busy(rate, nowMs, 50, 20, 100);
  const waitMs = rate.waitMs(1_000);
  assert.ok(waitMs > 4_500 && waitMs <= 5_000, String(waitMs));
});
