/**
 * Words and signs of JUEL.
 *
 * Source: JSR 245, Expression Language 2.2, 1.19; what an identifier is and which escapes there are, from JUEL 2.2.
 */
import { shown } from '../xml/shown.ts';
import { JuelFault } from './juel-fault.ts';
import type { JuelBinaryOperator } from './juel-tree.ts';

export type JuelSign = JuelBinaryOperator | '!' | 'empty' | '?' | ':' | '.' | ',' | '(' | ')' | '[' | ']';

export type JuelToken = {
  readonly offset: number;
  /** As written. */
  readonly written: string;
} & (
  | { readonly kind: 'sign'; readonly sign: JuelSign }
  /** A name, or one of `true`, `false` and `null`. */
  | { readonly kind: 'word' }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number' }
  /** The brace that closes. */
  | { readonly kind: 'end' }
);

/** Each token becomes a node at most, and the tree is gone through by recursion. */
export const MAX_JUEL_TOKENS = 1_000;

/** Operators that are written as words. */
const signWords: ReadonlyMap<string, JuelSign> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['eq', '=='],
  ['ne', '!='],
  ['lt', '<'],
  ['le', '<='],
  ['gt', '>'],
  ['ge', '>='],
  ['div', '/'],
  ['mod', '%'],
  ['empty', 'empty'],
]);

const signs: ReadonlySet<string> = new Set<JuelSign>([
  ...(['||', '&&', '==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'] as const),
  ...(['!', '?', ':', '.', ',', '(', ')', '[', ']'] as const),
]);

function isSign(text: string): text is JuelSign {
  return signs.has(text);
}

const space = /\s*/y;
const number = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
/** What Java takes for an identifier. */
const word = /[\p{L}\p{Nl}\p{Sc}\p{Pc}][\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Nd}\p{Mn}\p{Mc}]*/uy;
/** Two signs that are one, here or in later versions of the language; else any. */
const anySign = /->|\+=|&&|\|\||==|!=|<=|>=|[^]/uy;

function matchAt(pattern: RegExp, text: string, offset: number): string | null {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? null;
}

/**
 * The tokens of one expression, up to its closing brace.
 * @param open where `${` or `#{` stands
 * @throws JuelFault
 */
export function tokensOf(text: string, open: number): readonly JuelToken[] {
  const tokens: JuelToken[] = [];
  let offset = open + 2;
  while (true) {
    offset += matchAt(space, text, offset)?.length ?? 0;
    if (offset >= text.length) {
      const message = `this expression does not end; close it with }`;
      throw new JuelFault('syntax', message, open);
    }
    const token = tokenAt(text, offset);
    tokens.push(token);
    if (token.kind === 'end') return tokens;
    if (tokens.length > MAX_JUEL_TOKENS) {
      const message = `the expression has more than ${MAX_JUEL_TOKENS} words and signs`;
      throw new JuelFault('size', message, offset);
    }
    offset += token.written.length;
  }
}

function tokenAt(text: string, offset: number): JuelToken {
  const first = text[offset] ?? '';
  if (first === '}') return { kind: 'end', offset, written: first };
  if (first === '"' || first === "'") return stringAt(text, offset, first);
  const digits = matchAt(number, text, offset);
  if (digits !== null) return { kind: 'number', offset, written: digits };
  const written = matchAt(word, text, offset);
  if (written === null) return signAt(text, offset);
  if (written === 'instanceof') {
    const message =
      'JUEL reserves instanceof and has no such operator; write the test in FEEL: x instance of number';
    throw new JuelFault('syntax', message, offset);
  }
  const sign = signWords.get(written);
  return sign === undefined ? { kind: 'word', offset, written } : { kind: 'sign', sign, offset, written };
}

/** Only the quote and the backslash may be escaped. */
function stringAt(text: string, offset: number, quote: string): JuelToken {
  let value = '';
  for (let at = offset + 1; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === quote) return { kind: 'string', value, offset, written: text.slice(offset, at + 1) };
    if (sign !== '\\') {
      value += sign;
      continue;
    }
    at += 1;
    const escaped = text[at] ?? '';
    if (escaped !== '\\' && escaped !== quote) {
      const message = `JUEL knows no escape ${shown(`\\${escaped}`)} in this string; write the sign itself`;
      throw new JuelFault('syntax', message, at - 1);
    }
    value += escaped;
  }
  throw new JuelFault('syntax', `this string does not end; close it with ${quote}`, offset);
}

function signAt(text: string, offset: number): JuelToken {
  const written = matchAt(anySign, text, offset) ?? '';
  if (isSign(written)) return { kind: 'sign', sign: written, offset, written };
  if (written === '=') {
    const message = 'an expression sets no variable; write == to compare, or set it in an output mapping';
    throw new JuelFault('assignment', message, offset);
  }
  if (written === '->') {
    const message =
      'JUEL has no lambdas; write FEEL: for x in list return …, some x in list satisfies …, list[item > 1]';
    throw new JuelFault('lambda', message, offset);
  }
  if (written === '+=') {
    const message = 'JUEL does not join texts with +=; write one expression behind the other: ${a}${b}';
    throw new JuelFault('syntax', message, offset);
  }
  throw new JuelFault('syntax', `unexpected ${shown(written)} in a JUEL expression`, offset);
}
