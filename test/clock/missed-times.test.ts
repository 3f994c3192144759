/**
 * Cycles over random times in which nobody looks: against a list of all their times, those that passed between two
 * looks fire once, together, and each of them counts. Both kinds: start timers, and timers inside instances.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { timesAfter } from '../../engine/deployments/start-timer-times.ts';
import type { StartTimerTimes } from '../../engine/store/start-timers.ts';
import { Instance, START_MS } from '../core/instance.ts';
import { boundary, start, userTask } from '../support/model-builder.ts';
import { timerCycle } from '../support/model-parts.ts';
import { processModel } from '../support/process-model.ts';

interface Cycle {
  /** Null: without end. */
  readonly repetitions: number | null;
  readonly intervalMs: number;
  /** From one look of an engine to the next; what is longer than an interval is a downtime. */
  readonly pausesMs: readonly number[];
}

const cycles: fc.Arbitrary<Cycle> = fc
  .record({
    repetitions: fc.option(fc.integer({ min: 1, max: 40 })),
    intervalMs: fc.integer({ min: 1, max: 5_000 }),
    pauses: fc.array(fc.double({ min: 0, max: 12, noNaN: true }), { minLength: 1, maxLength: 12 }),
  })
  .map(({ pauses, ...cycle }) => ({
    ...cycle,
    pausesMs: pauses.map((intervals) => Math.round(intervals * cycle.intervalMs)),
  }));

interface Observed {
  /** At which looks it fired. */
  readonly firedAtMs: readonly number[];
  /** When it fires next; null: never again. */
  readonly nextAtMs: number | null;
}

/** Of all times, one after the other. */
function expected({ repetitions, intervalMs, pausesMs }: Cycle): Observed {
  const firedAtMs: number[] = [];
  let [nowMs, done] = [START_MS, 0];
  for (const pauseMs of pausesMs) {
    nowMs += pauseMs;
    let hasFired = false;
    while (done < (repetitions ?? Infinity) && START_MS + (done + 1) * intervalMs <= nowMs) {
      done += 1;
      hasFired = true;
    }
    if (hasFired) firedAtMs.push(nowMs);
  }
  const hasNext = done < (repetitions ?? Infinity);
  return { firedAtMs, nextAtMs: hasNext ? START_MS + (done + 1) * intervalMs : null };
}

function ofStartTimer({ repetitions, intervalMs, pausesMs }: Cycle): Observed {
  const remaining = repetitions === null ? null : repetitions - 1;
  let times: StartTimerTimes | null = { dueAtMs: START_MS + intervalMs, remaining, intervalMs };
  const firedAtMs: number[] = [];
  let nowMs = START_MS;
  for (const pauseMs of pausesMs) {
    nowMs += pauseMs;
    if (times === null || times.dueAtMs > nowMs) continue;
    firedAtMs.push(nowMs);
    times = timesAfter(times, nowMs);
  }
  return { firedAtMs, nextAtMs: times?.dueAtMs ?? null };
}

function ofInstance({ repetitions, intervalMs, pausesMs }: Cycle): Observed {
  const tick = boundary('tick', 't', timerCycle(repetitions, intervalMs), 'non-interrupting');
  const specs = [start('s'), userTask('t'), tick, userTask('aside')];
  const instance = new Instance(processModel('p', specs, ['s -> t', 'tick -> aside'])).start();
  const dueAtMs = (): number | null =>
    instance.allWaits.flatMap((wait) => (wait.kind === 'timer' ? [wait.dueAtMs] : []))[0] ?? null;
  const firedAtMs: number[] = [];
  for (const pauseMs of pausesMs) {
    instance.nowMs += pauseMs;
    if ((dueAtMs() ?? Infinity) > instance.nowMs) continue;
    instance.mustAdvance({ kind: 'timer', waitId: instance.wait('timer', 'tick').id });
    firedAtMs.push(instance.nowMs);
    assert.equal(instance.active.filter((id) => id === 'aside').length, firedAtMs.length);
  }
  return { firedAtMs, nextAtMs: dueAtMs() };
}

for (const [what, observe] of [
  ['a start timer', ofStartTimer],
  ['a timer inside an instance', ofInstance],
] as const) {
  test(`the times of ${what} that pass unnoticed fire once together, and all of them count`, () => {
    fc.assert(fc.property(cycles, (cycle) => assert.deepEqual(observe(cycle), expected(cycle))));
  });

  test(`ten times of ${what} that pass in a downtime are one firing, and ten repetitions spent`, () => {
    const downtimeMs = 10_500;
    const at = (repetitions: number | null): Observed =>
      observe({ repetitions, intervalMs: 1_000, pausesMs: [downtimeMs] });
    const firedAtMs = [START_MS + downtimeMs];
    assert.deepEqual(at(12), { firedAtMs, nextAtMs: START_MS + 11_000 });
    assert.deepEqual(at(null), { firedAtMs, nextAtMs: START_MS + 11_000 });
    for (const repetitions of [10, 5, 1]) assert.deepEqual(at(repetitions), { firedAtMs, nextAtMs: null });
  });
}
