/** What it costs to compare a date, time or duration (budget.ts): more, where a zone has to be asked. */
import type { Temporal } from '../value.ts';

/** Guess: its text is read the first time, which takes 1.5 µs; after that it takes 0.1 µs. */
const UNITS = 8;
/** Guess: to read one takes 20 µs, once. */
const ZONED_UNITS = 60;
/** Guess: which offset a zone has on the day is asked each time, which takes 4 µs. */
const ZONED_TIME_UNITS = 150;

export function temporalUnits({ kind, text }: Temporal): number {
  if ((kind !== 'time' && kind !== 'date-time') || !text.includes('@')) return UNITS;
  return kind === 'time' ? ZONED_TIME_UNITS : ZONED_UNITS;
}
