/** Types of values, and whether a value has a type. */
import { kindsOf, simple, unionOf, type StaticType } from '../../../definitions/feel/check/static-type.ts';
import { FeelRange, type FeelValue } from '../../../definitions/feel/runtime.ts';
import { isFeelContext, isList, kindOf } from '../../../definitions/feel/value-kind.ts';

/** Exactly what there is. */
export function typeOfValue(value: FeelValue): StaticType {
  if (isList(value)) return { kind: 'list', element: unionOf(value.map(typeOfValue)) };
  if (value instanceof FeelRange) {
    return { kind: 'range', element: unionOf([value.start, value.end].map(typeOfValue)) };
  }
  if (isFeelContext(value)) {
    const entries = new Map(Object.entries(value).map(([key, item]) => [key, typeOfValue(item)]));
    return { kind: 'context', entries, others: 'impossible' };
  }
  const kind = kindOf(value);
  if (kind === 'function') return { kind, signature: null, parameters: [], result: { kind: 'any' } };
  return kind === 'list' || kind === 'context' || kind === 'range' ? { kind: 'any' } : simple(kind);
}

/** Whether a value is what the type says, all that is in it included. */
export function isOf(value: FeelValue, type: StaticType): boolean {
  if (value === null || kindsOf(type) === null) return type.kind !== 'null' || value === null;
  if (type.kind === 'union') return type.members.some((member) => isOf(value, member));
  if (type.kind !== kindOf(value)) return false;
  if (isList(value)) return type.kind === 'list' && value.every((item) => isOf(item, type.element));
  if (value instanceof FeelRange) {
    return type.kind === 'range' && isOf(value.start, type.element) && isOf(value.end, type.element);
  }
  if (!isFeelContext(value) || type.kind !== 'context') return true;
  return Object.entries(value).every(([key, item]) => {
    const entry = type.entries.get(key);
    return entry === undefined ? type.others !== 'impossible' : isOf(item, entry);
  });
}
