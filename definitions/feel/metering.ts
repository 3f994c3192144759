/**
 * Functions that are put around parts of an expression before the library runs it, so that what those parts do is
 * paid for (budget.ts). Each gives back what it was given, except that a range to be iterated becomes a list.
 */
import { FeelDate, FeelDateTime, FeelDuration, FeelFunction, FeelTime } from 'feelin';
import type { Meter } from './budget.ts';
import { FeelEvaluationError } from './errors.ts';
import { iterate } from './iteration.ts';

/** The names under which expressions call them; no variable may have one. */
export const meteringNames = {
  /** `(units, list)` or `(units, start, end)`: what is gone through, and what one element costs. */
  iterated: 'iterated__',
  /** The same of a filter, which also sees the properties of each element as variables. */
  filtered: 'filtered__',
  /** `(units)`: one call of a function that the expression defines. True. */
  called: 'called__',
  /** `(name, value)`: a value whose property is read, or that of each of its elements. */
  read: 'read__',
  /** `(value)`: a value that is looked at as a whole: a text, a date, a number. */
  sized: 'sized__',
  /** `(value)`: a value that is looked at to the leaves. */
  walked: 'walked__',
} as const;

const reservedNames = Object.values(meteringNames);

/** A property that is not there is looked for under other spellings: units for each that is. */
const MISSING_PROPERTY_UNITS = 25;
/** Units for the property of an element: a list is made of them. */
const READ_UNITS = 4;
/** Units for a property that is copied; those of a context with many are slow to copy. */
const PROPERTY_UNITS = 1;
const MANY_PROPERTIES = 64;
const PROPERTY_OF_MANY_UNITS = 40;

/** Units for a date, time or duration that is added to, compared or taken apart: the library's are slow. */
const TEMPORAL_UNITS = 400;

export type Entries = Record<string, unknown>;

/** A context, as the library knows one. */
export function isEntries(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export function meteringFunctions(meter: Meter): Record<string, FeelFunction> {
  return {
    [meteringNames.iterated]: new FeelFunction(
      (units: number, start: unknown, end: unknown) => iterate(meter, units, start, end),
      ['units', 'start', 'end'],
    ),
    [meteringNames.filtered]: new FeelFunction(
      (units: number, target: unknown) => payForFilter(meter, units, target),
      ['units', 'target'],
    ),
    [meteringNames.called]: new FeelFunction(
      (units: number) => {
        meter.spend(units);
        return true;
      },
      ['units'],
    ),
    [meteringNames.read]: new FeelFunction(
      (name: string, value: unknown) => payForRead(meter, name, value),
      ['name', 'value'],
    ),
    [meteringNames.sized]: new FeelFunction(
      (value: unknown) => {
        payForScalar(meter, value);
        return value;
      },
      ['value'],
    ),
    [meteringNames.walked]: new FeelFunction((value: unknown) => payForTree(meter, value), ['value']),
  };
}

/** Pays for a text or a date that is looked at; all else costs nothing. */
export function payForScalar(meter: Meter, value: unknown): void {
  if (typeof value === 'string') meter.spendCharacters(value.length);
  else if (typeof value === 'object' && isTemporal(value)) meter.spend(TEMPORAL_UNITS);
}

function isTemporal(value: unknown): boolean {
  return (
    value instanceof FeelDateTime ||
    value instanceof FeelDuration ||
    value instanceof FeelDate ||
    value instanceof FeelTime
  );
}

/** The properties of an element hide everything of the same name, the functions here included. */
function payForFilter(meter: Meter, units: number, target: unknown): unknown {
  const list = iterate(meter, units, target, undefined);
  for (const item of Array.isArray(list) ? (list as readonly unknown[]) : [list]) {
    if (!isEntries(item)) continue;
    payForProperties(meter, item);
    const hidden = reservedNames.find((name) => Object.hasOwn(item, name));
    if (hidden !== undefined) throw new FeelEvaluationError(`an element has a property named ${hidden}`);
  }
  return list;
}

/** Pays for a copy of the properties of a context. */
export function payForProperties(meter: Meter, context: Entries): void {
  const { length } = Object.keys(context);
  meter.spend(length * (length < MANY_PROPERTIES ? PROPERTY_UNITS : PROPERTY_OF_MANY_UNITS));
}

function payForRead(meter: Meter, name: string, value: unknown): unknown {
  if (typeof value === 'string') meter.spendCharacters(value.length);
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    meter.spend(READ_UNITS);
    if (isEntries(item) && !Object.hasOwn(item, name)) payForMissing(meter, item);
  }
  return value;
}

/** A property is looked for that the context does not have under that very name. */
export function payForMissing(meter: Meter, context: Entries): void {
  meter.spend(Object.keys(context).length * MISSING_PROPERTY_UNITS);
}

/** Pays for all that is in a value; what is in it twice counts twice, as it is looked at twice. */
export function payForTree(meter: Meter, value: unknown, unitsPerCharacter = 0): unknown {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      meter.spendCharacters(next.length);
      meter.spend(next.length * unitsPerCharacter);
    } else if (typeof next === 'object' && next !== null) {
      const items = itemsOf(next);
      meter.spend(1 + (items?.length ?? TEMPORAL_UNITS));
      for (const item of items ?? []) pending.push(item);
    }
  }
  return value;
}

/** What is in a list or a context; null: it is neither, most likely a date. */
function itemsOf(value: object): readonly unknown[] | null {
  if (Array.isArray(value)) return value as readonly unknown[];
  return isEntries(value) ? Object.values(value) : null;
}
