/**
 * The built-in functions: their names, and those that the engine replaces.
 *
 * B1 `now()` and `today()` read the turn's time, in UTC, never the machine's clock.
 * B2 Functions that build contexts define properties; the library's assign them, which would run the
 *    `__proto__` setter (V3 of `value.ts`).
 * B3 Patterns are matched in linear time (regular-expression.ts); the library's are those of JavaScript.
 */
import { parseDate, toFeel } from 'feelin';
import type { Meter } from './budget.ts';
import { isEntries, payForProperties, type Entries } from './metering.ts';
import type { RegularExpression, RegularExpressions } from './regular-expression.ts';

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

/** A list given as the only argument stands for its elements, as everywhere in FEEL. */
function spread(args: readonly unknown[]): readonly unknown[] {
  return args.length === 1 && Array.isArray(args[0]) ? args[0] : args;
}

/** `context merge`, by defining properties: the library assigns them, which runs a `__proto__` setter. */
function contextMerge(meter: Meter, args: readonly unknown[]): Entries | null {
  const contexts = spread(args);
  if (args.length === 0 || !contexts.every(isEntries)) return null;
  const merged = new Map<string, unknown>();
  for (const context of contexts) {
    payForProperties(meter, context);
    for (const [key, value] of Object.entries(context)) merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/** `context`: a list of `{key, value}` becomes a context; null for a wrong entry or a repeated key. */
function contextOf(meter: Meter, args: readonly unknown[]): Entries | null {
  const entries = spread(args);
  if (args.length === 0) return null;
  meter.spend(entries.length);
  const pairs: [string, unknown][] = [];
  const seen = new Set<string>();
  for (const entry of entries) {
    if (!isEntries(entry) || !Object.hasOwn(entry, 'key') || !Object.hasOwn(entry, 'value')) return null;
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
function contextPut(meter: Meter, context: unknown, path: readonly unknown[], value: unknown): unknown {
  if (!isEntries(context) || value === undefined) return null;
  payForProperties(meter, context);
  const [first, ...rest] = path;
  if (typeof first !== 'string') return null;
  if (rest.length === 0) return { ...context, [first]: value };
  const inner = contextPut(meter, Object.hasOwn(context, first) ? context[first] : null, rest, value);
  return inner === null ? null : { ...context, [first]: inner };
}

/** A list of one text stands for the text, as everywhere in FEEL. */
function textOf(value: unknown): string | null {
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof single === 'string' ? single : null;
}

/** Calls `use` with the text and the pattern; null when an argument is none. */
function withPattern<Result>(
  meter: Meter,
  patterns: RegularExpressions,
  [input, pattern, flags = null]: readonly unknown[],
  use: (expression: RegularExpression, text: string) => Result,
): Result | null {
  const [text, patternText, flagsText] = [
    textOf(input),
    textOf(pattern),
    flags === null ? '' : textOf(flags),
  ];
  if (text === null || patternText === null || flagsText === null) return null;
  meter.spendCharacters(text.length + patternText.length);
  const expression = patterns.get(patternText, flagsText, meter);
  return expression === null ? null : use(expression, text);
}

/** The last time that was asked for, and what the library makes of it, which takes 60 µs. */
let lastNow: { readonly ms: number; readonly dateTime: unknown } | null = null;

function dateTimeAt(ms: number): unknown {
  if (lastNow?.ms !== ms) lastNow = { ms, dateTime: toFeel(new Date(ms)) as unknown };
  return lastNow.dateTime;
}

/** A function as the library takes one: it reads the names of the parameters from `$args`. */
export type BuiltinFunction = ((...args: readonly unknown[]) => unknown) & {
  readonly $args: readonly string[];
};

export function named(
  fn: (...args: readonly unknown[]) => unknown,
  parameters: readonly string[],
): BuiltinFunction {
  return Object.assign(fn, { $args: parameters });
}

const TODAY_UNITS = 300;

/** The functions that take the place of the library's own. They pay for what they do. */
export function replacedBuiltins(
  meter: Meter,
  patterns: RegularExpressions,
): Readonly<Record<string, BuiltinFunction>> {
  return {
    now: named(() => dateTimeAt(meter.nowMs), []),
    today: named(() => {
      meter.spend(TODAY_UNITS);
      return parseDate(new Date(meter.nowMs).toISOString().slice(0, 10));
    }, []),
    matches: named(
      (...args) => withPattern(meter, patterns, args, (expression, text) => expression.isIn(text, meter)),
      ['input', 'pattern', 'flags'],
    ),
    replace: named(
      (input, pattern, replacement, flags) => {
        const replacementText = textOf(replacement);
        if (replacementText === null) return null;
        meter.spendCharacters(replacementText.length);
        return withPattern(meter, patterns, [input, pattern, flags], (expression, text) =>
          expression.replaceIn(text, replacementText, meter),
        );
      },
      ['input', 'pattern', 'replacement', 'flags'],
    ),
    split: named(
      (string, delimiter) =>
        withPattern(meter, patterns, [string, delimiter], (expression, text) =>
          expression.split(text, meter),
        ),
      ['string', 'delimiter'],
    ),
    'context merge': named((...args) => contextMerge(meter, args), ['...contexts']),
    'context put': named(
      (context, keys, value, key) => {
        const given = keys ?? key;
        return contextPut(meter, context, Array.isArray(given) ? given : [given], value);
      },
      ['context', 'keys', 'value', 'key'],
    ),
    context: named((...args) => contextOf(meter, args), ['...entries']),
  };
}
