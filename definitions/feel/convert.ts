/**
 * Between our values and the library's.
 *
 * C1 A value without `Temporal` inside is handed over as it is, not copied.
 * C2 A `Temporal` that only passes through an expression comes back with the text it had.
 * C3 What comes back is a `Value` (V1): no undefined, NaN, Infinity, -0, function, range or date object.
 */
import {
  FeelDate,
  FeelDateTime,
  FeelDuration,
  FeelFunction,
  FeelRange,
  FeelTime,
  duration,
  parseDate,
  parseDateTime,
  parseTime,
} from 'feelin';
import { MAX_VALUE_DEPTH, Temporal, type Context, type TemporalKind, type Value } from '../value.ts';
import { FeelEvaluationError } from './errors.ts';

/** Results nest at most this deep: more than the JSON reader takes, less than the value codec does. */
export const MAX_RESULT_DEPTH = 256;

const parsers = {
  date: parseDate,
  time: parseTime,
  'date-time': parseDateTime,
  'days-time-duration': duration,
  'years-months-duration': duration,
} satisfies Record<TemporalKind, (text: string) => unknown>;

/** Which `Temporal` a library object was made from (C2). */
const origins = new WeakMap<object, Temporal>();

function temporalToFeel(temporal: Temporal): unknown {
  const parsed: unknown = parsers[temporal.kind](temporal.text);
  if (typeof parsed !== 'object' || parsed === null) {
    throw new FeelEvaluationError(`a variable holds a ${temporal.kind} whose text is not one`);
  }
  origins.set(parsed, temporal);
  return parsed;
}

/**
 * Large values already found to hold nothing that needs conversion. Values are immutable (V1), and several
 * conditions of one turn read the same payload: on a busy machine the walk over 1,000 items took 0.6 ms of
 * CPU, a condition on a payload walked before 9 µs.
 */
const handedOverAsIs = new WeakSet();
const REMEMBER_FROM_NODE_COUNT = 64;
/** A remembered value is not measured again inside a result, so only flat ones are. */
const REMEMBER_TO_DEPTH = 64;

/** Our value as the library takes it. @throws FeelEvaluationError */
export function toFeelValue(value: Value): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (handedOverAsIs.has(value)) return value;
  const walk = { nodeCount: 0, depth: 0 };
  if (!isTakenAsIs(value, walk, 0)) return converted(value);
  if (walk.nodeCount >= REMEMBER_FROM_NODE_COUNT && walk.depth <= REMEMBER_TO_DEPTH)
    handedOverAsIs.add(value);
  return value;
}

/** No `Temporal` inside, and every context a plain object, which is all that the library takes for one. */
function isTakenAsIs(value: Value, walk: { nodeCount: number; depth: number }, depth: number): boolean {
  walk.nodeCount += 1;
  if (depth > walk.depth) walk.depth = depth;
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_VALUE_DEPTH) throw new FeelEvaluationError('a variable is nested too deep');
  if (Array.isArray(value)) {
    for (const item of value as readonly Value[]) if (!isTakenAsIs(item, walk, depth + 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  const context = value as Context;
  for (const key of Object.keys(context)) {
    if (!isTakenAsIs(context[key] ?? null, walk, depth + 1)) return false;
  }
  return true;
}

function converted(value: Value): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Temporal) return temporalToFeel(value);
  if (Array.isArray(value)) return (value as readonly Value[]).map(converted);
  return Object.fromEntries(Object.entries(value as Context).map(([key, item]) => [key, converted(item)]));
}

function temporalFromFeel(value: object): Temporal | null {
  const origin = origins.get(value);
  if (origin !== undefined) return origin;
  if (value instanceof FeelDate) return new Temporal('date', value.iso);
  if (value instanceof FeelTime) return new Temporal('time', value.iso);
  if (value instanceof FeelDateTime) return new Temporal('date-time', value.iso);
  if (!(value instanceof FeelDuration)) return null;
  return new Temporal(value.yearsMonths ? 'years-months-duration' : 'days-time-duration', value.iso);
}

/** The library's result as our value (C3). @throws FeelEvaluationError for a function or a range. */
export function fromFeelValue(value: unknown, depth = 0): Value {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? (value === 0 ? 0 : value) : null;
  if (value === undefined) return null;
  if (typeof value !== 'object') throw new FeelEvaluationError('the result is a function, not a value');
  if (handedOverAsIs.has(value)) return value as Value;
  if (depth >= MAX_RESULT_DEPTH) {
    throw new FeelEvaluationError(`the result is nested deeper than ${MAX_RESULT_DEPTH} levels`);
  }
  if (Array.isArray(value)) return listFromFeel(value as readonly unknown[], depth);
  const temporal = temporalFromFeel(value);
  if (temporal !== null) return temporal;
  if (Object.getPrototypeOf(value) === Object.prototype) {
    return contextFromFeel(value as Readonly<Record<string, unknown>>, depth);
  }
  if (value instanceof FeelRange) throw new FeelEvaluationError('the result is a range, not a value');
  if (value instanceof FeelFunction) throw new FeelEvaluationError('the result is a function, not a value');
  throw new FeelEvaluationError('the result is nothing that a variable can hold');
}

function listFromFeel(list: readonly unknown[], depth: number): readonly Value[] {
  let copy: unknown[] | null = null;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const result = fromFeelValue(item, depth + 1);
    if (!Object.is(result, item)) (copy ??= [...list])[index] = result;
  }
  return (copy ?? list) as readonly Value[];
}

function contextFromFeel(context: Readonly<Record<string, unknown>>, depth: number): Value {
  let changes: [string, Value][] | null = null;
  for (const key of Object.keys(context)) {
    const item = context[key];
    const result = fromFeelValue(item, depth + 1);
    if (!Object.is(result, item)) (changes ??= []).push([key, result]);
  }
  if (changes === null) return context as Readonly<Record<string, Value>>;
  return { ...context, ...Object.fromEntries(changes) } as Readonly<Record<string, Value>>;
}
