/**
 * Types: which values are of one, and how a value becomes one of another.
 *
 * T1 Null is of no type but `Null`; inside of a list, a context or a range, and as an argument, it goes with all.
 * T2 A context is of a type when it has all entries of the type, whatever else it has.
 * T3 Of a function the parameters may take more than the type says, and the result be more exactly what it says. Where
 *    nothing is known of a result, it is `Any`.
 * T4 A type may be in itself, as that of a tree is. So types are not gone through by recursion; nor are values, which may
 *    then be as deep as they like.
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

/** A value, or a type, that is yet to be found to be of a type. */
type Pending<Subject> = readonly [subject: Subject, type: FeelType];

/** Null goes with every type (T1). */
function conforms(value: FeelValue, type: FeelType, run: Evaluation): boolean {
  const pending: Pending<FeelValue>[] = [[value, type]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    run.meter.spend(1);
    if (next[0] !== null && !conformsOutside(next[0], next[1], run, pending)) return false;
  }
  return true;
}

/** Whether a value is of a type as far as can be said without what is in it; that is then pending. */
function conformsOutside(
  value: FeelValue,
  type: FeelType,
  run: Evaluation,
  pending: Pending<FeelValue>[],
): boolean {
  switch (type.kind) {
    case 'any':
      return true;
    case 'null':
      return false;
    case 'boolean':
    case 'string':
      return typeof value === type.kind;
    case 'number':
      return isFeelNumber(value);
    case 'list':
      if (!isList(value)) return false;
      if (type.element.kind === 'any') run.meter.spend(value.length);
      else for (const element of value) pending.push([element, type.element]);
      return true;
    case 'range':
      if (!(value instanceof FeelRange)) return false;
      pending.push([value.start, type.element], [value.end, type.element]);
      return true;
    case 'context':
      return hasEntries(value, type.entries, pending);
    case 'function':
      return value instanceof FeelFunction && typesConform(typeOfFunction(value), type, run);
    default:
      return value instanceof Temporal && value.kind === type.kind;
  }
}

function hasEntries(
  value: FeelValue,
  entries: ReadonlyMap<string, FeelType>,
  pending: Pending<FeelValue>[],
): boolean {
  if (!isFeelContext(value)) return false;
  for (const [name, type] of entries) {
    const entry = propertyOf(value, name);
    if (entry === undefined) return false;
    pending.push([entry, type]);
  }
  return true;
}

function typeOfFunction(value: FeelFunction): FunctionType {
  if (value instanceof TypedFunction) return value.type;
  const [signature] = value.signatures;
  return { kind: 'function', parameters: signature?.names.map(() => anyType) ?? [], result: anyType };
}

/** Whether every value of a type is one of the other. Types that are in themselves conform unless something is found (T4). */
function typesConform(type: FeelType, other: FeelType, run: Evaluation): boolean {
  const pending: Pending<FeelType>[] = [[type, other]];
  const seen = new Map<FeelType, Set<FeelType>>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    run.meter.spend(1);
    const [subject, expected] = next;
    const known = seen.get(subject) ?? new Set();
    if (known.has(expected)) continue;
    seen.set(subject, known.add(expected));
    if (!typesConformOutside(subject, expected, pending)) return false;
  }
  return true;
}

function typesConformOutside(type: FeelType, other: FeelType, pending: Pending<FeelType>[]): boolean {
  if (other.kind === 'any' || type.kind === 'null') return true;
  if (type.kind === 'function') return other.kind === 'function' && functionsConform(type, other, pending);
  if (type.kind === 'context') {
    if (other.kind !== 'context') return false;
    for (const [name, entry] of other.entries) {
      const own = type.entries.get(name);
      if (own === undefined) return false;
      pending.push([own, entry]);
    }
    return true;
  }
  if (type.kind === 'list' || type.kind === 'range') {
    if (other.kind !== 'list' && other.kind !== 'range') return false;
    pending.push([type.element, other.element]);
    return other.kind === type.kind;
  }
  return type.kind === other.kind;
}

function functionsConform(type: FunctionType, other: FunctionType, pending: Pending<FeelType>[]): boolean {
  if (type.parameters.length !== other.parameters.length) return false;
  pending.push([type.result, other.result]);
  for (const [index, parameter] of type.parameters.entries()) {
    pending.push([other.parameters[index] ?? anyType, parameter]);
  }
  return true;
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
