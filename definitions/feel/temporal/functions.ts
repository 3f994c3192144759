/**
 * FEEL's functions that make dates, times and durations, and those that say what day a date is.
 *
 * Null: an argument is outside of the function's domain. Which kinds of values a function takes at all is for its caller
 * to see; a `Temporal` of a wrong kind gives null.
 *
 * Source: DMN 1.5, 10.3.4.1 (conversion), 10.3.4.9 (temporal functions), 10.3.4.12 (`now`, `today`); and the
 * standard's conformance tests where it is silent: a date's time is midnight of UTC.
 */
import type { Temporal } from '../../value.ts';
import { toText } from '../number-text.ts';
import type { FeelNumber } from '../number.ts';
import * as calendar from './calendar.ts';
import { dateTimeAtInstant, dateTimeAtLocal, pointOf } from './date-time.ts';
import { fieldsOf, temporalOf } from './fields.ts';
import { parseDate, parseDateTime, parseDaysTime, parseTime, parseYearsMonths } from './parse.ts';
import {
  MONTHS_PER_YEAR,
  NANOS_PER_SECOND,
  offsetZone,
  SECONDS_PER_DAY,
  UTC,
  yearsMonthsFields,
  type DateFields,
  type DateTimeFields,
  type Zone,
} from './shapes.ts';

const MS_PER_DAY = SECONDS_PER_DAY * 1_000;
const NANOS_PER_MS = 1_000_000;

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const MONTHS = [
  ...(['January', 'February', 'March', 'April', 'May', 'June'] as const),
  ...(['July', 'August', 'September', 'October', 'November', 'December'] as const),
] as const;

/** `date(from)`: of a date text, a date and time, or a date. */
export function dateFrom(from: string | Temporal): Temporal | null {
  if (typeof from === 'string') return temporalOf(parseDate(from));
  const fields = fieldsOf(from);
  if (fields.kind === 'date') return from;
  return fields.kind === 'date-time' ? temporalOf({ kind: 'date', day: fields.day }) : null;
}

/** `date(year, month, day)` */
export function dateOf(year: FeelNumber, month: FeelNumber, day: FeelNumber): Temporal | null {
  // A number that is no JS number has too many digits for any of the three.
  if (typeof year !== 'number' || typeof month !== 'number' || typeof day !== 'number') return null;
  if (!calendar.isDate(year, month, day)) return null;
  return temporalOf({ kind: 'date', day: calendar.dayNumber(year, month, day) });
}

/** `time(from)`: of a time text, a time, a date and time, or a date. */
export function timeFrom(from: string | Temporal): Temporal | null {
  if (typeof from === 'string') return temporalOf(parseTime(from));
  const fields = fieldsOf(from);
  if (fields.kind === 'time') return from;
  if (fields.kind === 'date') return temporalOf({ kind: 'time', nanos: 0, zone: UTC });
  if (fields.kind !== 'date-time') return null;
  return temporalOf({ kind: 'time', nanos: fields.nanos, zone: fields.zone });
}

/** `time(hour, minute, second, offset?)`: seconds down to nanoseconds; without an offset it is local. */
export function timeOf(
  hour: FeelNumber,
  minute: FeelNumber,
  second: FeelNumber,
  offset: Temporal | null,
): Temporal | null {
  if (!isIntegerTo(hour, 23) || !isIntegerTo(minute, 59)) return null;
  const nanos = nanosOfSecond(second);
  const zone = offset === null ? null : zoneOf(offset);
  if (nanos === null || zone === undefined) return null;
  return temporalOf({ kind: 'time', nanos: (hour * 60 + minute) * 60 * NANOS_PER_SECOND + nanos, zone });
}

/** `date and time(from)`: of a date and time text, a date text (midnight), or a date and time. */
export function dateTimeFrom(from: string | Temporal): Temporal | null {
  if (typeof from === 'string') return temporalOf(parseDateTime(from));
  return from.kind === 'date-time' ? from : null;
}

/** `date and time(date, time)`: the date's own time is left out. */
export function dateTimeOf(date: Temporal, time: Temporal): Temporal | null {
  const day = dayOf(date);
  const clock = fieldsOf(time);
  if (day === null || clock.kind !== 'time') return null;
  return temporalOf(dateTimeAtLocal({ day, nanos: clock.nanos }, clock.zone));
}

/** `duration(from)`: of days and hours, or of years and months. */
export function durationFrom(text: string): Temporal | null {
  return temporalOf(parseYearsMonths(text) ?? parseDaysTime(text));
}

/** What `@"text"` stands for: a date, a time, a date and time, or a duration. */
export function temporalFromText(text: string): Temporal | null {
  if (/^-?P/.test(text)) return durationFrom(text);
  if (text.includes('T')) return temporalOf(parseDateTime(text) ?? parseTime(text));
  return temporalOf(parseDate(text) ?? parseTime(text));
}

/**
 * `years and months duration(from, to)`: the months that are complete, with the sign of the direction. A date is
 * midnight wherever the other one is; of two with zones, `to` is seen in the zone of `from`.
 */
export function yearsMonthsBetween(from: Temporal, to: Temporal): Temporal | null {
  const start = dateOrDateTime(from);
  const end = dateOrDateTime(to);
  if (start === null || end === null) return null;
  const seen = seenFrom(start, end);
  return seen === null ? null : temporalOf(yearsMonthsFields(completeMonths(start, seen)));
}

/** `day of year(date)`. The argument of this and of the next three is a date or a date and time. */
export function dayOfYear(date: Temporal): number | null {
  const day = dayOf(date);
  return day === null ? null : calendar.dayOfYear(day);
}

/** `day of week(date)`: `Monday` and so on. */
export function dayOfWeek(date: Temporal): string | null {
  const day = dayOf(date);
  return day === null ? null : (WEEKDAYS[calendar.weekday(day) - 1] ?? null);
}

/** `month of year(date)`: `January` and so on. */
export function monthOfYear(date: Temporal): string | null {
  const day = dayOf(date);
  return day === null ? null : (MONTHS[calendar.civilDate(day).month - 1] ?? null);
}

/** `week of year(date)`, by ISO 8601. */
export function weekOfYear(date: Temporal): number | null {
  const day = dayOf(date);
  return day === null ? null : calendar.weekOfYear(day);
}

/** `now()`, of UTC. @param nowMs whole milliseconds since the epoch */
export function now(nowMs: number): Temporal | null {
  const day = Math.floor(nowMs / MS_PER_DAY);
  return temporalOf(dateTimeAtInstant({ day, nanos: (nowMs - day * MS_PER_DAY) * NANOS_PER_MS }, UTC));
}

/** `today()`, of UTC. @param nowMs milliseconds since the epoch */
export function today(nowMs: number): Temporal {
  return temporalOf({ kind: 'date', day: Math.floor(nowMs / MS_PER_DAY) });
}

function isIntegerTo(n: FeelNumber, max: number): n is number {
  return typeof n === 'number' && Number.isInteger(n) && n >= 0 && n <= max;
}

/** Null: it is not within a minute, or finer than a nanosecond. */
function nanosOfSecond(second: FeelNumber): number | null {
  // A number that is no JS number has too many digits.
  if (typeof second !== 'number' || second < 0 || second >= 60) return null;
  const [whole = '', fraction = ''] = toText(second).split('.');
  return fraction.length > 9 ? null : Number(whole + fraction.padEnd(9, '0'));
}

/** Undefined: no offset from UTC. */
function zoneOf(offset: Temporal): Zone | undefined {
  const fields = fieldsOf(offset);
  if (fields.kind !== 'days-time-duration') return undefined;
  return offsetZone(Number(fields.nanos) / NANOS_PER_SECOND) ?? undefined;
}

function dateOrDateTime(temporal: Temporal): DateFields | DateTimeFields | null {
  const fields = fieldsOf(temporal);
  return fields.kind === 'date' || fields.kind === 'date-time' ? fields : null;
}

function dayOf(date: Temporal): number | null {
  return dateOrDateTime(date)?.day ?? null;
}

/** `end` on the calendar and clock of `start`. Null: one is local and the other is not. */
function seenFrom(start: DateFields | DateTimeFields, end: DateFields | DateTimeFields): typeof end | null {
  if (start.kind === 'date' || end.kind === 'date') return end;
  if (start.zone === null || end.zone === null) return start.zone === end.zone ? end : null;
  return dateTimeAtInstant(pointOf(end), start.zone);
}

function completeMonths(start: DateFields | DateTimeFields, end: DateFields | DateTimeFields): number {
  const from = calendar.civilDate(start.day);
  const to = calendar.civilDate(end.day);
  const months = (to.year - from.year) * MONTHS_PER_YEAR + to.month - from.month;
  const rest = to.day - from.day || nanosOf(end) - nanosOf(start);
  if (months > 0 && rest < 0) return months - 1;
  return months < 0 && rest > 0 ? months + 1 : months;
}

function nanosOf(value: DateFields | DateTimeFields): number {
  return value.kind === 'date' ? 0 : value.nanos;
}
