/**
 * ISO-8601 durations, instants and repeating intervals, stricter than any library reads them.
 *
 * I1 Our own grammar decides what is accepted; nothing is read leniently, rounded or clamped.
 * I2 A duration is an exact, non-negative number of milliseconds that a double holds exactly.
 * I3 `parseDuration(formatDuration(ms))` gives `ms` again for every such number.
 * I4 A text that is not ISO-8601 and one that is but means something we do not keep (calendar months,
 *    negative time) are refused with different kinds and messages: the remedies differ.
 *
 * Durations are converted here with integers, not by luxon: it takes `PT`, `P1DT` and `-PT-5M`, rounds
 * `PT0.0000001S` to zero and makes 30 days of `P1M`. Instants are converted by luxon, which knows the
 * calendar, after the grammar has passed.
 */
import { DateTime } from 'luxon';
import { quoteText } from './quote-text.ts';

/** Why a text was refused: it is not ISO-8601 at all, or it is but has no meaning here. */
export type Iso8601Fault = {
  readonly ok: false;
  readonly kind: 'not-iso8601' | 'not-supported';
  /** One sentence that quotes the text and says what to write instead. */
  readonly message: string;
};

export type DurationResult = { readonly ok: true; readonly ms: number } | Iso8601Fault;

/** `ms` counts from the epoch. */
export type InstantResult = { readonly ok: true; readonly ms: number } | Iso8601Fault;

/** `repetitions` is at least 1; null: without end. `intervalMs` is at least 1. */
export type RepeatingIntervalResult =
  { readonly ok: true; readonly repetitions: number | null; readonly intervalMs: number } | Iso8601Fault;

/** No text that we accept needs more; longer ones are refused before any pattern sees them. */
const MAX_TEXT_LENGTH = 100;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

const NUMBER = String.raw`\d+(?:\.\d+)?`;
const DURATION = new RegExp(
  `^P(?:(${NUMBER})W|(?=.)(?:(${NUMBER})D)?(?:T(?=.)(?:(${NUMBER})H)?(?:(${NUMBER})M)?(?:(${NUMBER})S)?)?)$`,
);
/** The milliseconds of one unit, in the order of the groups of `DURATION`. */
const UNIT_MS = [WEEK_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];

/** Every shape that the standard or its known extensions give a duration, to tell the two kinds apart. */
const SIGNED_NUMBER = String.raw`[+-]?\d+(?:[.,]\d+)?`;
const ANY_DURATION = new RegExp(
  `^([+-]?)P(?=.)((?:${SIGNED_NUMBER}Y)?(?:${SIGNED_NUMBER}M)?)((?:${SIGNED_NUMBER}W)?)((?:${SIGNED_NUMBER}D)?)` +
    `(?:T(?=.)(?:${SIGNED_NUMBER}H)?(?:${SIGNED_NUMBER}M)?(?:${SIGNED_NUMBER}S)?)?$`,
);

/** Reads `P[nW]` or `P[nD][T[nH][nM][nS]]`, with a fraction on the last component only. */
export function parseDuration(text: string): DurationResult {
  const match = text.length <= MAX_TEXT_LENGTH ? DURATION.exec(text) : null;
  if (match === null) {
    return refuseDuration(text);
  }
  const components = match.slice(1).flatMap((digits, index) => {
    const unitMs = UNIT_MS[index];
    return (digits as string | undefined) === undefined || unitMs === undefined ? [] : [{ digits, unitMs }];
  });
  if (components.slice(0, -1).some((component) => component.digits.includes('.'))) {
    return notIso(text, 'only the last component may have a fraction');
  }
  let totalMs = 0n;
  for (const { digits, unitMs } of components) {
    const [whole = '0', fraction = ''] = digits.split('.');
    const scale = 10n ** BigInt(fraction.length);
    const scaledMs = BigInt(whole + fraction) * BigInt(unitMs);
    if (scaledMs % scale !== 0n) {
      return notSupported(text, 'is not a whole number of milliseconds, the smallest unit that is kept');
    }
    totalMs += scaledMs / scale;
  }
  if (totalMs > BigInt(Number.MAX_SAFE_INTEGER)) {
    return notSupported(
      text,
      `is longer than ${formatDuration(Number.MAX_SAFE_INTEGER)}, the longest that is kept`,
    );
  }
  return { ok: true, ms: Number(totalMs) };
}

/**
 * Writes the canonical form: days, hours, minutes, seconds, no zero components, `PT0S` for nothing.
 * @throws RangeError for anything but a non-negative safe integer: that is our own bug.
 */
export function formatDuration(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0) {
    throw new RangeError(`a duration is a non-negative whole number of milliseconds, not ${ms}`);
  }
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  const seconds = Math.floor((ms % MINUTE_MS) / SECOND_MS);
  const millis = ms % SECOND_MS;
  const fraction = millis === 0 ? '' : `.${String(millis).padStart(3, '0').replace(/0+$/, '')}`;
  const date = days === 0 ? '' : `${days}D`;
  const time =
    (hours === 0 ? '' : `${hours}H`) +
    (minutes === 0 ? '' : `${minutes}M`) +
    (seconds === 0 && millis === 0 ? '' : `${seconds}${fraction}S`);
  if (date === '' && time === '') {
    return 'PT0S';
  }
  return `P${date}${time === '' ? '' : `T${time}`}`;
}

const DATE_TIME = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.(\d+))?)?`;
const INSTANT = new RegExp(`^${DATE_TIME}(Z|[+-]\\d{2}:\\d{2})$`);
const WITHOUT_OFFSET = new RegExp(`^(?:${DATE_TIME}|\\d{4}-\\d{2}-\\d{2})$`);

/** Reads `2026-05-01T09:30:00Z` or with an offset as `+02:00`; seconds and milliseconds are optional. */
export function parseInstant(text: string): InstantResult {
  const match = text.length <= MAX_TEXT_LENGTH ? INSTANT.exec(text) : null;
  if (match === null) {
    if (text.length <= MAX_TEXT_LENGTH && WITHOUT_OFFSET.test(text)) {
      return notSupported(
        text,
        'names no instant without a time and an offset: add a time and Z or as +02:00',
      );
    }
    return notIso(text, 'write an instant as 2026-05-01T09:30:00Z or 2026-05-01T09:30:00+02:00');
  }
  if (/[1-9]/.test((match[1] ?? '').slice(3))) {
    return notSupported(text, 'is finer than a millisecond, the smallest unit that is kept');
  }
  // luxon would take hour 24 and offsets of up to 99 hours.
  const isInRange = !text.includes('T24') && /(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/.test(text);
  const instant = DateTime.fromISO(text);
  if (!isInRange || !instant.isValid) {
    return notIso(text, 'there is no such date, time or offset');
  }
  return { ok: true, ms: instant.toMillis() };
}

/** Reads `R3/PT10S` (three times) or `R/PT1M` (without end). */
export function parseRepeatingInterval(text: string): RepeatingIntervalResult {
  const match = text.length <= MAX_TEXT_LENGTH ? /^R(\d*)\/([^/]*)$/.exec(text) : null;
  if (match === null) {
    if (/^R\d*\/[^/]{1,40}\/[^/]{1,40}$/.test(text)) {
      return notSupported(
        text,
        'has a start or an end: write only R, the count and the interval, as R3/PT10S',
      );
    }
    return isCron(text)
      ? notIso(text, 'cron expressions are not accepted: write a repeating interval as R/PT10M')
      : notIso(text, 'write a repeating interval as R3/PT10S or, without end, R/PT10S');
  }
  const [, count = '', durationText = ''] = match;
  const interval = parseDuration(durationText);
  if (!interval.ok) {
    return interval;
  }
  if (interval.ms === 0) {
    return notSupported(text, 'repeats without any time between: the interval must be longer than PT0S');
  }
  const repetitions = count === '' ? null : Number(count);
  if (repetitions === 0) {
    return notSupported(text, 'never happens: the count must be at least 1');
  }
  if (repetitions !== null && !Number.isSafeInteger(repetitions)) {
    return notSupported(text, 'has a count that is too large: leave it out to repeat without end');
  }
  return { ok: true, repetitions, intervalMs: interval.ms };
}

/** Finds the most helpful reason for a text that the grammar of `parseDuration` does not take. */
function refuseDuration(text: string): Iso8601Fault {
  if (text.length > MAX_TEXT_LENGTH) {
    return notIso(text, `a duration has at most ${MAX_TEXT_LENGTH} characters`);
  }
  const match = ANY_DURATION.exec(text);
  if (match !== null) {
    if (text.includes('-')) {
      return notSupported(text, 'is negative: a duration runs forward');
    }
    if (match[2] !== '') {
      return notSupported(text, 'has years or months, whose length varies: write days, as P30D');
    }
    if (text.includes(',')) {
      return notSupported(text, 'has a decimal comma: write a point, as PT0.5S');
    }
    return text.includes('+')
      ? notSupported(text, 'has a sign: leave it out')
      : notSupported(text, 'combines weeks with other units: write days, as P8D');
  }
  if (text !== text.trim()) {
    return notIso(text, 'remove the spaces around it');
  }
  if (isCron(text)) {
    return notIso(text, 'cron expressions are not accepted: write a duration as PT10M');
  }
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    return notIso(text, `a number has no unit: write PT${text}S for seconds`);
  }
  if (DURATION.test(text.toUpperCase())) {
    return notIso(text, `the letters are upper case: write ${text.toUpperCase()}`);
  }
  return notIso(text, 'write a duration as PT30S, PT5M, PT1H30M or P7D');
}

/** Five to seven fields, at least one of them a star or a number. */
function isCron(text: string): boolean {
  return (
    text.length <= MAX_TEXT_LENGTH &&
    /^(?:@\w+|(?=.*[\d*])[\d*?/,LW#A-Za-z-]+(?:\s+[\d*?/,LW#A-Za-z-]+){4,6})$/.test(text)
  );
}

function notIso(text: string, remedy: string): Iso8601Fault {
  return { ok: false, kind: 'not-iso8601', message: `${quoteText(text)} is not ISO-8601: ${remedy}` };
}

function notSupported(text: string, reason: string): Iso8601Fault {
  return { ok: false, kind: 'not-supported', message: `${quoteText(text)} ${reason}` };
}
