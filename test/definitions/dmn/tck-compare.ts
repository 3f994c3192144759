/**
 * Whether a result is the one that a test case of the TCK expects.
 *
 * All but long fractions must be the same exactly: numbers digit by digit, dates and times with their offsets.
 */
import { Meter, TurnBudget } from '../../../definitions/feel/budget.ts';
import { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { sameValues } from '../../../definitions/feel/equality.ts';
import { isFeelNumber, toDecimal, type FeelNumber } from '../../../definitions/feel/number.ts';
import type { FeelContext, FeelValue } from '../../../definitions/feel/runtime.ts';
import { isFeelContext, isList } from '../../../definitions/feel/value-kind.ts';

/** Fractions of so many digits are what an engine with doubles has computed. */
const DIGITS_OF_DOUBLE = 15;
/** How far they are from ours, at most: 5e-14 in `0004-lending`, 5e-15 and less for single operations. */
const DOUBLE_TOLERANCE = '1e-13';
/** Fractions of so many digits are rounded to their last one: `exp` and `log` in 0052 and 0053. */
const DIGITS_OF_ROUNDED = 8;

export function isExpected(actual: FeelValue, expected: FeelValue): boolean {
  if (isFeelNumber(expected)) return isFeelNumber(actual) && isExpectedNumber(actual, expected);
  if (isList(expected)) {
    return (
      isList(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => isExpected(actual[index] ?? null, item))
    );
  }
  if (isFeelContext(expected)) return isFeelContext(actual) && isExpectedContext(actual, expected);
  return sameValues(actual, expected, new Evaluation(new Meter(new TurnBudget(0))));
}

function isExpectedContext(actual: FeelContext, expected: FeelContext): boolean {
  const keys = Object.keys(expected);
  return (
    Object.keys(actual).length === keys.length &&
    keys.every((key) => Object.hasOwn(actual, key) && isExpected(actual[key] ?? null, expected[key] ?? null))
  );
}

function isExpectedNumber(actual: FeelNumber, expected: FeelNumber): boolean {
  const wanted = toDecimal(expected);
  const found = toDecimal(actual);
  if (found.equals(wanted)) return true;
  if (wanted.isInteger() || wanted.precision() < DIGITS_OF_ROUNDED) return false;
  if (found.toDecimalPlaces(wanted.decimalPlaces()).equals(wanted)) return true;
  const tolerance = wanted.abs().times(DOUBLE_TOLERANCE);
  return wanted.precision() >= DIGITS_OF_DOUBLE && found.minus(wanted).abs().lessThanOrEqualTo(tolerance);
}
