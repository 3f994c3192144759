/**
 * Conversion functions, `not` and `is`.
 *
 * Source: DMN 1.5, 10.3.4.1 (table 72), 10.3.4.2 (table 73), 10.3.4.6 (table 77).
 */
import type { Temporal } from '../../value.ts';
import { sameValues } from '../equality.ts';
import { fromText } from '../number-text.ts';
import type { FeelValue, Run } from '../runtime.ts';
import * as temporals from '../temporal/functions.ts';
import { binary, overloaded, quaternary, ternary, unary, type Builtin } from './define.ts';
import {
  any,
  date,
  either,
  nullable,
  number,
  optional,
  refuse,
  temporal,
  text,
  truth,
  type Parameter,
} from './parameter.ts';
import { rangeFromText } from './range-text.ts';
import { payForTemporalText } from './temporal-text-cost.ts';
import { writeValue } from './write-value.ts';

const from: Parameter<string> = ['from', text];
const textOrTemporal: Parameter<string | Temporal> = ['from', either(text, temporal)];

/** Units to make a date, time or duration: its text is written. */
const MAKE_UNITS = 60;

/** A text that is taken apart and put together. */
const COPY_COST = 4;

/** What a function makes of a text, or of another date, time or duration. */
function converted(
  name: string,
  value: string | Temporal,
  convert: (value: string | Temporal) => Temporal | null,
  run: Run,
): FeelValue {
  if (typeof value === 'string') payForTemporalText(value, run);
  else run.meter.spend(MAKE_UNITS);
  return convert(value) ?? refuse(run, `"from" of ${name}() has no such value`);
}

function made(name: string, result: Temporal | null, run: Run): FeelValue {
  return result ?? refuse(run, `the arguments of ${name}() have no such value`);
}

function numberFrom(from: string, grouping: string | null, decimal: string | null, run: Run): FeelValue {
  if (grouping !== null && !/^[ ,.]$/.test(grouping)) {
    return refuse(run, '"grouping separator" of number() must be a space, a comma, a period or null');
  }
  if (decimal !== null && !/^[,.]$/.test(decimal)) {
    return refuse(run, '"decimal separator" of number() must be a comma, a period or null');
  }
  if (decimal !== null && decimal === grouping) {
    return refuse(run, 'the separators of number() must not be the same');
  }
  run.meter.spendCharacters(from.length * COPY_COST);
  const ungrouped = grouping === null ? from : from.replaceAll(grouping, '');
  const plain = decimal === null ? ungrouped : ungrouped.replaceAll(decimal, '.');
  return fromText(plain) ?? refuse(run, '"from" of number() spells no number');
}

export const conversions: readonly Builtin[] = [
  ternary(
    'number',
    from,
    ['grouping separator', nullable(text)],
    ['decimal separator', nullable(text)],
    numberFrom,
  ),
  unary('string', ['from', any], (value, run) => (value === null ? null : writeValue(value, run))),
  overloaded('date', [
    unary('date', textOrTemporal, (value, run) => converted('date', value, temporals.dateFrom, run)),
    ternary('date', ['year', number], ['month', number], ['day', number], (year, month, day, run) => {
      run.meter.spend(MAKE_UNITS);
      return made('date', temporals.dateOf(year, month, day), run);
    }),
  ]),
  overloaded('time', [
    unary('time', textOrTemporal, (value, run) => converted('time', value, temporals.timeFrom, run)),
    quaternary(
      'time',
      ['hour', number],
      ['minute', number],
      ['second', number],
      ['offset', optional(temporal)],
      (hour, minute, second, offset, run) => {
        run.meter.spend(MAKE_UNITS);
        return made('time', temporals.timeOf(hour, minute, second, offset), run);
      },
    ),
  ]),
  overloaded('date and time', [
    unary('date and time', textOrTemporal, (value, run) =>
      converted('date and time', value, temporals.dateTimeFrom, run),
    ),
    binary('date and time', ['date', date], ['time', temporal], (day, time, run) => {
      // The time may have the name of a zone.
      payForTemporalText(time.text, run);
      return made('date and time', temporals.dateTimeOf(day, time), run);
    }),
  ]),
  unary('duration', from, (value, run) => {
    payForTemporalText(value, run);
    return temporals.durationFrom(value) ?? refuse(run, '"from" of duration() spells no duration');
  }),
  binary('years and months duration', ['from', date], ['to', date], (start, end, run) => {
    payForTemporalText(start.text, run);
    return made('years and months duration', temporals.yearsMonthsBetween(start, end), run);
  }),
  unary(
    'range',
    from,
    (value, run) => rangeFromText(value, run) ?? refuse(run, '"from" of range() spells no range'),
  ),
  unary('not', ['negand', nullable(truth)], (value) => (value === null ? null : !value)),
  binary('is', ['value1', any], ['value2', any], (left, right, run) => sameValues(left, right, run)),
];
