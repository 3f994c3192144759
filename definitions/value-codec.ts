/**
 * Values as JSON text with their types: the form that is stored. For the outside: plain-json.ts.
 *
 * E1 `decodeValue(JSON.parse(encodeValue(v)))` deep-equals `v` (V2), `Temporal` kinds included.
 * E2 Every key is plain data: `__proto__` stays an own key, a context may own the key `$temporal`.
 * E3 Depth is bounded, so that no value exhausts the stack.
 * E4 What comes out is canonical (value.ts, V4), also when another version stored a double that is not.
 *
 * A `Temporal` is `{"$temporal":"date","text":"2026-03-01"}`, a `Decimal` is `{"$temporal":"number","text":"…"}`. A
 * context that owns the key `$temporal` is wrapped as `{"$temporal":"context","entries":{…}}`. All else is JSON as it
 * is, which is the fast path: no copy, only the runtime's own `JSON`.
 */
import { Decimal } from 'decimal.js';
import { EngineError } from '../config/engine-error.ts';
import { changedEntries, changedList } from './changed-copy.ts';
import { canonical } from './feel/number.ts';
import { numberLiteral, readNumberLiteral } from './number-literal.ts';
import { MAX_VALUE_DEPTH, Temporal, type TemporalKind, type Value } from './value.ts';

const TAG = '$temporal';
const WRAPPED_CONTEXT = 'context';
const NUMBER = 'number';

const temporalKinds: ReadonlySet<string> = new Set([
  'date',
  'time',
  'date-time',
  'days-time-duration',
  'years-months-duration',
] satisfies TemporalKind[]);

/** A value as JSON text with its types. @throws EngineError SUTRA.CODEC.TOO_DEEP */
export function encodeValue(value: Value): string {
  return stringifyWithValues(value);
}

/** The value of what `JSON.parse` made of `encodeValue`'s text. @throws EngineError SUTRA.CODEC.JSON_INVALID */
export function decodeValue(parsed: unknown): Value {
  return untag(parsed, 0) as Value;
}

/**
 * Plain data whose leaves are values (a snapshot) as JSON text, in one pass. Properties that are
 * undefined are left out, as `JSON.stringify` does.
 */
export function stringifyWithValues(object: unknown): string {
  return JSON.stringify(needsTags(object, 0) ? tag(object) : object);
}

/**
 * A number that may be a double with more than 15 digits, or out of the range of canonical JS numbers: such were stored
 * before there were `Decimal`s. In a text within the JSON the same only costs a walk.
 */
const LONG_NUMBER = /(?:^|[:,[]) ?-?(?:[\d.]{16}|[\d.]+e[+-]3)/;

/** The inverse of `stringifyWithValues`. @throws SyntaxError when `text` is not JSON. */
export function parseWithValues(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  // Our own text spells the key in one way only; text inside a string shows the same and costs a walk.
  return text.includes('"$temporal"') || LONG_NUMBER.test(text) ? untag(parsed, 0) : parsed;
}

export function tooDeep(): EngineError {
  const message = `A value is nested deeper than ${MAX_VALUE_DEPTH} levels.`;
  return new EngineError('SUTRA.CODEC.TOO_DEEP', message, { attributes: { limit: MAX_VALUE_DEPTH } });
}

function invalid(message: string): EngineError {
  return new EngineError('SUTRA.CODEC.JSON_INVALID', message);
}

type Entries = Readonly<Record<string, unknown>>;

/** Visits the whole tree even after a hit, so that `tag` may trust its depth. */
function needsTags(node: unknown, depth: number): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (depth > MAX_VALUE_DEPTH) throw tooDeep();
  if (node instanceof Temporal || node instanceof Decimal) return true;
  let isNeeded = false;
  if (Array.isArray(node)) {
    for (const item of node as readonly unknown[]) if (needsTags(item, depth + 1)) isNeeded = true;
    return isNeeded;
  }
  const entries = node as Entries;
  for (const key of Object.keys(entries)) {
    if (key === TAG || needsTags(entries[key], depth + 1)) isNeeded = true;
  }
  return isNeeded;
}

function tag(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (node instanceof Temporal) return { [TAG]: node.kind, text: node.text };
  if (node instanceof Decimal) return { [TAG]: NUMBER, text: numberLiteral(node) };
  if (Array.isArray(node)) return node.map(tag);
  const entries = Object.fromEntries(Object.entries(node).map(([key, item]) => [key, tag(item)]));
  return Object.hasOwn(node, TAG) ? { [TAG]: WRAPPED_CONTEXT, entries } : entries;
}

/** Copies only what lies above a tag, or above a number that is not canonical. */
function untag(node: unknown, depth: number): unknown {
  if (typeof node === 'number') return Number.isSafeInteger(node) ? node : canonical(node);
  if (typeof node !== 'object' || node === null) return node;
  // A wrapped context takes two levels of JSON for one of value.
  if (depth > MAX_VALUE_DEPTH * 2 + 2) throw tooDeep();
  if (Array.isArray(node)) return changedList(node as readonly unknown[], depth, untag);
  const object = node as Entries;
  if (!Object.hasOwn(object, TAG)) return changedEntries(object, depth, untag);
  const { [TAG]: kind, text, entries } = object;
  if (
    kind === WRAPPED_CONTEXT &&
    typeof entries === 'object' &&
    entries !== null &&
    !Array.isArray(entries)
  ) {
    return changedEntries(entries as Entries, depth + 1, untag);
  }
  return typeof kind === 'string' && typeof text === 'string' ? leafOf(kind, text) : unknownTag();
}

function leafOf(kind: string, text: string): unknown {
  if (kind === NUMBER) return readNumberLiteral(text) ?? unknownTag();
  return temporalKinds.has(kind) ? new Temporal(kind as TemporalKind, text) : unknownTag();
}

function unknownTag(): never {
  throw invalid('A stored value carries a $temporal tag that this version does not know.');
}
