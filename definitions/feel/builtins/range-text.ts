/**
 * `range(from)`: ranges from text, `[1..3]`, `(..@"2026-03-01"]`.
 *
 * Read in one pass. Only what is a literal may be an end: a number, a string, or a date, time or duration as an at-literal
 * or as one of four functions of a string. A side without an end has a bracket that excludes.
 *
 * Source: DMN 1.5, 10.3.1.2, rules 60, 66 and 67; 10.3.4.1, table 72; 10.3.2.7 (the start is not after the end).
 */
import { SyntaxFault } from '../check-text.ts';
import { fromText } from '../number-text.ts';
import { compareValues } from '../order.ts';
import { unescapeString } from '../parse-literals.ts';
import { FeelRange, type FeelValue, type Run } from '../runtime.ts';
import { dateFrom, dateTimeFrom, durationFrom, temporalFromText, timeFrom } from '../temporal/functions.ts';
import { payForTemporalText } from './temporal-text-cost.ts';

const SPACE = /\s*/y;
const START = /[[(\]]/y;
const END = /[\])[]/y;
const DOTS = /\.\./y;
const NUMBER = /-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:\\.|[^"\\])*"/sy;
const AT = /@/y;
const CALL = /(date\s+and\s+time|date|time|duration)\s*\(/y;
const CLOSE = /\)/y;

/** Units for a range, and for a character: it is looked at by some patterns. */
const RANGE_UNITS = 150;
const CHARACTER_UNITS = 1;

const readers: Readonly<Record<string, (text: string) => FeelValue>> = {
  date: dateFrom,
  time: timeFrom,
  'date and time': dateTimeFrom,
  duration: durationFrom,
};

/** Null: the text is no range. */
export function rangeFromText(text: string, run: Run): FeelRange | null {
  run.meter.spend(RANGE_UNITS + text.length * CHARACTER_UNITS);
  const reader = new RangeReader(text, run);
  const start = reader.take(START);
  if (start === null) return null;
  const low = reader.readEnd();
  if (reader.take(DOTS) === null) return null;
  const high = reader.readEnd();
  const end = reader.take(END);
  if (end === null || !reader.isAtEnd) return null;
  // Null where something is written that has no value.
  if (low === null || high === null) return null;
  return rangeOf(low, start === '[', high, end === ']', run);
}

/** Undefined is a side that has no end. */
function rangeOf(
  low: FeelValue | undefined,
  isLowIncluded: boolean,
  high: FeelValue | undefined,
  isHighIncluded: boolean,
  run: Run,
): FeelRange | null {
  if (low === undefined && (isLowIncluded || high === undefined)) return null;
  if (high === undefined && isHighIncluded) return null;
  if (low !== undefined && high !== undefined) {
    const order = compareValues(low, high, run);
    if (order === null || order > 0) return null;
  }
  return new FeelRange(low ?? null, isLowIncluded, high ?? null, isHighIncluded);
}

class RangeReader {
  readonly #text: string;
  readonly #run: Run;
  #at = 0;

  constructor(text: string, run: Run) {
    this.#text = text;
    this.#run = run;
    this.#match(SPACE);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** What is next and the pattern matches, and space after it. Null: it is something else. */
  take(pattern: RegExp): string | null {
    const found = this.#match(pattern)?.[0] ?? null;
    if (found !== null) this.#match(SPACE);
    return found;
  }

  /** Undefined: there is none. Null: it has no value. */
  readEnd(): FeelValue | undefined {
    const number = this.take(NUMBER);
    if (number !== null) return fromText(number);
    if (this.take(AT) !== null) return this.#readTemporal(temporalFromText);
    const call = this.#match(CALL)?.[1];
    if (call === undefined) return this.#readString();
    this.#match(SPACE);
    const read = readers[call.replaceAll(/\s+/g, ' ')];
    const value = read === undefined ? null : this.#readTemporal(read);
    return this.take(CLOSE) === null ? null : value;
  }

  #readTemporal(read: (text: string) => FeelValue): FeelValue {
    const text = this.#readString() ?? null;
    if (text === null) return null;
    payForTemporalText(text, this.#run);
    return read(text);
  }

  /** Undefined: there is none. Null: it has an escape that stands for nothing. */
  #readString(): string | null | undefined {
    const literal = this.take(STRING);
    if (literal === null) return undefined;
    try {
      return unescapeString(literal, 0);
    } catch (error) {
      if (error instanceof SyntaxFault) return null;
      throw error;
    }
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }
}
