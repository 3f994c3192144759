/**
 * When a timer start event fires: first, reckoned at the activation of its deployment, and again. Pure.
 *
 * T1 What is written in the model was checked when it was compiled; only an expression can be wrong here.
 * T2 Times that have passed while no engine ran come once, and all of them count.
 */
import { EngineError } from '../../config/engine-error.ts';
import { parseDuration, parseInstant, parseRepeatingInterval } from '../../config/iso8601.ts';
import { TurnBudget, type CompiledExpression } from '../../definitions/feel.ts';
import type { RepeatingInterval, TimerDefinition } from '../../definitions/model.ts';
import { Temporal, type Value } from '../../definitions/value.ts';
import { kindOf } from '../core/evaluate.ts';
import type { StartTimerTimes } from '../store/start-timers.ts';

/** The last millisecond of the year 9999: later ones have no four-digit ISO form. */
const LAST_DUE_AT_MS = 253_402_300_799_999;

/**
 * The first time, and how it goes on. A cycle first fires one interval after the activation; a date that has
 * passed fires at once. An expression sees no variables: there is no instance yet.
 * @throws EngineError SUTRA.DEPLOYMENT.START_TIMER_INVALID
 */
export function firstTimes(timer: TimerDefinition, nowMs: number): StartTimerTimes {
  const times = timesOf(timer, nowMs);
  if (times.dueAtMs > LAST_DUE_AT_MS) throw invalid(timer, 'a time after the year 9999');
  return times;
}

function timesOf(timer: TimerDefinition, nowMs: number): StartTimerTimes {
  const once = (dueAtMs: number): StartTimerTimes => ({ dueAtMs, remaining: null, intervalMs: null });
  switch (timer.kind) {
    case 'duration':
      return once(nowMs + (timer.durationMs ?? durationMs(timer, evaluated(timer, timer.expression, nowMs))));
    case 'date':
      return once(timer.dueAtMs ?? instantMs(timer, evaluated(timer, timer.expression, nowMs)));
    case 'cycle': {
      const cycle = timer.cycle ?? cycleOf(timer, evaluated(timer, timer.expression, nowMs));
      const { repetitions, intervalMs } = cycle;
      return {
        dueAtMs: nowMs + intervalMs,
        remaining: repetitions === null ? null : repetitions - 1,
        intervalMs,
      };
    }
  }
}

/** The times after one that fires at `nowMs`, or null: it was the last. */
export function timesAfter(times: StartTimerTimes, nowMs: number): StartTimerTimes | null {
  const { dueAtMs, remaining, intervalMs } = times;
  if (intervalMs === null) return null;
  // A turn's time is that of its transaction's start, which may be just before the timer came due.
  const missed = Math.max(Math.floor((nowMs - dueAtMs) / intervalMs), 0);
  const spent = missed + 1;
  if (remaining !== null && spent > remaining) return null;
  const nextDueAtMs = dueAtMs + spent * intervalMs;
  if (nextDueAtMs > LAST_DUE_AT_MS) return null;
  return {
    dueAtMs: nextDueAtMs,
    remaining: remaining === null ? null : remaining - spent,
    intervalMs,
  };
}

function evaluated(timer: TimerDefinition, expression: CompiledExpression | null, nowMs: number): Value {
  if (expression === null) throw new Error('a timer has neither a value nor an expression');
  try {
    return expression.evaluate(() => undefined, new TurnBudget(nowMs));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown error';
    throw invalid(timer, `no value: ${reason}`, cause);
  }
}

/** A computed duration may be negative (a date less now): it means that the time has passed. */
function durationMs(timer: TimerDefinition, value: Value): number {
  const text = textOf(value, 'days-time-duration');
  const isNegative = value instanceof Temporal && text !== null && text.startsWith('-');
  const parsed = text === null ? null : parseDuration(isNegative ? text.slice(1) : text);
  if (parsed?.ok === true) return isNegative ? -parsed.ms : parsed.ms;
  throw invalid(timer, parsed?.message ?? described(value));
}

function instantMs(timer: TimerDefinition, value: Value): number {
  const text = textOf(value, 'date-time');
  const parsed = text === null ? null : parseInstant(text);
  if (parsed?.ok === true) return parsed.ms;
  throw invalid(timer, parsed?.message ?? described(value));
}

function cycleOf(timer: TimerDefinition, value: Value): RepeatingInterval {
  const parsed = typeof value === 'string' ? parseRepeatingInterval(value) : null;
  if (parsed?.ok === true) return parsed;
  throw invalid(timer, parsed?.message ?? described(value));
}

function textOf(value: Value, kind: Temporal['kind']): string | null {
  if (typeof value === 'string') return value;
  return value instanceof Temporal && value.kind === kind ? value.text : null;
}

function described(value: Value): string {
  if (value === null) return 'null; there are no variables before the instance is started';
  if (value instanceof Temporal) return `the ${value.kind} ${value.text}`;
  return `a ${kindOf(value)}`;
}

const wanted = {
  duration: 'an ISO-8601 duration such as PT5M',
  date: 'an instant with its offset such as 2026-03-01T10:00:00Z',
  cycle: 'a repeating interval such as R3/PT10S',
} as const;

function invalid(timer: TimerDefinition, got: string, cause?: unknown): EngineError {
  return new EngineError(
    'SUTRA.DEPLOYMENT.START_TIMER_INVALID',
    `A timer that starts instances needs ${wanted[timer.kind]}; its expression \`${timer.expression?.text ?? ''}\` gave ${got}`,
    { place: timer.place, cause },
  );
}
