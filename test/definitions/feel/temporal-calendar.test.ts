/** The calendar and the zones, against luxon for ordinary years, and against themselves for the others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DateTime, IANAZone } from 'luxon';
import {
  addMonths,
  civilDate,
  dayNumber,
  dayOfYear,
  daysInMonth,
  isDate,
  isInRange,
  MAX_YEAR,
  weekday,
  weekOfYear,
} from '../../../definitions/feel/temporal/calendar.ts';
import {
  dateTimeAtInstant,
  dateTimeAtLocal,
  pointAt,
  pointOf,
} from '../../../definitions/feel/temporal/date-time.ts';
import { NANOS_PER_SECOND } from '../../../definitions/feel/temporal/shapes.ts';
import { isKnownZone, offsetAtInstant, offsetAtLocal } from '../../../definitions/feel/temporal/zones.ts';
import { anyDay, anyPlace, anyPoint, zoneIds } from './temporal-values.ts';

const MS_PER_DAY = 86_400_000;

describe('day numbers', () => {
  it('are those of luxon for ordinary years', () => {
    const ordinaryDay = fc.integer({ min: dayNumber(1000, 1, 1), max: dayNumber(3000, 1, 1) });
    fc.assert(
      fc.property(ordinaryDay, (day) => {
        const expected = DateTime.fromMillis(day * MS_PER_DAY, { zone: 'utc' });
        const { year, month, day: dayOfMonth } = civilDate(day);
        assert.deepEqual([year, month, dayOfMonth], [expected.year, expected.month, expected.day]);
        assert.equal(weekday(day), expected.weekday);
        assert.equal(dayOfYear(day), expected.ordinal);
        assert.equal(weekOfYear(day), expected.weekNumber);
        assert.equal(daysInMonth(year, month), expected.daysInMonth);
      }),
      { numRuns: 500 },
    );
  });

  it('are found again from the date, in all years', () => {
    fc.assert(
      fc.property(anyDay, (day) => {
        const { year, month, day: dayOfMonth } = civilDate(day);
        assert.ok(isDate(year, month, dayOfMonth));
        assert.equal(dayNumber(year, month, dayOfMonth), day);
      }),
    );
  });

  it('go on by one where a month, a year or a century ends', () => {
    for (const year of [-MAX_YEAR, -401, -400, -100, -4, -1, 0, 1, 1900, 2000, 2024, MAX_YEAR]) {
      for (let month = 1; month < 12; month += 1) {
        const last = dayNumber(year, month, daysInMonth(year, month));
        assert.equal(dayNumber(year, month + 1, 1), last + 1, `${year}-${month}`);
      }
      assert.equal(dayNumber(year + 1, 1, 1), dayNumber(year, 12, 31) + 1, String(year));
    }
  });

  const rows: readonly (readonly [year: number, month: number, day: number, isOne: boolean])[] = [
    [2024, 2, 29, true],
    [2023, 2, 29, false],
    [1900, 2, 29, false],
    [2000, 2, 29, true],
    [0, 2, 29, true],
    [-4, 2, 29, true],
    [-1, 2, 29, false],
    [2024, 4, 31, false],
    [2024, 0, 1, false],
    [2024, 13, 1, false],
    [2024, 1, 0, false],
    [2024, 1, 1.5, false],
    [2024.5, 1, 1, false],
    [Number.NaN, 1, 1, false],
    [MAX_YEAR, 12, 31, true],
    [-MAX_YEAR, 1, 1, true],
    [MAX_YEAR + 1, 1, 1, false],
    [-MAX_YEAR - 1, 12, 31, false],
  ];
  for (const [year, month, day, isOne] of rows) {
    it(`know that ${year}-${month}-${day} is ${isOne ? 'a date' : 'none'}`, () => {
      assert.equal(isDate(year, month, day), isOne);
    });
  }
});

describe('adding months', () => {
  it('gives the day of that name, or the last of its month', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -30_000, max: 30_000 }), (day, months) => {
        const before = civilDate(day);
        const result = addMonths(day, months);
        const index = before.year * 12 + before.month - 1 + months;
        if (result === null) {
          assert.ok(index < -MAX_YEAR * 12 || index >= (MAX_YEAR + 1) * 12);
          return;
        }
        const after = civilDate(result);
        assert.equal(after.year * 12 + after.month - 1, index);
        assert.equal(after.day, Math.min(before.day, daysInMonth(after.year, after.month)));
      }),
    );
  });
});

describe('zones', () => {
  it('have the offsets of luxon at ordinary instants', () => {
    const second = fc.integer({ min: Date.UTC(1900, 0) / 1_000, max: Date.UTC(2300, 0) / 1_000 });
    fc.assert(
      fc.property(fc.constantFrom(...zoneIds), second, (id, instant) => {
        const day = Math.floor(instant / 86_400);
        const expected = IANAZone.create(id).offset(instant * 1_000) * 60;
        assert.equal(offsetAtInstant(id, day, instant - day * 86_400), Math.round(expected));
      }),
      { numRuns: 300 },
    );
  });

  it('repeat with the calendar in far years, and do not change in early ones', () => {
    for (const year of [2024, 2800, 999_999_600]) {
      assert.equal(offsetAtInstant('Europe/Paris', dayNumber(year, 1, 15), 0), 3_600, `winter ${year}`);
      assert.equal(offsetAtInstant('Europe/Paris', dayNumber(year, 7, 15), 0), 7_200, `summer ${year}`);
    }
    for (const year of [-MAX_YEAR, 0, 1799, 1850]) {
      assert.equal(offsetAtInstant('Europe/Paris', dayNumber(year, 7, 15), 0), 561, String(year));
    }
  });

  const known: readonly (readonly [id: string, isKnown: boolean])[] = [
    ['Europe/Paris', true],
    ['UTC', true],
    ['America/Argentina/Buenos_Aires', true],
    ['Etc/GMT+5', true],
    ['Europe/Nowhere', false],
    ['', false],
    ['+01:00', false],
    ['Z', false],
    ['Europe/', false],
    ['/Paris', false],
    ['Europe/Paris ', false],
    ['A'.repeat(10_000), false],
    ['__proto__', false],
  ];
  for (const [id, isKnown] of known) {
    it(`know whether ${JSON.stringify(id.slice(0, 40))} is one`, () => {
      assert.equal(isKnownZone(id), isKnown);
    });
  }

  it('are right however many are used', () => {
    const ids = Intl.supportedValuesOf('timeZone').slice(0, 150);
    assert.equal(ids.length, 150);
    const offsets = ids.map((id) => offsetAtInstant(id, 20_000, 0));
    assert.deepEqual(
      ids.map((id) => offsetAtInstant(id, 20_000, 0)),
      offsets,
    );
    assert.ok(new Set(offsets).size > 10);
  });

  it('show a local time again at its instant, and no earlier', () => {
    fc.assert(
      fc.property(anyPoint, fc.constantFrom(...zoneIds), (point, id) => {
        const dateTime = dateTimeAtLocal(point, { kind: 'iana', id });
        fc.pre(dateTime !== null);
        const shown = { day: dateTime.day, nanos: dateTime.nanos };
        const isLeftOut = shown.day !== point.day || shown.nanos !== point.nanos;
        const { offsetSeconds } = dateTime;
        const instant = pointOf(dateTime);
        const second = Math.floor(instant.nanos / NANOS_PER_SECOND);
        assert.equal(offsetAtInstant(id, instant.day, second), offsetSeconds);
        if (isLeftOut) return;
        const earlier = pointAt(instant.day, instant.nanos - 3_600 * NANOS_PER_SECOND);
        const before = dateTimeAtInstant(earlier, { kind: 'iana', id });
        assert.notDeepEqual(before && { day: before.day, nanos: before.nanos }, shown);
      }),
      { numRuns: 300 },
    );
  });

  const changes: readonly (readonly [
    what: string,
    id: string,
    date: string,
    hour: number,
    offset: number,
  ])[] = [
    ['put forward: left out', 'Europe/Paris', '2021-03-28', 2.5, 3_600],
    ['put forward: after it', 'Europe/Paris', '2021-03-28', 3, 7_200],
    ['put back: the first of two', 'Europe/Paris', '2021-10-31', 2.5, 7_200],
    ['put back: after it', 'Europe/Paris', '2021-10-31', 3, 3_600],
    ['put forward in the south', 'Australia/Lord_Howe', '2021-10-03', 2.25, 37_800],
    ['put back by half an hour', 'Australia/Lord_Howe', '2021-04-04', 1.75, 39_600],
    ['a whole day left out', 'Pacific/Apia', '2011-12-30', 12, -36_000],
    ['winter time that is the exception', 'Europe/Dublin', '2021-01-15', 12, 0],
    ['no summer time in the month of fasting', 'Africa/Casablanca', '2021-04-20', 12, 0],
  ];
  for (const [what, id, date, hour, offset] of changes) {
    it(`know the offset of a local time, the clock ${what}`, () => {
      const day = Date.parse(date) / MS_PER_DAY;
      assert.equal(offsetAtLocal(id, day, hour * 3_600), offset);
    });
  }
});

describe('instants', () => {
  it('are those of the date and time that a zone shows at them', () => {
    fc.assert(
      fc.property(anyPoint, anyPlace, (point, zone) => {
        const dateTime = dateTimeAtInstant(point, zone);
        if (dateTime === null) {
          assert.ok(!isInRange(point.day - 1) || !isInRange(point.day + 1));
        } else {
          assert.deepEqual(pointOf(dateTime), point);
          assert.deepEqual(pointOf(dateTimeAtLocal(dateTime, dateTime.zone) ?? dateTime), point);
        }
      }),
      { numRuns: 300 },
    );
  });
});
