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
import type { Expression, Filter } from '../ast.ts';
import { isFeelNumber } from '../number.ts';
import type { FeelValue } from '../runtime.ts';
import { isList } from '../value-kind.ts';
import { constantOf } from './constants.ts';
import { unitsPerElement } from './cost.ts';
import type { Code, Frame } from './evaluation.ts';
import { compileBorrowed } from './names.ts';
import { ElementScope, type Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

export function compileFilter(node: Filter, scope: Scope): Code {
  const { source, condition } = node;
  const code = source.kind === 'name' ? compileBorrowed(source, scope) : scope.compile(source);
  const constant = constantOf(condition);
  if (isFeelNumber(constant)) {
    return (frame) => {
      const list = listOf(code(frame), node, frame);
      return list === null ? null : elementAt(list, constant, node, frame);
    };
  }
  const inner = new ElementScope(scope);
  const test = inner.compile(condition);
  const units = unitsPerElement([condition]);
  return (frame) => {
    const list = listOf(code(frame), node, frame);
    if (list === null) return null;
    frame.slots[inner.slot] = list[0];
    if (list.length === 0) return ofNothing(node, units, test, frame);
    frame.run.meter.spend(units);
    const first = test(frame);
    if (isFeelNumber(first)) return elementAt(list, first, node, frame);
    frame.run.meter.iterate(list.length, units);
    return passing(list, test, { node, slot: inner.slot, first }, frame);
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

function listOf(value: FeelValue, { source }: Filter, frame: Frame): readonly FeelValue[] | null {
  if (isList(value)) return value;
  return value === null ? warn(frame, source, 'OPERAND', 'null cannot be filtered') : [value];
}

/** Of an empty list: an index finds no element, a condition leaves none. */
function ofNothing(node: Filter, units: number, test: Code, frame: Frame): FeelValue {
  if (truthKinds.has(node.condition.kind)) return [];
  frame.run.meter.spend(units);
  const value = frame.run.evaluateMuted(test, frame);
  return isFeelNumber(value) ? elementAt([], value, node, frame) : [];
}

function elementAt(list: readonly FeelValue[], index: FeelValue, node: Filter, frame: Frame): FeelValue {
  const { length } = list;
  if (typeof index === 'number' && Number.isInteger(index)) {
    const element = index > 0 ? list[index - 1] : list[length + index];
    if (index !== 0 && element !== undefined) return element;
  }
  return warn(frame, node.condition, 'INDEX', `a list of ${length} has no element of this number`);
}

interface Test {
  readonly node: Filter;
  readonly slot: number;
  /** What the condition is for the first element. */
  readonly first: FeelValue;
}

function passing(
  list: readonly FeelValue[],
  test: Code,
  { node, slot, first }: Test,
  frame: Frame,
): readonly FeelValue[] {
  const result: FeelValue[] = [];
  for (const [index, element] of list.entries()) {
    frame.slots[slot] = element;
    const value = index === 0 ? first : test(frame);
    if (value === true) result.push(element);
    else if (value !== false && value !== null) {
      warn(frame, node.condition, 'CONDITION', `the condition is ${describe(value)}, neither true nor false`);
    }
  }
  return result;
}
