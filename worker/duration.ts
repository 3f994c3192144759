/** ISO-8601 durations, read as strictly as the server reads them: `PT30S`, `PT1H30M`, `P1D`, `P2W`. */

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const DURATION = new RegExp(
  `^P(?:${NUMBER}W|(?=.)(?:${NUMBER}D)?(?:T(?=.)(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?)$`,
);
/** Milliseconds of weeks, days, hours, minutes and seconds: the groups of `DURATION`. */
const UNIT_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1_000];
const MAX_TEXT_LENGTH = 100;

/** @returns whole milliseconds; null: the text is no duration, or not of whole milliseconds. */
export function parseDuration(text: string): number | null {
  const match = text.length <= MAX_TEXT_LENGTH ? DURATION.exec(text) : null;
  if (match === null) return null;
  const parts = match.slice(1).flatMap((digits: string | undefined, index) => {
    const unitMs = UNIT_MS[index];
    return digits === undefined || unitMs === undefined ? [] : [{ digits, unitMs }];
  });
  if (parts.slice(0, -1).some(({ digits }) => digits.includes('.'))) return null;
  const totalMs = parts.reduce((sum, { digits, unitMs }) => sum + Number(digits) * unitMs, 0);
  const wholeMs = Math.round(totalMs);
  // `PT0.1S` times 1,000 is not exactly 100; a part of a millisecond is further away than that.
  return Number.isSafeInteger(wholeMs) && Math.abs(totalMs - wholeMs) < 1e-6 ? wholeMs : null;
}

/** @param ms a non-negative whole number. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const millis = ms % 1_000;
  return millis === 0
    ? `PT${seconds}S`
    : `PT${seconds}.${String(millis).padStart(3, '0').replace(/0+$/, '')}S`;
}
