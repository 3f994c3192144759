/**
 * List functions that make one value of many: of a list, or of their arguments.
 *
 * Source: DMN 1.5, 10.3.4.4, table 75.
 */
import { add, divide, multiply, subtract } from '../number-arithmetic.ts';
import { squareRoot } from '../number-functions.ts';
import { compare, isFeelNumber, type FeelNumber } from '../number.ts';
import { compareValues } from '../order.ts';
import type { FeelValue, Run } from '../runtime.ts';
import { payForNumber, payForSorting } from './cost.ts';
import { variadic, type Builtin } from './define.ts';
import { described, noNumber, refuse } from './parameter.ts';

type Items = readonly FeelValue[];
type Numbers = readonly FeelNumber[];

/** Units to look at an item. */
const ITEM_UNITS = 2;
/** Units to divide, or to take a root. */
const DIVIDE_UNITS = 100;
/** Units to compare two numbers when they are sorted. */
const COMPARE_UNITS = 2;

/** Of items that have an order, the one that `isBetter` prefers; of equal ones the first. */
function extreme(name: string, sign: -1 | 1): Builtin {
  return variadic(name, (items, run) => {
    let best = items[0];
    if (best === undefined) return null;
    for (const item of items) {
      const order = compareValues(item, best, run);
      if (order === null) {
        return refuse(
          run,
          `the items of ${name}() must have an order, unlike ${described(item)} and ${described(best)}`,
        );
      }
      if (order === sign) best = item;
    }
    return best;
  });
}

/** A function of numbers. Of none at all the result is `whenEmpty`. */
function ofNumbers(
  name: string,
  whenEmpty: FeelValue,
  body: (numbers: Numbers, run: Run) => FeelValue,
): Builtin {
  return variadic(name, (items, run) => {
    if (items.length === 0) return whenEmpty;
    const numbers = numbersOf(name, items, run);
    return numbers === null ? null : body(numbers, run);
  });
}

function numbersOf(name: string, items: Items, run: Run): Numbers | null {
  run.meter.spend(items.length * ITEM_UNITS);
  const numbers: FeelNumber[] = [];
  for (const item of items) {
    if (!isFeelNumber(item)) {
      return refuse(run, `the items of ${name}() must be numbers, unlike ${described(item)}`);
    }
    payForNumber(run.meter, item);
    numbers.push(item);
  }
  return numbers;
}

/** The numbers put together one after the other. Null: it gets too large. */
function folded(
  numbers: Numbers,
  first: FeelNumber,
  combine: (a: FeelNumber, b: FeelNumber) => FeelNumber | null,
  run: Run,
): FeelNumber | null {
  let result: FeelNumber | null = first;
  for (const n of numbers) {
    result = combine(result, n);
    if (result === null) return null;
    payForNumber(run.meter, result);
  }
  return result;
}

function sumOf(numbers: Numbers, run: Run): FeelNumber | null {
  return folded(numbers, 0, add, run);
}

function meanOf(numbers: Numbers, run: Run): FeelNumber | null {
  const sum = sumOf(numbers, run);
  run.meter.spend(DIVIDE_UNITS);
  return sum === null ? null : divide(sum, numbers.length);
}

function sorted(numbers: Numbers, run: Run): Numbers {
  const hasDecimals = numbers.some((n) => typeof n !== 'number');
  payForSorting(run.meter, numbers.length, hasDecimals ? COMPARE_UNITS * 20 : COMPARE_UNITS);
  return numbers.toSorted(compare);
}

/** Of an even number of numbers, the mean of the two in the middle. */
function medianOf(numbers: Numbers, run: Run): FeelNumber | null {
  const inOrder = sorted(numbers, run);
  const middle = Math.floor(inOrder.length / 2);
  return meanOf(inOrder.slice(inOrder.length % 2 === 0 ? middle - 1 : middle, middle + 1), run);
}

/** Of a sample: the squares of the distances from the mean are divided by one less than there are. */
function standardDeviation(numbers: Numbers, run: Run): FeelNumber | null {
  const mean = meanOf(numbers, run);
  if (mean === null) return null;
  const squares = folded(numbers, 0, (sum, n) => addSquare(sum, n, mean), run);
  run.meter.spend(numbers.length + 2 * DIVIDE_UNITS);
  const variance = squares === null ? null : divide(squares, numbers.length - 1);
  return variance === null ? null : squareRoot(variance);
}

function addSquare(sum: FeelNumber, n: FeelNumber, mean: FeelNumber): FeelNumber | null {
  const distance = subtract(n, mean);
  const square = distance === null ? null : multiply(distance, distance);
  return square === null ? null : add(sum, square);
}

/** The numbers that are there most often, in ascending order. */
function modesOf(numbers: Numbers, run: Run): FeelValue {
  const modes: FeelNumber[] = [];
  let [most, current] = [0, 0];
  let last: FeelNumber | undefined;
  for (const n of sorted(numbers, run)) {
    current = last !== undefined && compare(last, n) === 0 ? current + 1 : 1;
    last = n;
    if (current > most) modes.length = 0;
    if (current >= most) {
      modes.push(n);
      most = current;
    }
  }
  run.meter.makeElements(modes.length);
  return modes;
}

/** `all` and `any`: what decides as soon as it is there, wherever; what is no boolean leaves it undecided. */
function truthOf(name: string, decisive: boolean): Builtin {
  return variadic(name, (items, run) => {
    run.meter.spend(items.length);
    if (items.includes(decisive)) return decisive;
    const undecided = items.find((item) => typeof item !== 'boolean');
    if (undecided === undefined) return !decisive;
    if (undecided === null) return null;
    return refuse(run, `the items of ${name}() must be booleans, unlike ${described(undecided)}`);
  });
}

function orTooLarge(name: string, result: FeelNumber | null, run: Run): FeelValue {
  return result ?? noNumber(run, `the result of ${name}() is too large`);
}

export const aggregates: readonly Builtin[] = [
  extreme('min', -1),
  extreme('max', 1),
  ofNumbers('sum', null, (numbers, run) => orTooLarge('sum', sumOf(numbers, run), run)),
  ofNumbers('mean', null, (numbers, run) => orTooLarge('mean', meanOf(numbers, run), run)),
  truthOf('all', false),
  truthOf('any', true),
  ofNumbers('product', null, (numbers, run) => orTooLarge('product', folded(numbers, 1, multiply, run), run)),
  ofNumbers('median', null, (numbers, run) => orTooLarge('median', medianOf(numbers, run), run)),
  // Of one number there is none: the sample says nothing of how far apart others are.
  ofNumbers('stddev', null, (numbers, run) =>
    numbers.length < 2 ? null : orTooLarge('stddev', standardDeviation(numbers, run), run),
  ),
  ofNumbers('mode', [], modesOf),
];
