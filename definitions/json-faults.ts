/**
 * The slow, explaining reader of JSON: where a text is no JSON, or says what we cannot keep exactly.
 *
 * It accepts exactly what `JSON.parse` accepts, less what `exact-json.ts` J1 refuses. It is needed because
 * the runtime's own messages quote the payload and name no path.
 */
import { readDoubleLiteral, readNumberLiteral } from './number-literal.ts';

export interface JsonFault {
  readonly code:
    | 'SUTRA.CODEC.JSON_INVALID'
    | 'SUTRA.CODEC.KEY_DUPLICATE'
    | 'SUTRA.CODEC.NUMBER_INEXACT'
    | 'SUTRA.CODEC.TEXT_INVALID'
    | 'SUTRA.CODEC.TOO_DEEP';
  /** One clause for the end of a sentence: what is wrong, with the path and the position. */
  readonly message: string;
  /** Both from 1; columns count UTF-16 units. */
  readonly line: number;
  readonly column: number;
}

export interface JsonLimits {
  /** How deep lists and objects may nest. */
  readonly maxDepth: number;
  /** `doubles`: those that no double keeps are refused, because whoever is given the value knows no others. */
  readonly numbers: keyof typeof numberReaders;
}

/** Null: the literal is refused. */
export const numberReaders = { all: readNumberLiteral, doubles: readDoubleLiteral } as const;

/** The first fault of `text`, or null. */
export function findJsonFault(text: string, limits: JsonLimits): JsonFault | null {
  try {
    new Reader(text, limits).readDocument();
    return null;
  } catch (error) {
    if (error instanceof Found) return error.fault;
    throw error;
  }
}

class Found extends Error {
  readonly fault: JsonFault;

  constructor(fault: JsonFault) {
    super(fault.message);
    this.fault = fault;
  }
}

const WHITESPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Keys are shown cut, so that a path stays one line. */
const SHOWN_KEY_LENGTH = 60;

class Reader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  readDocument(): void {
    this.#readValue();
    this.#skipWhitespace();
    if (this.#at < this.#text.length) throw this.#unexpected('the end');
  }

  #readValue(): void {
    this.#skipWhitespace();
    const char = this.#text[this.#at];
    if (char === '{') this.#readObject();
    else if (char === '[') this.#readList();
    else if (char === '"') this.#readString('value');
    else if (!this.#take(LITERAL)) this.#readNumber();
  }

  #readObject(): void {
    this.#open();
    const keys = new Set<string>();
    for (let isFirst = true; !this.#close('}', isFirst); isFirst = false) {
      if (this.#text[this.#at] !== '"') throw this.#unexpected('a key in double quotes');
      const keyAt = this.#at;
      const key = this.#readString('key');
      this.#path.push(key);
      if (keys.has(key))
        throw this.#fault('SUTRA.CODEC.KEY_DUPLICATE', `the key ${this.#shownPath()} occurs twice`, keyAt);
      keys.add(key);
      this.#skipWhitespace();
      if (this.#text[this.#at] !== ':') throw this.#unexpected('":"');
      this.#at += 1;
      this.#readValue();
      this.#path.pop();
    }
  }

  #readList(): void {
    this.#open();
    for (let index = 0; !this.#close(']', index === 0); index += 1) {
      this.#path.push(index);
      this.#readValue();
      this.#path.pop();
    }
  }

  #open(): void {
    const { maxDepth } = this.#limits;
    if (this.#path.length >= maxDepth) {
      throw this.#fault('SUTRA.CODEC.TOO_DEEP', `it is nested deeper than ${maxDepth} levels`, this.#at);
    }
    this.#at += 1;
  }

  /** Takes the closing bracket, or the comma before the next entry. */
  #close(bracket: string, isFirst: boolean): boolean {
    this.#skipWhitespace();
    const char = this.#text[this.#at];
    if (char === bracket) {
      this.#at += 1;
      return true;
    }
    if (isFirst) return false;
    if (char !== ',') throw this.#unexpected(`"," or "${bracket}"`);
    this.#at += 1;
    this.#skipWhitespace();
    return false;
  }

  #readString(role: 'key' | 'value'): string {
    const start = this.#at;
    const value = this.#takeString();
    if (value === null) {
      throw this.#fault(
        'SUTRA.CODEC.JSON_INVALID',
        `${this.#described(role)} is not closed or holds a wrong character`,
        start,
      );
    }
    if (value.includes('\u0000')) {
      throw this.#fault('SUTRA.CODEC.TEXT_INVALID', `${this.#described(role)} holds a NUL character`, start);
    }
    if (LONE_SURROGATE.test(value)) {
      throw this.#fault(
        'SUTRA.CODEC.TEXT_INVALID',
        `${this.#described(role)} holds half of a surrogate pair`,
        start,
      );
    }
    return value;
  }

  /** Built only for a fault: a path for each of a million strings would cost seconds. */
  #described(role: 'key' | 'value'): string {
    return role === 'key' ? `a key of ${this.#shownPath()}` : `the text at ${this.#shownPath()}`;
  }

  /** By hand: a pattern over the whole of a long text would exhaust the pattern matcher's stack. */
  #takeString(): string | null {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1;
    if (end >= this.#text.length) return null;
    try {
      const value = JSON.parse(this.#text.slice(this.#at, end + 1)) as string;
      this.#at = end + 1;
      return value;
    } catch {
      return null;
    }
  }

  #readNumber(): void {
    const start = this.#at;
    const literal = this.#take(NUMBER);
    if (literal === null) throw this.#unexpected('a value');
    if (numberReaders[this.#limits.numbers](literal) === null) {
      const message = `the number at ${this.#shownPath()} cannot be kept exactly; send it as a string`;
      throw this.#fault('SUTRA.CODEC.NUMBER_INEXACT', message, start);
    }
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return null;
    this.#at += match[0].length;
    return match[0];
  }

  #skipWhitespace(): void {
    this.#take(WHITESPACE);
  }

  #unexpected(expected: string): Found {
    const found = this.#at < this.#text.length ? 'something else' : 'the end';
    const message =
      this.#text.trim() === '' ? 'it is empty' : `${expected} was expected and ${found} was found`;
    return this.#fault('SUTRA.CODEC.JSON_INVALID', message, this.#at);
  }

  #shownPath(): string {
    return this.#path.reduce<string>((shown, step) => {
      if (typeof step === 'number') return `${shown}[${step}]`;
      if (/^[A-Za-z_][A-Za-z0-9_]{0,59}$/.test(step)) return `${shown}.${step}`;
      const cut = step.length > SHOWN_KEY_LENGTH ? `${step.slice(0, SHOWN_KEY_LENGTH)}…` : step;
      return `${shown}[${JSON.stringify(cut)}]`;
    }, '$');
  }

  #fault(code: JsonFault['code'], message: string, at: number): Found {
    const before = this.#text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    return new Found({ code, message: `${message} (line ${line}, column ${column})`, line, column });
  }
}
