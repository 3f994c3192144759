import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffDelayMs } from '../../engine/relay/backoff.ts';

const plain = { baseDelayMs: 1_000, maxDelayMs: 300_000, jitter: false };
const jittered = { ...plain, jitter: true };

const table: readonly (readonly [failures: number, delayMs: number])[] = [
  [1, 1_000],
  [2, 2_000],
  [3, 4_000],
  [8, 128_000],
  [9, 256_000],
  [10, 300_000],
  [11, 300_000],
  [1_000_000, 300_000],
  [Number.MAX_SAFE_INTEGER, 300_000],
];

for (const [failures, delayMs] of table) {
  test(`failure ${String(failures)} in a row waits ${String(delayMs)} ms`, () => {
    assert.equal(
      backoffDelayMs(plain, failures, () => 0.9),
      delayMs,
    );
  });
}

test('jitter draws from the upper half of the delay', () => {
  assert.equal(
    backoffDelayMs(jittered, 3, () => 0),
    2_000,
  );
  assert.equal(
    backoffDelayMs(jittered, 3, () => 0.5),
    3_000,
  );
  assert.ok(backoffDelayMs(jittered, 3, () => 0.999_999) < 4_000);
});

test('a base of zero stays zero however often it fails', () => {
  assert.equal(
    backoffDelayMs({ baseDelayMs: 0, maxDelayMs: 0, jitter: true }, 5_000, () => 0.5),
    0,
  );
});

test('every delay is finite, never over the cap, and never under half of the unjittered one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3_600_000 }),
      fc.integer({ min: 0, max: 86_400_000 }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (baseDelayMs, more, failures, drawn) => {
        const settings = { baseDelayMs, maxDelayMs: baseDelayMs + more, jitter: true };
        const delayMs = backoffDelayMs(settings, failures, () => drawn);
        const unjittered = backoffDelayMs({ ...settings, jitter: false }, failures, () => drawn);
        assert.ok(Number.isFinite(delayMs));
        assert.ok(delayMs <= settings.maxDelayMs);
        assert.ok(delayMs >= unjittered / 2 && delayMs <= unjittered);
      },
    ),
  );
});

test('without jitter, delays never shrink from one failure to the next', () => {
  let previous = 0;
  for (let failures = 1; failures <= 200; failures += 1) {
    const delayMs = backoffDelayMs(plain, failures, Math.random);
    assert.ok(delayMs >= previous);
    previous = delayMs;
  }
});
