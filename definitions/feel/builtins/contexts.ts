/**
 * Context functions.
 *
 * C1 Properties are defined, never assigned, and only own ones are read: `__proto__` is a key like any other.
 * C2 Entries keep their order, but for keys that are whole numbers: JavaScript puts those first.
 *
 * Source: DMN 1.5, 10.3.4.11, table 81. That `get value` takes a list of keys is what other engines have.
 */
import type { FeelContext, FeelValue, Run, Signature } from '../runtime.ts';
import { isFeelContext, propertyOf } from '../value-kind.ts';
import { payForProperties } from './cost.ts';
import { custom, itemsOf, signatureOf, unary, variadicSignatureOf, type Builtin } from './define.ts';
import {
  any,
  context,
  described,
  list,
  readArgument,
  refuse,
  text,
  wrong,
  type Parameter,
} from './parameter.ts';

type Arguments = readonly (FeelValue | undefined)[];

const m: Parameter<FeelContext> = ['m', context];
const contextParameter: Parameter<FeelContext> = ['context', context];
const keysParameter: Parameter<readonly FeelValue[]> = ['keys', list];
const keyParameter: Parameter<string> = ['key', text];
const valueParameter: Parameter<FeelValue> = ['value', any];
const withKey: Signature = signatureOf(contextParameter, keyParameter, valueParameter);
const withKeys: Signature = signatureOf(contextParameter, keysParameter, valueParameter);

/** Units to find a property. */
const READ_UNITS = 10;
/** Units for a context that is made, and for each on the path to it. */
const PUT_UNITS = 80;

/** The keys of a path: one, or a list of them. Null, with a warning: they are none. */
function pathOf(name: string, given: FeelValue | undefined, run: Run): readonly string[] | null {
  const key = text.read(given);
  if (key !== wrong) return [key];
  const keys = readArgument(name, keysParameter, given, run);
  if (keys === wrong) return null;
  run.meter.spend(keys.length);
  const path = keys.filter((item) => typeof item === 'string');
  if (path.length === keys.length && path.length > 0) return path;
  return refuse(run, `the keys given to ${name}() must be strings, one at least`);
}

function getValue([given, key]: Arguments, run: Run): FeelValue {
  const start = readArgument('get value', m, given, run);
  if (start === wrong) return null;
  const path = pathOf('get value', key, run);
  if (path === null) return null;
  let value: FeelValue = start;
  for (const name of path) {
    run.meter.spend(READ_UNITS);
    if (!isFeelContext(value)) return null;
    value = propertyOf(value, name) ?? null;
  }
  return value;
}

function getEntries(m: FeelContext, run: Run): FeelValue {
  const keys = Object.keys(m);
  payForProperties(run.meter, keys.length);
  run.meter.makeElements(keys.length * 2);
  return keys.map((key) => ({ key, value: propertyOf(m, key) ?? null }));
}

/** `context(entries)`. Null, with a warning: an entry has no key or no value, or two have the same key. */
function contextOf(entries: readonly FeelValue[], run: Run): FeelValue {
  payForProperties(run.meter, entries.length);
  const properties = new Map<string, FeelValue>();
  for (const entry of entries) {
    if (!isFeelContext(entry)) {
      return refuse(run, `"entries" of context() must be contexts, unlike ${described(entry)}`);
    }
    const [key, value] = [propertyOf(entry, 'key'), propertyOf(entry, 'value')];
    if (typeof key !== 'string' || value === undefined) {
      return refuse(run, '"entries" of context() must have a string "key" and a "value"');
    }
    if (properties.has(key)) return refuse(run, '"entries" of context() must not have the same key twice');
    properties.set(key, value);
  }
  return Object.fromEntries(properties);
}

/** `context put(context, key, value)` and `context put(context, keys, value)`. What is named `key` must be a string. */
function contextPut([given, key, newValue]: Arguments, run: Run, byNames?: Signature): FeelValue {
  const start = readArgument('context put', contextParameter, given, run);
  if (start === wrong) return null;
  if (byNames === withKey && readArgument('context put', keyParameter, key, run) === wrong) return null;
  const path = pathOf('context put', key, run);
  if (path === null) return null;
  const value = readArgument('context put', valueParameter, newValue, run);
  return value === wrong ? null : putInto(start, path, value, run);
}

/** Contexts on the path are copied, the innermost first. Null, with a warning: the path leads through something else. */
function putInto(context: FeelContext, path: readonly string[], value: FeelValue, run: Run): FeelValue {
  const outer: FeelContext[] = [];
  let inner: FeelValue = context;
  for (const key of path) {
    run.meter.spend(PUT_UNITS);
    if (!isFeelContext(inner)) {
      return refuse(run, `"keys" of context put() must lead through contexts, not ${described(inner)}`);
    }
    outer.push(inner);
    inner = propertyOf(inner, key) ?? null;
  }
  let result = value;
  for (let index = path.length - 1; index >= 0; index -= 1) {
    const copied = outer[index] ?? {};
    payForProperties(run.meter, Object.keys(copied).length + 1);
    result = { ...copied, [path[index] ?? '']: result };
  }
  return result;
}

/**
 * `context merge(contexts)`: a later one's value takes the place of an earlier one's. Also `context merge(a, b)`, which
 * other engines take and the standard has not.
 */
function contextMerge(contexts: readonly FeelValue[], run: Run): FeelValue {
  const properties = new Map<string, FeelValue>();
  for (const each of contexts) {
    if (!isFeelContext(each)) {
      return refuse(run, `"contexts" of context merge() must be contexts, unlike ${described(each)}`);
    }
    const keys = Object.keys(each);
    payForProperties(run.meter, keys.length + 1);
    for (const key of keys) properties.set(key, propertyOf(each, key) ?? null);
  }
  payForProperties(run.meter, properties.size);
  return Object.fromEntries(properties);
}

export const contexts: readonly Builtin[] = [
  custom(
    'get value',
    [
      signatureOf(m, keyParameter),
      signatureOf(m, keysParameter),
      signatureOf(contextParameter, keysParameter),
    ],
    getValue,
  ),
  unary('get entries', m, getEntries),
  unary('context', ['entries', list], contextOf),
  custom('context put', [withKey, withKeys], contextPut),
  custom('context merge', [variadicSignatureOf(1, ['contexts', any])], ([given], run) =>
    contextMerge(itemsOf(given), run),
  ),
];
