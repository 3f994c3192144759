/**
 * Power, roots, logarithms and remainders of FEEL numbers. Null is "there is none, or it is too large".
 *
 * F1 Each ends soon, whatever its arguments: powers and `modulo` of the largest by the smallest take up to a
 *    millisecond, exponentials and logarithms 80 µs, the rest some microseconds. What leaves the range of numbers is
 *    found by an estimate, not by computing.
 * F2 `squareRoot` and `modulo` are exact or rounded right. The others are rounded from more digits than they have, so
 *    that a result that is exact comes out exact: `4 ** 0.5` is 2.
 */
import type { Decimal } from 'decimal.js';
import { absolute, negate } from './number-arithmetic.ts';
import {
  compare,
  compute,
  isInteger,
  settle,
  settleWide,
  toDecimal,
  WideDecimal,
  type FeelNumber,
} from './number.ts';
import { decimalPlaces, isShort, powerOfTen, scale } from './number-scaled.ts';

/** Powers of ten that are above all numbers, or below when negative. One more than that, for the estimate. */
const TOO_LARGE_EXPONENT = 6_146;
const TOO_SMALL_EXPONENT = -6_178;
/** e to so much is beyond all numbers. */
const TOO_LARGE_FOR_EXP = 14_160;
const TOO_SMALL_FOR_EXP = -14_230;
/** For powers that are not exact: up to 5 digits are lost in them, and half of the time is saved (350 µs, not 600). */
const PowerDecimal = WideDecimal.clone({ precision: 50 });
/** A power of 2 or more that is exact in a double has at most so many factors. */
const MAX_FACTORS = 53;

/**
 * `base ** exponent`. `0 ** 0` is 1. Null: too large, 0 to a negative exponent, or a negative base with an exponent that
 * is no integer.
 */
export function power(base: FeelNumber, exponent: FeelNumber): FeelNumber | null {
  if (exponent === 0 || base === 1) return 1;
  if (exponent === 1) return base;
  if (base === 0) return compare(exponent, 0) > 0 ? 0 : null;
  const isNegative = compare(base, 0) < 0;
  if (isNegative && !isInteger(exponent)) return null;
  const size = powerOfPositive(absolute(base), exponent);
  return size !== null && isNegative && isOdd(exponent) ? negate(size) : size;
}

function powerOfPositive(base: FeelNumber, exponent: FeelNumber): FeelNumber | null {
  if (base === 1) return 1;
  const short = powerOfInteger(base, exponent);
  if (short !== null) return short;
  const decimalBase = toDecimal(base);
  const estimate = toDecimal(exponent).toNumber() * logarithm10(decimalBase);
  if (estimate > TOO_LARGE_EXPONENT) return null;
  if (estimate < TOO_SMALL_EXPONENT) return 0;
  const Class = isInteger(exponent) ? WideDecimal : PowerDecimal;
  return settleWide(new Class(decimalBase).pow(toDecimal(exponent)));
}

/** Null: the base is no integer, or the power is not exact in a double. */
function powerOfInteger(base: FeelNumber, exponent: FeelNumber): number | null {
  if (typeof base !== 'number' || typeof exponent !== 'number') return null;
  if (!Number.isSafeInteger(base) || !Number.isSafeInteger(exponent)) return null;
  if (exponent < 0 || exponent > MAX_FACTORS) return null;
  let result = 1;
  for (let count = 0; count < exponent; count += 1) {
    result *= base;
    if (!Number.isSafeInteger(result)) return null;
  }
  return result;
}

/** A double near the decimal logarithm of a positive number, near also when that is close to 0. Never 0. */
function logarithm10(n: Decimal): number {
  if (n.greaterThan(0.5) && n.lessThan(2)) return Math.log1p(n.minus(1).toNumber()) / Math.LN10;
  const [mantissa] = n.toExponential().split('e');
  return n.e + Math.log10(Number(mantissa));
}

/** Null: `n` is negative. */
export function squareRoot(n: FeelNumber): FeelNumber | null {
  if (compare(n, 0) < 0) return null;
  return settle(toDecimal(n).squareRoot());
}

/** e to the power of `n`. Null: it is too large. */
export function exponential(n: FeelNumber): FeelNumber | null {
  if (compare(n, TOO_LARGE_FOR_EXP) > 0) return null;
  if (compare(n, TOO_SMALL_FOR_EXP) < 0) return 0;
  return compute(n, (exponent) => exponent.exp());
}

/** The natural logarithm. Null: `n` is not above 0. */
export function logarithm(n: FeelNumber): FeelNumber | null {
  if (compare(n, 0) <= 0) return null;
  return settle(toDecimal(n).ln());
}

/**
 * `dividend - divisor * floor(dividend / divisor)`: has the sign of the divisor. Null: the divisor is 0.
 *
 * The floor is that of the exact quotient. The result is rounded only where the dividend is far smaller than the divisor
 * and has the other sign.
 */
export function modulo(dividend: FeelNumber, divisor: FeelNumber): FeelNumber | null {
  if (divisor === 0) return null;
  if (typeof dividend === 'number' && typeof divisor === 'number') {
    const short = moduloShort(dividend, divisor);
    if (short !== null) return short;
  }
  return settleWide(new WideDecimal(toDecimal(dividend)).modulo(toDecimal(divisor)));
}

/** Null: not of integers or short decimals. */
function moduloShort(dividend: number, divisor: number): number | null {
  if (Number.isSafeInteger(dividend) && Number.isSafeInteger(divisor)) return floorRest(dividend, divisor);
  const dividendPlaces = decimalPlaces(dividend);
  if (dividendPlaces < 0) return null;
  const divisorPlaces = decimalPlaces(divisor);
  if (divisorPlaces < 0) return null;
  const places = Math.max(dividendPlaces, divisorPlaces);
  const scaledDividend = scale(dividend, places);
  const scaledDivisor = scale(divisor, places);
  if (!isShort(scaledDividend) || !isShort(scaledDivisor)) return null;
  return floorRest(scaledDividend, scaledDivisor) / powerOfTen(places);
}

function floorRest(dividend: number, divisor: number): number {
  const rest = dividend % divisor;
  return rest !== 0 && rest < 0 !== divisor < 0 ? rest + divisor : rest + 0;
}

/** Whether `n` is an odd integer. What has a fraction is neither odd nor even. */
export function isOdd(n: FeelNumber): boolean {
  if (typeof n === 'number' && Number.isSafeInteger(n)) return n % 2 !== 0;
  const decimal = toDecimal(n);
  // Places of the last digit that is not 0, which is what decides when it is at the ones.
  if (decimal.precision() - 1 - decimal.e !== 0) return false;
  return Number(decimal.toFixed().at(-1)) % 2 !== 0;
}

export function isEven(n: FeelNumber): boolean {
  return isInteger(n) && !isOdd(n);
}
