/**
 * Short decimals as integers: 12.34 is 1234 with 2 decimal places. What is computed of these is exact.
 *
 * S1 When `round(n * 10^k) / 10^k` is `n` again, for an integer below 1e15, then `n` stands for exactly that many
 *    10^-k: the division gives the double next to it, and no other decimal of 15 digits has that double.
 * S2 10^k is exact in a double for k up to 22. So is every integer below 2^53.
 */

/** Significant digits that a double keeps, whatever they are. */
export const MAX_DIGITS = 15;
/** Integers below this, and above its negative, have at most 15 digits. */
export const SCALED_LIMIT = 1e15;

const POWERS_OF_TEN: readonly number[] = [
  ...[1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11],
  ...[1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22],
];

/** 10^`exponent`, for 0 to 22. Any other is NaN, with which no check here succeeds. */
export function powerOfTen(exponent: number): number {
  return POWERS_OF_TEN[exponent] ?? Number.NaN;
}

/** The fewest decimal places with which `n` is an integer below 1e15 (S1). -1: more than 15, or `n` has more digits. */
export function decimalPlaces(n: number): number {
  for (let places = 0; places <= MAX_DIGITS; places += 1) {
    const power = powerOfTen(places);
    const scaled = Math.round(n * power);
    if (!isShort(scaled)) return -1;
    if (scaled / power === n) return places;
  }
  return -1;
}

/** `n` times 10^`places`, which is an integer (S1). */
export function scale(n: number, places: number): number {
  return Math.round(n * powerOfTen(places));
}

/** At most 15 digits. Not so for NaN. */
export function isShort(integer: number): boolean {
  return integer < SCALED_LIMIT && integer > -SCALED_LIMIT;
}
