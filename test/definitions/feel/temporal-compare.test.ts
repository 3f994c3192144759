/** Equality, order and sameness of dates, times and durations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { subtractTemporals } from '../../../definitions/feel/temporal/arithmetic.ts';
import {
  compareTemporals,
  equalTemporals,
  isSameTemporal,
  type Order,
} from '../../../definitions/feel/temporal/compare.ts';
import { Temporal } from '../../../definitions/value.ts';
import {
  anyDate,
  anyDaysTime,
  anyLocalDateTime,
  anyPlace,
  anyTemporal,
  anyYearsMonths,
  at,
  dateTimesIn,
  NOW_MS,
  timesIn,
} from './temporal-values.ts';

const orders: readonly (readonly [left: string, right: string, order: Order | null])[] = [
  ['2024-03-01', '2024-03-01', 0],
  ['2024-02-29', '2024-03-01', -1],
  ['-0001-12-31', '0000-01-01', -1],
  ['999999999-12-31', '-999999999-01-01', 1],
  ['09:30:00', '09:30:00.000000001', -1],
  ['09:30:00', '09:30', 0],
  ['24:00:00', '00:00:00', 0],
  ['09:30:00Z', '09:30:00+00:00', 0],
  ['09:30:00Z', '09:30:00@Etc/UTC', 0],
  ['09:30:00Z', '10:30:00+01:00', 0],
  ['09:30:00Z', '09:30:00+01:00', 1],
  // In July it is summer in Paris.
  ['09:30:00Z', '11:30:00@Europe/Paris', 0],
  ['09:30:00@Asia/Kolkata', '09:30:00@Europe/Paris', -1],
  // On one and the same local day.
  ['01:00:00+02:00', '23:30:00Z', -1],
  ['09:30:00', '09:30:00Z', null],
  ['09:30:00@Europe/Paris', '09:30:00', null],
  ['2024-03-01T09:30:00', '2024-03-01T09:30:00.1', -1],
  ['2024-03-01T09:30:00', '2024-02-29T23:59:59', 1],
  ['2024-03-01T00:30:00+01:00', '2024-02-29T23:30:00Z', 0],
  ['2024-03-01T00:30:00@Europe/Paris', '2024-02-29T23:30:00Z', 0],
  ['2024-07-01T00:30:00@Europe/Paris', '2024-06-30T22:30:00@Etc/UTC', 0],
  ['2024-03-01T00:30:00+14:00', '2024-02-29T00:30:00-14:00', -1],
  ['2024-03-01T00:30:00', '2024-03-01T00:30:00Z', null],
  ['2024-03-01T00:30:00@Europe/Paris', '1999-03-01T00:30:00', null],
  ['999999999-12-31T23:00:00-05:00', '999999999-12-31T23:30:00Z', 1],
  ['PT24H', 'P1D', 0],
  ['PT0S', '-PT0.000000001S', 1],
  ['P1Y', 'P12M', 0],
  ['-P1Y', 'P1M', -1],
  // Not of the same kind.
  ['2024-03-01', '2024-03-01T00:00:00', null],
  ['2024-03-01', '2024-03-01T00:00:00Z', null],
  ['00:00:00', '2024-03-01T00:00:00', null],
  ['P0D', 'P0M', null],
  ['P30D', 'P1M', null],
  ['P1D', '2024-03-01', null],
];

describe('order', () => {
  for (const [left, right, order] of orders) {
    it(`of ${left} and ${right} is ${String(order)}`, () => {
      assert.equal(compareTemporals(at(left), at(right), NOW_MS), order);
      const reverse = order === null || order === 0 ? order : -order;
      assert.equal(compareTemporals(at(right), at(left), NOW_MS), reverse);
      assert.equal(equalTemporals(at(left), at(right), NOW_MS), order === null ? null : order === 0);
    });
  }

  it('of times with the names of zones is that of the turn’s day', () => {
    const winter = Date.UTC(2026, 0, 1);
    const [utc, paris] = [at('09:30:00Z'), at('10:30:00@Europe/Paris')];
    assert.equal(compareTemporals(utc, paris, winter), 0);
    assert.equal(compareTemporals(utc, paris, NOW_MS), 1);
  });

  const families = {
    dates: anyDate,
    'local times': timesIn(fc.constant(null)),
    'times with a zone': timesIn(anyPlace),
    'local dates and times': anyLocalDateTime,
    'dates and times with a zone': dateTimesIn(anyPlace),
    'days and time durations': anyDaysTime,
    'years and months durations': anyYearsMonths,
  };
  for (const [name, family] of Object.entries(families)) {
    it(`is total among ${name}, and agrees with their difference`, () => {
      const zero = name.startsWith('years') ? at('P0M') : at('PT0S');
      fc.assert(
        fc.property(family, family, family, (a, b, c) => {
          const [ab, ba] = [compareTemporals(a, b, NOW_MS), compareTemporals(b, a, NOW_MS)];
          const [bc, ac] = [compareTemporals(b, c, NOW_MS), compareTemporals(a, c, NOW_MS)];
          assert.ok(ab !== null && ba !== null && bc !== null && ac !== null);
          assert.equal(ab + ba, 0);
          if (ab <= 0 && bc <= 0) assert.ok(ac <= 0);
          if (ab >= 0 && bc >= 0) assert.ok(ac >= 0);
          const difference = subtractTemporals(a, b, NOW_MS);
          // Of two durations at the limits it is beyond them.
          if (difference !== null) assert.equal(compareTemporals(difference, zero, NOW_MS), ab);
          else assert.ok(name.endsWith('durations'));
        }),
      );
    });
  }

  it('is none between different kinds, and between a zone and none', () => {
    fc.assert(
      fc.property(anyTemporal, anyTemporal, (a, b) => {
        const isZoned = ({ text, kind }: Temporal): boolean =>
          /time$/.test(kind) && /[Z@]|:.*[+-]/.test(text);
        const doCompare = a.kind === b.kind && isZoned(a) === isZoned(b);
        assert.equal(compareTemporals(a, b, NOW_MS) !== null, doCompare);
      }),
    );
  });
});

describe('sameness', () => {
  const rows: readonly (readonly [left: string, right: string, isSame: boolean])[] = [
    ['2024-03-01', '2024-03-01', true],
    ['2024-03-01', '09:30:00', false],
    ['09:30:00', '09:30', true],
    ['09:30:00z', '09:30:00+00:00', true],
    ['09:30:00Z', '09:30:00', false],
    ['09:30:00Z', '09:30:00@Etc/UTC', false],
    ['09:30:00Z', '10:30:00+01:00', false],
    ['2024-03-01T00:30:00+01:00', '2024-02-29T23:30:00Z', false],
    ['2024-03-01T00:30:00-00:00', '2024-03-01T00:30:00Z', true],
    ['PT36H', 'P1DT12H', true],
    ['P0D', 'P0M', false],
  ];
  for (const [left, right, isSame] of rows) {
    it(`of ${left} and ${right} is ${isSame}`, () => {
      assert.equal(isSameTemporal(at(left), at(right)), isSame);
      assert.equal(isSameTemporal(at(right), at(left)), isSame);
    });
  }

  it('does not depend on how a stored text was written', () => {
    assert.ok(isSameTemporal(new Temporal('time', '09:30:00.500+00:00'), at('09:30:00.5Z')));
  });

  it('means equality', () => {
    fc.assert(
      fc.property(anyTemporal, anyTemporal, (a, b) => {
        assert.ok(isSameTemporal(a, a));
        if (isSameTemporal(a, b)) assert.equal(equalTemporals(a, b, NOW_MS), true);
      }),
    );
  });
});
