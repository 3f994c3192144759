/**
 * Values as keys of a map, so that finding equal ones takes one look and not as many as there are.
 *
 * K1 Two values have the same key if and only if `=` says true of them (../equality.ts): contexts whatever the order of
 *    their entries, times and dates and times by their instants.
 * K2 No key is the beginning of another: what has a variable length is preceded by it, or ends with a sign of its own.
 * K3 A key is paid for as it is made. What two lists share counts twice, as in all that is copied.
 */
import { Temporal } from '../../value.ts';
import { isFeelNumber } from '../number.ts';
import { FeelRange, type FeelContext, type FeelFunction, type FeelValue, type Run } from '../runtime.ts';
import { temporalUnits } from '../temporal-units.ts';
import { pointOf, timeOffset } from '../temporal/date-time.ts';
import { fieldsOf } from '../temporal/fields.ts';
import { NANOS_PER_SECOND, type DateTimeFields, type TimeFields } from '../temporal/shapes.ts';
import { isList, isScalar, propertyOf, type Scalar } from '../value-kind.ts';
import { payForSorting } from './cost.ts';

/** Units for a value, whatever it is: 250 ns. */
const UNITS = 8;
/** Units to write the key of a date, time or duration: 700 ns. */
const TEMPORAL_UNITS = 20;
/** Units for comparing two keys of a context when they are sorted. */
const COMPARE_UNITS = 4;

/** The keys of one search: functions, which are equal to themselves alone, are numbered as they appear. */
export class ValueKeys {
  readonly #run: Run;
  readonly #functions = new Map<FeelFunction, number>();

  constructor(run: Run) {
    this.#run = run;
  }

  /** @throws as `run.meter` does */
  keyOf(value: FeelValue): string | number {
    // By far the most are numbers.
    if (typeof value !== 'number') return this.#walk(value);
    this.#run.meter.spend(UNITS);
    return value;
  }

  /** Not by recursion: the stack ends before the lists do. */
  #walk(value: FeelValue): string {
    const open = [[value].values()];
    let key = '';
    for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
      const { value: item, done } = inner.next();
      if (done === true) {
        open.pop();
        continue;
      }
      this.#run.meter.spend(UNITS);
      if (isList(item)) {
        key += `L${item.length}:`;
        open.push(item.values());
      } else if (item instanceof FeelRange) {
        key += `R${item.isStartIncluded ? '[' : '('}${item.isEndIncluded ? ']' : ')'}`;
        open.push([item.start, item.end].values());
      } else if (isScalar(item)) {
        key += this.#scalar(item);
      } else {
        const names = Object.keys(item).sort();
        payForSorting(this.#run.meter, names.length, COMPARE_UNITS);
        key += `C${names.length}:`;
        open.push(entriesOf(item, names).values());
      }
    }
    return key;
  }

  #scalar(value: Scalar): string {
    if (value === null) return 'n';
    if (typeof value === 'boolean') return value ? 't' : 'f';
    if (typeof value === 'string') {
      this.#run.meter.spendCharacters(value.length);
      return `s${value.length}:${value}`;
    }
    // Equal numbers have equal forms, and so equal texts.
    if (isFeelNumber(value)) return `N${value.toString()};`;
    return value instanceof Temporal ? this.#temporal(value) : `F${this.#functionNumber(value)};`;
  }

  #functionNumber(fn: FeelFunction): number {
    const known = this.#functions.get(fn);
    if (known !== undefined) return known;
    this.#functions.set(fn, this.#functions.size);
    return this.#functions.size - 1;
  }

  #temporal(temporal: Temporal): string {
    this.#run.meter.spend(temporalUnits(temporal) + TEMPORAL_UNITS);
    const fields = fieldsOf(temporal);
    switch (fields.kind) {
      case 'date':
        return `d${fields.day};`;
      case 'time':
        return timeKey(fields, this.#run.meter.nowMs);
      case 'date-time':
        return dateTimeKey(fields);
      case 'days-time-duration':
        return `P${fields.nanos};`;
      case 'years-months-duration':
        return `M${fields.months};`;
    }
  }
}

/** Each name, and its value after it. */
function entriesOf(context: FeelContext, names: readonly string[]): readonly FeelValue[] {
  return names.flatMap((name): FeelValue[] => [name, propertyOf(context, name) ?? null]);
}

function timeKey(fields: TimeFields, nowMs: number): string {
  const offset = timeOffset(fields, nowMs);
  return offset === null ? `h${fields.nanos};` : `z${fields.nanos - offset * NANOS_PER_SECOND};`;
}

function dateTimeKey(fields: DateTimeFields): string {
  const { day, nanos } = pointOf(fields);
  return `${fields.zone === null ? 'l' : 'u'}${day};${nanos};`;
}
