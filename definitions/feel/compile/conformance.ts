/**
 * Types: which values are of one, and how a value becomes one of another.
 *
 * T1 Null is of no type but `Null`; inside of a list, a context or a range, and as an argument, it goes with all.
 * T2 A context is of a type when it has all entries of the type, whatever else it has.
 * T3 Of a function the parameters may take more than the type says, and the result be more exactly what it says. Where
 *    nothing is known of a result, it is `Any`.
 *
 * Source: DMN 1.5, 10.3.2.9 (type conformance and conversion), 10.3.2.15, table 61 (instance of). There `list` and `context` alone are no types; here they are those of any list
 * and any context.
 */
import { Temporal, type TemporalKind } from '../../value.ts';
import { isFeelNumber } from '../number.ts';
import { FeelFunction, FeelRange, type FeelValue } from '../runtime.ts';
import { dateTimeOf, timeFrom } from '../temporal/functions.ts';
import { isFeelContext, isList, propertyOf } from '../value-kind.ts';
import type { Evaluation } from './evaluation.ts';

export type FeelType =
  | { readonly kind: 'any' | 'null' | 'boolean' | 'number' | 'string' }
  | { readonly kind: TemporalKind }
  | { readonly kind: 'list' | 'range'; readonly element: FeelType }
  | { readonly kind: 'context'; readonly entries: ReadonlyMap<string, FeelType> }
  | FunctionType;

export interface FunctionType {
  readonly kind: 'function';
  readonly parameters: readonly FeelType[];
  readonly result: FeelType;
}

export const anyType: FeelType = { kind: 'any' };

/** The types that have a name in the standard. */
export const namedTypes: ReadonlyMap<string, FeelType> = new Map<string, FeelType>([
  ['Any', anyType],
  ['Null', { kind: 'null' }],
  ['boolean', { kind: 'boolean' }],
  ['number', { kind: 'number' }],
  ['string', { kind: 'string' }],
  ['date', { kind: 'date' }],
  ['time', { kind: 'time' }],
  ['date and time', { kind: 'date-time' }],
  ['days and time duration', { kind: 'days-time-duration' }],
  ['years and months duration', { kind: 'years-months-duration' }],
  ['list', { kind: 'list', element: anyType }],
  ['range', { kind: 'range', element: anyType }],
  ['context', { kind: 'context', entries: new Map() }],
]);

/** A function that knows the types of its parameters and of its result. */
export class TypedFunction extends FeelFunction {
  readonly type: FunctionType;

  constructor(signatures: FeelFunction['signatures'], type: FunctionType, invoke: FeelFunction['invoke']) {
    super(signatures, invoke);
    this.type = type;
  }
}

/** `value instance of type`. */
export function isInstance(value: FeelValue, type: FeelType, run: Evaluation): boolean {
  return value === null ? type.kind === 'null' : conforms(value, type, run);
}

/** Null goes with every type (T1). */
function conforms(value: FeelValue, type: FeelType, run: Evaluation): boolean {
  run.meter.spend(1);
  if (value === null || type.kind === 'any') return true;
  switch (type.kind) {
    case 'null':
      return false;
    case 'boolean':
    case 'string':
      return typeof value === type.kind;
    case 'number':
      return isFeelNumber(value);
    case 'list':
      return isList(value) && value.every((element) => conforms(element, type.element, run));
    case 'range':
      return (
        value instanceof FeelRange &&
        conforms(value.start, type.element, run) &&
        conforms(value.end, type.element, run)
      );
    case 'context':
      return hasEntries(value, type.entries, run);
    case 'function':
      return value instanceof FeelFunction && typesConform(typeOfFunction(value), type);
    default:
      return value instanceof Temporal && value.kind === type.kind;
  }
}

function hasEntries(value: FeelValue, entries: ReadonlyMap<string, FeelType>, run: Evaluation): boolean {
  if (!isFeelContext(value)) return false;
  for (const [name, type] of entries) {
    const entry = propertyOf(value, name);
    if (entry === undefined || !conforms(entry, type, run)) return false;
  }
  return true;
}

function typeOfFunction(value: FeelFunction): FunctionType {
  if (value instanceof TypedFunction) return value.type;
  const [signature] = value.signatures;
  return { kind: 'function', parameters: signature?.names.map(() => anyType) ?? [], result: anyType };
}

/** Whether every value of a type is one of the other. */
function typesConform(type: FeelType, other: FeelType): boolean {
  if (other.kind === 'any' || type.kind === 'null') return true;
  if (type.kind === 'function') return other.kind === 'function' && functionsConform(type, other);
  if (type.kind === 'context') {
    if (other.kind !== 'context') return false;
    return [...other.entries].every(([name, entry]) => {
      const own = type.entries.get(name);
      return own !== undefined && typesConform(own, entry);
    });
  }
  if (type.kind === 'list' || type.kind === 'range') {
    if (other.kind !== 'list' && other.kind !== 'range') return false;
    return other.kind === type.kind && typesConform(type.element, other.element);
  }
  return type.kind === other.kind;
}

function functionsConform(type: FunctionType, other: FunctionType): boolean {
  if (!typesConform(type.result, other.result)) return false;
  if (type.parameters.length !== other.parameters.length) return false;
  return type.parameters.every((parameter, index) =>
    typesConform(other.parameters[index] ?? anyType, parameter),
  );
}

/**
 * The value as one of the type: as it is, as a list of it, out of the list that it is alone in, or a date as its
 * midnight of UTC. Undefined: none of these. Null is null.
 */
export function coerced(value: FeelValue, type: FeelType, run: Evaluation): FeelValue | undefined {
  if (conforms(value, type, run)) return value;
  if (type.kind === 'list' && !isList(value) && conforms(value, type.element, run)) return [value];
  const only = isList(value) && value.length === 1 ? value[0] : undefined;
  if (only !== undefined && conforms(only, type, run)) return only;
  if (type.kind === 'date-time' && value instanceof Temporal && value.kind === 'date') return midnight(value);
  return undefined;
}

function midnight(date: Temporal): Temporal | undefined {
  const time = timeFrom(date);
  return time === null ? undefined : (dateTimeOf(date, time) ?? undefined);
}
