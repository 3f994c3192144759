/** Warnings of compiled code, and the words that they use for values. They name kinds and names, never data. */
import type { Span } from '../ast.ts';
import type { FeelValue, WarningCode } from '../runtime.ts';
import { kindOf, type ValueKind } from '../value-kind.ts';
import type { Frame } from './evaluation.ts';

/** Units for a warning: its sentence is put together, and somebody may keep it. */
const WARNING_UNITS = 10;

/** Says why the value of a node is null. Gives that value. */
export function warn(frame: Frame, node: Span, code: WarningCode, message: string): null {
  const { run } = frame;
  run.meter.spend(WARNING_UNITS);
  run.place = node;
  run.warn(code, message);
  return null;
}

export const kindWords: Readonly<Record<ValueKind, string>> = {
  null: 'null',
  boolean: 'a boolean',
  number: 'a number',
  string: 'a string',
  date: 'a date',
  time: 'a time',
  'date-time': 'a date and time',
  'days-time-duration': 'a days and time duration',
  'years-months-duration': 'a years and months duration',
  list: 'a list',
  context: 'a context',
  range: 'a range',
  function: 'a function',
};

/** What kind of value it is: `a number`. */
export function describe(value: FeelValue): string {
  return kindWords[kindOf(value)];
}
