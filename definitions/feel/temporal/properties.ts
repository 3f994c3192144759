/**
 * What `value.name` gives for dates, times and durations.
 *
 * The parts of a negative duration are negative or 0: they add up to it.
 *
 * Source: DMN 1.5, tables 65 and 66.
 */
import type { Temporal, TemporalKind } from '../../value.ts';
import { fromText } from '../number-text.ts';
import type { FeelNumber } from '../number.ts';
import { civilDate, weekday } from './calendar.ts';
import { timeOffset } from './date-time.ts';
import { fieldsOf, temporalOf } from './fields.ts';
import {
  daysTimeFields,
  MONTHS_PER_YEAR,
  NANOS_PER_DAY,
  NANOS_PER_SECOND,
  type DateFields,
  type DateTimeFields,
  type DaysTimeFields,
  type Fields,
  type TimeFields,
  type Zone,
} from './shapes.ts';

const NANOS_PER_MINUTE = 60 * NANOS_PER_SECOND;
const NANOS_PER_HOUR = 60 * NANOS_PER_MINUTE;

export type PropertyValue = FeelNumber | string | Temporal | null;

type Properties<F extends Fields> = Readonly<Record<string, (fields: F, nowMs: number) => PropertyValue>>;

const ofDay: Properties<DateFields | DateTimeFields> = {
  year: ({ day }) => civilDate(day).year,
  month: ({ day }) => civilDate(day).month,
  day: ({ day }) => civilDate(day).day,
  weekday: ({ day }) => weekday(day),
};

const ofClock: Properties<TimeFields | DateTimeFields> = {
  hour: ({ nanos }) => Math.floor(nanos / NANOS_PER_HOUR),
  minute: ({ nanos }) => Math.floor((nanos % NANOS_PER_HOUR) / NANOS_PER_MINUTE),
  // At most eleven digits, so that the quotient is the number that they spell.
  second: ({ nanos }) => (nanos % NANOS_PER_MINUTE) / NANOS_PER_SECOND,
  timezone: ({ zone }) => zoneId(zone),
};

const properties: { readonly [K in TemporalKind]: Properties<Extract<Fields, { kind: K }>> } = {
  date: ofDay,
  time: { ...ofClock, 'time offset': (fields, nowMs) => offset(timeOffset(fields, nowMs)) },
  'date-time': {
    ...ofDay,
    ...ofClock,
    'time offset': ({ zone, offsetSeconds }) => offset(zone === null ? null : offsetSeconds),
  },
  'days-time-duration': {
    days: ({ nanos }) => integer(nanos / BigInt(NANOS_PER_DAY)),
    hours: (fields) => Math.trunc(nanosOfDay(fields) / NANOS_PER_HOUR) + 0,
    minutes: (fields) => Math.trunc((nanosOfDay(fields) % NANOS_PER_HOUR) / NANOS_PER_MINUTE) + 0,
    seconds: (fields) => (nanosOfDay(fields) % NANOS_PER_MINUTE) / NANOS_PER_SECOND + 0,
  },
  'years-months-duration': {
    years: ({ months }) => Math.trunc(months / MONTHS_PER_YEAR) + 0,
    months: ({ months }) => (months % MONTHS_PER_YEAR) + 0,
  },
};

/**
 * The property, or undefined: values of that kind have none of that name.
 * @param nowMs a time of day with a zone's name has the offset of that zone at this instant
 */
export function temporalProperty(temporal: Temporal, name: string, nowMs: number): PropertyValue | undefined {
  const fields = fieldsOf(temporal);
  switch (fields.kind) {
    case 'date':
      return property(properties[fields.kind], name, fields, nowMs);
    case 'time':
      return property(properties[fields.kind], name, fields, nowMs);
    case 'date-time':
      return property(properties[fields.kind], name, fields, nowMs);
    case 'days-time-duration':
      return property(properties[fields.kind], name, fields, nowMs);
    case 'years-months-duration':
      return property(properties[fields.kind], name, fields, nowMs);
  }
}

function property<F extends Fields>(
  table: Properties<F>,
  name: string,
  fields: F,
  nowMs: number,
): PropertyValue | undefined {
  return Object.hasOwn(table, name) ? table[name]?.(fields, nowMs) : undefined;
}

/** Within the last day, with the duration's sign. */
function nanosOfDay({ nanos }: DaysTimeFields): number {
  return Number(nanos % BigInt(NANOS_PER_DAY));
}

function zoneId(zone: Zone | null): string | null {
  return zone?.kind === 'iana' ? zone.id : null;
}

function offset(seconds: number | null): Temporal | null {
  if (seconds === null) return null;
  return temporalOf(daysTimeFields(BigInt(seconds) * BigInt(NANOS_PER_SECOND)));
}

function integer(value: bigint): FeelNumber | null {
  return fromText(String(value));
}
