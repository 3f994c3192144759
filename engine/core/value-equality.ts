/** Equality of values, as deep as they are. */
import { equals, isFeelNumber } from '../../definitions/feel/number.ts';
import { isContext, ownProperty, Temporal, type Value } from '../../definitions/value.ts';

export function equalValues(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (isFeelNumber(left) || isFeelNumber(right)) {
    return isFeelNumber(left) && isFeelNumber(right) && equals(left, right);
  }
  if (left instanceof Temporal || right instanceof Temporal) {
    return (
      left instanceof Temporal &&
      right instanceof Temporal &&
      left.kind === right.kind &&
      left.text === right.text
    );
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item: Value, index) => equalValues(item, (right as readonly Value[])[index] ?? null))
    );
  }
  if (left === null || right === null || !isContext(left) || !isContext(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => {
      const other = ownProperty(right, name);
      return other !== undefined && equalValues(left[name] ?? null, other);
    })
  );
}
