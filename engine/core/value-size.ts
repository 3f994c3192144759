/** How large a value is, so that a model that lets one grow without end fails instead of filling the memory. */
import { isFeelNumber } from '../../definitions/feel/number.ts';
import { Temporal, type Context, type Value } from '../../definitions/value.ts';

/**
 * The default cap of payloads, in bytes: what came in as a message can be given on. As JSON its values take
 * `NODE_SIZE` bytes or more, with the names of properties, unless it is a list of little but digits.
 */
export const MAX_VALUE_SIZE = 10 * 1024 * 1024;
/**
 * Of each value, besides the characters of a string and the digits of a long number: its quotes and a comma. Names of properties are not counted: they
 * are as long as their author wrote them. To make, look at and encode 2 million values took 0.15 s.
 */
const NODE_SIZE = 3;

/** Stops looking as soon as the value is too large. What is in it twice counts twice, as it does when stored. */
export function isTooLarge(value: Value): boolean {
  return sizeLeft(value, MAX_VALUE_SIZE) < 0;
}

/** The size of the value, or the largest when it is larger. */
export function sizeOf(value: Value): number {
  return MAX_VALUE_SIZE - Math.max(0, sizeLeft(value, MAX_VALUE_SIZE));
}

/** What is left of `size` after the value; below zero: it is larger. Values nest a few hundred deep at most. */
function sizeLeft(value: Value, size: number): number {
  let left = size - NODE_SIZE;
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null || value instanceof Temporal) return left;
  if (isFeelNumber(value)) return left - value.precision();
  if (Array.isArray(value)) {
    for (const item of value as readonly Value[]) {
      left = sizeLeft(item, left);
      if (left < 0) return left;
    }
    return left;
  }
  const context = value as Context;
  for (const key of Object.keys(context)) {
    left = sizeLeft(context[key] ?? null, left);
    if (left < 0) return left;
  }
  return left;
}
