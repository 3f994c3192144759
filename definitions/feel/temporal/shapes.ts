/**
 * What a date, time or duration is when it is computed with: numbers instead of text.
 *
 * S1 Fields say exactly what the text says: nothing is kept that cannot be printed and read again.
 * S2 They are within FEEL's limits; the functions that make them give null where they would not be.
 * S3 Numbers are safe integers. Only the nanoseconds of a duration need more, and are a bigint.
 */

export const NANOS_PER_SECOND = 1_000_000_000;
export const SECONDS_PER_DAY = 86_400;
export const NANOS_PER_DAY = SECONDS_PER_DAY * NANOS_PER_SECOND;
export const MONTHS_PER_YEAR = 12;

/**
 * A duration has fewer nanoseconds than this (some 10^17 years, either way), so that their number is one that FEEL can hold.
 * The distance between any two dates is far below.
 */
const NANOS_LIMIT = 10n ** 34n;

/** The largest offset from UTC, either way. Source: DMN 1.5, table 66; XML Schema part 2, dateTime. */
const MAX_OFFSET_SECONDS = 14 * 3_600;

/** What a time or a date and time says of its place: how far from UTC it is, or the name of an IANA zone. */
export type Zone =
  { readonly kind: 'offset'; readonly seconds: number } | { readonly kind: 'iana'; readonly id: string };

export const UTC: Zone = { kind: 'offset', seconds: 0 };

export interface DateFields {
  readonly kind: 'date';
  /** Day number of the calendar. */
  readonly day: number;
}

export interface TimeFields {
  readonly kind: 'time';
  /** Since midnight. */
  readonly nanos: number;
  /** Null: a local time, of no known place. */
  readonly zone: Zone | null;
}

export interface DateTimeFields {
  readonly kind: 'date-time';
  /** Day number of the local date. */
  readonly day: number;
  /** Since local midnight. */
  readonly nanos: number;
  /** Null: a local date and time, of no known place. */
  readonly zone: Zone | null;
  /** Local time less UTC, by the zone; 0 when there is none. */
  readonly offsetSeconds: number;
}

export interface DaysTimeFields {
  readonly kind: 'days-time-duration';
  readonly nanos: bigint;
}

export interface YearsMonthsFields {
  readonly kind: 'years-months-duration';
  readonly months: number;
}

export type Fields = DateFields | TimeFields | DateTimeFields | DaysTimeFields | YearsMonthsFields;

export function daysTimeFields(nanos: bigint): DaysTimeFields | null {
  return nanos < NANOS_LIMIT && nanos > -NANOS_LIMIT ? { kind: 'days-time-duration', nanos } : null;
}

export function yearsMonthsFields(months: number): YearsMonthsFields | null {
  return Number.isSafeInteger(months) ? { kind: 'years-months-duration', months } : null;
}

export function offsetZone(seconds: number): Zone | null {
  if (!Number.isInteger(seconds) || Math.abs(seconds) > MAX_OFFSET_SECONDS) return null;
  return { kind: 'offset', seconds };
}
