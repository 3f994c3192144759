/** When a timer is due: durations and instants as timer definitions give them. */
import type { RepeatingInterval, TimerDefinition } from '../../definitions/model.ts';
import { Temporal, type Value } from '../../definitions/value.ts';
import { ElementFailure } from './element-failure.ts';
import { evaluate, kindOf, type Site } from './evaluate.ts';
import { InvariantError } from './invariant-error.ts';
import type { Step } from './step.ts';

const WEEK_MS = 604_800_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/** The last millisecond of the year 9999: later ones have no four-digit ISO form. */
const LAST_DUE_AT_MS = 253_402_300_799_999;

const DURATION =
  /^P(?:(?<weeks>\d+(?:\.\d+)?)W|(?=[\dT])(?:(?<days>\d+(?:\.\d+)?)D)?(?:T(?=\d)(?:(?<hours>\d+(?:\.\d+)?)H)?(?:(?<minutes>\d+(?:\.\d+)?)M)?(?:(?<seconds>\d+(?:\.\d+)?)S)?)?)$/;
/** `R[n]/<duration>`; without a number it repeats without end. */
const REPEATING = /^R(\d{0,9})\/(.+)$/;
const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

export interface TimerTimes {
  /** Milliseconds since the epoch. One in the past is due at once. */
  readonly dueAtMs: number;
  /** How it goes on after that; null: it does not. */
  readonly cycle: { readonly remaining: number | null; readonly intervalMs: number } | null;
}

/** @throws ElementFailure */
export function timerTimes(step: Step, site: Site, timer: TimerDefinition): TimerTimes {
  if (timer.kind === 'cycle') return cycleTimes(step, site, timer);
  const dueAtMs = timer.kind === 'duration' ? durationDue(step, site, timer) : dateDue(step, site, timer);
  if (dueAtMs > LAST_DUE_AT_MS) invalid(site, 'a time after the year 9999');
  return { dueAtMs, cycle: null };
}

/**
 * The next time of a cycle that has fired at `nowMs`, or null when it has fired for the last time. Times that
 * passed unnoticed are not made up for, but they count.
 */
export function nextTimes(
  dueAtMs: number,
  { remaining, intervalMs }: NonNullable<TimerTimes['cycle']>,
  nowMs: number,
): TimerTimes | null {
  const passed = Math.max(1, Math.floor((nowMs - dueAtMs) / intervalMs) + 1);
  if (remaining !== null && remaining < passed) return null;
  const nextDueAtMs = dueAtMs + passed * intervalMs;
  if (nextDueAtMs > LAST_DUE_AT_MS) return null;
  return {
    dueAtMs: nextDueAtMs,
    cycle: { remaining: remaining === null ? null : remaining - passed, intervalMs },
  };
}

function cycleTimes(step: Step, site: Site, timer: TimerDefinition & { kind: 'cycle' }): TimerTimes {
  const { repetitions, intervalMs } = timer.cycle ?? evaluatedCycle(step, site, timer);
  const dueAtMs = step.context.nowMs + intervalMs;
  if (dueAtMs > LAST_DUE_AT_MS) invalid(site, 'a time after the year 9999');
  return { dueAtMs, cycle: { remaining: repetitions === null ? null : repetitions - 1, intervalMs } };
}

function evaluatedCycle(
  step: Step,
  site: Site,
  timer: TimerDefinition & { kind: 'cycle' },
): RepeatingInterval {
  if (timer.expression === null) throw new InvariantError(`the timer of ${site.elementId} has no cycle`);
  const value = evaluate(step, site, timer.expression);
  const match = typeof value === 'string' ? REPEATING.exec(value) : null;
  const intervalMs = match === null ? null : parsedDurationMs(match[2] ?? '');
  const repetitions = match?.[1] === '' ? null : Number(match?.[1]);
  if (intervalMs === null || intervalMs < 1 || repetitions === 0) invalid(site, described(value));
  return { repetitions, intervalMs };
}

function durationDue(step: Step, site: Site, timer: TimerDefinition & { kind: 'duration' }): number {
  const { nowMs } = step.context;
  if (timer.durationMs !== null) return nowMs + timer.durationMs;
  if (timer.expression === null) throw new InvariantError(`the timer of ${site.elementId} has no duration`);
  const value = evaluate(step, site, timer.expression);
  return nowMs + (durationMs(value) ?? invalid(site, described(value)));
}

function dateDue(step: Step, site: Site, timer: TimerDefinition & { kind: 'date' }): number {
  if (timer.dueAtMs !== null) return timer.dueAtMs;
  if (timer.expression === null) throw new InvariantError(`the timer of ${site.elementId} has no date`);
  const value = evaluate(step, site, timer.expression);
  return instantMs(value) ?? invalid(site, described(value));
}

/**
 * A days-time duration, or its text. Only a computed one may be negative (`deadline - now()`): it means
 * that the time has passed, whereas a written one is a mistake.
 */
function durationMs(value: Value): number | null {
  if (typeof value === 'string') return parsedDurationMs(value);
  if (!(value instanceof Temporal) || value.kind !== 'days-time-duration') return null;
  const isNegative = value.text.startsWith('-');
  const ms = parsedDurationMs(isNegative ? value.text.slice(1) : value.text);
  return ms !== null && isNegative ? -ms : ms;
}

function parsedDurationMs(text: string): number | null {
  const groups = DURATION.exec(text)?.groups;
  // A fraction is for the last component alone.
  if (groups === undefined || /\.\d+[WDHM]./.test(text)) return null;
  const part = (name: string, unitMs: number): number => Number(groups[name] ?? 0) * unitMs;
  const ms =
    part('weeks', WEEK_MS) +
    part('days', DAY_MS) +
    part('hours', HOUR_MS) +
    part('minutes', MINUTE_MS) +
    part('seconds', SECOND_MS);
  return Number.isFinite(ms) ? Math.round(ms) : null;
}

/** An instant with its offset. A local time, or a zone by name, would need a clock that knows zones. */
function instantMs(value: Value): number | null {
  const isTemporal = value instanceof Temporal && value.kind === 'date-time';
  const text = isTemporal ? value.text : value;
  const match = typeof text === 'string' ? INSTANT.exec(text) : null;
  if (match === null) return null;
  const [whole, year, month, day] = match;
  // Date.parse takes 30 February for 2 March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const ms = Date.parse(whole);
  return date.getUTCDate() !== Number(day) || Number.isNaN(ms) ? null : ms;
}

function described(value: Value): string {
  return value instanceof Temporal ? `the ${value.kind} ${value.text}` : `a ${kindOf(value)}`;
}

function invalid(site: Site, what: string): never {
  throw new ElementFailure(
    'SUTRA.CORE.TIMER_VALUE_INVALID',
    `the timer at ${site.elementId} needs an ISO-8601 duration such as PT5M, a repeating one such as R3/PT5M or an instant with offset, and got ${what}`,
  );
}
