/** Dates, times and durations for the tests of `definitions/feel/temporal`. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { dayNumber, MAX_YEAR } from '../../../definitions/feel/temporal/calendar.ts';
import {
  dateTimeAtInstant,
  dateTimeAtLocal,
  type Point,
} from '../../../definitions/feel/temporal/date-time.ts';
import { temporalOf } from '../../../definitions/feel/temporal/fields.ts';
import { temporalFromText } from '../../../definitions/feel/temporal/functions.ts';
import {
  daysTimeFields,
  NANOS_PER_DAY,
  NANOS_PER_SECOND,
  offsetZone,
  yearsMonthsFields,
  type Fields,
  type Zone,
} from '../../../definitions/feel/temporal/shapes.ts';
import type { Temporal } from '../../../definitions/value.ts';

/** 2026-07-01T12:00:00Z */
export const NOW_MS = 1_782_907_200_000;

/** What `@"text"` stands for. */
export function at(text: string): Temporal {
  const temporal = temporalFromText(text);
  assert.ok(temporal, `${text} is no date, time or duration`);
  return temporal;
}

export function textOrNull(temporal: Temporal | null): string | null {
  return temporal === null ? null : temporal.text;
}

/** With summer time, without, with half hours, with a day that was left out, around the year's other end. */
export const zoneIds = [
  ...['Europe/Paris', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia'],
  ...['America/St_Johns', 'Africa/Casablanca', 'Etc/UTC', 'Etc/GMT+5', 'Asia/Manila', 'Europe/Dublin'],
] as const;

const FIRST_DAY = dayNumber(-MAX_YEAR, 1, 1);
const LAST_DAY = dayNumber(MAX_YEAR, 12, 31);

/** Ordinary ones, any, and the first and the last. */
export const anyDay = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: dayNumber(1850, 1, 1), max: dayNumber(2150, 1, 1) }) },
  fc.integer({ min: FIRST_DAY, max: LAST_DAY }),
  fc.constantFrom(FIRST_DAY, LAST_DAY, -1, 0),
);

/** Of a day: whole quarters of an hour, seconds, nanoseconds. */
const anyNanos = fc.oneof(
  fc.integer({ min: 0, max: 95 }).map((quarters) => quarters * 900 * NANOS_PER_SECOND),
  fc.integer({ min: 0, max: 86_399 }).map((seconds) => seconds * NANOS_PER_SECOND),
  fc.integer({ min: 0, max: NANOS_PER_DAY - 1 }),
);

export const anyOffset: fc.Arbitrary<Zone> = fc
  .oneof(
    fc.integer({ min: -14, max: 14 }).map((hours) => hours * 3_600),
    fc.integer({ min: -50_400, max: 50_400 }),
  )
  .map((seconds) => present(offsetZone(seconds)));

export const anyPlace: fc.Arbitrary<Zone> = fc.oneof(
  anyOffset,
  fc.constantFrom(...zoneIds).map((id): Zone => ({ kind: 'iana', id })),
);

export const anyPoint: fc.Arbitrary<Point> = fc
  .tuple(anyDay, anyNanos)
  .map(([day, nanos]) => ({ day, nanos }));

function present<T>(value: T | null): T {
  assert.ok(value !== null);
  return value;
}

function temporals(fields: fc.Arbitrary<Fields | null>): fc.Arbitrary<Temporal> {
  return fields.filter((made) => made !== null).map((made) => temporalOf(made));
}

export const anyDate = temporals(anyDay.map((day): Fields => ({ kind: 'date', day })));

export function timesIn(zone: fc.Arbitrary<Zone | null>): fc.Arbitrary<Temporal> {
  return temporals(
    fc.tuple(anyNanos, zone).map(([nanos, place]): Fields => ({ kind: 'time', nanos, zone: place })),
  );
}

export const anyLocalDateTime = temporals(anyPoint.map((point) => dateTimeAtLocal(point, null)));

export function dateTimesIn(zone: fc.Arbitrary<Zone>): fc.Arbitrary<Temporal> {
  return temporals(
    fc
      .tuple(anyPoint, zone, fc.boolean())
      .map(([point, place, isLocal]) =>
        isLocal ? dateTimeAtLocal(point, place) : dateTimeAtInstant(point, place),
      ),
  );
}

const smallNanos = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });

/** From nanoseconds to centuries; a few far beyond any date. */
export const anyDaysTime = temporals(
  fc
    .oneof(
      smallNanos,
      fc.integer({ min: -100_000, max: 100_000 }).map((hours) => BigInt(hours) * 3_600_000_000_000n),
      fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }),
    )
    .map(daysTimeFields),
);

export const anyYearsMonths = temporals(
  fc.oneof(fc.integer({ min: -3_000, max: 3_000 }), fc.maxSafeInteger()).map(yearsMonthsFields),
);

export const anyTemporal = fc.oneof(
  anyDate,
  timesIn(fc.oneof(fc.constant(null), anyPlace)),
  anyLocalDateTime,
  dateTimesIn(anyPlace),
  anyDaysTime,
  anyYearsMonths,
);
