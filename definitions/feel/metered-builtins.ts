/** The library's own built-in functions, made to pay for what they go through and for what they make. */
import { evaluate as evaluateFeel } from 'feelin';
import type { Meter } from './budget.ts';
import { builtinNames, named, replacedBuiltins, type BuiltinFunction } from './builtins.ts';
import { isEntries, payForMissing, payForProperties, payForScalar, payForTree } from './metering.ts';
import type { RegularExpressions } from './regular-expression.ts';

/** Keywords of the library's grammar, which cannot be replaced: what they read is short, or refused at its beginning. */
const keywordFunctions: ReadonlySet<string> = new Set([
  'date',
  'time',
  'date and time',
  'duration',
  'years and months duration',
]);

/** Units for an element of a list that is given: most functions look at its type, and copy it. */
const ELEMENT_UNITS = 2;
/** Units for an element of a list that is made: it takes memory. */
const MADE_ELEMENT_UNITS = 3;

/** Units for a character of a text inside a value that is written. */
const WRITTEN_CHARACTER_UNITS = 3;

type Pay = (meter: Meter, args: readonly unknown[]) => void;

/** What a function costs beyond the elements and the characters of its arguments. */
const prices: Readonly<Record<string, Pay>> = {
  string: payForWriting,
  flatten: payForTrees,
  is: payForTrees,
  before: payForTrees,
  after: payForTrees,
  includes: payForTrees,
  'distinct values': payForPairs,
  union: payForPairs,
  // The library makes a list of all characters.
  substring: (meter, [text]) => {
    if (typeof text === 'string') meter.spend(text.length * 2);
  },
  sort: payForSorting,
  median: payForSorting,
  mode: payForSorting,
  'get entries': (meter, [context]) => {
    if (isEntries(context)) payForProperties(meter, context);
  },
  'get value': (meter, [context, key]) => {
    if (isEntries(context) && !(typeof key === 'string' && Object.hasOwn(context, key)))
      payForMissing(meter, context);
  },
};

function payForTrees(meter: Meter, args: readonly unknown[]): void {
  for (const arg of args) payForTree(meter, arg);
}

/** All of the argument is written, texts inside it with escapes. */
function payForWriting(meter: Meter, args: readonly unknown[]): void {
  for (const arg of args) payForTree(meter, arg, WRITTEN_CHARACTER_UNITS);
}

/** Each list and context is compared with all before it, to the leaves. */
function payForPairs(meter: Meter, args: readonly unknown[]): void {
  const before = meter.spentUnits;
  payForTrees(meter, args);
  const treeUnits = meter.spentUnits - before;
  meter.spend(treeUnits * 2);
  let complexCount = 0;
  for (const list of args.length === 1 && Array.isArray(args[0])
    ? [args[0], ...(args[0] as unknown[])]
    : args) {
    if (!Array.isArray(list)) continue;
    for (const item of list) if (typeof item === 'object' && item !== null) complexCount += 1;
  }
  meter.spend((complexCount * treeUnits) / 2);
}

function payForSorting(meter: Meter, args: readonly unknown[]): void {
  const list = args.length === 1 || typeof args[0] === 'object' ? args[0] : args;
  const { length } = Array.isArray(list) ? list : [list];
  meter.spend(length * Math.ceil(Math.log2(length + 1)));
}

/** The elements of a list and its texts, the characters of a text. */
function payForShallow(meter: Meter, value: unknown): void {
  payForScalar(meter, value);
  if (!Array.isArray(value)) return;
  meter.spend(value.length * ELEMENT_UNITS);
  for (const item of value) if (typeof item === 'string') meter.spendCharacters(item.length);
}

/** The library's functions by name, as it gives them when it is asked for one. */
const libraryFunctions = new Map<string, BuiltinFunction | null>();

function libraryFunction(name: string): BuiltinFunction | null {
  let found = libraryFunctions.get(name);
  if (found === undefined) {
    const { value } = evaluateFeel(name);
    found = isBuiltin(value) ? value : null;
    libraryFunctions.set(name, found);
  }
  return found;
}

function isBuiltin(value: unknown): value is BuiltinFunction {
  return typeof value === 'function' && '$args' in value && Array.isArray(value.$args);
}

function metered(meter: Meter, name: string, fn: BuiltinFunction): BuiltinFunction {
  const price = prices[name];
  return named((...args) => {
    meter.spend(1);
    for (const arg of args) payForShallow(meter, arg);
    price?.(meter, args);
    const result = fn(...args);
    if (Array.isArray(result)) meter.spend(result.length * MADE_ELEMENT_UNITS);
    else payForShallow(meter, result);
    return result;
  }, fn.$args);
}

/** The built-in functions of one expression. */
export class Builtins {
  readonly #meter: Meter;
  readonly #replaced: Readonly<Record<string, BuiltinFunction>>;

  constructor(meter: Meter, patterns: RegularExpressions) {
    this.#meter = meter;
    this.#replaced = replacedBuiltins(meter, patterns);
  }

  /** Undefined: there is none, or it is a keyword of the library. */
  get(name: string): BuiltinFunction | undefined {
    if (!builtinNames.has(name) || keywordFunctions.has(name)) return undefined;
    const replaced = Object.hasOwn(this.#replaced, name) ? this.#replaced[name] : undefined;
    if (replaced !== undefined) return replaced;
    const own = libraryFunction(name);
    return own === null ? undefined : metered(this.#meter, name, own);
  }
}
