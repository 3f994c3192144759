/** How large a value is, so that a model that lets one grow without end fails instead of filling the memory. */
import { Temporal, type Value } from '../../definitions/value.ts';

/**
 * Characters of strings, and two for each value, which is the least that it takes as JSON. Names of properties are not
 * counted: they are as long as their author wrote them. A guess: above the default
 * cap of payloads, and some tens of milliseconds to look at.
 */
export const MAX_VALUE_SIZE = 8 * 1024 * 1024;

/** Stops looking as soon as the value is too large. What is in it twice counts twice, as it does when stored. */
export function isTooLarge(value: Value): boolean {
  if (typeof value === 'string') return value.length > MAX_VALUE_SIZE;
  if (typeof value !== 'object' || value === null) return false;
  let size = 0;
  const pending: Value[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    size += 2;
    if (typeof next === 'string') size += next.length;
    else if (typeof next === 'object' && next !== null && !(next instanceof Temporal)) {
      for (const item of Object.values(next)) pending.push(item);
    }
    if (size > MAX_VALUE_SIZE) return true;
  }
  return false;
}
