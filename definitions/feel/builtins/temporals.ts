/**
 * Functions of time: what day a date is, and the time of the turn.
 *
 * Source: DMN 1.5, 10.3.4.9 (table 79), 10.3.4.12 (table 82).
 */
import type { Temporal } from '../../value.ts';
import * as temporals from '../temporal/functions.ts';
import { temporalUnits } from '../temporal-units.ts';
import { nullary, unary, type Builtin } from './define.ts';
import { date, refuse } from './parameter.ts';

/** Units to make a date or a date and time. */
const MAKE_UNITS = 60;

function ofDate(name: string, part: (date: Temporal) => string | number | null): Builtin {
  return unary(name, ['date', date], (day, run) => {
    run.meter.spend(temporalUnits(day));
    return part(day);
  });
}

export const temporalFunctions: readonly Builtin[] = [
  nullary('now', (run) => {
    run.meter.spend(MAKE_UNITS);
    return temporals.now(run.meter.nowMs) ?? refuse(run, 'now() is outside of the years that dates have');
  }),
  nullary('today', (run) => {
    run.meter.spend(MAKE_UNITS);
    return temporals.today(run.meter.nowMs);
  }),
  ofDate('day of year', temporals.dayOfYear),
  ofDate('day of week', temporals.dayOfWeek),
  ofDate('month of year', temporals.monthOfYear),
  ofDate('week of year', temporals.weekOfYear),
];
