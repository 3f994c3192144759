/** What `value.name` gives, and the functions that say what day a date is. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fromText, toText } from '../../../definitions/feel/number-text.ts';
import { isFeelNumber } from '../../../definitions/feel/number.ts';
import {
  dateOf,
  dateTimeOf,
  dayOfWeek,
  dayOfYear,
  monthOfYear,
  temporalFromText,
  timeOf,
  weekOfYear,
} from '../../../definitions/feel/temporal/functions.ts';
import { temporalProperty, type PropertyValue } from '../../../definitions/feel/temporal/properties.ts';
import { Temporal, type TemporalKind } from '../../../definitions/value.ts';
import { anyDaysTime, anyLocalDateTime, anyTemporal, anyYearsMonths, at, NOW_MS } from './temporal-values.ts';

const names: Readonly<Record<TemporalKind, readonly string[]>> = {
  date: ['year', 'month', 'day', 'weekday'],
  time: ['hour', 'minute', 'second', 'time offset', 'timezone'],
  'date-time': [
    ...['year', 'month', 'day', 'weekday', 'hour', 'minute', 'second'],
    ...['time offset', 'timezone'],
  ],
  'days-time-duration': ['days', 'hours', 'minutes', 'seconds'],
  'years-months-duration': ['years', 'months'],
};

/** In the order of `names`, as text. */
const rows: readonly (readonly [value: string, expected: readonly (string | null)[]])[] = [
  ['2024-02-29', ['2024', '2', '29', '4']],
  ['-0044-03-15', ['-44', '3', '15', '4']],
  ['999999999-12-31', ['999999999', '12', '31', '5']],
  ['09:30:07', ['9', '30', '7', null, null]],
  ['23:59:59.999999999Z', ['23', '59', '59.999999999', 'PT0S', null]],
  ['00:00:00.1-03:30', ['0', '0', '0.1', '-PT3H30M', null]],
  ['00:00:00.0000001', ['0', '0', '0.0000001', null, null]],
  // In July it is summer in Paris.
  ['09:30:07@Europe/Paris', ['9', '30', '7', 'PT2H', 'Europe/Paris']],
  ['2024-02-29T09:30:07.25', ['2024', '2', '29', '4', '9', '30', '7.25', null, null]],
  ['2024-03-01T00:30:00+14:00', ['2024', '3', '1', '5', '0', '30', '0', 'PT14H', null]],
  ['2024-02-29T09:30:07@Europe/Paris', ['2024', '2', '29', '4', '9', '30', '7', 'PT1H', 'Europe/Paris']],
  ['2024-08-29T09:30:07@Etc/UTC', ['2024', '8', '29', '4', '9', '30', '7', 'PT0S', 'Etc/UTC']],
  ['P2DT3H4M5.6S', ['2', '3', '4', '5.6']],
  ['-P2DT3H4M5.6S', ['-2', '-3', '-4', '-5.6']],
  ['-PT30S', ['0', '0', '0', '-30']],
  ['PT0S', ['0', '0', '0', '0']],
  ['P100000000000000000001D', ['100000000000000000001', '0', '0', '0']],
  ['P3Y11M', ['3', '11']],
  ['-P3Y11M', ['-3', '-11']],
  ['-P1Y', ['-1', '0']],
  ['-P1M', ['0', '-1']],
];

function shown(value: PropertyValue | undefined): string | null | undefined {
  if (value instanceof Temporal) return value.text;
  if (isFeelNumber(value)) {
    assert.ok(!Object.is(value, -0));
    return toText(value);
  }
  return value;
}

describe('properties', () => {
  for (const [value, expected] of rows) {
    it(`of ${value}`, () => {
      const temporal = at(value);
      assert.deepEqual(
        names[temporal.kind].map((name) => shown(temporalProperty(temporal, name, NOW_MS))),
        expected,
      );
    });
  }

  it('are those of the kind, and no others', () => {
    const all = [...new Set(Object.values(names).flat()), '__proto__', 'constructor', 'kind', 'text', ''];
    fc.assert(
      fc.property(anyTemporal, fc.constantFrom(...all), (temporal, name) => {
        const has = temporalProperty(temporal, name, NOW_MS) !== undefined;
        assert.equal(has, names[temporal.kind].includes(name));
      }),
    );
  });

  it('are numbers in the form that numbers have', () => {
    fc.assert(
      fc.property(anyTemporal, (temporal) => {
        for (const name of names[temporal.kind]) {
          const value = temporalProperty(temporal, name, NOW_MS);
          if (isFeelNumber(value)) assert.deepEqual(fromText(toText(value)), value);
        }
      }),
    );
  });

  it('make the same date and time again', () => {
    fc.assert(
      fc.property(anyLocalDateTime, (dateTime) => {
        const [year, month, day, hour, minute, second] = [
          'year',
          'month',
          'day',
          'hour',
          'minute',
          'second',
        ].map((name) => {
          const value = temporalProperty(dateTime, name, NOW_MS);
          assert.ok(typeof value === 'number');
          return value;
        });
        const date = dateOf(year ?? 0, month ?? 0, day ?? 0);
        const time = timeOf(hour ?? 0, minute ?? 0, second ?? 0, null);
        assert.ok(date !== null && time !== null);
        assert.equal(dateTimeOf(date, time)?.text, dateTime.text);
      }),
    );
  });

  it('make the same duration again', () => {
    fc.assert(
      fc.property(fc.oneof(anyDaysTime, anyYearsMonths), (duration) => {
        const parts = names[duration.kind].map(
          (name) => shown(temporalProperty(duration, name, NOW_MS)) ?? '',
        );
        const sign = parts.some((part) => part.startsWith('-')) ? '-' : '';
        const [a, b, c, d] = parts.map((part) => part.replace('-', ''));
        const text =
          duration.kind === 'years-months-duration'
            ? `${sign}P${a ?? ''}Y${b ?? ''}M`
            : `${sign}P${a ?? ''}DT${b ?? ''}H${c ?? ''}M${d ?? ''}S`;
        assert.equal(temporalFromText(text)?.text, duration.text);
      }),
    );
  });
});

describe('what day a date is', () => {
  const days: readonly (readonly [
    date: string,
    ofYear: number,
    week: number,
    weekday: string,
    month: string,
  ])[] = [
    ['2024-01-01', 1, 1, 'Monday', 'January'],
    ['2024-12-31', 366, 1, 'Tuesday', 'December'],
    ['2023-01-01', 1, 52, 'Sunday', 'January'],
    ['2020-12-31', 366, 53, 'Thursday', 'December'],
    ['2021-01-03', 3, 53, 'Sunday', 'January'],
    ['2024-02-29', 60, 9, 'Thursday', 'February'],
    ['0000-03-01', 61, 9, 'Wednesday', 'March'],
    // The local date, whatever it is elsewhere.
    ['2024-12-29T23:30:00-12:00', 364, 52, 'Sunday', 'December'],
    ['2024-12-30T00:30:00@Asia/Tokyo', 365, 1, 'Monday', 'December'],
  ];
  for (const [date, ofYear, week, weekday, month] of days) {
    it(`${date} is a ${weekday} in ${month}, of week ${week}`, () => {
      assert.equal(dayOfYear(at(date)), ofYear);
      assert.equal(weekOfYear(at(date)), week);
      assert.equal(dayOfWeek(at(date)), weekday);
      assert.equal(monthOfYear(at(date)), month);
    });
  }

  it('is not asked of anything else', () => {
    for (const text of ['09:30:00', 'P1D', 'P1M']) {
      for (const ask of [dayOfYear, weekOfYear, dayOfWeek, monthOfYear]) assert.equal(ask(at(text)), null);
    }
  });
});
