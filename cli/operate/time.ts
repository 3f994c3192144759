/**
 * Times for people. A list has ages, which are read at a glance; where one thing is looked into, instants are as the
 * engine gives them, RFC 3339 in UTC, to hold against a log.
 */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `3 h`; with a look ahead `in 3 h`. Empty for what is no instant. */
export function ageOf(instant: string | null, nowMs: number): string {
  const atMs = Date.parse(instant ?? '');
  if (Number.isNaN(atMs)) return '';
  const passed = nowMs - atMs;
  return passed < 0 ? `in ${lengthOfTime(-passed)}` : lengthOfTime(passed);
}

/** `2026-03-01T10:00:00.000Z (3 h ago)`. */
export function instantWithAge(instant: string | null, nowMs: number): string {
  const age = ageOf(instant, nowMs);
  if (instant === null || age === '') return '';
  return `${instant} (${age.startsWith('in ') ? age : `${age} ago`})`;
}

/** In the largest unit that it fills at least once, rounded down. */
function lengthOfTime(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? UNITS[3];
  return `${String(Math.floor(ms / size))} ${unit}`;
}
