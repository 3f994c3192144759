/**
 * Filters: `list[condition]` and `list[index]`.
 *
 * F1 Whether it is an index tells the value that is computed for the first element: a number is one. Of an empty list
 *    without an element.
 * F2 Indexes count from 1, and from the end below 0.
 * F3 What is no list is a list of one. Of null there is nothing.
 * F4 An element passes when the condition is true for it, and not when it is null.
 *
 * Source: DMN 1.5, 10.3.2.5; 10.3.2.15, table 68.
 */
import type { Expression, Filter, Span } from '../ast.ts';
import { isFeelNumber } from '../number.ts';
import type { FeelValue } from '../runtime.ts';
import { isList } from '../value-kind.ts';
import { constantOf } from './constants.ts';
import { unitsPerElement } from './cost.ts';
import type { Code, Frame } from './evaluation.ts';
import { compileBorrowed } from './names.ts';
import { ElementScope, type Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

/** What a filter consists of. */
export interface FilterParts {
  readonly source: Code;
  /** Where that stands. */
  readonly sourcePlace: Span;
  /** In the scope of an element. */
  readonly test: Code;
  readonly testPlace: Span;
  /** Where the element is. */
  readonly slot: number;
  /** What the test costs, for one element. */
  readonly units: number;
  /** The value of the test is never a number. */
  readonly isTruth: boolean;
}

export function compileFilter(node: Filter, scope: Scope): Code {
  const { source, condition } = node;
  const code = source.kind === 'name' ? compileBorrowed(source, scope) : scope.compile(source);
  const constant = constantOf(condition);
  if (isFeelNumber(constant)) {
    return (frame) => {
      const list = listOf(code(frame), source, frame);
      return list === null ? null : elementAt(list, constant, condition, frame);
    };
  }
  const inner = new ElementScope(scope);
  return filtering({
    source: code,
    sourcePlace: source,
    test: inner.compile(condition),
    testPlace: condition,
    slot: inner.slot,
    units: unitsPerElement([condition]),
    isTruth: givesTruth(condition),
  });
}

export function filtering(parts: FilterParts): Code {
  const { source, sourcePlace, test, testPlace, slot, units } = parts;
  return (frame) => {
    const list = listOf(source(frame), sourcePlace, frame);
    if (list === null) return null;
    frame.slots[slot] = list[0];
    if (list.length === 0) return ofNothing(parts, frame);
    frame.run.meter.spend(units);
    const first = test(frame);
    if (isFeelNumber(first)) return elementAt(list, first, testPlace, frame);
    frame.run.meter.iterate(list.length, units);
    return passing(list, first, parts, frame);
  };
}

/** Of these the value is never a number. */
const truthKinds: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>([
  'boolean',
  'comparison',
  'between',
  'in',
  'conjunction',
  'disjunction',
  'quantified',
  'instance-of',
  'equality-test',
]);

/** Whether the value of a condition is never a number. */
export function givesTruth(condition: Expression): boolean {
  return truthKinds.has(condition.kind);
}

function listOf(value: FeelValue, place: Span, frame: Frame): readonly FeelValue[] | null {
  if (isList(value)) return value;
  return value === null ? warn(frame, place, 'OPERAND', 'null cannot be filtered') : [value];
}

/** Of an empty list: an index finds no element, a condition leaves none. */
function ofNothing({ test, testPlace, units, isTruth }: FilterParts, frame: Frame): FeelValue {
  if (isTruth) return [];
  frame.run.meter.spend(units);
  const value = frame.run.evaluateMuted(test, frame);
  return isFeelNumber(value) ? elementAt([], value, testPlace, frame) : [];
}

function elementAt(list: readonly FeelValue[], index: FeelValue, place: Span, frame: Frame): FeelValue {
  const { length } = list;
  if (typeof index === 'number' && Number.isInteger(index)) {
    const element = index > 0 ? list[index - 1] : list[length + index];
    if (index !== 0 && element !== undefined) return element;
  }
  return warn(frame, place, 'INDEX', `a list of ${length} has no element of this number`);
}

/** @param first what the condition is for the first element */
function passing(
  list: readonly FeelValue[],
  first: FeelValue,
  { test, testPlace, slot }: FilterParts,
  frame: Frame,
): readonly FeelValue[] {
  const result: FeelValue[] = [];
  for (const [index, element] of list.entries()) {
    frame.slots[slot] = element;
    const value = index === 0 ? first : test(frame);
    if (value === true) result.push(element);
    else if (value !== false && value !== null) {
      warn(frame, testPlace, 'CONDITION', `the condition is ${describe(value)}, neither true nor false`);
    }
  }
  frame.run.meter.makeElements(result.length);
  return result;
}
