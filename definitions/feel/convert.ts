/**
 * Between our values and the library's.
 *
 * C1 A value without `Temporal` inside is handed over as it is, not copied.
 * C2 A `Temporal` that only passes through an expression comes back with the text it had.
 * C3 What comes back is a `Value` (V1): no undefined, NaN, Infinity, -0, function, range or date object.
 * C4 What is looked at is paid for. A value that is in another twice counts twice: it is small to hold, but a tree
 *    to look at and to store.
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
import { characterUnits, type Meter } from './budget.ts';
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
/** And what was made from a `Temporal`: parsing one takes 10 µs, and both are immutable. */
const parsedTemporals = new WeakMap<Temporal, object>();

function temporalToFeel(temporal: Temporal): unknown {
  const known = parsedTemporals.get(temporal);
  if (known !== undefined) return known;
  const parsed: unknown = parsers[temporal.kind](temporal.text);
  if (typeof parsed !== 'object' || parsed === null) {
    throw new FeelEvaluationError(`a variable holds a ${temporal.kind} whose text is not one`);
  }
  origins.set(parsed, temporal);
  parsedTemporals.set(temporal, parsed);
  return parsed;
}

/**
 * Large values already found to hold nothing that needs conversion. Values are immutable (V1), and several
 * conditions of one turn read the same payload: on a busy machine the walk over 1,000 items took 0.6 ms of
 * CPU, a condition on a payload walked before 9 µs.
 */
const handedOverAsIs = new WeakMap<object, Readonly<Walk>>();
const REMEMBER_FROM_NODE_COUNT = 64;
/** A remembered value is not measured again inside a result, so only flat ones are. */
const REMEMBER_TO_DEPTH = 64;

/** What a walk over a value has found. */
interface Walk {
  nodeCount: number;
  /** What it costs as a result. */
  units: number;
  /** Lists and contexts inside each other. */
  depth: number;
}

/** Units for a node of a result, which is looked at here and by the caller. */
const NODE_UNITS = 1;
/** Units for a node that is made anew. */
const CONVERTED_NODE_UNITS = 10;
/** And for a `Temporal`, whether it was parsed before or not (K1). */
const TEMPORAL_UNITS = 50;

/** Our value as the library takes it. @throws FeelEvaluationError, TurnBudgetError */
export function toFeelValue(value: Value, meter: Meter): unknown {
  if (typeof value !== 'object' || value === null || handedOverAsIs.has(value)) {
    meter.spend(1);
    return value;
  }
  const walk: Walk = { nodeCount: 0, units: 0, depth: 0 };
  if (!isTakenAsIs(value, walk, 0)) return converted(value, meter);
  const isRemembered = walk.nodeCount >= REMEMBER_FROM_NODE_COUNT && walk.depth <= REMEMBER_TO_DEPTH;
  if (isRemembered) handedOverAsIs.set(value, walk);
  // Costs the same the next time, when it is remembered.
  meter.spend(isRemembered ? 1 : walk.nodeCount);
  return value;
}

/** No `Temporal` inside, and every context a plain object, which is all that the library takes for one. */
function isTakenAsIs(value: Value, walk: Walk, depth: number): boolean {
  walk.nodeCount += 1;
  walk.units += unitsOf(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > MAX_VALUE_DEPTH) throw new FeelEvaluationError('a variable is nested too deep');
  if (depth >= walk.depth) walk.depth = depth + 1;
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

/** What a node of a result costs, without what is in it. */
function unitsOf(value: unknown): number {
  return typeof value === 'string' ? NODE_UNITS + characterUnits(value.length) : NODE_UNITS;
}

function converted(value: Value, meter: Meter): unknown {
  meter.spend(CONVERTED_NODE_UNITS);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Temporal) {
    meter.spend(TEMPORAL_UNITS);
    return temporalToFeel(value);
  }
  if (Array.isArray(value)) return (value as readonly Value[]).map((item) => converted(item, meter));
  return Object.fromEntries(
    Object.entries(value as Context).map(([key, item]) => [key, converted(item, meter)]),
  );
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

/** The library's result as our value (C3). @throws FeelEvaluationError for a function or a range, TurnBudgetError */
export function fromFeelValue(value: unknown, meter: Meter, depth = 0): Value {
  const remembered = typeof value === 'object' && value !== null ? handedOverAsIs.get(value) : undefined;
  if (remembered !== undefined && depth + remembered.depth <= MAX_RESULT_DEPTH) {
    meter.spend(remembered.units);
    return value as Value;
  }
  meter.spend(unitsOf(value));
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? (value === 0 ? 0 : value) : null;
  if (value === undefined) return null;
  if (typeof value !== 'object') throw new FeelEvaluationError('the result is a function, not a value');
  if (depth >= MAX_RESULT_DEPTH) {
    throw new FeelEvaluationError(`the result is nested deeper than ${MAX_RESULT_DEPTH} levels`);
  }
  if (Array.isArray(value)) return listFromFeel(value as readonly unknown[], meter, depth);
  const temporal = temporalFromFeel(value);
  if (temporal !== null) return temporal;
  if (Object.getPrototypeOf(value) === Object.prototype) {
    return contextFromFeel(value as Readonly<Record<string, unknown>>, meter, depth);
  }
  if (value instanceof FeelRange) throw new FeelEvaluationError('the result is a range, not a value');
  if (value instanceof FeelFunction) throw new FeelEvaluationError('the result is a function, not a value');
  throw new FeelEvaluationError('the result is nothing that a variable can hold');
}

function listFromFeel(list: readonly unknown[], meter: Meter, depth: number): readonly Value[] {
  let copy: unknown[] | null = null;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const result = fromFeelValue(item, meter, depth + 1);
    if (!Object.is(result, item)) (copy ??= [...list])[index] = result;
  }
  return (copy ?? list) as readonly Value[];
}

function contextFromFeel(context: Readonly<Record<string, unknown>>, meter: Meter, depth: number): Value {
  let changes: [string, Value][] | null = null;
  for (const key of Object.keys(context)) {
    const item = context[key];
    const result = fromFeelValue(item, meter, depth + 1);
    if (!Object.is(result, item)) (changes ??= []).push([key, result]);
  }
  if (changes === null) return context as Readonly<Record<string, Value>>;
  return { ...context, ...Object.fromEntries(changes) } as Readonly<Record<string, Value>>;
}
