/** FEEL's `decimal`, `floor`, `ceiling` and `round ...`: a number at a number of decimal places. */
import { Decimal } from 'decimal.js';
import { MAX_PLACES, settle, settleWide, toDecimal, WideDecimal, type FeelNumber } from './number.ts';
import { decimalPlaces, isShort, powerOfTen, scale as scaleBy } from './number-scaled.ts';

/** `up` is away from 0, `down` towards it; the halves are what they say when both neighbours are as near. */
const modes = {
  floor: Decimal.ROUND_FLOOR,
  ceiling: Decimal.ROUND_CEIL,
  up: Decimal.ROUND_UP,
  down: Decimal.ROUND_DOWN,
  'half-up': Decimal.ROUND_HALF_UP,
  'half-down': Decimal.ROUND_HALF_DOWN,
  'half-even': Decimal.ROUND_HALF_EVEN,
} as const satisfies Record<string, Decimal.Rounding>;

export type RoundingMode = keyof typeof modes;

/** Where the last digit of the largest numbers is. So rounding never makes a number too large. */
const MIN_SCALE = -6_111;

/**
 * `n` rounded to `scale` decimal places; below 0, to tens, hundreds and so on. A fraction of `scale` does not count.
 * Null: `scale` is not from -6111 to 6176.
 *
 * Source: DMN 1.5, 10.3.4.5 (numeric functions).
 */
export function round(n: FeelNumber, scale: FeelNumber, mode: RoundingMode): FeelNumber | null {
  const places = typeof scale === 'number' ? Math.trunc(scale) : scale.truncated().toNumber();
  if (places < MIN_SCALE || places > MAX_PLACES) return null;
  if (typeof n === 'number') {
    if (places >= 0 && Number.isSafeInteger(n)) return n;
    const short = roundShort(n, places, mode);
    if (short !== null) return short;
  }
  const decimal = toDecimal(n);
  if (places >= 0) return settle(decimal.toDecimalPlaces(places, modes[mode]));
  const unit = new WideDecimal(10).pow(-places);
  return settleWide(new WideDecimal(decimal).dividedBy(unit).toDecimalPlaces(0, modes[mode]).times(unit));
}

/** Null: not of a short decimal, or the result is none. */
function roundShort(n: number, places: number, mode: RoundingMode): number | null {
  const ownPlaces = decimalPlaces(n);
  if (ownPlaces < 0) return null;
  if (ownPlaces <= places) return n;
  const rounded = divideRounded(scaleBy(n, ownPlaces), powerOfTen(ownPlaces - places), mode);
  const result = places < 0 ? rounded * powerOfTen(-places) : rounded / powerOfTen(places);
  return isShort(rounded) && !Number.isNaN(result) ? result : null;
}

/** Of integers below 1e15 and a power of ten, as an integer. */
function divideRounded(dividend: number, divisor: number, mode: RoundingMode): number {
  const rest = dividend % divisor;
  // Exact, and never -0.
  const down = (dividend - rest) / divisor;
  return rest !== 0 && isAwayFromZero(mode, rest, divisor, down) ? down + Math.sign(rest) : down;
}

function isAwayFromZero(mode: RoundingMode, rest: number, divisor: number, down: number): boolean {
  const half = Math.abs(rest) - divisor / 2;
  switch (mode) {
    case 'floor':
      return rest < 0;
    case 'ceiling':
      return rest > 0;
    case 'up':
      return true;
    case 'down':
      return false;
    case 'half-up':
      return half >= 0;
    case 'half-down':
      return half > 0;
    case 'half-even':
      return half > 0 || (half === 0 && down % 2 !== 0);
  }
}
