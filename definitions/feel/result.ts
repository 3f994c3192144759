/**
 * What an expression gives, as a value that a variable can hold.
 *
 * R1 Nothing is copied: what of it is a variable's stays that variable's.
 * R2 A range and a function are no values. What is in a result is looked at once for each time that it is there, and
 *    paid for.
 */
import { Temporal, type Value } from '../value.ts';
import { characterUnits, type Meter } from './budget.ts';
import { FeelEvaluationError } from './errors.ts';
import { isFeelNumber } from './number.ts';
import { FeelFunction, FeelRange, type FeelContext, type FeelValue } from './runtime.ts';
import { isList } from './value-kind.ts';

/**
 * Units for a value in a result, each time that it is there: it is written and read again as often. A million of them take
 * 0.4 s to write and 1.2 s to read.
 */
const NODE_UNITS = 8;

/** @throws FeelEvaluationError for a function or a range, and for what is nested too deep; TurnBudgetError */
export function toVariableValue(value: FeelValue, meter: Meter): Value {
  check(value, meter, 0);
  // A FeelValue without ranges and functions, all through.
  return value as Value;
}

function check(value: FeelValue, meter: Meter, depth: number): void {
  meter.spend(typeof value === 'string' ? NODE_UNITS + characterUnits(value.length) : NODE_UNITS);
  if (value === null || typeof value !== 'object' || value instanceof Temporal || isFeelNumber(value)) return;
  if (value instanceof FeelFunction) throw new FeelEvaluationError('the result is a function, not a value');
  if (value instanceof FeelRange) throw new FeelEvaluationError('the result is a range, not a value');
  if (depth >= meter.limits.depth) {
    throw new FeelEvaluationError(`the result is nested deeper than ${meter.limits.depth} levels`);
  }
  if (isList(value)) {
    for (const item of value) check(item, meter, depth + 1);
    return;
  }
  const context: FeelContext = value;
  for (const key of Object.keys(context)) check(context[key] ?? null, meter, depth + 1);
}
