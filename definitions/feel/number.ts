/**
 * FEEL numbers: decimals of 34 significant digits, as those of IEEE 754-2008 decimal128.
 *
 * N1 Canonical form: a number is a JS number if and only if it is a safe integer, or has at most 15 significant digits
 *    and its first digit stands for a power of ten from -300 to 300. Any other is a `Decimal`.
 * N2 A JS number stands for the decimal that its shortest text spells: 0.1 is one tenth.
 * N3 So equal numbers have equal forms: a JS number and a `Decimal` are never equal.
 * N4 There is no -0, NaN or infinity. What is too large (1e6145) is null.
 * N5 Every number is a multiple of 1e-6176. What is smaller than the normal numbers (1e-6143) has fewer digits, and 0
 *    is the last of them; so different numbers never have the difference 0.
 *
 * Why 15 digits: so many survive in a double, whatever they are. Two decimals of 15 digits never share a double, and
 * doubles are in the order of the decimals that they stand for.
 *
 * Source: OMG DMN 1.5, 10.3.2.3.1 (number); IEEE 754-2008, decimal128.
 */
import { Decimal } from 'decimal.js';
import { decimalPlaces, MAX_DIGITS } from './number-scaled.ts';

export type FeelNumber = number | Decimal;

/** Significant digits of a normal number. */
const PRECISION = 34;
/** The largest power of ten of a first digit. */
const MAX_EXPONENT = 6_144;
/** The smallest of a number that has all digits. */
const MIN_NORMAL_EXPONENT = -6_143;
/** Every number has at most so many decimal places (N5). */
export const MAX_PLACES = 6_176;
/** What a JS number may hold (N1): far from where doubles get fewer digits, and from their end. */
const MAX_DOUBLE_EXPONENT = 300;

/**
 * Holds numbers; what it computes is rounded to 34 digits, half to even. Goes one power of ten below the last of them,
 * so that a half of that is rounded and not lost.
 */
export const Decimal128 = Decimal.clone({
  defaults: true,
  precision: PRECISION,
  rounding: Decimal.ROUND_HALF_EVEN,
  modulo: Decimal.ROUND_FLOOR,
  minE: -MAX_PLACES - 1,
  maxE: MAX_EXPONENT,
});

/**
 * For what must not be rounded twice, or leaves the range in between: holds products exactly (68 digits), and enough of
 * quotients to tell a half from what is next to it.
 */
export const WideDecimal = Decimal.clone({
  defaults: true,
  precision: 70,
  rounding: Decimal.ROUND_HALF_EVEN,
  modulo: Decimal.ROUND_FLOOR,
});

/** Whether a value is a FEEL number. JS numbers are taken to be canonical: `canonical` is for those from outside. */
export function isFeelNumber(value: unknown): value is FeelNumber {
  return typeof value === 'number' || value instanceof Decimal;
}

/** A double from outside as the decimal that its shortest text spells. Null: it is no finite number. */
export function canonical(double: number): FeelNumber | null {
  if (Number.isSafeInteger(double)) return double + 0;
  if (decimalPlaces(double) >= 0) return double;
  return settle(new Decimal128(double));
}

/** -1, 0 or 1: what `a` is less than, equal to or greater than `b`. */
export function compare(a: FeelNumber, b: FeelNumber): -1 | 0 | 1 {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  const order = toDecimal(a).comparedTo(toDecimal(b));
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

/** Whether two numbers are the same (N3). */
export function equals(a: FeelNumber, b: FeelNumber): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a === b;
  return a.equals(b);
}

export function isInteger(n: FeelNumber): boolean {
  // A short decimal with a fraction has a double with a fraction.
  return typeof n === 'number' ? Number.isInteger(n) : n.isInteger();
}

/** For the files of numbers only: everyone else has no need to know the form. */
export function toDecimal(n: FeelNumber): Decimal {
  return typeof n === 'number' ? new Decimal128(n) : n;
}

/** A result of `Decimal128` in canonical form. It is a multiple of 1e-6176 already: see `compute`. */
export function settle(result: Decimal): FeelNumber | null {
  if (!result.isFinite()) return null;
  if (result.isZero()) return 0;
  const digitCount = result.precision();
  if (digitCount <= MAX_DIGITS && Math.abs(result.e) <= MAX_DOUBLE_EXPONENT) return result.toNumber();
  if (digitCount <= 16 && result.e === 15) {
    const integer = result.toNumber();
    if (Number.isSafeInteger(integer)) return integer;
  }
  return result;
}

/** A result of `WideDecimal` in canonical form. */
export function settleWide(result: Decimal): FeelNumber | null {
  if (!result.isFinite()) return null;
  const rounded = isBelowNormal(result)
    ? result.toDecimalPlaces(MAX_PLACES)
    : result.toSignificantDigits(PRECISION);
  return settle(new Decimal128(rounded));
}

/** What `operation` computes from `n`, with the precision of the decimal it is given, rounded once. */
export function compute(n: FeelNumber, operation: (n: Decimal) => Decimal): FeelNumber | null {
  const decimal = toDecimal(n);
  const result = operation(decimal);
  // It has 34 digits by now. To round those again, to fewer, would be wrong next to a half.
  return isBelowNormal(result) ? settleWide(operation(new WideDecimal(decimal))) : settle(result);
}

function isBelowNormal(result: Decimal): boolean {
  return result.e < MIN_NORMAL_EXPONENT;
}
