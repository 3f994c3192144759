/**
 * `+`, `-`, `*` and `/` of dates, times and durations.
 *
 * A1 Null: the operation is not defined for the two, or the result is outside of what FEEL can hold.
 * A2 A date is midnight of UTC where it meets a duration with hours or a date and time; the result of adding is a date.
 * A3 Days and hours are counted on the line of instants, months on the calendar of the zone: a month later is the same
 *    day at the same local time, or the month's last day.
 * A4 What multiplying and dividing gives is rounded half to even to nanoseconds; of months, to whole ones towards zero.
 *
 * Source: DMN 1.5, tables 57, 59 and 62. By their formula 31 January and a month would be null, as there is no
 * 31 February; that it is the month's last day is XML Schema's rule, which other engines follow too.
 */
import type { Temporal } from '../../value.ts';
import { divide } from '../number-arithmetic.ts';
import { fromText, toText } from '../number-text.ts';
import type { FeelNumber } from '../number.ts';
import { addMonths, isInRange } from './calendar.ts';
import { nanosBetweenTimes } from './compare.ts';
import { dateTimeAtInstant, dateTimeAtLocal, pointOf, type Point } from './date-time.ts';
import { fieldsOf, temporalOf } from './fields.ts';
import {
  daysTimeFields,
  NANOS_PER_DAY,
  yearsMonthsFields,
  type DateFields,
  type DateTimeFields,
  type DaysTimeFields,
  type Fields,
  type TimeFields,
  type YearsMonthsFields,
} from './shapes.ts';

type DurationFields = DaysTimeFields | YearsMonthsFields;

const BILLION = 1_000_000_000n;
const nanosPerDay = BigInt(NANOS_PER_DAY);

/** `left + right`, in either order. */
export function addTemporals(left: Temporal, right: Temporal): Temporal | null {
  const a = fieldsOf(left);
  const b = fieldsOf(right);
  if (isDuration(b)) return temporalOf(sum(a, b));
  return isDuration(a) ? temporalOf(sum(b, a)) : null;
}

/**
 * `left - right`.
 * @param nowMs on its day a time of day with a zone's name is taken to be
 */
export function subtractTemporals(left: Temporal, right: Temporal, nowMs: number): Temporal | null {
  const a = fieldsOf(left);
  const b = fieldsOf(right);
  if (isDuration(b)) return temporalOf(sum(a, negated(b)));
  if (a.kind === 'time' && b.kind === 'time') {
    const nanos = nanosBetweenTimes(a, b, nowMs);
    return nanos === null ? null : temporalOf(daysTimeFields(BigInt(nanos)));
  }
  const start = isDateOrDateTime(b) ? onLine(b) : null;
  const end = isDateOrDateTime(a) ? onLine(a) : null;
  if (start === null || end === null || start.isLocal !== end.isLocal) return null;
  return temporalOf(daysTimeFields(nanosBetween(start.point, end.point)));
}

/** A duration as many times as `factor` says. Null for what is no duration. */
export function multiplyDuration(duration: Temporal, factor: FeelNumber): Temporal | null {
  const { numerator, denominator } = fractionOf(factor);
  return scaled(duration, numerator, denominator);
}

/** Null for what is no duration, and for 0. */
export function divideDuration(duration: Temporal, divisor: FeelNumber): Temporal | null {
  const { numerator, denominator } = fractionOf(divisor);
  return numerator === 0n ? null : scaled(duration, denominator, numerator);
}

/** How many times `divisor` goes into `dividend`. Null: they are no durations of the same kind, or `divisor` is 0. */
export function durationRatio(dividend: Temporal, divisor: Temporal): FeelNumber | null {
  const a = fieldsOf(dividend);
  const b = fieldsOf(divisor);
  if (!isDuration(a) || !isDuration(b) || a.kind !== b.kind) return null;
  const numerator = fromText(String(sizeOf(a)));
  const denominator = fromText(String(sizeOf(b)));
  return numerator === null || denominator === null ? null : divide(numerator, denominator);
}

/** `-duration`. Null for what is no duration. */
export function negateDuration(duration: Temporal): Temporal | null {
  const fields = fieldsOf(duration);
  return isDuration(fields) ? temporalOf(negated(fields)) : null;
}

/** `abs(duration)`. Null for what is no duration. */
export function absoluteDuration(duration: Temporal): Temporal | null {
  const fields = fieldsOf(duration);
  if (!isDuration(fields)) return null;
  return sizeOf(fields) < 0 ? temporalOf(negated(fields)) : duration;
}

function isDuration(fields: Fields): fields is DurationFields {
  return fields.kind === 'days-time-duration' || fields.kind === 'years-months-duration';
}

function isDateOrDateTime(fields: Fields): fields is DateFields | DateTimeFields {
  return fields.kind === 'date' || fields.kind === 'date-time';
}

function sizeOf(duration: DurationFields): bigint | number {
  return duration.kind === 'days-time-duration' ? duration.nanos : duration.months;
}

function negated(duration: DurationFields): DurationFields {
  return duration.kind === 'days-time-duration'
    ? { kind: duration.kind, nanos: -duration.nanos }
    : { kind: duration.kind, months: 0 - duration.months };
}

function sum(value: Fields, duration: DurationFields): Fields | null {
  return duration.kind === 'days-time-duration'
    ? plusNanos(value, duration.nanos)
    : plusMonths(value, duration.months);
}

function plusNanos(value: Fields, nanos: bigint): Fields | null {
  switch (value.kind) {
    case 'date': {
      const point = later({ day: value.day, nanos: 0 }, nanos);
      return point === null || !isInRange(point.day) ? null : { kind: 'date', day: point.day };
    }
    case 'time':
      return plusTime(value, nanos);
    case 'date-time': {
      const point = later(pointOf(value), nanos);
      if (point === null) return null;
      return value.zone === null ? dateTimeAtLocal(point, null) : dateTimeAtInstant(point, value.zone);
    }
    case 'days-time-duration':
      return daysTimeFields(value.nanos + nanos);
    case 'years-months-duration':
      return null;
  }
}

/** Around midnight, in either direction. */
function plusTime(time: TimeFields, nanos: bigint): TimeFields {
  const total = BigInt(time.nanos) + nanos;
  return { ...time, nanos: Number(total - floorDivide(total, nanosPerDay) * nanosPerDay) };
}

function plusMonths(value: Fields, months: number): Fields | null {
  switch (value.kind) {
    case 'date': {
      const day = addMonths(value.day, months);
      return day === null ? null : { kind: 'date', day };
    }
    case 'date-time': {
      const day = addMonths(value.day, months);
      return day === null ? null : dateTimeAtLocal({ day, nanos: value.nanos }, value.zone);
    }
    case 'years-months-duration':
      return yearsMonthsFields(value.months + months);
    case 'time':
    case 'days-time-duration':
      return null;
  }
}

/** Null: further away than any date. */
function later({ day, nanos }: Point, distance: bigint): Point | null {
  const total = BigInt(nanos) + distance;
  const days = floorDivide(total, nanosPerDay);
  const result = { day: day + Number(days), nanos: Number(total - days * nanosPerDay) };
  // A day of margin: an offset may bring it back.
  return isInRange(result.day - 1) || isInRange(result.day + 1) ? result : null;
}

/** A date, or a date and time, on its line (A2). */
function onLine(value: DateFields | DateTimeFields): { readonly point: Point; readonly isLocal: boolean } {
  return value.kind === 'date'
    ? { point: { day: value.day, nanos: 0 }, isLocal: false }
    : { point: pointOf(value), isLocal: value.zone === null };
}

function nanosBetween(start: Point, end: Point): bigint {
  return BigInt(end.day - start.day) * nanosPerDay + BigInt(end.nanos - start.nanos);
}

function scaled(duration: Temporal, numerator: bigint, denominator: bigint): Temporal | null {
  const fields = fieldsOf(duration);
  if (!isDuration(fields)) return null;
  if (fields.kind === 'days-time-duration') {
    return temporalOf(daysTimeFields(roundedQuotient(fields.nanos * numerator, denominator)));
  }
  // Rounded first, so that twelve times a twelfth of a number is not a little less than one.
  const billionths = roundedQuotient(BigInt(fields.months) * numerator * BILLION, denominator);
  return temporalOf(yearsMonthsFields(Number(billionths / BILLION)));
}

/** A number as the fraction of integers that it exactly is. The denominator is positive. */
function fractionOf(number: FeelNumber): { readonly numerator: bigint; readonly denominator: bigint } {
  const [whole = '', fraction = ''] = toText(number).split('.');
  return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length) };
}

/** Half to even. */
function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const [numerator, denominator] = divisor < 0n ? [-dividend, -divisor] : [dividend, divisor];
  const floor = floorDivide(numerator, denominator);
  const twiceRest = (numerator - floor * denominator) * 2n;
  const isUp = twiceRest > denominator || (twiceRest === denominator && floor % 2n !== 0n);
  return isUp ? floor + 1n : floor;
}

/** The divisor is positive. */
function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}
