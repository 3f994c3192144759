/**
 * The built-in functions: their names, and the few that the engine replaces.
 *
 * B1 `now()` and `today()` read the turn's time, in UTC, never the machine's clock.
 * B2 Functions that build contexts define properties; the library's assign them, which would run the
 *    `__proto__` setter (V3 of `value.ts`).
 */
import { parseDate, toFeel } from 'feelin';
import { ITERATION_FUNCTION, iterate, type IterationBudget } from './iteration.ts';

/** All functions of the library that work. `dateTimeFunctions` are keywords of its grammar besides. */
const WORKING_FUNCTIONS = [
  'number',
  'string',
  'not',
  'substring',
  'string length',
  'upper case',
  'lower case',
  'substring before',
  'substring after',
  'replace',
  'contains',
  'matches',
  'starts with',
  'ends with',
  'split',
  'string join',
  'list contains',
  'list replace',
  'count',
  'min',
  'max',
  'sum',
  'mean',
  'all',
  'any',
  'sublist',
  'append',
  'concatenate',
  'insert before',
  'remove',
  'reverse',
  'index of',
  'union',
  'distinct values',
  'flatten',
  'product',
  'median',
  'stddev',
  'mode',
  'decimal',
  'floor',
  'ceiling',
  'abs',
  'round up',
  'round down',
  'round half up',
  'round half down',
  'modulo',
  'sqrt',
  'log',
  'exp',
  'odd',
  'even',
  'is',
  'before',
  'after',
  'meets',
  'met by',
  'overlaps',
  'includes',
  'day of year',
  'day of week',
  'month of year',
  'week of year',
  'sort',
  'get value',
  'get entries',
  'context',
  'context merge',
  'context put',
  'now',
  'today',
  'date',
  'time',
  'date and time',
  'duration',
  'years and months duration',
] as const;

/** Functions of the FEEL standard that the library names and throws on. */
const MISSING_FUNCTIONS = [
  'overlaps before',
  'overlaps after',
  'finishes',
  'finished by',
  'during',
  'starts',
  'started by',
  'coincides',
] as const;

export const builtinNames: ReadonlySet<string> = new Set(WORKING_FUNCTIONS);
export const missingBuiltinNames: ReadonlySet<string> = new Set(MISSING_FUNCTIONS);

/** What one evaluation may read and spend. Evaluation is synchronous and does not nest. */
export interface Run extends IterationBudget {
  /** The turn's time. */
  nowMs: number;
}

type Entries = Record<string, unknown>;

function isPlain(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A list given as the only argument stands for its elements, as everywhere in FEEL. */
function spread(args: readonly unknown[]): readonly unknown[] {
  return args.length === 1 && Array.isArray(args[0]) ? args[0] : args;
}

/** `context merge`, by defining properties: the library assigns them, which runs a `__proto__` setter. */
function contextMerge(...args: readonly unknown[]): Entries | null {
  const contexts = spread(args);
  if (args.length === 0 || !contexts.every(isPlain)) return null;
  return contexts.reduce<Entries>((merged, context) => ({ ...merged, ...context }), {});
}

/** `context`: a list of `{key, value}` becomes a context; null for a wrong entry or a repeated key. */
function contextOf(...args: readonly unknown[]): Entries | null {
  const entries = spread(args);
  if (args.length === 0) return null;
  const pairs: [string, unknown][] = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    if (!isPlain(entry) || !Object.hasOwn(entry, 'key') || !Object.hasOwn(entry, 'value')) return null;
    const { key, value } = entry;
    if (typeof key !== 'string' || seen.has(key)) return null;
    seen.add(key);
    pairs.push([key, value]);
  }
  return Object.fromEntries(pairs);
}

/**
 * `context put(context, key, value)`, where `key` may be a list of nested keys. Null for a wrong argument,
 * or when a key but the last leads to something other than a context.
 */
function contextPut(context: unknown, keys: unknown, value: unknown, key: unknown): unknown {
  if (!isPlain(context) || value === undefined) return null;
  const given = keys ?? key;
  const path: readonly unknown[] = Array.isArray(given) ? given : [given];
  const [first, ...rest] = path;
  if (typeof first !== 'string') return null;
  if (rest.length === 0) return { ...context, [first]: value };
  const inner = contextPut(Object.hasOwn(context, first) ? context[first] : null, rest, value, undefined);
  return inner === null ? null : { ...context, [first]: inner };
}

/** The library reads a function's parameter names from `$args`. */
function named(fn: (...args: readonly unknown[]) => unknown, parameters: readonly string[]): unknown {
  return Object.assign(fn, { $args: parameters });
}

/** The functions that take the place of the library's own, bound to `run`. */
export function replacedBuiltins(run: Run): Record<string, unknown> {
  return {
    now: named(() => toFeel(new Date(run.nowMs)) as unknown, []),
    today: named(() => parseDate(new Date(run.nowMs).toISOString().slice(0, 10)), []),
    'context merge': named(contextMerge, ['...contexts']),
    'context put': named(contextPut, ['context', 'keys', 'value', 'key']),
    context: named(contextOf, ['...entries']),
    [ITERATION_FUNCTION]: named((start, end) => iterate(run, start, end), ['start', 'end']),
  };
}
