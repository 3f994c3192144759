/** Texts of dates, times and durations: which are read, and how they are printed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fieldsOf, temporalOf } from '../../../definitions/feel/temporal/fields.ts';
import {
  dateFrom,
  dateOf,
  dateTimeFrom,
  dateTimeOf,
  durationFrom,
  now,
  temporalFromText,
  timeFrom,
  timeOf,
  today,
} from '../../../definitions/feel/temporal/functions.ts';
import { fieldsFromText } from '../../../definitions/feel/temporal/parse.ts';
import { textOf } from '../../../definitions/feel/temporal/print.ts';
import { fromText } from '../../../definitions/feel/number-text.ts';
import type { FeelNumber } from '../../../definitions/feel/number.ts';
import { Temporal } from '../../../definitions/value.ts';
import { anyTemporal, at, textOrNull } from './temporal-values.ts';

/** What a text is read as; `true`: as it is. */
type Row = readonly [text: string, printed: string | true | null];

function reads(name: string, read: (text: string) => Temporal | null, rows: readonly Row[]): void {
  describe(`${name} of a text`, () => {
    for (const [text, printed] of rows) {
      it(`reads ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}`, () => {
        assert.equal(textOrNull(read(text)), printed === true ? text : printed);
      });
    }
  });
}

reads('date()', dateFrom, [
  ['2024-02-29', true],
  ['2023-02-29', null],
  ['0001-01-01', true],
  ['0000-02-29', true],
  ['-0000-02-29', null],
  ['-0044-03-15', true],
  ['12024-03-01', true],
  ['-12024-03-01', true],
  ['999999999-12-31', true],
  ['-999999999-01-01', true],
  ['1000000000-01-01', null],
  ['-1000000000-12-31', null],
  ['012024-03-01', null],
  ['202-03-01', null],
  ['2024-3-1', null],
  ['2024-03', null],
  ['20240301', null],
  ['2024-061', null],
  ['2024-W10-5', null],
  ['2024-00-10', null],
  ['2024-13-10', null],
  ['2024-04-31', null],
  ['2024-04-00', null],
  ['+2024-03-01', null],
  [' 2024-03-01', null],
  ['2024-03-01\n', null],
  ['2024-03-01T', null],
  ['2024-03-01T00:00:00', null],
  // A date has no place for it.
  ['2024-03-01Z', null],
  ['2024-03-01+01:00', null],
  ['٢٠٢٤-03-01', null],
  ['', null],
  ['1'.repeat(100_000), null],
]);

reads('time()', timeFrom, [
  ['00:00:00', true],
  ['23:59:59.999999999', true],
  ['09:30', '09:30:00'],
  ['09:30Z', '09:30:00Z'],
  ['9:30:00', null],
  ['09:3:00', null],
  ['09:30:0', null],
  ['09', null],
  ['0930', null],
  ['T09:30:00', null],
  ['09:30:00.5', true],
  ['09:30:00.500', '09:30:00.5'],
  ['09:30:00.000', '09:30:00'],
  ['09:30:00.', null],
  ['09:30:00,5', null],
  ['09:30:00.0000000001', null],
  ['09:30:00.1000000000', '09:30:00.1'],
  ['09:30:60', null],
  ['09:60:00', null],
  ['24:00:00', '00:00:00'],
  ['24:00:00.0Z', '00:00:00Z'],
  ['24:00:00.000000001', null],
  ['24:00:01', null],
  ['25:00:00', null],
  ['09:30:00Z', true],
  ['09:30:00z', '09:30:00Z'],
  ['09:30:00+00:00', '09:30:00Z'],
  ['09:30:00-00:00', '09:30:00Z'],
  ['09:30:00+05:45', true],
  ['09:30:00-03:30', true],
  ['09:30:00+01:02:03', true],
  ['09:30:00+01:02:00', '09:30:00+01:02'],
  ['09:30:00+14:00', true],
  ['09:30:00-14:00', true],
  ['09:30:00+14:01', null],
  ['09:30:00-14:00:01', null],
  ['09:30:00+01:60', null],
  ['09:30:00+01:00:60', null],
  ['09:30:00+1:00', null],
  ['09:30:00+01', null],
  ['09:30:00+0100', null],
  ['09:30:00@Europe/Paris', true],
  ['09:30:00.25@America/Argentina/Buenos_Aires', true],
  ['09:30:00@Etc/UTC', true],
  ['09:30:00@UTC', true],
  ['09:30:00@Mars/Olympus', null],
  ['09:30:00@+01:00', null],
  ['09:30:00@', null],
  ['09:30:00Z@Europe/Paris', null],
  ['09:30:00@Europe/Paris+01:00', null],
  ['2024-03-01', null],
  ['2024-03-01T09:30:00', null],
  ['', null],
]);

reads('date and time()', dateTimeFrom, [
  ['2024-03-01T09:30:00', true],
  ['2024-03-01', '2024-03-01T00:00:00'],
  ['2024-03-01Z', '2024-03-01T00:00:00Z'],
  ['2024-03-01+02:00', '2024-03-01T00:00:00+02:00'],
  ['2024-03-01@Europe/Paris', null],
  ['2024-03-01T09:30', '2024-03-01T09:30:00'],
  ['2024-03-01T', null],
  ['2024-03-01 09:30:00', null],
  ['2024-03-01t09:30:00', null],
  ['2024-03-01ZT09:30:00', null],
  ['2024-03-01T09:30:00T', null],
  ['2023-02-29T09:30:00', null],
  ['T09:30:00', null],
  ['09:30:00', null],
  ['2024-02-29T24:00:00', '2024-03-01T00:00:00'],
  ['2024-02-29T24:00:00-03:00', '2024-03-01T00:00:00-03:00'],
  ['999999999-12-31T24:00:00', null],
  ['999999999-12-31T23:59:59.999999999', true],
  ['999999999-12-31T23:59:59-14:00', true],
  ['-999999999-01-01T00:00:00+14:00', true],
  ['-999999999-01-01T00:00:00@Asia/Manila', true],
  ['999999999-07-31T23:59:59@America/New_York', true],
  ['2024-03-01T09:30:00.000000001Z', true],
  ['2024-03-01T09:30:00.0000000001Z', null],
  ['2024-03-01T09:30:00+05:30', true],
  ['2024-03-01T09:30:00@Asia/Kolkata', true],
  ['2024-03-01T09:30:00+05:30@Asia/Kolkata', null],
  ['2024-03-01T09:30:00@Asia/Nowhere', null],
  // What the clock leaves out is later by as much.
  ['2021-03-28T02:30:00@Europe/Paris', '2021-03-28T03:30:00@Europe/Paris'],
  ['2011-12-30T12:00:00@Pacific/Apia', '2011-12-31T12:00:00@Pacific/Apia'],
  ['2021-10-31T02:30:00@Europe/Paris', true],
  ['', null],
]);

reads('duration()', durationFrom, [
  ['P1D', true],
  ['PT1H', true],
  ['P1DT2H3M4.5S', true],
  ['-P1DT2H', true],
  ['PT36H', 'P1DT12H'],
  ['PT90M', 'PT1H30M'],
  ['PT86400S', 'P1D'],
  ['PT59.5S', true],
  ['PT60.25S', 'PT1M0.25S'],
  ['P10000000000D', true],
  ['P0D', 'PT0S'],
  ['-P0D', 'PT0S'],
  ['PT0.000S', 'PT0S'],
  ['PT5.S', 'PT5S'],
  ['PT.5S', 'PT0.5S'],
  ['PT.S', null],
  ['PT0.000000001S', true],
  ['PT0.0000000001S', null],
  ['PT0.1000000000S', 'PT0.1S'],
  ['P007D', 'P7D'],
  ['P1Y', true],
  ['P18M', 'P1Y6M'],
  ['-P1Y13M', '-P2Y1M'],
  ['P0Y', 'P0M'],
  ['-P0M', 'P0M'],
  ['P9007199254740991M', 'P750599937895082Y7M'],
  ['P9007199254740992M', null],
  ['P750599937895083Y', null],
  ['P115740740740740740740D', true],
  ['P115740740740740740741D', null],
  ['P1Y2D', null],
  ['P1M1DT1H', null],
  ['P1W', null],
  ['P1.5D', null],
  ['PT1.5H', null],
  ['P', null],
  ['PT', null],
  ['P1DT', null],
  ['P1', null],
  ['1D', null],
  ['P1S', null],
  ['PT1D', null],
  ['PT1S2M', null],
  ['P-1D', null],
  ['+P1D', null],
  ['p1d', null],
  [' P1D', null],
  ['', null],
  [`P${'9'.repeat(100_000)}D`, null],
]);

reads('@', temporalFromText, [
  ['2024-03-01', true],
  ['09:30:00@Europe/Paris', true],
  ['2024-03-01T09:30:00', true],
  ['-2024-03-01T09:30:00Z', true],
  ['PT90M', 'PT1H30M'],
  ['-P13M', '-P1Y1M'],
  ['2024-03-01Z', null],
  ['T09:30:00', null],
  ['tomorrow', null],
  ['', null],
]);

describe('a date, time or duration', () => {
  it('is read again from what is printed', () => {
    fc.assert(
      fc.property(anyTemporal, ({ kind, text }) => {
        const fields = fieldsFromText(kind, text);
        assert.ok(fields);
        assert.equal(textOf(fields), text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('has the fields that its text says', () => {
    fc.assert(
      fc.property(anyTemporal, (temporal) => {
        assert.deepEqual(fieldsOf(new Temporal(temporal.kind, temporal.text)), fieldsOf(temporal));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is told apart from the others by its text alone', () => {
    fc.assert(
      fc.property(anyTemporal, (temporal) => {
        assert.equal(temporalFromText(temporal.text)?.kind, temporal.kind);
      }),
    );
  });

  it('that is none makes an error, as it was not made here', () => {
    assert.throws(() => fieldsOf(new Temporal('date', '2023-02-29')), {
      code: 'SUTRA.FEEL.EVALUATION_FAILED',
      message: 'a variable holds a date whose text is not one',
    });
  });

  it('is never read from a text that is almost one, but to one that prints itself', () => {
    const piece = fc.constantFrom(
      ...[
        '2024',
        '-',
        '02',
        '29',
        'T',
        ':',
        '09',
        '30',
        '.',
        '5',
        'Z',
        '+',
        '@',
        'Etc/UTC',
        'P',
        'D',
        'Y',
        'M',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const temporal = temporalFromText(pieces.join(''));
        if (temporal !== null) assert.equal(temporalFromText(temporal.text)?.text, temporal.text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('without a printed form of its own has none', () => {
    assert.equal(temporalOf(null), null);
  });
});

/** A number as FEEL has it. */
function number(text: string): FeelNumber {
  const value = fromText(text);
  assert.ok(value !== null);
  return value;
}

describe('from parts', () => {
  const dates: readonly (readonly [year: string, month: string, day: string, expected: string | null])[] = [
    ['2024', '2', '29', '2024-02-29'],
    ['2023', '2', '29', null],
    ['0', '1', '1', '0000-01-01'],
    ['-44', '3', '15', '-0044-03-15'],
    ['2024', '-1', '1', null],
    ['2024', '1', '32', null],
    ['2024.5', '1', '1', null],
    ['2024', '1.5', '1', null],
    ['1000000000', '1', '1', null],
    ['2024.0000000000000001', '1', '1', null],
    ['1e300', '1', '1', null],
  ];
  for (const [year, month, day, expected] of dates) {
    it(`date(${year}, ${month}, ${day})`, () => {
      assert.equal(textOrNull(dateOf(number(year), number(month), number(day))), expected);
    });
  }

  const times: readonly (readonly [
    parts: readonly [string, string, string],
    offset: string | null,
    expected: string | null,
  ])[] = [
    [['9', '30', '0'], null, '09:30:00'],
    [['9', '30', '59.999999999'], null, '09:30:59.999999999'],
    [['9', '30', '0.0000001'], null, '09:30:00.0000001'],
    [['9', '30', '0.0000000001'], null, null],
    [['9', '30', '0.3333333333333333333'], null, null],
    [['24', '0', '0'], null, null],
    [['-1', '0', '0'], null, null],
    [['9', '60', '0'], null, null],
    [['9', '30', '60'], null, null],
    [['9', '30', '-0.5'], null, null],
    [['9.5', '0', '0'], null, null],
    [['9', '0.5', '0'], null, null],
    [['9', '30', '0'], 'PT0S', '09:30:00Z'],
    [['9', '30', '0'], 'PT5H45M', '09:30:00+05:45'],
    [['9', '30', '0'], '-PT3H30M15S', '09:30:00-03:30:15'],
    [['9', '30', '0'], 'PT14H', '09:30:00+14:00'],
    [['9', '30', '0'], 'PT14H1S', null],
    [['9', '30', '0'], 'PT1.5S', null],
    [['9', '30', '0'], 'P10000000000D', null],
    [['9', '30', '0'], 'P1M', null],
    [['9', '30', '0'], '2024-03-01', null],
  ];
  for (const [[hour, minute, second], offset, expected] of times) {
    it(`time(${hour}, ${minute}, ${second}, ${String(offset)})`, () => {
      const zone = offset === null ? null : at(offset);
      assert.equal(textOrNull(timeOf(number(hour), number(minute), number(second), zone)), expected);
    });
  }

  const pairs: readonly (readonly [date: string, time: string, expected: string | null])[] = [
    ['2024-03-01', '09:30:00', '2024-03-01T09:30:00'],
    ['2024-03-01', '09:30:00Z', '2024-03-01T09:30:00Z'],
    ['2024-03-01T23:00:00+02:00', '09:30:00', '2024-03-01T09:30:00'],
    ['2024-03-01T23:00:00', '09:30:00-05:00', '2024-03-01T09:30:00-05:00'],
    ['2021-03-28', '02:30:00@Europe/Paris', '2021-03-28T03:30:00@Europe/Paris'],
    ['09:30:00', '09:30:00', null],
    ['2024-03-01', '2024-03-01', null],
    ['2024-03-01', '2024-03-01T09:30:00', null],
    ['P1D', '09:30:00', null],
  ];
  for (const [date, time, expected] of pairs) {
    it(`date and time(@"${date}", @"${time}")`, () => {
      assert.equal(textOrNull(dateTimeOf(at(date), at(time))), expected);
    });
  }
});

describe('from another value', () => {
  const rows: readonly (readonly [
    from: string,
    date: string | null,
    time: string | null,
    dateTime: string | null,
  ])[] = [
    ['2024-03-01', '2024-03-01', '00:00:00Z', null],
    ['09:30:00+01:00', null, '09:30:00+01:00', null],
    ['2024-03-01T23:30:00-05:00', '2024-03-01', '23:30:00-05:00', '2024-03-01T23:30:00-05:00'],
    ['2024-03-01T23:30:00@Asia/Tokyo', '2024-03-01', '23:30:00@Asia/Tokyo', '2024-03-01T23:30:00@Asia/Tokyo'],
    ['P1D', null, null, null],
    ['P1M', null, null, null],
  ];
  for (const [from, date, time, dateTime] of rows) {
    it(`the date, the time, the date and time of ${from}`, () => {
      assert.equal(textOrNull(dateFrom(at(from))), date);
      assert.equal(textOrNull(timeFrom(at(from))), time);
      assert.equal(textOrNull(dateTimeFrom(at(from))), dateTime);
    });
  }
});

describe('the turn’s time', () => {
  const rows: readonly (readonly [ms: number, now: string, today: string])[] = [
    [0, '1970-01-01T00:00:00Z', '1970-01-01'],
    [1_709_285_400_120, '2024-03-01T09:30:00.12Z', '2024-03-01'],
    [-1, '1969-12-31T23:59:59.999Z', '1969-12-31'],
  ];
  for (const [ms, expectedNow, expectedToday] of rows) {
    it(`${ms} is ${expectedNow}`, () => {
      assert.equal(textOrNull(now(ms)), expectedNow);
      assert.equal(today(ms).text, expectedToday);
    });
  }
});
