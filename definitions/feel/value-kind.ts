/** The kinds of FEEL values, and guards for those that TypeScript cannot tell apart by itself. */
import { Temporal, type TemporalKind } from '../value.ts';
import { isFeelNumber, type FeelNumber } from './number.ts';
import { FeelFunction, FeelRange, type FeelContext, type FeelValue } from './runtime.ts';

export type ValueKind =
  'null' | 'boolean' | 'number' | 'string' | TemporalKind | 'list' | 'context' | 'range' | 'function';

export function kindOf(value: FeelValue): ValueKind {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (isFeelNumber(value)) return 'number';
  if (isList(value)) return 'list';
  if (value instanceof Temporal) return value.kind;
  if (value instanceof FeelRange) return 'range';
  return value instanceof FeelFunction ? 'function' : 'context';
}

export function isList(value: FeelValue): value is readonly FeelValue[] {
  return Array.isArray(value);
}

export function isFeelContext(value: FeelValue): value is FeelContext {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Temporal) &&
    !(value instanceof FeelRange) &&
    !(value instanceof FeelFunction) &&
    !isFeelNumber(value)
  );
}

/** What has no elements. */
export type Scalar = null | boolean | string | FeelNumber | Temporal | FeelFunction;

export function isScalar(value: FeelValue): value is Scalar {
  return (
    value === null ||
    typeof value !== 'object' ||
    isFeelNumber(value) ||
    value instanceof Temporal ||
    value instanceof FeelFunction
  );
}

/** The own property `key`, or undefined. Never a member of the prototype. */
export function propertyOf(context: FeelContext, key: string): FeelValue | undefined {
  return Object.hasOwn(context, key) ? context[key] : undefined;
}
