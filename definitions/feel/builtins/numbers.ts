/**
 * Numeric functions. There are no random numbers: a turn that is repeated must have the same results.
 *
 * Source: DMN 1.5, 10.3.4.5, table 76.
 */
import { Temporal } from '../../value.ts';
import { absolute } from '../number-arithmetic.ts';
import { exponential, isEven, isOdd, logarithm, modulo, squareRoot } from '../number-functions.ts';
import { round, type RoundingMode } from '../number-rounding.ts';
import { compare, type FeelNumber } from '../number.ts';
import type { FeelValue, Run } from '../runtime.ts';
import { absoluteDuration } from '../temporal/arithmetic.ts';
import { payForNumber } from './cost.ts';
import { binary, unary, type Builtin } from './define.ts';
import { either, noNumber, number, omittable, refuse, temporal, type Parameter } from './parameter.ts';

const n: Parameter<FeelNumber> = ['n', number];
const single: Parameter<FeelNumber> = ['number', number];
const scale: Parameter<FeelNumber> = ['scale', number];

/** 80 µs (number-functions.ts, F1). */
const EXPONENTIAL_UNITS = 2_700;
/** 40 µs. */
const ROOT_UNITS = 1_400;
/** Of numbers that are no doubles: 2 µs, and more the further apart they are, up to a millisecond. */
const MODULO_UNITS = 100;
const MODULO_EXPONENT_UNITS = 3;
/** Units of rounding, and more of those to a place that is far away. */
const ROUND_UNITS = 8;
const FAR_SCALE = 22;
const FAR_UNITS = 60;

function rounded(name: string, n: FeelNumber, scale: FeelNumber, mode: RoundingMode, run: Run): FeelValue {
  run.meter.spend(ROUND_UNITS);
  payForNumber(run.meter, n);
  if (compare(scale, -FAR_SCALE) < 0 || compare(scale, FAR_SCALE) > 0) run.meter.spend(FAR_UNITS);
  return round(n, scale, mode) ?? refuse(run, `"scale" of ${name}() must be from -6111 to 6176`);
}

/** The scale may be left out. */
function toScaleOrInteger(name: string, mode: RoundingMode): Builtin {
  return binary(name, n, ['scale', omittable(number)], (value, places, run) =>
    rounded(name, value, places ?? 0, mode, run),
  );
}

function toScale(name: string, mode: RoundingMode): Builtin {
  return binary(name, n, scale, (value, places, run) => rounded(name, value, places, mode, run));
}

/** The power of ten of the first digit, roughly. */
function exponentOf(value: FeelNumber): number {
  if (typeof value !== 'number') return value.e;
  return value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
}

function remainder(dividend: FeelNumber, divisor: FeelNumber, run: Run): FeelValue {
  if (divisor === 0) return refuse(run, '"divisor" of modulo() must not be 0');
  const distance = Math.abs(exponentOf(dividend) - exponentOf(divisor));
  const isShort = typeof dividend === 'number' && typeof divisor === 'number' && distance < FAR_SCALE;
  if (!isShort) run.meter.spend(MODULO_UNITS + distance * MODULO_EXPONENT_UNITS);
  return modulo(dividend, divisor) ?? noNumber(run, 'the result of modulo() is too large');
}

export const numbers: readonly Builtin[] = [
  toScale('decimal', 'half-even'),
  toScaleOrInteger('floor', 'floor'),
  toScaleOrInteger('ceiling', 'ceiling'),
  toScale('round up', 'up'),
  toScale('round down', 'down'),
  toScale('round half up', 'half-up'),
  toScale('round half down', 'half-down'),
  unary('abs', ['n', either(number, temporal)], (value, run) => {
    if (!(value instanceof Temporal)) return absolute(value);
    return absoluteDuration(value) ?? refuse(run, '"n" of abs() must be a number or a duration');
  }),
  binary('modulo', ['dividend', number], ['divisor', number], remainder),
  unary('sqrt', single, (value, run) => {
    run.meter.spend(ROOT_UNITS);
    return squareRoot(value) ?? refuse(run, '"number" of sqrt() must not be negative');
  }),
  unary('log', single, (value, run) => {
    run.meter.spend(EXPONENTIAL_UNITS);
    return logarithm(value) ?? refuse(run, '"number" of log() must be above 0');
  }),
  unary('exp', single, (value, run) => {
    run.meter.spend(EXPONENTIAL_UNITS);
    return exponential(value) ?? noNumber(run, 'the result of exp() is too large');
  }),
  unary('odd', single, (value, run) => {
    payForWritten(value, run);
    return isOdd(value);
  }),
  unary('even', single, (value, run) => {
    payForWritten(value, run);
    return isEven(value);
  }),
];

/** All digits of a number that is no double may be looked at. */
function payForWritten(value: FeelNumber, run: Run): void {
  payForNumber(run.meter, value);
  if (typeof value !== 'number') run.meter.spendCharacters(Math.abs(value.e));
}
