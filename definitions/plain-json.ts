/**
 * Values as the world outside knows them: JSON text, and JS numbers for those who know no others.
 *
 * P1 A number is written as a JSON number with all its digits (number-literal.ts). A `Temporal` is its ISO text.
 * P2 What holds no `Decimal` is written by the runtime's own `JSON`.
 * P3 Depth is bounded, so that no value exhausts the stack.
 */
import { Decimal } from 'decimal.js';
import { changedEntries, changedList } from './changed-copy.ts';
import { numberLiteral } from './number-literal.ts';
import { tooDeep } from './value-codec.ts';
import { MAX_VALUE_DEPTH, Temporal, type Value } from './value.ts';

/** Also of what is around a value in an answer. */
const MAX_DEPTH = 2 * MAX_VALUE_DEPTH;

type Entries = Readonly<Record<string, unknown>>;

/**
 * Plain data whose leaves are values as JSON, the way `JSON.stringify` writes it.
 * @throws EngineError SUTRA.CODEC.TOO_DEEP
 */
export function toPlainJson(data: unknown): string {
  return holdsDecimal(data, 0) ? written(data) : JSON.stringify(data);
}

/** Visits the whole tree even after a hit, so that `written` may trust its depth. */
function holdsDecimal(node: unknown, depth: number): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (node instanceof Decimal) return true;
  if (depth > MAX_DEPTH) throw tooDeep();
  let isHeld = false;
  if (Array.isArray(node)) {
    for (const item of node as readonly unknown[]) if (holdsDecimal(item, depth + 1)) isHeld = true;
    return isHeld;
  }
  const entries = node as Entries;
  for (const key of Object.keys(entries)) if (holdsDecimal(entries[key], depth + 1)) isHeld = true;
  return isHeld;
}

function written(node: unknown): string {
  if (node instanceof Decimal) return numberLiteral(node);
  if (typeof node !== 'object' || node === null || hasOwnForm(node)) return JSON.stringify(node);
  if (Array.isArray(node)) {
    const items = node.map((item: unknown) => (item === undefined ? 'null' : written(item)));
    return `[${items.join(',')}]`;
  }
  const properties = Object.entries(node).flatMap(([key, item]: [string, unknown]) =>
    item === undefined ? [] : [`${JSON.stringify(key)}:${written(item)}`],
  );
  return `{${properties.join(',')}}`;
}

/** A `Temporal`, or a `Date` of an answer. */
function hasOwnForm(node: object): boolean {
  return 'toJSON' in node && typeof node.toJSON === 'function';
}

/**
 * The value with each `Decimal` as the double next to it, or, beyond the doubles, as the outermost of them: of any two
 * numbers the greater one is never the smaller one then. Not for computing: it is no value (value.ts, V4).
 * @throws EngineError SUTRA.CODEC.TOO_DEEP
 */
export function withDoubles(value: Value): unknown {
  return doubled(value, 0);
}

function doubled(node: unknown, depth: number): unknown {
  if (typeof node !== 'object' || node === null || node instanceof Temporal) return node;
  if (node instanceof Decimal) return nearestDouble(node);
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(node)) return changedList(node as readonly unknown[], depth, doubled);
  return changedEntries(node as Entries, depth, doubled);
}

function nearestDouble(decimal: Decimal): number {
  const sign = decimal.isNegative() ? -1 : 1;
  return sign * Math.min(Math.max(Math.abs(decimal.toNumber()), Number.MIN_VALUE), Number.MAX_VALUE);
}
