/** What built-in functions pay beyond their calls (../budget.ts). */
import type { Meter } from '../budget.ts';
import type { FeelNumber } from '../number.ts';

/** Units for a property that is copied; those of a context with many are slow to copy. */
const PROPERTY_UNITS = 2;
const MANY_PROPERTIES = 64;
const PROPERTY_OF_MANY_UNITS = 40;
/** Units to add or compare a number that is no double: 1 µs. */
const DECIMAL_UNITS = 40;

/** For a context that is made, or gone through. */
export function payForProperties(meter: Meter, count: number): void {
  meter.spend(count * (count < MANY_PROPERTIES ? PROPERTY_UNITS : PROPERTY_OF_MANY_UNITS));
}

/** For a number that is computed with. */
export function payForNumber(meter: Meter, n: FeelNumber): void {
  meter.spend(typeof n === 'number' ? 1 : DECIMAL_UNITS);
}

/** For sorting so many, where a comparison takes so many units. */
export function payForSorting(meter: Meter, count: number, unitsPerComparison: number): void {
  meter.spend(count * Math.ceil(Math.log2(count + 1)) * unitsPerComparison);
}
