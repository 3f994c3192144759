/**
 * `+`, `-`, `*`, `/`, `**` and negation, of numbers, strings, dates, times and durations.
 *
 * A1 Operands that an operator does not take give null. So does what has no result: division by zero, a number or a
 *    date that is too large.
 *
 * Source: DMN 1.5, 10.3.2.15, tables 56 to 60 and 62.
 */
import type { Arithmetic, ArithmeticOperator, Negation } from '../ast.ts';
import { Temporal } from '../../value.ts';
import { add, divide, multiply, negate, subtract } from '../number-arithmetic.ts';
import { power } from '../number-functions.ts';
import { isFeelNumber, isInteger, toDecimal, type FeelNumber } from '../number.ts';
import type { FeelValue } from '../runtime.ts';
import {
  addTemporals,
  divideDuration,
  durationRatio,
  multiplyDuration,
  negateDuration,
  subtractTemporals,
} from '../temporal/arithmetic.ts';
import type { Code, Frame } from './evaluation.ts';
import type { Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

/** Units for what takes up to 34 digits, not a double: some 3 µs. */
const DECIMAL_UNITS = 80;
/** Units for a power with an exponent that is no integer: 350 µs. */
const ROOT_UNITS = 12_000;
/** Units for each bit of an exponent: squares and products of 70 digits. */
const EXPONENT_BIT_UNITS = 80;
/** Units for an operation with a date, time or duration. */
const TEMPORAL_UNITS = 60;
/** And with a number of many digits, which may have thousands of places. */
const LONG_FACTOR_UNITS = 3_000;

interface Operation {
  readonly ofNumbers: (left: FeelNumber, right: FeelNumber) => FeelNumber | null;
  /** For operands that are not both numbers. Undefined: the operator does not take them. Null: there is no result. */
  readonly ofOthers: (left: FeelValue, right: FeelValue, frame: Frame) => FeelValue | undefined;
}

const operations: Readonly<Record<ArithmeticOperator, Operation>> = {
  '+': { ofNumbers: add, ofOthers: addOthers },
  '-': { ofNumbers: subtract, ofOthers: subtractOthers },
  '*': { ofNumbers: multiply, ofOthers: multiplyOthers },
  '/': { ofNumbers: divide, ofOthers: divideOthers },
  '**': { ofNumbers: power, ofOthers: () => undefined },
};

export function compileArithmetic(node: Arithmetic, scope: Scope): Code {
  const left = scope.compile(node.left);
  const right = scope.compile(node.right);
  const operation = operations[node.operator];
  if (node.operator === '**') return compilePower(node, left, right);
  const { ofNumbers } = operation;
  return (frame) => {
    const first = left(frame);
    const second = right(frame);
    if (typeof first !== 'number' || typeof second !== 'number')
      return compute(node, operation, first, second, frame);
    const result = ofNumbers(first, second);
    return typeof result === 'number' ? result : settled(node, result, frame);
  };
}

function compilePower(node: Arithmetic, left: Code, right: Code): Code {
  return (frame) => {
    const base = left(frame);
    const exponent = right(frame);
    if (isFeelNumber(base) && isFeelNumber(exponent)) frame.run.meter.spend(powerUnits(base, exponent));
    return compute(node, operations['**'], base, exponent, frame);
  };
}

function powerUnits(base: FeelNumber, exponent: FeelNumber): number {
  if (typeof base === 'number' && typeof exponent === 'number' && Number.isSafeInteger(base ** exponent))
    return 1;
  if (!isInteger(exponent)) return ROOT_UNITS;
  const bits = Math.log2(Math.abs(toDecimal(exponent).toNumber()) + 1);
  return DECIMAL_UNITS + Math.ceil(Math.min(bits, 64)) * EXPONENT_BIT_UNITS;
}

function compute(
  node: Arithmetic,
  operation: Operation,
  left: FeelValue,
  right: FeelValue,
  frame: Frame,
): FeelValue {
  if (isFeelNumber(left) && isFeelNumber(right)) {
    frame.run.meter.spend(DECIMAL_UNITS);
    return settled(node, operation.ofNumbers(left, right), frame);
  }
  const result = operation.ofOthers(left, right, frame);
  if (result === undefined) {
    const operands = `${describe(left)} and ${describe(right)}`;
    return warn(frame, node, 'OPERAND', `'${node.operator}' does not take ${operands}`);
  }
  return (
    result ?? warn(frame, node, 'NUMBER', 'there is no such date or duration, or the two do not go together')
  );
}

function settled(node: Arithmetic, result: FeelNumber | null, frame: Frame): FeelValue {
  if (result === null) return warn(frame, node, 'NUMBER', 'there is no such number, or it is too large');
  if (typeof result !== 'number') frame.run.meter.spend(DECIMAL_UNITS);
  return result;
}

function addOthers(left: FeelValue, right: FeelValue, frame: Frame): FeelValue | undefined {
  const { meter } = frame.run;
  if (typeof left === 'string' && typeof right === 'string') {
    meter.spendCharacters(left.length + right.length);
    return left + right;
  }
  if (!(left instanceof Temporal) || !(right instanceof Temporal)) return undefined;
  meter.spend(TEMPORAL_UNITS);
  return addTemporals(left, right);
}

function subtractOthers(left: FeelValue, right: FeelValue, frame: Frame): FeelValue | undefined {
  if (!(left instanceof Temporal) || !(right instanceof Temporal)) return undefined;
  const { meter } = frame.run;
  meter.spend(TEMPORAL_UNITS);
  return subtractTemporals(left, right, meter.nowMs);
}

function multiplyOthers(left: FeelValue, right: FeelValue, frame: Frame): FeelValue | undefined {
  if (isDuration(left) && isFeelNumber(right)) return scale(multiplyDuration, left, right, frame);
  if (isFeelNumber(left) && isDuration(right)) return scale(multiplyDuration, right, left, frame);
  return undefined;
}

function divideOthers(left: FeelValue, right: FeelValue, frame: Frame): FeelValue | undefined {
  if (!isDuration(left)) return undefined;
  if (isFeelNumber(right)) return scale(divideDuration, left, right, frame);
  if (!isDuration(right) || left.kind !== right.kind) return undefined;
  frame.run.meter.spend(TEMPORAL_UNITS + DECIMAL_UNITS);
  return durationRatio(left, right);
}

function scale(
  operation: (duration: Temporal, by: FeelNumber) => Temporal | null,
  duration: Temporal,
  by: FeelNumber,
  frame: Frame,
): Temporal | null {
  frame.run.meter.spend(typeof by === 'number' ? TEMPORAL_UNITS : LONG_FACTOR_UNITS);
  return operation(duration, by);
}

function isDuration(value: FeelValue): value is Temporal {
  if (!(value instanceof Temporal)) return false;
  return value.kind === 'days-time-duration' || value.kind === 'years-months-duration';
}

export function compileNegation(node: Negation, scope: Scope): Code {
  const operand = scope.compile(node.operand);
  return (frame) => {
    const value = operand(frame);
    if (isFeelNumber(value)) return negate(value);
    if (!isDuration(value)) return warn(frame, node, 'OPERAND', `'-' does not take ${describe(value)}`);
    frame.run.meter.spend(TEMPORAL_UNITS);
    return negateDuration(value);
  };
}
