/**
 * What expressions compute with, and what a computation is given.
 *
 * R1 A FEEL value is immutable. What variables hold (`Value` of ../value.ts) is used as it is, never copied.
 * R2 A wrong argument or operand gives null and a warning, never an exception; only the budget throws.
 */
import type { Temporal } from '../value.ts';
import type { Meter } from './budget.ts';
import type { FeelNumber } from './number.ts';

export type FeelValue =
  | null
  | boolean
  | string
  | FeelNumber
  | Temporal
  | readonly FeelValue[]
  | FeelRange
  | FeelFunction
  | FeelContext;

/** Own, enumerable properties only; `__proto__` is a key like any other. */
export interface FeelContext {
  readonly [key: string]: FeelValue;
}

/** A range as a value; a bound that is null is open-ended. DMN 1.5 §10.3.2.7. */
export class FeelRange {
  readonly start: FeelValue;
  readonly isStartIncluded: boolean;
  readonly end: FeelValue;
  readonly isEndIncluded: boolean;

  constructor(start: FeelValue, isStartIncluded: boolean, end: FeelValue, isEndIncluded: boolean) {
    this.start = start;
    this.isStartIncluded = isStartIncluded;
    this.end = end;
    this.isEndIncluded = isEndIncluded;
  }
}

/**
 * `args` in the order of the signature that fits; those left out are undefined. `byNames`: that signature, where the
 * arguments are given by name.
 */
export type Invoke = (args: readonly (FeelValue | undefined)[], run: Run, byNames?: Signature) => FeelValue;

/** A function as a value: a built-in, or one that an expression or a decision model defines. */
export class FeelFunction {
  /** The lists of parameter names that it may be called with; positional arguments fit any of the same length. */
  readonly signatures: readonly Signature[];
  readonly invoke: Invoke;

  constructor(signatures: readonly Signature[], invoke: Invoke) {
    this.signatures = signatures;
    this.invoke = invoke;
  }
}

export interface Signature {
  readonly names: readonly string[];
  /** How many must be given. Default: all. */
  readonly least?: number;
  /** The last name takes any number of arguments, as one list. */
  readonly isVariadic?: boolean;
}

/** Of one evaluation. */
export interface Run {
  /** The turn's time, and what the evaluation may still cost. */
  readonly meter: Meter;
  /** Says why a value is null. `from` and `to` are added by the caller that knows the place. */
  warn(code: WarningCode, message: string): void;
}

/** Stable: authors and tools compare them. */
export type WarningCode =
  | 'ARGUMENT' // an argument of a function is of a wrong type or out of its range
  | 'CALL' // what is called is no function, or does not take these arguments
  | 'OPERAND' // an operator does not take these types
  | 'COMPARE' // two values have no order
  | 'NAME' // there is no variable of this name
  | 'PROPERTY' // the value has no such property
  | 'INDEX' // a list has no such element
  | 'CONDITION' // a condition is neither true nor false
  | 'NUMBER'; // a result is no number: division by zero, too large
