/** What every value that an expression gives must be (definitions/value.ts). */
import { canonical, isFeelNumber } from '../../../definitions/feel/number.ts';
import { fromText, toText } from '../../../definitions/feel/number-text.ts';
import { temporalFromText } from '../../../definitions/feel/temporal/functions.ts';
import { Temporal } from '../../../definitions/value.ts';

/** A sentence on what is wrong with a value; null: nothing. */
export function faultOfValue(root: unknown): string | null {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (value === null || typeof value === 'boolean' || typeof value === 'string') continue;
    if (isFeelNumber(value)) {
      const fault = faultOfNumber(value);
      if (fault !== null) return fault;
    } else if (value instanceof Temporal) {
      const again = temporalFromText(value.text);
      if (again?.kind !== value.kind || again.text !== value.text)
        return `${value.kind} ${value.text} is not canonical`;
    } else if (typeof value !== 'object') {
      return `a value is of the type ${typeof value}`;
    } else if (Array.isArray(value)) {
      if (Object.keys(value).length !== value.length) return 'a list has holes, or other properties';
      for (const item of value as readonly unknown[]) pending.push(item);
    } else {
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return 'a context has a prototype of its own';
      if (Reflect.ownKeys(value).length !== Object.keys(value).length)
        return 'a context has hidden properties';
      for (const item of Object.values(value)) pending.push(item);
    }
  }
  return null;
}

function faultOfNumber(value: Parameters<typeof toText>[0]): string | null {
  if (typeof value === 'number') {
    const isCanonical = canonical(value) === value && !Object.is(value, -0);
    return isCanonical ? null : `${value} is not canonical`;
  }
  const text = toText(value);
  const again = fromText(text);
  if (again === null || typeof again === 'number' || !again.equals(value))
    return `the Decimal ${text} is not canonical`;
  return null;
}
