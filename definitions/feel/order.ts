/**
 * `<` and `>` of FEEL values.
 *
 * O1 Where two values have an order, exactly one of less, equal and greater holds, and equal is what `=` says.
 * O2 Strings are in the order of their Unicode code points, not of the UTF-16 units that JavaScript compares.
 *
 * Source: DMN 1.5, 10.3.2.13, table 54.
 */
import { Temporal } from '../value.ts';
import { compare, isFeelNumber } from './number.ts';
import type { FeelValue, Run } from './runtime.ts';
import { temporalUnits } from './temporal-units.ts';
import { compareTemporals, type Order } from './temporal/compare.ts';

export type { Order } from './temporal/compare.ts';

/** Units for two values: 100 ns. */
const VALUE_UNITS = 3;
/** Characters that are paid for at once, so that those after a difference cost nothing. */
const BLOCK_LENGTH = 64;
const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/**
 * What `left` is: less than `right` (-1), equal to it or greater. Null: only numbers, strings, dates, times and
 * durations have an order, each among its own kind, and not all of them (temporal/compare.ts).
 */
export function compareValues(left: FeelValue, right: FeelValue, run: Run): Order | null {
  run.meter.spend(VALUE_UNITS);
  if (isFeelNumber(left)) return isFeelNumber(right) ? compare(left, right) : null;
  if (typeof left === 'string') return typeof right === 'string' ? compareTexts(left, right, run) : null;
  if (left instanceof Temporal && right instanceof Temporal) {
    run.meter.spend(temporalUnits(left) + temporalUnits(right));
    return compareTemporals(left, right, run.meter.nowMs);
  }
  return null;
}

/** By code point. */
export function compareTexts(left: string, right: string, run: Run): Order {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    if (at % BLOCK_LENGTH === 0) run.meter.spendCharacters(Math.min(BLOCK_LENGTH, length - at));
    const difference = left.charCodeAt(at) - right.charCodeAt(at);
    if (difference !== 0) {
      return codePointRank(left.charCodeAt(at)) < codePointRank(right.charCodeAt(at)) ? -1 : 1;
    }
  }
  return left.length < right.length ? -1 : left.length > right.length ? 1 : 0;
}

/** Units in the order of the code points that they are, or are a half of: surrogates come after all others. */
function codePointRank(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + AFTER_SURROGATES : unit - (AFTER_SURROGATES - FIRST_SURROGATE);
}
