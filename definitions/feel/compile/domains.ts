/**
 * What iterations go through.
 *
 * D1 A list; or the whole numbers or the dates from one to another, which a range has only upwards; anything else but
 *    null is a list of one.
 * D2 It is paid for, with what is done for each element, before it is made.
 *
 * Source: DMN 1.5, 10.3.2.14, and the standard's conformance tests (0084): no letters, times or durations.
 */
import type { Expression, IterationRange, Span } from '../ast.ts';
import { Temporal } from '../../value.ts';
import { FeelRange, type FeelValue } from '../runtime.ts';
import { fieldsOf, temporalOf } from '../temporal/fields.ts';
import { isList } from '../value-kind.ts';
import type { Frame } from './evaluation.ts';
import { compileBorrowed } from './names.ts';
import type { Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

/** Units for a date that is made. */
const DATE_UNITS = 40;

/** The elements. Null: there is nothing that could be gone through. */
export type Domain = (frame: Frame) => readonly FeelValue[] | null;

/** @param units what is done for each element (D2) */
export function compileDomain(node: Expression | IterationRange, scope: Scope, units: number): Domain {
  if (node.kind === 'iteration-range') {
    const start = scope.compile(node.start);
    const end = scope.compile(node.end);
    return (frame) => {
      const [first, last] = [start(frame), end(frame)];
      return steps(first, last, frame, units) ?? notIterable(node, [first, last], frame);
    };
  }
  const code = node.kind === 'name' ? compileBorrowed(node, scope) : scope.compile(node);
  return (frame) => elementsOf(code(frame), node, units, frame);
}

/** What a value has to go through. @param node whose value it is */
export function elementsOf(
  value: FeelValue,
  node: Span,
  units: number,
  frame: Frame,
): readonly FeelValue[] | null {
  if (value instanceof FeelRange)
    return stepsOfRange(value, frame, units) ?? notIterable(node, [value.start, value.end], frame);
  if (value === null) return warn(frame, node, 'OPERAND', 'null cannot be iterated over');
  const list = isList(value) ? value : [value];
  frame.run.meter.iterate(list.length, units);
  return list;
}

function notIterable(node: Span, [first = null, last = null]: readonly FeelValue[], frame: Frame): null {
  const ends = `from ${describe(first)} to ${describe(last)}`;
  return warn(
    frame,
    node,
    'OPERAND',
    `there are no steps ${ends}: only whole numbers and dates have them, in a range upwards`,
  );
}

/** Null: the range goes down, is open-ended, or its ends have no steps between them. */
function stepsOfRange(range: FeelRange, frame: Frame, units: number): readonly FeelValue[] | null {
  const [start, end] = [positionOf(range.start), positionOf(range.end)];
  if (start === null || end === null || start.isDate !== end.isDate) return null;
  const first = start.at + (range.isStartIncluded ? 0 : 1);
  const last = end.at - (range.isEndIncluded ? 0 : 1);
  if (start.at > end.at) return null;
  return first > last ? [] : upOrDown(first, last, start.isDate, frame, units);
}

/** Up or down, with both ends. Null: they have no steps between them. */
function steps(start: FeelValue, end: FeelValue, frame: Frame, units: number): readonly FeelValue[] | null {
  const [first, last] = [positionOf(start), positionOf(end)];
  if (first === null || last === null || first.isDate !== last.isDate) return null;
  return upOrDown(first.at, last.at, first.isDate, frame, units);
}

interface Position {
  /** The number, or the number of the day. */
  readonly at: number;
  readonly isDate: boolean;
}

function positionOf(value: FeelValue): Position | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { at: value, isDate: false } : null;
  if (!(value instanceof Temporal)) return null;
  const fields = fieldsOf(value);
  return fields.kind === 'date' ? { at: fields.day, isDate: true } : null;
}

function upOrDown(
  first: number,
  last: number,
  isDate: boolean,
  frame: Frame,
  units: number,
): readonly FeelValue[] {
  const count = Math.abs(last - first) + 1;
  frame.run.meter.iterate(count, units + (isDate ? DATE_UNITS : 0));
  const step = last < first ? -1 : 1;
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * step;
    return isDate ? temporalOf({ kind: 'date', day: at }) : at;
  });
}
