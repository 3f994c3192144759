/**
 * Tests of a value: what follows `in`, and unary tests.
 *
 * T1 A value passes a test that is a range when it is in it, one that is a list when it is equal to an element or in it
 *    when that is a range, and any other when it is equal.
 * T2 A test that names the value, by `?`, is a condition: it must be true. So is one that gives a boolean where the value
 *    is none: `other > 5`. A literal `true` is compared as any literal is.
 * T3 A function is a condition with the value as its argument.
 * T4 Where a value and a range have no order the result is null, not false.
 *
 * Source: DMN 1.5, 10.3.2.15, table 55; 10.3.2.10 for unary tests. Where that would compare values of different types, which
 * is null, the standard's conformance tests have false (0072).
 */
import { childExpressions, type Expression, type In } from '../ast.ts';
import { FeelFunction, FeelRange, type FeelValue } from '../runtime.ts';
import { isList } from '../value-kind.ts';
import { areEqual, both, ordered } from './comparison.ts';
import { constantOf } from './constants.ts';
import type { Code, Frame } from './evaluation.ts';
import { INPUT_NAME, NameScope, type Scope } from './scope.ts';
import { warn } from './warnings.ts';

/** Null: it cannot be told. */
export type Test = (frame: Frame, value: FeelValue) => boolean | null;

/** `value in (test, test)`. */
export function compileIn(node: In, scope: Scope): Code {
  const value = scope.compile(node.value);
  const test = compileTests(node.tests, scope);
  return (frame) => test(frame, value(frame));
}

/** Whether one of the tests is passed. For them `?` is the value. */
export function compileTests(nodes: readonly Expression[], scope: Scope): Test {
  const inner = new NameScope(scope, INPUT_NAME);
  const tests = nodes.map((node) => compileTest(node, inner));
  const { slot } = inner;
  return (frame, value) => {
    if (slot !== null) frame.slots[slot] = value;
    let result: boolean | null = false;
    for (const test of tests) {
      const isPassed = test(frame, value);
      if (isPassed === true) return true;
      if (isPassed === null) result = null;
    }
    return result;
  };
}

function compileTest(node: Expression, scope: Scope): Test {
  const code = scope.compile(node);
  const constant = constantOf(node);
  if (typeof constant === 'string' || typeof constant === 'number') return (_, value) => value === constant;
  if (node.kind === 'range') return rangeTest(node, code);
  if (namesInput(node)) return (frame, value) => conditionHolds(code(frame), value, node, frame);
  const isLiteral = constant !== undefined;
  return (frame, value) => {
    const result = code(frame);
    if (typeof result !== 'boolean') return passes(value, result, node, frame);
    return isLiteral || typeof value === 'boolean' ? result === value : result;
  };
}

/** A range whose ends are not what a range goes to cannot be told to hold anything. */
function rangeTest(node: Expression, code: Code): Test {
  return (frame, value) => {
    const range = code(frame);
    if (!(range instanceof FeelRange)) return null;
    return value instanceof FeelRange ? isEqual(value, range, frame) : isIn(value, range, node, frame);
  };
}

/** Whether `?` in the test is the value that is tested: in what follows another `in` it is that one's. */
export function namesInput(node: Expression): boolean {
  if (node.kind === 'input' || node.kind === 'equality-test') return true;
  if (node.kind === 'in') return namesInput(node.value);
  return childExpressions(node).some(namesInput);
}

function conditionHolds(result: FeelValue, value: FeelValue, node: Expression, frame: Frame): boolean | null {
  return typeof result === 'boolean' || result === null ? result : passes(value, result, node, frame);
}

/** Whether the value is what the test stands for (T1, T3). */
function passes(value: FeelValue, expected: FeelValue, node: Expression, frame: Frame): boolean | null {
  if (expected instanceof FeelFunction && !(value instanceof FeelFunction)) {
    return isAccepted(value, expected, node, frame);
  }
  if (expected instanceof FeelRange && !(value instanceof FeelRange))
    return isIn(value, expected, node, frame);
  if (isEqual(value, expected, frame)) return true;
  return isList(expected) ? isAmong(value, expected, node, frame) : false;
}

function isAmong(
  value: FeelValue,
  list: readonly FeelValue[],
  node: Expression,
  frame: Frame,
): boolean | null {
  frame.run.meter.spend(list.length);
  let result: boolean | null = false;
  for (const element of list) {
    const isRange = element instanceof FeelRange && !(value instanceof FeelRange);
    const isPassed = isRange ? isIn(value, element, node, frame) : isEqual(value, element, frame);
    if (isPassed === true) return true;
    if (isPassed === null) result = null;
  }
  return result;
}

function isEqual(value: FeelValue, expected: FeelValue, frame: Frame): boolean {
  return areEqual(value, expected, frame) === true;
}

/** Whether a value is in a range. Null: it has no order with an end. */
function isIn(value: FeelValue, range: FeelRange, node: Expression, frame: Frame): boolean | null {
  const { start, end, isStartIncluded, isEndIncluded } = range;
  const isAbove = start === null || ordered(isStartIncluded ? '>=' : '>', value, start, node, frame);
  const isBelow = end === null || ordered(isEndIncluded ? '<=' : '<', value, end, node, frame);
  return both(isAbove, isBelow);
}

function isAccepted(
  value: FeelValue,
  condition: FeelFunction,
  node: Expression,
  frame: Frame,
): boolean | null {
  const takesOne = condition.signatures.some(
    ({ names, least = names.length, isVariadic = false }) => least <= 1 && names.length === 1 && !isVariadic,
  );
  if (!takesOne) return warn(frame, node, 'CALL', 'a function that tests a value takes one argument');
  frame.run.place = node;
  const result = condition.invoke([value], frame.run);
  return typeof result === 'boolean' ? result : null;
}
