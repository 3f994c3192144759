import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Duration } from 'luxon';
import { formatDuration, parseDuration, parseInstant, parseRepeatingInterval } from '../../config/iso8601.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** `[text, milliseconds, canonical text]` */
const accepted: readonly (readonly [string, number, string])[] = [
  ['PT0S', 0, 'PT0S'],
  ['P0D', 0, 'PT0S'],
  ['PT30S', 30 * SECOND_MS, 'PT30S'],
  ['PT5M', 5 * MINUTE_MS, 'PT5M'],
  ['PT90M', 90 * MINUTE_MS, 'PT1H30M'],
  ['PT1H', HOUR_MS, 'PT1H'],
  ['P1D', DAY_MS, 'P1D'],
  ['PT24H', DAY_MS, 'P1D'],
  ['P1W', 7 * DAY_MS, 'P7D'],
  ['P0.5W', 3.5 * DAY_MS, 'P3DT12H'],
  ['P1.5D', 1.5 * DAY_MS, 'P1DT12H'],
  ['P1DT2H3M4.005S', DAY_MS + 2 * HOUR_MS + 3 * MINUTE_MS + 4_005, 'P1DT2H3M4.005S'],
  ['PT0.001S', 1, 'PT0.001S'],
  ['PT0.1000S', 100, 'PT0.1S'],
  ['PT0.0005M', 30, 'PT0.03S'],
  ['PT007S', 7 * SECOND_MS, 'PT7S'],
  ['P104249991DT8H59M0.991S', Number.MAX_SAFE_INTEGER, 'P104249991DT8H59M0.991S'],
];

/** `[text, kind, what the message must say]` */
const refused: readonly (readonly [string, 'not-iso8601' | 'not-supported', RegExp])[] = [
  ['', 'not-iso8601', /write a duration/],
  ['P', 'not-iso8601', /write a duration/],
  ['PT', 'not-iso8601', /write a duration/],
  ['P1DT', 'not-iso8601', /write a duration/],
  ['T5M', 'not-iso8601', /write a duration/],
  ['5m', 'not-iso8601', /write a duration/],
  ['30s', 'not-iso8601', /write a duration/],
  ['30', 'not-iso8601', /no unit: write PT30S/],
  ['1.5', 'not-iso8601', /no unit: write PT1.5S/],
  ['1e3', 'not-iso8601', /write a duration/],
  ['pt5m', 'not-iso8601', /upper case: write PT5M/],
  ['PT5m', 'not-iso8601', /upper case: write PT5M/],
  [' PT5M', 'not-iso8601', /spaces/],
  ['PT5M ', 'not-iso8601', /spaces/],
  ['PT5M\n', 'not-iso8601', /spaces/],
  ['PT 5M', 'not-iso8601', /write a duration/],
  ['PT5M\0', 'not-iso8601', /write a duration/],
  ['PT\u0665M', 'not-iso8601', /write a duration/],
  ['P1D2H', 'not-iso8601', /write a duration/],
  ['PT1S1M', 'not-iso8601', /write a duration/],
  ['PT1M1M', 'not-iso8601', /write a duration/],
  ['PT.5S', 'not-iso8601', /write a duration/],
  ['PT5.S', 'not-iso8601', /write a duration/],
  ['PT1.5H30M', 'not-iso8601', /only the last component/],
  ['P0.5DT1H', 'not-iso8601', /only the last component/],
  ['*/5 * * * *', 'not-iso8601', /cron/],
  ['0 0 12 * * ?', 'not-iso8601', /cron/],
  ['@daily', 'not-iso8601', /cron/],
  ['null', 'not-iso8601', /write a duration/],
  ['NaN', 'not-iso8601', /write a duration/],
  ['Infinity', 'not-iso8601', /write a duration/],
  [`PT${'9'.repeat(200)}S`, 'not-iso8601', /at most 100 characters/],
  ['P1M', 'not-supported', /years or months/],
  ['P1Y', 'not-supported', /years or months/],
  ['P1Y2M3DT4H', 'not-supported', /years or months/],
  ['P0.5Y', 'not-supported', /years or months/],
  ['-PT5M', 'not-supported', /negative/],
  ['PT-5M', 'not-supported', /negative/],
  ['-PT-5M', 'not-supported', /negative/],
  ['-P1M', 'not-supported', /negative/],
  ['+PT5M', 'not-supported', /sign/],
  ['PT0,5S', 'not-supported', /decimal comma/],
  ['P1W2D', 'not-supported', /weeks/],
  ['P1WT1H', 'not-supported', /weeks/],
  ['PT0.0001S', 'not-supported', /whole number of milliseconds/],
  ['PT0.0000001S', 'not-supported', /whole number of milliseconds/],
  ['P104249991DT8H59M0.992S', 'not-supported', /longer than P104249991DT8H59M0.991S/],
  ['P9999999999999999D', 'not-supported', /longer than/],
];

describe('durations', () => {
  for (const [text, ms, canonical] of accepted) {
    test(`${text} is read exactly and printed as ${canonical}`, () => {
      assert.deepEqual(parseDuration(text), { ok: true, ms });
      assert.equal(formatDuration(ms), canonical);
    });
  }

  for (const [text, kind, message] of refused) {
    test(`${JSON.stringify(text.slice(0, 40))} is refused as ${kind}`, () => {
      const result = parseDuration(text);
      assert.ok(!result.ok);
      assert.equal(result.kind, kind);
      assert.match(result.message, message);
    });
  }

  const count = fc.nat({ max: 99_999 });
  const optional = (unit: string): fc.Arbitrary<string> =>
    fc.option(count.map((n) => `${n}${unit}`)).map((part) => part ?? '');
  const fraction = fc.nat({ max: 999 }).map((n) => `.${String(n).padStart(3, '0')}`);
  const seconds = fc
    .option(fc.tuple(count, fc.option(fraction)))
    .map((part) => (part === null ? '' : `${part[0]}${part[1] ?? ''}S`));
  const grammatical = fc.oneof(
    count.map((n) => `P${n}W`),
    fc
      .tuple(optional('D'), optional('H'), optional('M'), seconds)
      .map(([days, ...time]) => `P${days}${time.join('') === '' ? '' : `T${time.join('')}`}`)
      .filter((text) => text !== 'P'),
  );

  test('any duration that the grammar accepts survives parse, print, parse', () => {
    fc.assert(
      fc.property(grammatical, (text) => {
        const first = parseDuration(text);
        assert.ok(first.ok, text);
        assert.deepEqual(parseDuration(formatDuration(first.ms)), first);
      }),
    );
  });

  test('every number of milliseconds survives print, parse', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (ms) => {
        assert.deepEqual(parseDuration(formatDuration(ms)), { ok: true, ms });
      }),
    );
  });

  test('a library that knows the same grammar reads the same number of milliseconds', () => {
    fc.assert(
      fc.property(grammatical, (text) => {
        assert.deepEqual(parseDuration(text), {
          ok: true,
          ms: Math.round(Duration.fromISO(text).toMillis()),
        });
      }),
    );
  });

  test('any text is either read or refused with a message, and what is read is printed alike', () => {
    const rubbish = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.string({ unit: fc.constantFrom(...Array.from('PTWDHMSY0159.,+-R/ ')), maxLength: 20 }),
    );
    fc.assert(
      fc.property(rubbish, (text) => {
        const result = parseDuration(text);
        if (result.ok) {
          assert.match(text, /^P[\dT.DHMSW]+$/);
          assert.deepEqual(parseDuration(formatDuration(result.ms)), result);
        } else {
          assert.ok(result.message.length > 10 && result.message.length < 1_000);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  for (const ms of [-1, 0.5, NaN, Infinity, Number.MAX_SAFE_INTEGER + 1]) {
    test(`printing ${ms} milliseconds is our own bug and throws`, () => {
      assert.throws(() => formatDuration(ms), RangeError);
    });
  }
});

describe('instants', () => {
  const instants: readonly (readonly [string, string])[] = [
    ['2026-05-01T09:30:00Z', '2026-05-01T09:30:00.000Z'],
    ['2026-05-01T09:30Z', '2026-05-01T09:30:00.000Z'],
    ['2026-05-01T09:30:00+02:00', '2026-05-01T07:30:00.000Z'],
    ['2026-05-01T09:30:00-05:30', '2026-05-01T15:00:00.000Z'],
    ['2026-05-01T09:30:00.125Z', '2026-05-01T09:30:00.125Z'],
    ['2026-05-01T09:30:00.1250000Z', '2026-05-01T09:30:00.125Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z'],
  ];
  for (const [text, utc] of instants) {
    test(`${text} is read`, () => {
      assert.deepEqual(parseInstant(text), { ok: true, ms: Date.parse(utc) });
    });
  }

  const wrong: readonly (readonly [string, 'not-iso8601' | 'not-supported', RegExp])[] = [
    ['2026-05-01T09:30:00', 'not-supported', /offset/],
    ['2026-05-01', 'not-supported', /offset/],
    ['2026-05-01T09:30:00.1234Z', 'not-supported', /finer than a millisecond/],
    ['2026-02-30T00:00:00Z', 'not-iso8601', /no such date/],
    ['2023-02-29T00:00:00Z', 'not-iso8601', /no such date/],
    ['2026-13-01T00:00:00Z', 'not-iso8601', /no such date/],
    ['2026-05-01T24:00:00Z', 'not-iso8601', /no such date/],
    ['2026-05-01T23:59:60Z', 'not-iso8601', /no such date/],
    ['2026-05-01T09:30:00+99:00', 'not-iso8601', /no such date/],
    ['2026-05-01T09:30:00+02', 'not-iso8601', /write an instant/],
    ['2026-05-01 09:30:00Z', 'not-iso8601', /write an instant/],
    ['2026-05-01t09:30:00z', 'not-iso8601', /write an instant/],
    ['20260501T093000Z', 'not-iso8601', /write an instant/],
    ['10:00', 'not-iso8601', /write an instant/],
    ['2024', 'not-iso8601', /write an instant/],
    ['1777627800000', 'not-iso8601', /write an instant/],
    ['', 'not-iso8601', /write an instant/],
    ['2026-05-01T09:30:00Z\n', 'not-iso8601', /write an instant/],
  ];
  for (const [text, kind, message] of wrong) {
    test(`${JSON.stringify(text)} is refused as ${kind}`, () => {
      const result = parseInstant(text);
      assert.ok(!result.ok);
      assert.equal(result.kind, kind);
      assert.match(result.message, message);
    });
  }
});

describe('repeating intervals', () => {
  test('R3/PT10S is three times, R/PT1M is without end', () => {
    assert.deepEqual(parseRepeatingInterval('R3/PT10S'), { ok: true, repetitions: 3, intervalMs: 10_000 });
    assert.deepEqual(parseRepeatingInterval('R/PT1M'), {
      ok: true,
      repetitions: null,
      intervalMs: MINUTE_MS,
    });
  });

  const wrong: readonly (readonly [string, 'not-iso8601' | 'not-supported', RegExp])[] = [
    ['R0/PT1S', 'not-supported', /at least 1/],
    ['R/PT0S', 'not-supported', /longer than PT0S/],
    [`R${'9'.repeat(30)}/PT1S`, 'not-supported', /too large/],
    ['R3/2026-05-01T09:30:00Z/PT1S', 'not-supported', /start or an end/],
    ['R3/P1M', 'not-supported', /years or months/],
    ['R3/5m', 'not-iso8601', /write a duration/],
    ['R3/', 'not-iso8601', /write a duration/],
    ['R-1/PT1S', 'not-iso8601', /write a repeating interval/],
    ['r3/PT1S', 'not-iso8601', /write a repeating interval/],
    ['PT5M', 'not-iso8601', /write a repeating interval/],
    ['0 0 * * *', 'not-iso8601', /cron/],
    ['', 'not-iso8601', /write a repeating interval/],
  ];
  for (const [text, kind, message] of wrong) {
    test(`${JSON.stringify(text.slice(0, 40))} is refused as ${kind}`, () => {
      const result = parseRepeatingInterval(text);
      assert.ok(!result.ok);
      assert.equal(result.kind, kind);
      assert.match(result.message, message);
    });
  }
});
