/**
 * Values as text: what `string()` gives of them.
 *
 * Inside of lists, contexts and ranges strings have quotes, so that numbers and strings are told apart. A range is written
 * so that `range()` reads it. The standard says nothing of all this.
 */
import { Temporal } from '../../value.ts';
import { toText } from '../number-text.ts';
import { isFeelNumber } from '../number.ts';
import { FeelRange, type FeelContext, type FeelValue, type Run } from '../runtime.ts';
import { temporalUnits } from '../temporal-units.ts';
import { fieldsOf } from '../temporal/fields.ts';
import { textOf } from '../temporal/print.ts';
import { isFeelContext, isList, isScalar, propertyOf, type Scalar } from '../value-kind.ts';
import { payForProperties } from './cost.ts';

/** Units for a value, whatever it is: 230 ns. */
const VALUE_UNITS = 6;
/** A character that may have to be escaped. */
const QUOTED_CHARACTER_COST = 3;
/** Units for one that is: 120 ns. */
const ESCAPE_UNITS = 3;
/** Units to print a date, time or duration: 1.5 µs. */
const PRINT_UNITS = 50;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Keys that need no quotes, nearly all of them first: the other pattern is slow. */
const ASCII_WORD = /^[A-Za-z_]\w*$/;
const WORD = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** The text of a value; a string is its own. @throws as `run.meter` does */
export function writeValue(value: FeelValue, run: Run): string {
  if (typeof value === 'string') return value;
  const writer = new ValueWriter(run);
  writer.write(value);
  return writer.text;
}

/** A list or a context that is being written. */
interface Open {
  readonly values: readonly FeelValue[];
  /** Null: it is a list. */
  readonly keys: readonly string[] | null;
  next: number;
}

class ValueWriter {
  readonly #run: Run;
  readonly #open: Open[] = [];
  /** Pieces are appended and not joined: the runtime copies them once, at the end. */
  text = '';

  constructor(run: Run) {
    this.#run = run;
  }

  /** Not by recursion: the stack ends before the lists do. */
  write(value: FeelValue): void {
    this.#begin(value);
    for (let inner = this.#open.at(-1); inner !== undefined; inner = this.#open.at(-1)) {
      const { values, keys, next } = inner;
      if (next === values.length) {
        this.text += keys === null ? ']' : '}';
        this.#open.pop();
        continue;
      }
      if (next > 0) this.text += ', ';
      if (keys !== null) this.text += `${this.#key(keys[next] ?? '')}: `;
      inner.next += 1;
      this.#begin(values[next] ?? null);
    }
  }

  /** All of a value, or the opening bracket of one that has elements. */
  #begin(value: FeelValue): void {
    this.#run.meter.spend(VALUE_UNITS);
    if (isList(value)) {
      this.text += '[';
      this.#open.push({ values: value, keys: null, next: 0 });
    } else if (value instanceof FeelRange) {
      this.text += `${value.isStartIncluded ? '[' : '('}${this.#end(value.start)}..`;
      this.text += `${this.#end(value.end)}${value.isEndIncluded ? ']' : ')'}`;
    } else if (isFeelContext(value)) {
      this.#beginContext(value);
    } else {
      this.text += this.#scalar(value);
    }
  }

  #beginContext(context: FeelContext): void {
    const keys = Object.keys(context);
    payForProperties(this.#run.meter, keys.length);
    this.text += '{';
    this.#open.push({ values: keys.map((key) => propertyOf(context, key) ?? null), keys, next: 0 });
  }

  #scalar(value: Scalar): string {
    if (value === null) return 'null';
    if (typeof value === 'boolean') return String(value);
    if (typeof value === 'string') return this.#quoted(value);
    if (isFeelNumber(value)) return this.#paid(toText(value));
    if (value instanceof Temporal) return this.#temporal(value);
    return '<function>';
  }

  /** Nothing, where there is no end. */
  #end(end: FeelValue): string {
    if (end === null) return '';
    if (end instanceof Temporal) return `@${this.#quoted(this.#temporal(end))}`;
    // Ends have an order, so that they have no elements.
    return isScalar(end) ? this.#scalar(end) : '';
  }

  #key(key: string): string {
    return ASCII_WORD.test(key) || WORD.test(key) ? this.#paid(key) : this.#quoted(key);
  }

  #paid(text: string): string {
    this.#run.meter.spendCharacters(text.length);
    return text;
  }

  #quoted(text: string): string {
    this.#run.meter.spendCharacters(text.length * QUOTED_CHARACTER_COST);
    this.#run.meter.spend(escapeCount(text) * ESCAPE_UNITS);
    return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
  }

  /** As it is printed, whatever it was read from. */
  #temporal(temporal: Temporal): string {
    this.#run.meter.spend(temporalUnits(temporal) + PRINT_UNITS);
    return textOf(fieldsOf(temporal));
  }
}

function escapeCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE || unit === BACKSLASH) count += 1;
  }
  return count;
}
