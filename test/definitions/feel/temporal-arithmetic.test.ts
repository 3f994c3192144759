/** `+`, `-`, `*` and `/` of dates, times and durations, and the months between two dates. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  absoluteDuration,
  addTemporals,
  divideDuration,
  durationRatio,
  multiplyDuration,
  negateDuration,
  subtractTemporals,
} from '../../../definitions/feel/temporal/arithmetic.ts';
import {
  compareTemporals,
  equalTemporals,
  isSameTemporal,
} from '../../../definitions/feel/temporal/compare.ts';
import { yearsMonthsBetween } from '../../../definitions/feel/temporal/functions.ts';
import { temporalProperty } from '../../../definitions/feel/temporal/properties.ts';
import { fromText, toText } from '../../../definitions/feel/number-text.ts';
import type { FeelNumber } from '../../../definitions/feel/number.ts';
import type { Temporal } from '../../../definitions/value.ts';
import {
  anyDate,
  anyDaysTime,
  anyLocalDateTime,
  anyOffset,
  anyPlace,
  anyTemporal,
  anyYearsMonths,
  at,
  dateTimesIn,
  NOW_MS,
  textOrNull,
  timesIn,
} from './temporal-values.ts';

type Row = readonly [left: string, right: string, result: string | null];

const sums: readonly Row[] = [
  ['2024-02-28', 'P1D', '2024-02-29'],
  ['2024-02-28', 'P2D', '2024-03-01'],
  ['2024-03-01', '-P1D', '2024-02-29'],
  ['2024-03-01', 'PT23H59M59S', '2024-03-01'],
  ['2024-03-01', 'PT24H', '2024-03-02'],
  ['2024-03-01', 'PT36H', '2024-03-02'],
  ['2024-03-01', '-PT1S', '2024-02-29'],
  ['2024-03-01', '-PT24H', '2024-02-29'],
  ['2024-01-31', 'P1M', '2024-02-29'],
  ['2023-01-31', 'P1M', '2023-02-28'],
  ['2024-02-29', 'P1Y', '2025-02-28'],
  ['2024-02-29', 'P4Y', '2028-02-29'],
  ['2024-10-31', 'P4M', '2025-02-28'],
  ['2024-03-31', '-P1M', '2024-02-29'],
  ['2024-01-15', '-P1Y1M', '2022-12-15'],
  ['0000-01-01', '-P1D', '-0001-12-31'],
  ['999999999-12-31', 'P1D', null],
  ['-999999999-01-01', '-PT1S', null],
  ['999999999-12-31', 'P1M', null],
  ['2024-03-01', 'P100000000000000000000D', null],
  ['2024-03-01', '-P9007199254740991M', null],
  ['09:30:00', 'PT15H', '00:30:00'],
  ['00:30:00', '-PT1H', '23:30:00'],
  ['09:30:00', 'P3D', '09:30:00'],
  ['09:30:00', 'P3DT0.000000001S', '09:30:00.000000001'],
  ['09:30:00', '-P100000000000000000000DT1H', '08:30:00'],
  ['23:30:00-05:00', 'PT1H', '00:30:00-05:00'],
  ['23:30:00@Europe/Paris', 'PT1H', '00:30:00@Europe/Paris'],
  ['09:30:00', 'P1M', null],
  ['2024-02-28T23:30:00', 'PT1H', '2024-02-29T00:30:00'],
  ['2024-02-28T23:30:00', 'P2DT1H', '2024-03-02T00:30:00'],
  ['2024-01-31T09:30:00', 'P1M', '2024-02-29T09:30:00'],
  ['2024-01-31T09:30:00-05:00', '-P11M', '2023-02-28T09:30:00-05:00'],
  ['2024-02-28T23:30:00+02:00', 'PT1H', '2024-02-29T00:30:00+02:00'],
  ['999999999-12-31T23:30:00', 'PT1H', null],
  ['999999999-12-31T23:30:00-05:00', 'PT10M', '999999999-12-31T23:40:00-05:00'],
  ['-999999999-01-01T00:30:00+05:00', '-PT10M', '-999999999-01-01T00:20:00+05:00'],
  ['2024-03-01T00:30:00@Europe/Paris', '-P100000000000000000000D', null],
  ['-999999999-01-01T00:30:00Z', '-PT1H', null],
  // Hours are counted, days have 24 of them; months keep the local time.
  ['2021-03-28T01:30:00@Europe/Paris', 'PT1H', '2021-03-28T03:30:00@Europe/Paris'],
  ['2021-03-27T12:00:00@Europe/Paris', 'P1D', '2021-03-28T13:00:00@Europe/Paris'],
  ['2021-02-28T12:00:00@Europe/Paris', 'P1M', '2021-03-28T12:00:00@Europe/Paris'],
  ['2021-02-28T02:30:00@Europe/Paris', 'P1M', '2021-03-28T03:30:00@Europe/Paris'],
  ['2021-10-31T01:30:00@Europe/Paris', 'PT1H', '2021-10-31T02:30:00@Europe/Paris'],
  // The zone's name would mean the first 02:30 of that day.
  ['2021-10-31T01:30:00@Europe/Paris', 'PT2H', '2021-10-31T02:30:00+01:00'],
  ['2021-10-31T01:30:00@Europe/Paris', 'PT3H', '2021-10-31T03:30:00@Europe/Paris'],
  ['PT12H', 'PT12H', 'P1D'],
  ['P1D', '-PT36H', '-PT12H'],
  ['P6M', 'P6M', 'P1Y'],
  ['P1Y', '-P18M', '-P6M'],
  ['P1D', 'P1M', null],
  ['P115740740740740740740D', 'P115740740740740740740D', null],
  ['P9007199254740991M', 'P1M', null],
  ['2024-03-01', '2024-03-01', null],
  ['09:30:00', '2024-03-01', null],
  ['2024-03-01T09:30:00', '09:30:00', null],
];

describe('adding', () => {
  for (const [left, right, result] of sums) {
    it(`${right} to ${left} gives ${String(result)}, in either order`, () => {
      assert.equal(textOrNull(addTemporals(at(left), at(right))), result);
      assert.equal(textOrNull(addTemporals(at(right), at(left))), result);
    });
  }
});

const differences: readonly Row[] = [
  ['2024-03-01', '2024-02-28', 'P2D'],
  ['2024-02-28', '2024-03-01', '-P2D'],
  ['2024-03-01', '2024-03-01', 'PT0S'],
  ['999999999-12-31', '-999999999-01-01', 'P730484999633D'],
  ['09:30:00', '10:00:00.5', '-PT30M0.5S'],
  ['09:30:00Z', '09:30:00+01:00', 'PT1H'],
  ['09:30:00@Europe/Paris', '09:30:00Z', '-PT2H'],
  ['09:30:00', '09:30:00Z', null],
  ['2024-03-01T00:30:00', '2024-02-28T23:30:00', 'P1DT1H'],
  ['2024-03-01T00:30:00+01:00', '2024-02-29T23:30:00Z', 'PT0S'],
  ['2021-03-28T12:00:00@Europe/Paris', '2021-03-27T12:00:00@Europe/Paris', 'PT23H'],
  ['2024-03-01T00:30:00', '2024-03-01T00:30:00Z', null],
  // A date is midnight of UTC.
  ['2024-03-01', '2024-02-29T23:30:00Z', 'PT30M'],
  ['2024-03-01T02:00:00+02:00', '2024-03-01', 'PT0S'],
  ['2024-03-01', '2024-03-01T00:00:00', null],
  ['2024-03-01', 'P1D', '2024-02-29'],
  ['2024-03-31', 'P1M', '2024-02-29'],
  ['2024-03-31', '-P11M', '2025-02-28'],
  ['00:30:00Z', 'PT1H', '23:30:00Z'],
  ['2024-03-01T00:30:00', 'PT1H', '2024-02-29T23:30:00'],
  ['PT12H', 'P1D', '-PT12H'],
  ['P1Y', 'P18M', '-P6M'],
  ['-P9007199254740991M', 'P1M', null],
  ['P1D', 'P1M', null],
  ['P1D', '2024-03-01', null],
  ['P1M', '2024-03-01T00:30:00', null],
  ['P1D', '09:30:00', null],
  ['09:30:00', 'P1M', null],
  ['09:30:00', '2024-03-01', null],
  ['2024-03-01', '09:30:00', null],
];

describe('subtracting', () => {
  for (const [left, right, result] of differences) {
    it(`${right} from ${left} gives ${String(result)}`, () => {
      assert.equal(textOrNull(subtractTemporals(at(left), at(right), NOW_MS)), result);
    });
  }
});

/** Both results, or neither is compared: beyond the limits there is none. */
function both(
  first: Temporal | null,
  second: (first: Temporal) => Temporal | null,
  check: (second: Temporal) => void,
): void {
  const result = first === null ? null : second(first);
  if (result !== null) check(result);
}

describe('what is added', () => {
  const restored = {
    'dates and whole days': [
      anyDate,
      fc
        .integer({ min: -1_000_000, max: 1_000_000 })
        .map((days) => at(`${days < 0 ? '-' : ''}P${Math.abs(days)}D`)),
    ],
    times: [timesIn(fc.oneof(fc.constant(null), anyPlace)), anyDaysTime],
    'local dates and times': [anyLocalDateTime, anyDaysTime],
    'dates and times with an offset': [dateTimesIn(anyOffset), anyDaysTime],
    durations: [anyDaysTime, anyDaysTime],
    'durations of months': [anyYearsMonths, anyYearsMonths],
  } as const;
  for (const [name, [values, durations]] of Object.entries(restored)) {
    it(`and subtracted again gives the same, for ${name}`, () => {
      fc.assert(
        fc.property(values, durations, (value, duration) => {
          both(
            addTemporals(value, duration),
            (sum) => subtractTemporals(sum, duration, NOW_MS),
            (result) => assert.equal(result.text, value.text),
          );
        }),
      );
    });
  }

  it('and subtracted again gives the same instant, for dates and times of any zone', () => {
    fc.assert(
      fc.property(dateTimesIn(anyPlace), anyDaysTime, (value, duration) => {
        both(
          addTemporals(value, duration),
          (sum) => subtractTemporals(sum, duration, NOW_MS),
          (result) => assert.equal(equalTemporals(result, value, NOW_MS), true),
        );
      }),
    );
  });

  it('is the difference, when that was what there was', () => {
    const pairs = fc.oneof(
      fc.tuple(anyDate, anyDate),
      fc.tuple(anyLocalDateTime, anyLocalDateTime),
      fc.tuple(dateTimesIn(anyPlace), dateTimesIn(anyPlace)),
      fc.tuple(anyDaysTime, anyDaysTime),
      fc.tuple(anyYearsMonths, anyYearsMonths),
    );
    fc.assert(
      fc.property(pairs, ([start, end]) => {
        both(
          subtractTemporals(end, start, NOW_MS),
          (difference) => addTemporals(start, difference),
          (result) => assert.equal(equalTemporals(result, end, NOW_MS), true),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the order', () => {
    const families = fc.oneof(
      fc.tuple(anyDate, anyDate, fc.oneof(anyDaysTime, anyYearsMonths)),
      fc.tuple(anyLocalDateTime, anyLocalDateTime, anyDaysTime),
      fc.tuple(dateTimesIn(anyPlace), dateTimesIn(anyPlace), anyDaysTime),
    );
    fc.assert(
      fc.property(families, ([a, b, duration]) => {
        const [left, right] = [addTemporals(a, duration), addTemporals(b, duration)];
        if (left === null || right === null) return;
        const before = compareTemporals(a, b, NOW_MS);
        const after = compareTemporals(left, right, NOW_MS);
        assert.ok(before !== null && after !== null);
        // Two days of a long month may become the last of a short one.
        assert.ok(after === before || after === 0, `${before} became ${after}`);
      }),
    );
  });

  it('is of two kinds that go together, or gives null', () => {
    fc.assert(
      fc.property(anyTemporal, anyTemporal, (a, b) => {
        const sum = addTemporals(a, b);
        const isDuration = ({ kind }: Temporal): boolean => kind.endsWith('duration');
        if (!isDuration(a) && !isDuration(b)) assert.equal(sum, null);
        if (sum !== null) assert.equal(sum.kind, isDuration(a) ? b.kind : a.kind);
        assert.deepEqual(addTemporals(b, a), sum);
      }),
    );
  });
});

function number(text: string): FeelNumber {
  const value = fromText(text);
  assert.ok(value !== null);
  return value;
}

describe('multiplying and dividing', () => {
  const rows: readonly (readonly [
    duration: string,
    n: string,
    product: string | null,
    quotient: string | null,
  ])[] = [
    ['P1D', '2', 'P2D', 'PT12H'],
    ['P1D', '-0.5', '-PT12H', '-P2D'],
    ['P1D', '0', 'PT0S', null],
    ['PT1S', '3', 'PT3S', 'PT0.333333333S'],
    ['PT2S', '3', 'PT6S', 'PT0.666666667S'],
    ['-PT2S', '3', '-PT6S', '-PT0.666666667S'],
    ['PT3S', '0.3333333333333333333333333333333333', 'PT1S', 'PT9S'],
    // Halves of a nanosecond go to the even one.
    ['PT0.000000001S', '0.5', 'PT0S', 'PT0.000000002S'],
    ['PT0.000000003S', '0.5', 'PT0.000000002S', 'PT0.000000006S'],
    ['-PT0.000000003S', '0.5', '-PT0.000000002S', '-PT0.000000006S'],
    ['P1D', '1e-300', 'PT0S', null],
    ['P1D', '1e6000', null, 'PT0S'],
    ['PT0S', '1e6000', 'PT0S', 'PT0S'],
    ['P1Y', '2', 'P2Y', 'P6M'],
    ['P1Y', '0', 'P0M', null],
    // Whole months.
    ['P1M', '1.5', 'P1M', 'P0M'],
    ['-P1M', '1.5', '-P1M', 'P0M'],
    ['P1M', '0.9', 'P0M', 'P1M'],
    ['P1Y1M', '2', 'P2Y2M', 'P6M'],
    ['P12M', '0.08333333333333333333333333333333333', 'P1M', 'P12Y'],
    ['P1Y', '1e30', null, 'P0M'],
    ['2024-03-01', '2', null, null],
    ['09:30:00', '1', null, null],
    ['2024-03-01T09:30:00', '1', null, null],
  ];
  for (const [duration, n, product, quotient] of rows) {
    it(`${duration} and ${n}`, () => {
      assert.equal(textOrNull(multiplyDuration(at(duration), number(n))), product);
      assert.equal(textOrNull(divideDuration(at(duration), number(n))), quotient);
    });
  }

  const ratios: readonly (readonly [dividend: string, divisor: string, ratio: string | null])[] = [
    ['P1D', 'PT1H', '24'],
    ['PT1H', 'P1D', '0.04166666666666666666666666666666667'],
    ['-P1D', 'PT0.5S', '-172800'],
    ['P115740740740740740740D', 'PT0.000000001S', '9999999999999999999936000000000000'],
    ['P1Y', 'P5M', '2.4'],
    ['PT0S', 'P1D', '0'],
    ['P1D', 'PT0S', null],
    ['P1Y', 'P0M', null],
    ['P1Y', 'P1D', null],
    ['P1D', '2024-03-01', null],
    ['2024-03-01', '2024-03-01', null],
  ];
  for (const [dividend, divisor, expected] of ratios) {
    it(`${dividend} by ${divisor}`, () => {
      const ratio = durationRatio(at(dividend), at(divisor));
      assert.equal(ratio === null ? null : toText(ratio), expected);
    });
  }

  it('by an integer, both ways, gives the same', () => {
    const anyDuration = fc.oneof(anyDaysTime, anyYearsMonths);
    const factor = fc.integer({ min: -1_000, max: 1_000 }).filter((n) => n !== 0);
    fc.assert(
      fc.property(anyDuration, factor, (duration, n) => {
        const product = multiplyDuration(duration, n);
        if (product === null) return;
        assert.equal(divideDuration(product, n)?.text, duration.text);
        if (!/^P0M|PT0S$/.test(duration.text)) assert.equal(durationRatio(product, duration), n);
      }),
    );
  });

  it('by -1 is what negating does, and negative ones have the absolute value', () => {
    fc.assert(
      fc.property(fc.oneof(anyDaysTime, anyYearsMonths), (duration) => {
        const negative = negateDuration(duration);
        assert.ok(negative !== null);
        assert.equal(negative.text, multiplyDuration(duration, -1)?.text);
        assert.equal(negateDuration(negative)?.text, duration.text);
        const absolute = absoluteDuration(duration);
        assert.ok(absolute !== null && !absolute.text.startsWith('-'));
        assert.ok(isSameTemporal(absolute, duration) || isSameTemporal(absolute, negative));
      }),
    );
  });

  it('takes durations alone', () => {
    for (const text of ['2024-03-01', '09:30:00', '2024-03-01T09:30:00']) {
      assert.equal(negateDuration(at(text)), null);
      assert.equal(absoluteDuration(at(text)), null);
    }
  });
});

describe('years and months duration()', () => {
  const rows: readonly Row[] = [
    ['2024-01-15', '2024-02-15', 'P1M'],
    ['2024-01-15', '2024-02-14', 'P0M'],
    ['2024-02-15', '2024-01-15', '-P1M'],
    ['2024-02-15', '2024-01-16', 'P0M'],
    ['2024-01-31', '2024-02-29', 'P0M'],
    ['2024-02-29', '2025-02-28', 'P11M'],
    ['2019-11-20', '2024-03-01', 'P4Y3M'],
    ['-0001-12-31', '0001-01-31', 'P1Y1M'],
    ['-999999999-01-01', '999999999-12-31', 'P1999999998Y11M'],
    ['2024-01-15T10:00:00', '2024-02-15T10:00:00', 'P1M'],
    ['2024-01-15T10:00:00', '2024-02-15T09:59:59.999999999', 'P0M'],
    ['2024-02-15T10:00:00', '2024-01-15T10:00:00.1', 'P0M'],
    // The second is the 15th in Paris.
    ['2024-01-15T00:30:00@Europe/Paris', '2024-02-14T23:30:00Z', 'P1M'],
    ['2024-01-15T00:30:00Z', '2024-02-15T00:30:00+01:00', 'P0M'],
    ['2024-01-15T00:30:00', '2024-02-15T00:30:00Z', null],
    ['2024-01-15', '2024-02-15T00:00:00', 'P1M'],
    ['2024-01-15T00:00:01Z', '2024-02-15', 'P0M'],
    ['2024-01-15', '09:30:00', null],
    ['P1D', '2024-01-15', null],
  ];
  for (const [from, to, expected] of rows) {
    it(`from ${from} to ${to} is ${String(expected)}`, () => {
      assert.equal(textOrNull(yearsMonthsBetween(at(from), at(to))), expected);
    });
  }

  it('is the most that can be added without passing the end', () => {
    fc.assert(
      fc.property(anyDate, anyDate, (from, to) => {
        const between = yearsMonthsBetween(from, to);
        assert.ok(between !== null);
        const isForward = compareTemporals(from, to, NOW_MS) !== 1;
        assert.equal(between.text.startsWith('-') && isForward, false);
        const reached = addTemporals(from, between);
        const beyond = addTemporals(from, addTemporals(between, at(isForward ? 'P1M' : '-P1M')) ?? between);
        assert.ok(reached !== null);
        const direction = isForward ? 1 : -1;
        assert.notEqual(compareTemporals(reached, to, NOW_MS), direction);
        if (beyond === null) return;
        const day = temporalProperty(from, 'day', NOW_MS);
        // Where a short month ends before the day, it is not complete.
        if (temporalProperty(beyond, 'day', NOW_MS) === day) {
          assert.equal(compareTemporals(beyond, to, NOW_MS), direction);
        }
      }),
    );
  });
});
