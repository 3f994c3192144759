/**
 * Patterns as they are written in FEEL, made patterns of re2js, with an estimate of how large they get.
 *
 * Not a parser: re2js refuses what is no pattern. This only finds what must be changed, counted or said.
 */
import { FeelEvaluationError } from './errors.ts';

export interface Pattern {
  /** For re2js. */
  readonly source: string;
  /** Instructions, roughly: its characters, what is repeated counted as often as it is. */
  readonly size: number;
}

/** Characters of a pattern. */
const MAX_PATTERN_LENGTH = 2_000;
/** Compiling a pattern of that size takes some milliseconds. */
const MAX_PATTERN_SIZE = 2_000;
/** Of re2js. */
const MAX_REPETITIONS = 1_000;
/** Ranges that a class by its Unicode properties has, roughly. */
const PROPERTY_SIZE = 20;

/**
 * @param flags of `s`, `m`, `i`, `x`
 * @throws FeelEvaluationError for what cannot be done in linear time, and for what is too large
 */
export function readPattern(pattern: string, flags: string): Pattern {
  if (pattern.length > MAX_PATTERN_LENGTH) throw tooLarge();
  const reader = new PatternReader(flags.includes('x') ? withoutSpace(pattern) : pattern, flags);
  while (reader.readNext());
  return { source: reader.source, size: reader.size };
}

/** A class, which keeps its white space, or white space. A backslash and the next sign that is none stay together. */
const SPACED = /\[\^?\]?(?:\\[^]|[^\\\]])*\]|\\[ \t\n\r]*[^ \t\n\r]|[ \t\n\r]+/g;

/** What the flag `x` leaves of a pattern. Source: XPath and XQuery Functions 3.1, 5.6.2. */
function withoutSpace(pattern: string): string {
  return pattern.replace(SPACED, (part) => (part.startsWith('[') ? part : part.replaceAll(/[ \t\n\r]/g, '')));
}

function tooLarge(): FeelEvaluationError {
  return new FeelEvaluationError(
    `a pattern is longer than ${MAX_PATTERN_LENGTH} characters, or repeats more than ${MAX_PATTERN_SIZE} in all`,
  );
}

function unsupported(what: string): FeelEvaluationError {
  return new FeelEvaluationError(`a pattern has ${what}, which is not supported`);
}

/** Of what is between two brackets: all of it, and the last thing, which a quantifier repeats. */
interface Group {
  size: number;
  lastSize: number;
}

class PatternReader {
  readonly #pattern: string;
  readonly #dot: string;
  readonly #outer: Group[] = [];
  #group: Group = { size: 0, lastSize: 0 };
  #at = 0;
  source = '';

  constructor(pattern: string, flags: string) {
    this.#pattern = pattern;
    // re2js leaves out the line feed alone.
    this.#dot = flags.includes('s') ? '.' : '[^\\n\\r]';
  }

  get size(): number {
    return this.#outer.reduce((sum, { size }) => sum + size, this.#group.size);
  }

  /** Whether there was something. */
  readNext(): boolean {
    const sign = this.#pattern[this.#at];
    switch (sign) {
      case undefined:
        return false;
      case '\\':
        this.#readEscape();
        break;
      case '[':
        this.#readClass();
        break;
      case '(':
        this.#openGroup();
        break;
      case ')':
        this.#closeGroup();
        break;
      case '{':
        this.#readRepetition();
        break;
      case '.':
        this.#take(1, 1, this.#dot);
        break;
      default:
        this.#take(1, 1);
    }
    return true;
  }

  /** Goes on by `length` characters, which add `size`. */
  #take(length: number, size: number, text = this.#pattern.slice(this.#at, this.#at + length)): void {
    this.source += text;
    this.#at += length;
    this.#add(size);
  }

  #add(size: number): void {
    this.#group.size += size;
    this.#group.lastSize = size;
    if (this.#group.size > MAX_PATTERN_SIZE) throw tooLarge();
  }

  #readEscape(): void {
    const next = this.#pattern[this.#at + 1] ?? '';
    if (/\d/.test(next)) throw unsupported('a back-reference');
    if (/[icICQ]/.test(next)) throw unsupported(`the escape \\${next}`);
    const property = /^\\[pP]\{[^}]*\}/.exec(this.#pattern.slice(this.#at, this.#at + 40))?.[0];
    if (property === undefined) this.#take(2, 1);
    else this.#take(property.length, PROPERTY_SIZE);
  }

  /** All of `[…]`. Inside, an opening bracket stands for itself, as it does to most who write one. */
  #readClass(): void {
    const start = this.#at;
    let text = '[';
    let size = 1;
    this.#at += 1;
    for (;;) {
      const sign = this.#pattern[this.#at];
      const isFirst = text === '[' || text === '[^';
      if (sign === undefined) break;
      if (sign === '[') {
        if (text.endsWith('-')) throw unsupported('a subtraction of classes');
        text += '\\[';
        this.#at += 1;
      } else if (sign === '\\') {
        const length = /^\\[pP]\{[^}]*\}/.exec(this.#pattern.slice(this.#at, this.#at + 40))?.[0].length ?? 2;
        const escaped = this.#pattern[this.#at + 1] ?? '';
        if (/[icIC]/.test(escaped)) throw unsupported('the escape \\i or \\c');
        if (/\d/.test(escaped)) throw unsupported('a digit after a backslash');
        size += length > 2 ? PROPERTY_SIZE : 1;
        text += this.#pattern.slice(this.#at, this.#at + length);
        this.#at += length;
      } else {
        text += sign;
        this.#at += 1;
        if (sign === ']' && !isFirst) break;
        size += 0.5;
      }
    }
    const length = this.#at - start;
    this.#at = start;
    this.#take(length, size, text);
  }

  #openGroup(): void {
    const opening = /^\((?:\?<?[=!])?/.exec(this.#pattern.slice(this.#at, this.#at + 4))?.[0] ?? '(';
    if (opening.length > 1) throw unsupported('a group that looks ahead or behind');
    this.#take(1, 1);
    this.#outer.push(this.#group);
    this.#group = { size: 0, lastSize: 0 };
  }

  #closeGroup(): void {
    const { size } = this.#group;
    const outer = this.#outer.pop();
    if (outer !== undefined) this.#group = outer;
    this.#take(1, size + 1);
  }

  #readRepetition(): void {
    const match = /^\{(\d+)(,(\d*))?\}/.exec(this.#pattern.slice(this.#at, this.#at + 40));
    if (match === null) {
      this.#take(1, 1);
      return;
    }
    const [text, least = '', , most = ''] = match;
    const count = Math.max(Number(least), Number(most), 1);
    if (count > MAX_REPETITIONS) throw tooLarge();
    const { lastSize } = this.#group;
    this.#take(text.length, lastSize * (count - 1));
    // Another quantifier repeats all of it.
    this.#group.lastSize = lastSize * count;
  }
}
