/**
 * Numbers that the runtime's own reader of JSON would round, put where it has read them: it is given their literals as
 * texts that are like no other, and what it makes is searched for these.
 *
 * P1 A stand-in is the literal as a text after a NUL. No text that is taken holds a NUL (exact-json.ts, J1), so whoever
 *    uses this refuses such texts first. A stand-in that becomes a key shows that the text as it came was no JSON.
 * P2 What is made on the way is gone before all is done: a body may hold a million of such literals.
 * P3 The value is searched on the heap, not on the stack: how deep it is does not matter here.
 */
import type { FeelNumber } from './feel/number.ts';
import { readNumberLiteral } from './number-literal.ts';

const NUL = 0;
/** Pieces of text that are joined at once. */
const CHUNK_LENGTH = 4_096;

/** The text with stand-ins. @param spans of the literals, in their order: where one starts, where it ends, and so on */
export function withStandIns(text: string, spans: readonly number[]): string {
  const chunks: string[] = [];
  let pieces: string[] = [];
  let at = 0;
  for (let index = 0; index < spans.length; index += 2) {
    const start = spans[index] ?? 0;
    const end = spans[index + 1] ?? 0;
    pieces.push(text.slice(at, start), '"\\u0000', text.slice(start, end), '"');
    at = end;
    if (pieces.length < CHUNK_LENGTH) continue;
    chunks.push(pieces.join(''));
    pieces = [];
  }
  return `${chunks.join('')}${pieces.join('')}${text.slice(at)}`;
}

/**
 * What `JSON.parse` made of a text with stand-ins, with the numbers in their places; it is changed, not copied.
 * Null: a number does not fit, or a stand-in is a key.
 */
export function replaceStandIns(parsed: unknown): { readonly value: unknown } | null {
  const whole = { value: parsed };
  const pending: object[] = [whole];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const isDone = Array.isArray(node) ? replaceInList(node, pending) : replaceInObject(node, pending);
    if (!isDone) return null;
  }
  return whole;
}

function replaceInList(list: unknown[], pending: object[]): boolean {
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    if (typeof item === 'object' && item !== null) pending.push(item);
    if (!isStandIn(item)) continue;
    const number = numberOf(item);
    if (number === null) return false;
    list[index] = number;
  }
  return true;
}

function replaceInObject(object: object, pending: object[]): boolean {
  const entries = object as Record<string, unknown>;
  for (const key of Object.keys(entries)) {
    if (key.charCodeAt(0) === NUL) return false;
    const item = entries[key];
    if (typeof item === 'object' && item !== null) pending.push(item);
    if (!isStandIn(item)) continue;
    const number = numberOf(item);
    if (number === null) return false;
    // The property is its own, even `__proto__`, so that no setter runs.
    entries[key] = number;
  }
  return true;
}

function isStandIn(item: unknown): item is string {
  return typeof item === 'string' && item.charCodeAt(0) === NUL;
}

function numberOf(standIn: string): FeelNumber | null {
  return readNumberLiteral(standIn.slice(1));
}
