/**
 * JSON bytes to a value, with nothing lost on the way: the reader for all that comes from outside.
 *
 * J1 Accepted means exact: every number is the one that its literal spells (value.ts, V4), every key occurs once, every
 *    text can be stored (no NUL, no half surrogate pair). Otherwise the fault is named with its path; nothing is
 *    repaired. A `-0` is read as 0, which it equals.
 * J2 The usual body costs one native parse and one pass over its characters. One with long numbers is written anew for
 *    that parse, and searched after it (json-decimals.ts). Only a body that will be refused, or that looks like it, is
 *    read again by `json-faults.ts`.
 * J3 `__proto__` is an own key like any other. Depth is bounded before anything recursive runs.
 */
import { replaceStandIns, withStandIns } from './json-decimals.ts';
import { findJsonFault, type JsonFault, type JsonLimits } from './json-faults.ts';
import { mayBeDecimal, readDoubleLiteral } from './number-literal.ts';

export const defaultJsonLimits: JsonLimits = { maxDepth: 200, numbers: 'all' };

export type ExactJsonResult =
  { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & JsonFault);

/** Strict about UTF-8; a byte order mark at the beginning is passed over. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads one JSON value (RFC 8259) from UTF-8 bytes. The message never shows the payload. */
export function parseExactJson(bytes: Uint8Array, limits: JsonLimits = defaultJsonLimits): ExactJsonResult {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ok: false, code: 'SUTRA.CODEC.TEXT_INVALID', message: 'it is not UTF-8', line: 1, column: 1 };
  }
  return parseExactJsonText(text, limits);
}

/** As `parseExactJson`, for text that is already decoded. */
export function parseExactJsonText(text: string, limits: JsonLimits = defaultJsonLimits): ExactJsonResult {
  const traits = scan(text, limits);
  const { spans } = traits;
  let parsed: unknown;
  try {
    parsed = JSON.parse(spans.length === 0 ? text : withStandIns(text, spans));
  } catch {
    return refused(text, limits);
  }
  if (traits.isSuspect || countKeys(parsed) !== traits.colonCount) {
    const fault = findJsonFault(text, limits);
    if (fault !== null) return { ok: false, ...fault };
  }
  if (spans.length === 0) return { ok: true, value: parsed };
  const replaced = replaceStandIns(parsed);
  return replaced === null ? refused(text, limits) : { ok: true, value: replaced.value };
}

function refused(text: string, limits: JsonLimits): ExactJsonResult {
  const fault = findJsonFault(text, limits);
  if (fault === null) throw new Error('two readers of JSON disagree about what is well-formed');
  return { ok: false, ...fault };
}

interface Traits {
  /** A number that cannot be kept, an escape that may spell NUL or half a pair, or too deep. */
  isSuspect: boolean;
  /** Literals that the runtime's reader may make another number of: where one starts, where it ends, and so on. */
  readonly spans: number[];
  /** Colons outside strings: the number of keys written. */
  colonCount: number;
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const LOWER_E = 0x65;
const LOWER_U = 0x75;

/** Any decimal of up to 15 significant digits is a JS number; with an exponent the range matters. */
const SAFE_LITERAL_LENGTH = 15;

/** One pass over the characters. On text that is no JSON the answer means nothing, and the parse refuses it. */
function scan(text: string, { maxDepth, numbers }: JsonLimits): Traits {
  const traits: Traits = { isSuspect: false, spans: [], colonCount: 0 };
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      at = skipString(text, at, traits);
    } else if (char === COLON) {
      traits.colonCount += 1;
    } else if (char === 0x7b || char === 0x5b) {
      depth += 1;
      if (depth > maxDepth) traits.isSuspect = true;
    } else if (char === 0x7d || char === 0x5d) {
      depth -= 1;
    } else if (char === MINUS || isDigit(char)) {
      const end = endOfNumber(text, at);
      if (!isUsualNumber(text, at, end)) inspectNumber(text, at, end, numbers, traits);
      at = end - 1;
    }
  }
  return traits;
}

/** The offset of the closing quote. */
function skipString(text: string, start: number, traits: Traits): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) return at;
    if (char !== BACKSLASH) continue;
    at += 1;
    if (text.charCodeAt(at) === LOWER_U && isRefusedEscape(text, at + 1)) traits.isSuspect = true;
  }
  return at;
}

/** `\u0000`, or any surrogate: whether it has its other half is for the slow reader to find out. */
function isRefusedEscape(text: string, at: number): boolean {
  const first = text.charCodeAt(at) | 0x20;
  return first === 0x64 || text.startsWith('0000', at);
}

function isDigit(char: number): boolean {
  return char >= ZERO && char <= 0x39;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    // Digits, `.`, `e`, `E`, `+`, `-`: no other character of JSON text can follow a number directly.
    if (!isDigit(char) && char !== 0x2e && (char | 0x20) !== LOWER_E && char !== 0x2b && char !== MINUS)
      break;
  }
  return at;
}

/** Short, without an exponent, and no -0. */
function isUsualNumber(text: string, start: number, end: number): boolean {
  if (end - start > SAFE_LITERAL_LENGTH) return false;
  if (text.charCodeAt(start) === MINUS && text.charCodeAt(start + 1) === ZERO) return false;
  for (let at = start; at < end; at += 1) if ((text.charCodeAt(at) | 0x20) === LOWER_E) return false;
  return true;
}

function inspectNumber(
  text: string,
  start: number,
  end: number,
  numbers: JsonLimits['numbers'],
  traits: Traits,
): void {
  const literal = text.slice(start, end);
  if (numbers === 'doubles' && readDoubleLiteral(literal) === null) traits.isSuspect = true;
  else if (numbers === 'all' ? mayBeDecimal(literal) : Object.is(Number(literal), -0))
    traits.spans.push(start, end);
}

/** Keys kept. Fewer than the colons written: a key occurred twice. Depth is bounded by then, or refused. */
function countKeys(value: unknown): number {
  const pending: unknown[] = [value];
  let count = 0;
  while (pending.length > 0) {
    const node = pending.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (Array.isArray(node)) {
      for (const item of node as readonly unknown[]) if (typeof item === 'object') pending.push(item);
      continue;
    }
    const object = node as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(object)) {
      count += 1;
      const item = object[key];
      if (typeof item === 'object') pending.push(item);
    }
  }
  return count;
}
