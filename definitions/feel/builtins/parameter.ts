/**
 * What the parameters of built-in functions take, and how a wrong argument is said.
 *
 * P1 A list of one stands for its element where no list is wanted, and what is no list for the list of it where one is.
 *    Null stands for no list.
 * P2 A warning says what kind of value an argument is, never the value.
 * P3 What a parameter does not say that it takes, `read` refuses, but for null and a list of one.
 *
 * Source: DMN 1.5, 10.3.2.9.4 (implicit conversions); 10.3.4 for which parameters may be left out, and which be null.
 */
import { Temporal } from '../../value.ts';
import { isFeelNumber, type FeelNumber } from '../number.ts';
import { round } from '../number-rounding.ts';
import { FeelFunction, FeelRange, type FeelContext, type FeelValue, type Run } from '../runtime.ts';
import { isFeelContext, isList, kindOf, type ValueKind } from '../value-kind.ts';

/** What is read of an argument that is not of its parameter's kind. */
export const wrong: unique symbol = Symbol('wrong argument');

/** A kind of arguments, and what functions get of them. */
export interface Kind<T> {
  /** As in "must be a number". */
  readonly what: string;
  /** The kinds of values that it takes (P3). Null: all but, perhaps, null. */
  readonly takes: ReadonlySet<ValueKind> | null;
  /** The argument may be left out. */
  readonly isOptional: boolean;
  /** Undefined is an argument that is left out. */
  readonly read: (value: FeelValue | undefined) => T | typeof wrong;
}

export type Parameter<T> = readonly [name: string, kind: Kind<T>];

function scalar<T extends FeelValue>(
  what: string,
  kinds: readonly ValueKind[],
  isOne: (value: FeelValue) => value is T,
): Kind<T> {
  return {
    what,
    takes: new Set(kinds),
    isOptional: false,
    read: (value) => {
      if (value === undefined) return wrong;
      if (isOne(value)) return value;
      const single = isList(value) && value.length === 1 ? value[0] : undefined;
      return single !== undefined && isOne(single) ? single : wrong;
    },
  };
}

const dateKinds = ['date', 'date-time'] as const;
const temporalKinds = [...dateKinds, 'time', 'days-time-duration', 'years-months-duration'] as const;

export const text: Kind<string> = scalar('a string', ['string'], (value) => typeof value === 'string');
export const number: Kind<FeelNumber> = scalar('a number', ['number'], isFeelNumber);
export const truth: Kind<boolean> = scalar('a boolean', ['boolean'], (value) => typeof value === 'boolean');
export const temporal: Kind<Temporal> = scalar(
  'a date, a time or a duration',
  temporalKinds,
  (value) => value instanceof Temporal,
);
export const date: Kind<Temporal> = scalar(
  'a date, or a date and time',
  dateKinds,
  (value): value is Temporal =>
    value instanceof Temporal && (value.kind === 'date' || value.kind === 'date-time'),
);
export const context: Kind<FeelContext> = scalar('a context', ['context'], isFeelContext);
export const callable: Kind<FeelFunction> = scalar(
  'a function',
  ['function'],
  (value) => value instanceof FeelFunction,
);
export const range: Kind<FeelRange> = scalar('a range', ['range'], (value) => value instanceof FeelRange);

export const list: Kind<readonly FeelValue[]> = {
  what: 'a list',
  takes: null,
  isOptional: false,
  read: (value) => {
    if (value === undefined || value === null) return wrong;
    return isList(value) ? value : [value];
  },
};

/** Any value, null too. */
export const any: Kind<FeelValue> = {
  what: 'a value',
  takes: null,
  isOptional: false,
  read: (value) => (value === undefined ? wrong : value),
};

/** May be null. */
export function nullable<T>(kind: Kind<T>): Kind<T | null> {
  return {
    what: `${kind.what} or null`,
    takes: kind.takes,
    isOptional: false,
    read: (value) => (value === undefined || value === null ? null : kind.read(value)),
  };
}

/** May be left out, or null, which is the same. */
export function optional<T>(kind: Kind<T>): Kind<T | null> {
  return { ...nullable(kind), isOptional: true };
}

/** May be left out, which is read as null, but may not be null. */
export function omittable<T>(kind: Kind<T>): Kind<T | null> {
  return {
    what: kind.what,
    takes: kind.takes,
    isOptional: true,
    read: (value) => (value === undefined ? null : kind.read(value)),
  };
}

export function either<A, B>(first: Kind<A>, second: Kind<B>): Kind<A | B> {
  return {
    what: `${first.what} or ${second.what}`,
    takes: first.takes === null || second.takes === null ? null : new Set([...first.takes, ...second.takes]),
    isOptional: false,
    read: (value) => {
      const read = first.read(value);
      return read === wrong ? second.read(value) : read;
    },
  };
}

/** What the function gets of an argument; warns when it is `wrong`. */
export function readArgument<T>(
  functionName: string,
  [name, kind]: Parameter<T>,
  value: FeelValue | undefined,
  run: Run,
): T | typeof wrong {
  const read = kind.read(value);
  if (read === wrong) {
    run.warn('ARGUMENT', `"${name}" of ${functionName}() must be ${kind.what}, and is ${described(value)}`);
  }
  return read;
}

const descriptions: Readonly<Record<ValueKind, string>> = {
  null: 'null',
  boolean: 'a boolean',
  number: 'a number',
  string: 'a string',
  date: 'a date',
  time: 'a time',
  'date-time': 'a date and time',
  'days-time-duration': 'a duration of days and time',
  'years-months-duration': 'a duration of years and months',
  list: 'a list',
  context: 'a context',
  range: 'a range',
  function: 'a function',
};

/** What kind of value it is, as it is said in a warning. */
export function described(value: FeelValue | undefined): string {
  return value === undefined ? 'not given' : descriptions[kindOf(value)];
}

/** Null, and why: an argument is outside of what the function takes. */
export function refuse(run: Run, message: string): null {
  run.warn('ARGUMENT', message);
  return null;
}

/** Null, and why: the result is no number that FEEL can hold. */
export function noNumber(run: Run, message: string): null {
  run.warn('NUMBER', message);
  return null;
}

/** A position or a length, of which a fraction does not count, as in other engines. Null: it is beyond all lists. */
export function wholeNumber(n: FeelNumber): number | null {
  const whole = round(n, 0, 'down');
  return typeof whole === 'number' ? whole : null;
}
