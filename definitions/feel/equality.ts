/**
 * `=` and `is` of FEEL values.
 *
 * E1 The result does not depend on whether two values are the same object; neither does what it costs. A variable that
 *    was stored and read again is no longer the same object, and must behave as before (budget.ts, K1).
 * E2 Being equal is an equivalence: `ValueKeys` (builtins/value-key.ts) gives the same key to equal values alone.
 * E3 Values may nest as deep as they like: what is still to be compared is on the heap, not on the stack.
 *
 * Source: DMN 1.5, 10.3.2.15, table 53 (`=`); 10.3.2.2 and table 77 (`is`).
 */
import { Temporal } from '../value.ts';
import { equals, isFeelNumber } from './number.ts';
import { FeelFunction, FeelRange, type FeelContext, type FeelValue, type Run } from './runtime.ts';
import { temporalUnits } from './temporal-units.ts';
import { equalTemporals, isSameTemporal } from './temporal/compare.ts';
import { isFeelContext, isList, propertyOf } from './value-kind.ts';

/** Units for a value on either side: 130 ns. */
const VALUE_UNITS = 3;
/** Units for a property: both contexts are searched for it. */
const PROPERTY_UNITS = 4;

/** How dates, times and durations are compared: all else is the same for `=` and `is`. */
type CompareTemporals = (left: Temporal, right: Temporal, run: Run) => boolean | null;

/** Lists of the same length whose elements are to be compared, from `next` on. */
interface Pending {
  readonly left: readonly FeelValue[];
  readonly right: readonly FeelValue[];
  next: number;
}

/**
 * `=`: whether two values are equal. Null: they are of different kinds, or do not compare (temporal/compare.ts). Null is
 * equal to null, and to nothing else.
 *
 * Lists, contexts and ranges are equal when all in them is; what is unequal anywhere makes them unequal, else
 * what is null makes the result null.
 * @throws as `run.meter` does
 */
export function equalValues(left: FeelValue, right: FeelValue, run: Run): boolean | null {
  return equal(left, right, run, byValue);
}

/**
 * `is`: whether two values are the same, so that nothing can tell them apart. A time with `Z` and the same time with
 * another offset are equal, and are not the same.
 * @throws as `run.meter` does
 */
export function sameValues(left: FeelValue, right: FeelValue, run: Run): boolean {
  return equal(left, right, run, isSameTemporal) === true;
}

function byValue(left: Temporal, right: Temporal, run: Run): boolean | null {
  return equalTemporals(left, right, run.meter.nowMs);
}

function equal(left: FeelValue, right: FeelValue, run: Run, temporals: CompareTemporals): boolean | null {
  const first = compareOuter(left, right, run, temporals);
  if (first === null || typeof first === 'boolean') return first;
  const open: Pending[] = [first];
  let result: boolean | null = true;
  for (let pending = open.at(-1); pending !== undefined; pending = open.at(-1)) {
    const { next } = pending;
    if (next === pending.left.length) {
      open.pop();
      continue;
    }
    pending.next += 1;
    const outcome = compareOuter(pending.left[next] ?? null, pending.right[next] ?? null, run, temporals);
    if (outcome === false) return false;
    if (outcome === null) result = null;
    else if (outcome !== true) open.push(outcome);
  }
  return result;
}

/** Of what has elements only as much as can be said without them; then they are what is left to compare. */
function compareOuter(
  left: FeelValue,
  right: FeelValue,
  run: Run,
  temporals: CompareTemporals,
): boolean | null | Pending {
  run.meter.spend(VALUE_UNITS);
  if (left === null || right === null) return left === right;
  if (typeof left === 'string') return typeof right === 'string' ? equalTexts(left, right, run) : null;
  if (typeof left === 'boolean') return typeof right === 'boolean' ? left === right : null;
  if (isFeelNumber(left)) return isFeelNumber(right) ? equals(left, right) : null;
  if (isList(left)) return isList(right) ? pendingItems(left, right) : null;
  if (left instanceof Temporal) {
    if (!(right instanceof Temporal)) return null;
    run.meter.spend(temporalUnits(left) + temporalUnits(right));
    return temporals(left, right, run);
  }
  if (left instanceof FeelFunction) return right instanceof FeelFunction ? left === right : null;
  if (left instanceof FeelRange) return right instanceof FeelRange ? pendingEnds(left, right) : null;
  return isFeelContext(right) ? pendingProperties(left, right, run) : null;
}

function equalTexts(left: string, right: string, run: Run): boolean {
  if (left.length !== right.length) return false;
  run.meter.spendCharacters(left.length);
  return left === right;
}

function pendingItems(left: readonly FeelValue[], right: readonly FeelValue[]): Pending | false {
  return left.length === right.length && { left, right, next: 0 };
}

function pendingEnds(left: FeelRange, right: FeelRange): Pending | false {
  const hasSameBrackets =
    left.isStartIncluded === right.isStartIncluded && left.isEndIncluded === right.isEndIncluded;
  return hasSameBrackets && pendingItems([left.start, left.end], [right.start, right.end]);
}

function pendingProperties(left: FeelContext, right: FeelContext, run: Run): Pending | false {
  const keys = Object.keys(left);
  const otherCount = Object.keys(right).length;
  run.meter.spend((keys.length + otherCount) * PROPERTY_UNITS);
  if (keys.length !== otherCount || !keys.every((key) => Object.hasOwn(right, key))) return false;
  return pendingItems(valuesOf(left, keys), valuesOf(right, keys));
}

function valuesOf(context: FeelContext, keys: readonly string[]): readonly FeelValue[] {
  return keys.map((key) => propertyOf(context, key) ?? null);
}
