/**
 * Equality, order and sameness of dates, times and durations.
 *
 * C1 Only two of the same kind compare, and of times and of dates and times only two with a zone, or two without.
 * C2 Those with a zone compare as instants: an offset, `Z` and a zone's name are forms of the same.
 * C3 Among those that compare the order is total, and agrees with the sign of their difference.
 *
 * Source: DMN 1.5, 10.3.2.2 and tables 53 and 54. There a local time is said to take the other one's offset for `<`; as
 * that puts times in a circle and does not go together with `=` and `-`, C1 holds for all of them.
 */
import type { Temporal } from '../../value.ts';
import { pointOf, timeOffset } from './date-time.ts';
import { fieldsOf } from './fields.ts';
import { textOf } from './print.ts';
import { NANOS_PER_SECOND, type DateTimeFields, type TimeFields } from './shapes.ts';

export type Order = -1 | 0 | 1;

/**
 * What `left` is: before `right`, equal to it or after it. Null: the two do not compare (C1).
 * @param nowMs on its day a time of day with a zone's name is taken to be
 */
export function compareTemporals(left: Temporal, right: Temporal, nowMs: number): Order | null {
  const a = fieldsOf(left);
  const b = fieldsOf(right);
  if (a.kind === 'date' && b.kind === 'date') return orderOf(a.day, b.day);
  if (a.kind === 'time' && b.kind === 'time') return compareTimes(a, b, nowMs);
  if (a.kind === 'date-time' && b.kind === 'date-time') return compareDateTimes(a, b);
  if (a.kind === 'days-time-duration' && b.kind === a.kind) return orderOf(a.nanos, b.nanos);
  if (a.kind === 'years-months-duration' && b.kind === a.kind) return orderOf(a.months, b.months);
  return null;
}

/** `=`: whether the two have the same value. Null: they do not compare (C1). */
export function equalTemporals(left: Temporal, right: Temporal, nowMs: number): boolean | null {
  const order = compareTemporals(left, right, nowMs);
  return order === null ? null : order === 0;
}

/** `is()`: whether the two are the same value in the same form, so that nothing can tell them apart. */
export function isSameTemporal(left: Temporal, right: Temporal): boolean {
  if (left.kind !== right.kind) return false;
  return left.text === right.text || textOf(fieldsOf(left)) === textOf(fieldsOf(right));
}

function compareTimes(a: TimeFields, b: TimeFields, nowMs: number): Order | null {
  const difference = nanosBetweenTimes(a, b, nowMs);
  return difference === null ? null : orderOf(difference, 0);
}

/** Nanoseconds from `b` to `a`. Two with zones are taken to be on the same local day. Null: they do not compare (C1). */
export function nanosBetweenTimes(a: TimeFields, b: TimeFields, nowMs: number): number | null {
  const offset = timeOffset(a, nowMs);
  const otherOffset = timeOffset(b, nowMs);
  if (offset === null || otherOffset === null) {
    return offset === otherOffset ? a.nanos - b.nanos : null;
  }
  return a.nanos - b.nanos - (offset - otherOffset) * NANOS_PER_SECOND;
}

function compareDateTimes(a: DateTimeFields, b: DateTimeFields): Order | null {
  if ((a.zone === null) !== (b.zone === null)) return null;
  const point = pointOf(a);
  const other = pointOf(b);
  return point.day === other.day ? orderOf(point.nanos, other.nanos) : orderOf(point.day, other.day);
}

function orderOf<T extends number | bigint>(left: T, right: T): Order {
  return left < right ? -1 : left > right ? 1 : 0;
}
