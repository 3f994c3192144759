/**
 * The four operations on FEEL numbers. The result is canonical, and is the exact one rounded once, half to even; null
 * when it is too large or there is none.
 *
 * Integers and short decimals (prices, quantities, rates) are computed without `Decimal`, when the result is exact.
 */
import { compute, settle, toDecimal, type FeelNumber } from './number.ts';
import { decimalPlaces, isShort, powerOfTen, scale } from './number-scaled.ts';

export function add(a: FeelNumber, b: FeelNumber): FeelNumber | null {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(sum)) return sum;
    const short = addShort(a, b);
    if (short !== null) return short;
  }
  // Rounded once: a sum below the normal numbers is exact, as a multiple of 1e-6176.
  return settle(toDecimal(a).plus(toDecimal(b)));
}

export function subtract(a: FeelNumber, b: FeelNumber): FeelNumber | null {
  return add(a, negate(b));
}

export function multiply(a: FeelNumber, b: FeelNumber): FeelNumber | null {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // Of -0 and 0 is 0.
    if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(product))
      return product + 0;
    const short = multiplyShort(a, b);
    if (short !== null) return short;
  }
  return compute(a, (factor) => factor.times(toDecimal(b)));
}

/** Null: `b` is 0, or the quotient is too large. */
export function divide(a: FeelNumber, b: FeelNumber): FeelNumber | null {
  if (b === 0) return null;
  if (typeof a === 'number' && typeof b === 'number') {
    const short = divideShort(a, b);
    if (short !== null) return short;
  }
  return compute(a, (dividend) => dividend.dividedBy(toDecimal(b)));
}

export function negate(n: FeelNumber): FeelNumber {
  return typeof n === 'number' ? 0 - n : n.negated();
}

export function absolute(n: FeelNumber): FeelNumber {
  return typeof n === 'number' ? Math.abs(n) : n.absoluteValue();
}

/** Null: not of short decimals, or the sum is none. */
function addShort(a: number, b: number): number | null {
  const placesA = decimalPlaces(a);
  if (placesA < 0) return null;
  const placesB = decimalPlaces(b);
  if (placesB < 0) return null;
  const places = Math.max(placesA, placesB);
  // One of them may have more than 15 digits. It is below 2e15, and exact too, when the sum has no more.
  const sum = scale(a, places) + scale(b, places);
  return isShort(sum) ? sum / powerOfTen(places) : null;
}

/** Null: not of short decimals, or the product is none. */
function multiplyShort(a: number, b: number): number | null {
  const placesA = decimalPlaces(a);
  if (placesA < 0) return null;
  const placesB = decimalPlaces(b);
  if (placesB < 0) return null;
  const product = scale(a, placesA) * scale(b, placesB);
  const result = product / powerOfTen(placesA + placesB);
  return isShort(product) && !Number.isNaN(result) ? result + 0 : null;
}

/** Null: not of short decimals, or the quotient is none. `b` is not 0. */
function divideShort(a: number, b: number): number | null {
  const placesA = decimalPlaces(a);
  if (placesA < 0) return null;
  const placesB = decimalPlaces(b);
  if (placesB < 0) return null;
  const places = Math.max(placesA, placesB);
  const dividend = scale(a, places);
  const divisor = scale(b, places);
  if (!isShort(dividend) || !isShort(divisor)) return null;
  const quotient = dividend / divisor;
  const quotientPlaces = decimalPlaces(quotient);
  if (quotientPlaces < 0) return null;
  // The quotient is a double next to the true one. It is that only if multiplying back says so, in exact integers.
  const multiple = scale(quotient, quotientPlaces) * divisor;
  const whole = dividend * powerOfTen(quotientPlaces);
  return Number.isSafeInteger(multiple) && multiple === whole ? quotient + 0 : null;
}
