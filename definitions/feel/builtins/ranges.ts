/**
 * Range functions: how points and ranges lie to each other.
 *
 * R1 A point is a range from itself to itself, both ends included, where the standard says nothing else.
 * R2 A side without an end is beyond all points. Two such sides are at the same place.
 * R3 Null, with a warning: points and ends do not compare, or the function does not take a point there.
 *
 * Source: DMN 1.5, 10.3.4.7, table 78.
 */
import { isFeelNumber } from '../number.ts';
import { compareValues, type Order } from '../order.ts';
import { FeelRange, type FeelValue, type Run, type Signature } from '../runtime.ts';
import { Temporal } from '../../value.ts';
import { isList } from '../value-kind.ts';
import { custom, signatureOf, type Builtin } from './define.ts';
import { described, either, number, range, refuse, temporal, text } from './parameter.ts';

/** Of the ends of `a` to those of `b`. */
interface Orders {
  readonly startToStart: Order;
  readonly startToEnd: Order;
  readonly endToStart: Order;
  readonly endToEnd: Order;
}

type Relation = (orders: Orders, a: FeelRange, b: FeelRange) => boolean;

/** Units of a function, without comparing: 2 µs. */
const RELATION_UNITS = 40;

/** What a function is given, by its two arguments. */
type Shape = 'points' | 'point and range' | 'range and point' | 'ranges';

const point = either(either(number, text), temporal);

const signatures: Readonly<Record<Shape, Signature>> = {
  points: signatureOf(['point1', point], ['point2', point]),
  'point and range': signatureOf(['point', point], ['range', range]),
  'range and point': signatureOf(['range', range], ['point', point]),
  ranges: signatureOf(['range1', range], ['range2', range]),
};

const before: Relation = ({ endToStart }, a, b) =>
  endToStart < 0 || (endToStart === 0 && !(a.isEndIncluded && b.isStartIncluded));

const meets: Relation = ({ endToStart }, a, b) => a.isEndIncluded && b.isStartIncluded && endToStart === 0;

const overlaps: Relation = ({ endToStart, startToEnd }, a, b) =>
  (endToStart > 0 || (endToStart === 0 && a.isEndIncluded && b.isStartIncluded)) &&
  (startToEnd < 0 || (startToEnd === 0 && a.isStartIncluded && b.isEndIncluded));

const overlapsBefore: Relation = ({ startToStart, endToStart, endToEnd }, a, b) =>
  (startToStart < 0 || (startToStart === 0 && a.isStartIncluded && !b.isStartIncluded)) &&
  (endToStart > 0 || (endToStart === 0 && a.isEndIncluded && b.isStartIncluded)) &&
  (endToEnd < 0 || (endToEnd === 0 && (!a.isEndIncluded || b.isEndIncluded)));

const finishes: Relation = ({ startToStart, endToEnd }, a, b) =>
  a.isEndIncluded === b.isEndIncluded &&
  endToEnd === 0 &&
  (startToStart > 0 || (startToStart === 0 && (!a.isStartIncluded || b.isStartIncluded)));

const finishesAt: Relation = ({ endToEnd }, _point, range) => range.isEndIncluded && endToEnd === 0;

const during: Relation = ({ startToStart, endToEnd }, a, b) =>
  (startToStart > 0 || (startToStart === 0 && (b.isStartIncluded || !a.isStartIncluded))) &&
  (endToEnd < 0 || (endToEnd === 0 && (b.isEndIncluded || !a.isEndIncluded)));

const isInside: Relation = ({ startToStart, endToEnd }, _point, range) =>
  (startToStart > 0 && endToEnd < 0) ||
  (startToStart === 0 && range.isStartIncluded) ||
  (endToEnd === 0 && range.isEndIncluded);

const starts: Relation = ({ startToStart, endToEnd }, a, b) =>
  startToStart === 0 &&
  a.isStartIncluded === b.isStartIncluded &&
  (endToEnd < 0 || (endToEnd === 0 && (!a.isEndIncluded || b.isEndIncluded)));

const startsAt: Relation = ({ startToStart }, _point, range) => range.isStartIncluded && startToStart === 0;

const coincides: Relation = ({ startToStart, endToEnd }, a, b) =>
  startToStart === 0 &&
  a.isStartIncluded === b.isStartIncluded &&
  endToEnd === 0 &&
  a.isEndIncluded === b.isEndIncluded;

/** The same of the two in the other order. */
function inverse(relation: Relation): Relation {
  return ({ startToStart, startToEnd, endToStart, endToEnd }, a, b) =>
    relation(
      {
        startToStart: opposite(startToStart),
        startToEnd: opposite(endToStart),
        endToStart: opposite(startToEnd),
        endToEnd: opposite(endToEnd),
      },
      b,
      a,
    );
}

function opposite(order: Order): Order {
  return order === 0 ? 0 : order < 0 ? 1 : -1;
}

/** Whether the side has an end: -1 and 1 are before and after all points (R2). */
interface End {
  readonly side: Order;
  readonly point: FeelValue;
}

function startOf({ start }: FeelRange): End {
  return { side: start === null ? -1 : 0, point: start };
}

function endOf({ end }: FeelRange): End {
  return { side: end === null ? 1 : 0, point: end };
}

function compareEnds(a: End, b: End, run: Run): Order | null {
  if (a.side === 0 && b.side === 0) return compareValues(a.point, b.point, run);
  return a.side < b.side ? -1 : a.side > b.side ? 1 : 0;
}

/** Null: they do not compare. */
function ordersOf(a: FeelRange, b: FeelRange, run: Run): Orders | null {
  const startToStart = compareEnds(startOf(a), startOf(b), run);
  const startToEnd = compareEnds(startOf(a), endOf(b), run);
  const endToStart = compareEnds(endOf(a), startOf(b), run);
  const endToEnd = compareEnds(endOf(a), endOf(b), run);
  if (startToStart === null || startToEnd === null || endToStart === null || endToEnd === null) return null;
  return { startToStart, startToEnd, endToStart, endToEnd };
}

/** An argument as a range (R1). Null: it is neither a range nor a point. */
function operandOf(
  given: FeelValue | undefined,
): { readonly isPoint: boolean; readonly range: FeelRange } | null {
  const value = given !== undefined && isList(given) && given.length === 1 ? given[0] : given;
  if (value instanceof FeelRange) return { isPoint: false, range: value };
  if (typeof value !== 'string' && !isFeelNumber(value) && !(value instanceof Temporal)) return null;
  return { isPoint: true, range: new FeelRange(value, true, value, true) };
}

function shapeOf(isFirstPoint: boolean, isSecondPoint: boolean): Shape {
  if (isFirstPoint) return isSecondPoint ? 'points' : 'point and range';
  return isSecondPoint ? 'range and point' : 'ranges';
}

function rangeFunction(name: string, relations: Readonly<Partial<Record<Shape, Relation>>>): Builtin {
  const taken = Object.keys(relations).join(', ');
  const shapes: readonly Shape[] = ['points', 'point and range', 'range and point', 'ranges'];
  const ownSignatures = shapes.flatMap((shape) =>
    relations[shape] === undefined ? [] : [signatures[shape]],
  );
  return custom(name, ownSignatures, ([first, second], run) => {
    run.meter.spend(RELATION_UNITS);
    const [a, b] = [operandOf(first), operandOf(second)];
    const relation = a === null || b === null ? undefined : relations[shapeOf(a.isPoint, b.isPoint)];
    if (a === null || b === null || relation === undefined) {
      return refuse(
        run,
        `${name}() takes ${taken}, and was given ${described(first)} and ${described(second)}`,
      );
    }
    const orders = ordersOf(a.range, b.range, run);
    if (orders === null) {
      return refuse(run, `the arguments of ${name}() must have an order, as two numbers or two dates have`);
    }
    return relation(orders, a.range, b.range);
  });
}

/** Between all shapes alike. */
function everywhere(name: string, relation: Relation): Builtin {
  return rangeFunction(name, {
    points: relation,
    'point and range': relation,
    'range and point': relation,
    ranges: relation,
  });
}

export const ranges: readonly Builtin[] = [
  everywhere('before', before),
  everywhere('after', inverse(before)),
  rangeFunction('meets', { ranges: meets }),
  rangeFunction('met by', { ranges: inverse(meets) }),
  rangeFunction('overlaps', { ranges: overlaps }),
  rangeFunction('overlaps before', { ranges: overlapsBefore }),
  rangeFunction('overlaps after', { ranges: inverse(overlapsBefore) }),
  rangeFunction('finishes', { 'point and range': finishesAt, ranges: finishes }),
  rangeFunction('finished by', { 'range and point': inverse(finishesAt), ranges: inverse(finishes) }),
  rangeFunction('includes', { 'range and point': inverse(isInside), ranges: inverse(during) }),
  rangeFunction('during', { 'point and range': isInside, ranges: during }),
  rangeFunction('starts', { 'point and range': startsAt, ranges: starts }),
  rangeFunction('started by', { 'range and point': inverse(startsAt), ranges: inverse(starts) }),
  rangeFunction('coincides', { points: coincides, ranges: coincides }),
];
