/**
 * Texts of dates, times and durations as fields. Null: the text is not one.
 *
 * P1 `fieldsFromText(kind, textOf(fields))` gives the same fields.
 * P2 Nothing is read leniently: what is no date, what FEEL cannot hold and what would have to be rounded is refused.
 *
 * The texts are those of XML Schema, with an IANA zone after `@` as the other form of an offset. Beyond them a `z` is
 * taken for a `Z`, seconds may be left out of a time (as ISO 8601 allows), and an offset may have seconds, since
 * `time(12, 0, 0, duration("PT1H2M3S"))` has such an offset.
 *
 * Source: DMN 1.5, 10.3.4.1 (the domains "date string" to "duration string").
 */
import type { TemporalKind } from '../../value.ts';
import { dayNumber, isDate } from './calendar.ts';
import { dateTimeAtLocal, type Point } from './date-time.ts';
import {
  daysTimeFields,
  MONTHS_PER_YEAR,
  NANOS_PER_DAY,
  NANOS_PER_SECOND,
  offsetZone,
  yearsMonthsFields,
  type DateFields,
  type DateTimeFields,
  type DaysTimeFields,
  type Fields,
  type TimeFields,
  type YearsMonthsFields,
  type Zone,
} from './shapes.ts';
import { isKnownZone } from './zones.ts';

/** No text that is accepted needs more, but for zeros at the beginning of a duration's numbers. */
const MAX_TEXT_LENGTH = 250;

const YEAR = String.raw`-?(?:[1-9]\d{4,8}|\d{4})`;
const OFFSET = String.raw`[Zz]|[+-]\d\d:\d\d(?::\d\d)?`;
const DATE = new RegExp(String.raw`^(${YEAR})-(\d\d)-(\d\d)$`);
const DATE_WITH_OFFSET = new RegExp(String.raw`^(.+-\d\d)(${OFFSET})$`);
const TIME = new RegExp(String.raw`^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(${OFFSET}|@.+)?$`);
const DAYS_TIME = /^(-?)P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(?=\.?\d)(\d*)(?:\.(\d*))?S)?)?$/;
const YEARS_MONTHS = /^(-?)P(?=.)(?:(\d+)Y)?(?:(\d+)M)?$/;

const parsers = {
  date: parseDate,
  time: parseTime,
  'date-time': parseDateTime,
  'days-time-duration': parseDaysTime,
  'years-months-duration': parseYearsMonths,
} satisfies Record<TemporalKind, (text: string) => Fields | null>;

export function fieldsFromText(kind: TemporalKind, text: string): Fields | null {
  return parsers[kind](text);
}

/** The groups of a match; those that took no part are undefined. Null: no match. */
function groupsOf(pattern: RegExp, text: string): readonly (string | undefined)[] | null {
  return text.length > MAX_TEXT_LENGTH ? null : pattern.exec(text);
}

export function parseDate(text: string): DateFields | null {
  const groups = groupsOf(DATE, text);
  if (groups === null) return null;
  const [, yearText, month, day] = groups;
  const year = Number(yearText);
  // The year 0 has no sign.
  if (Object.is(year, -0) || !isDate(year, Number(month), Number(day))) return null;
  return { kind: 'date', day: dayNumber(year, Number(month), Number(day)) };
}

export function parseTime(text: string): TimeFields | null {
  const read = readTime(text);
  // The day's end is the same time as its beginning.
  return read === null ? null : { kind: 'time', nanos: read.nanos % NANOS_PER_DAY, zone: read.zone };
}

/** A date alone is its midnight. It may have an offset, as XML Schema's dates may. */
export function parseDateTime(text: string): DateTimeFields | null {
  if (text.length > MAX_TEXT_LENGTH) return null;
  const separator = text.indexOf('T');
  if (separator === -1) return parseMidnight(text);
  const date = parseDate(text.slice(0, separator));
  const time = readTime(text.slice(separator + 1));
  return date === null || time === null ? null : dateTimeAtLocal(endOfDay(date.day, time.nanos), time.zone);
}

function parseMidnight(text: string): DateTimeFields | null {
  const [, dateText = text, offsetText] = DATE_WITH_OFFSET.exec(text) ?? [];
  const date = parseDate(dateText);
  const zone = readZone(offsetText);
  return date === null || zone === undefined ? null : dateTimeAtLocal({ day: date.day, nanos: 0 }, zone);
}

/** 24:00:00 is the next day's midnight. */
function endOfDay(day: number, nanos: number): Point {
  return nanos === NANOS_PER_DAY ? { day: day + 1, nanos: 0 } : { day, nanos };
}

/** Up to and with 24:00:00. */
function readTime(text: string): { readonly nanos: number; readonly zone: Zone | null } | null {
  const groups = groupsOf(TIME, text);
  if (groups === null) return null;
  const [, hour, minute, second = '0', fraction = '', zoneText] = groups;
  const fractionNanos = nanosOfFraction(fraction);
  const zone = readZone(zoneText);
  if (fractionNanos === null || zone === undefined) return null;
  if (Number(minute) > 59 || Number(second) > 59) return null;
  const seconds = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  const nanos = seconds * NANOS_PER_SECOND + fractionNanos;
  return nanos > NANOS_PER_DAY ? null : { nanos, zone };
}

/** Null: there is none. Undefined: it is not one that is known. */
function readZone(text: string | undefined): Zone | null | undefined {
  if (text === undefined) return null;
  if (text.startsWith('@')) {
    const id = text.slice(1);
    return isKnownZone(id) ? { kind: 'iana', id } : undefined;
  }
  if (text === 'Z' || text === 'z') return offsetZone(0) ?? undefined;
  const [hours, minutes, seconds = 0] = text.slice(1).split(':').map(Number);
  if (hours === undefined || minutes === undefined || minutes > 59 || seconds > 59) return undefined;
  const size = hours * 3_600 + minutes * 60 + seconds;
  return offsetZone(text.startsWith('-') ? 0 - size : size) ?? undefined;
}

/** Null: it is finer than a nanosecond. */
function nanosOfFraction(digits: string): number | null {
  return /[1-9]/.test(digits.slice(9)) ? null : Number(digits.slice(0, 9).padEnd(9, '0'));
}

export function parseDaysTime(text: string): DaysTimeFields | null {
  const groups = groupsOf(DAYS_TIME, text);
  if (groups === null) return null;
  const [, sign, days = '0', hours = '0', minutes = '0', seconds, fraction = ''] = groups;
  const fractionNanos = nanosOfFraction(fraction);
  if (fractionNanos === null) return null;
  const wholeSeconds =
    ((BigInt(days) * 24n + BigInt(hours)) * 60n + BigInt(minutes)) * 60n + BigInt(seconds ?? '0');
  const nanos = wholeSeconds * BigInt(NANOS_PER_SECOND) + BigInt(fractionNanos);
  return daysTimeFields(sign === '-' ? -nanos : nanos);
}

export function parseYearsMonths(text: string): YearsMonthsFields | null {
  const groups = groupsOf(YEARS_MONTHS, text);
  if (groups === null) return null;
  const [, sign, years = '0', months = '0'] = groups;
  const total = Number(years) * MONTHS_PER_YEAR + Number(months);
  return yearsMonthsFields(sign === '-' ? 0 - total : total);
}
