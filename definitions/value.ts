/**
 * The values that process variables hold and FEEL computes with.
 *
 * V1 A value is immutable data: `null`, boolean, number, string, `Temporal`, list or context.
 * V2 A value survives `decodeValue(JSON.parse(encodeValue(v)))` unchanged, types included.
 * V3 No operation here reads or writes a prototype: `__proto__` is a key like any other.
 * V4 Numbers are canonical (feel/number.ts, N1): a `Decimal` is a number that no JS number may stand for.
 */
import { isFeelNumber, type FeelNumber } from './feel/number.ts';

export type TemporalKind = 'date' | 'time' | 'date-time' | 'days-time-duration' | 'years-months-duration';

/**
 * A FEEL date, time or duration as its ISO-8601 text (`2026-03-01`, `10:00:00Z`, `PT5M`).
 *
 * Kept as text because a library's date object is neither plain data nor safe to freeze; `feel.ts`
 * converts at the moment of evaluation.
 */
export class Temporal {
  readonly kind: TemporalKind;
  readonly text: string;

  constructor(kind: TemporalKind, text: string) {
    this.kind = kind;
    this.text = text;
    Object.freeze(this);
  }

  /** What the outside sees in JSON: the ISO text. Snapshots use `encodeValue`, which keeps the kind. */
  toJSON(): string {
    return this.text;
  }
}

export type Value = null | boolean | FeelNumber | string | Temporal | readonly Value[] | Context;

/** A FEEL context: string keys to values. Always own, enumerable properties. */
export interface Context {
  readonly [key: string]: Value;
}

export function isContext(value: Value | undefined): value is Context {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Temporal) &&
    !isFeelNumber(value)
  );
}

/** The own property `key`, or `undefined`. Never a member of the prototype (V3). */
export function ownProperty(context: Context, key: string): Value | undefined {
  return Object.hasOwn(context, key) ? context[key] : undefined;
}

/** A copy of `base` with the properties of `patch` on top. Spread defines, so V3 holds. */
export function mergeContext(base: Context, patch: Context): Context {
  return { ...base, ...patch };
}

/** Values nest at most this deep; readers and results stay far below, so only a bug or a loop gets here. */
export const MAX_VALUE_DEPTH = 1_000;
