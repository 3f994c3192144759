/**
 * Whether a value is as expected: an object has the keys that were given and may have others, a list has the same
 * length, all else is equal. A date, time or duration is compared as its ISO text, as JSON has it.
 */
import { equals, isFeelNumber } from '../../definitions/feel/number.ts';
import { isContext, ownProperty, Temporal, type Value } from '../../definitions/value.ts';

/** Null: it is. Else the path of the first difference inside: `.customer.id`, or the empty text for the whole. */
export function differenceIn(expected: Value, found: Value | undefined): string | null {
  if (found === undefined) return '';
  if (found instanceof Temporal) return expected === found.text ? null : '';
  if (Array.isArray(expected)) return differenceInList(expected as readonly Value[], found);
  if (isContext(expected)) return differenceInContext(expected, found);
  if (isFeelNumber(expected)) return isFeelNumber(found) && equals(expected, found) ? null : '';
  return expected === found ? null : '';
}

function differenceInList(expected: readonly Value[], found: Value): string | null {
  if (!Array.isArray(found) || found.length !== expected.length) return '';
  for (const [index, item] of expected.entries()) {
    const inside = differenceIn(item, (found as readonly Value[])[index]);
    if (inside !== null) return `[${String(index + 1)}]${inside}`;
  }
  return null;
}

function differenceInContext(expected: Readonly<Record<string, Value>>, found: Value): string | null {
  if (!isContext(found)) return '';
  for (const [key, item] of Object.entries(expected)) {
    const inside = differenceIn(item, ownProperty(found, key));
    if (inside !== null) return `.${key}${inside}`;
  }
  return null;
}
