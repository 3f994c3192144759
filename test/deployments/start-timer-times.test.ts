import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { compileExpression } from '../../definitions/feel.ts';
import type { TimerDefinition } from '../../definitions/model.ts';
import { firstTimes, timesAfter } from '../../engine/deployments/start-timer-times.ts';

const nowMs = Date.parse('2026-03-01T10:00:00Z');
const place = { file: 'bpmn/a.bpmn', line: 3 };

type Kind = TimerDefinition['kind'];

/** A timer of an expression; what is written out is read by the compiler. */
function timerOf(kind: Kind, text: string): TimerDefinition {
  const expression = compileExpression(text);
  switch (kind) {
    case 'duration':
      return { kind, expression, durationMs: null, place };
    case 'date':
      return { kind, expression, dueAtMs: null, place };
    case 'cycle':
      return { kind, expression, cycle: null, place };
  }
}

const once = (dueInMs: number) => ({ dueAtMs: nowMs + dueInMs, remaining: null, intervalMs: null });

describe('the first time of a start timer', () => {
  const rows: readonly (readonly [string, TimerDefinition, ReturnType<typeof firstTimes>])[] = [
    ['a duration', { kind: 'duration', expression: null, durationMs: 5_000, place }, once(5_000)],
    ['a date', { kind: 'date', expression: null, dueAtMs: nowMs - 7, place }, once(-7)],
    [
      'a cycle with an end',
      { kind: 'cycle', expression: null, cycle: { repetitions: 3, intervalMs: 10_000 }, place },
      { dueAtMs: nowMs + 10_000, remaining: 2, intervalMs: 10_000 },
    ],
    [
      'a cycle without end',
      { kind: 'cycle', expression: null, cycle: { repetitions: null, intervalMs: 1_000 }, place },
      { dueAtMs: nowMs + 1_000, remaining: null, intervalMs: 1_000 },
    ],
    ['a computed duration', timerOf('duration', 'duration("PT1M")'), once(60_000)],
    ['a computed duration as text', timerOf('duration', '"PT" + "2S"'), once(2_000)],
    [
      'a computed duration that has passed',
      timerOf('duration', 'date and time("2026-03-01T09:00:00Z") - now()'),
      once(-3_600_000),
    ],
    ['a computed date', timerOf('date', 'date and time("2026-03-01T11:00:00Z")'), once(3_600_000)],
    [
      'a computed cycle',
      timerOf('cycle', '"R2/" + "PT5S"'),
      { dueAtMs: nowMs + 5_000, remaining: 1, intervalMs: 5_000 },
    ],
  ];
  for (const [title, timer, times] of rows) {
    it(`of ${title}`, () => assert.deepEqual(firstTimes(timer, nowMs), times));
  }

  const wrong: readonly (readonly [Kind, string, RegExp])[] = [
    ['duration', 'order.pause', /gave null; there are no variables/],
    ['duration', '"5m"', /"5m" is not ISO-8601/],
    ['duration', '"-PT5M"', /negative/],
    ['duration', '5', /gave a number/],
    ['date', 'date("2026-03-01")', /gave the date 2026-03-01/],
    ['date', 'date and time("2026-03-01T10:00:00")', /offset/],
    ['date', 'date and time("9999-12-31T23:59:59-14:00")', /year 9999/],
    ['cycle', '"PT5S"', /repeating interval/],
    ['cycle', '[1]', /gave a list/],
  ];
  for (const [kind, text, message] of wrong) {
    it(`is refused with its place for ${text}`, () => {
      assert.throws(
        () => firstTimes(timerOf(kind, text), nowMs),
        (error: unknown) => {
          assert.ok(error instanceof EngineError);
          assert.equal(error.code, 'SUTRA.DEPLOYMENT.START_TIMER_INVALID');
          assert.match(error.message, message);
          assert.deepEqual(error.place, place);
          return true;
        },
      );
    });
  }
});

describe('the times after one', () => {
  const cycle = (remaining: number | null) => ({ dueAtMs: nowMs, remaining, intervalMs: 1_000 });
  const rows: readonly (readonly [
    string,
    Parameters<typeof timesAfter>[0],
    number,
    { readonly inMs: number; readonly remaining: number | null } | null,
  ])[] = [
    ['nothing, when it fires once', { dueAtMs: nowMs, remaining: null, intervalMs: null }, 0, null],
    ['one interval later', cycle(2), 0, { inMs: 1_000, remaining: 1 }],
    ['nothing, when it was the last', cycle(0), 0, null],
    ['on the grid, however late it fires', cycle(5), 999, { inMs: 1_000, remaining: 4 }],
    ['after those that were missed, which count', cycle(5), 2_500, { inMs: 3_000, remaining: 2 }],
    ['the last of those that were missed but one', cycle(3), 2_500, { inMs: 3_000, remaining: 0 }],
    ['nothing, when all the rest was missed', cycle(2), 2_500, null],
    ['without end, also after a downtime', cycle(null), 3_600_000, { inMs: 3_601_000, remaining: null }],
    ['one interval later, when the turn began just before', cycle(2), -3, { inMs: 1_000, remaining: 1 }],
    [
      'nothing, when the next one is after the year 9999',
      { dueAtMs: nowMs, remaining: null, intervalMs: 300_000_000_000_000 },
      0,
      null,
    ],
  ];
  for (const [title, times, firedInMs, next] of rows) {
    it(`are ${title}`, () => {
      assert.deepEqual(
        timesAfter(times, nowMs + firedInMs),
        next === null ? null : { dueAtMs: nowMs + next.inMs, remaining: next.remaining, intervalMs: 1_000 },
      );
    });
  }
});
