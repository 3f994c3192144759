/** Tests of a value: what follows `in`, and unary tests (compile/tests.ts). */
import type { Expression, In } from '../ast.ts';
import { constantOf } from '../compile/constants.ts';
import { namesInput } from '../compile/tests.ts';
import type { Checker } from './checker.ts';
import { isValue, mayBeEqual, mayHaveOrder } from './comparison.ts';
import { InputNames } from './names.ts';
import { anyType, describe, mayBe, membersOf, simple, type StaticType } from './static-type.ts';

/** One test of several that never passes is only a warning: `x in (null, "", [])` asks whether anything is empty. */
export function typeOfIn(node: In, checker: Checker): StaticType {
  const value = checker.typeOf(node.value);
  return checkTests(node.tests, value, checker, node.tests.length > 1) ? simple('boolean') : anyType;
}

/**
 * Each test must be one that a value of the type can pass. False: something was reported.
 * @param isEither it is enough that one of them can; the others are warned of
 */
export function checkTests(
  tests: readonly Expression[],
  value: StaticType,
  checker: Checker,
  isEither = false,
): boolean {
  const inner = checker.within(new InputNames(checker.names, value));
  const failing = tests
    .map((test) => ({ test, type: inner.typeOf(test) }))
    .filter(({ test, type }) => !mayPass(value, type, test));
  const canPass = isEither && failing.length < tests.length;
  for (const { test, type } of failing) {
    const message = `${describe(value)} never passes this test, which is ${describe(type)}`;
    // What is null passes a test that is null.
    const isError = isValue(test) && !canPass;
    checker.report(isError ? 'error' : 'warning', 'SUTRA.FEEL.TYPE_MISMATCH', test, message);
  }
  return failing.length === 0;
}

function mayPass(value: StaticType, type: StaticType, test: Expression): boolean {
  const isLiteral = constantOf(test) !== undefined;
  // What gives a boolean is a condition, unless it is written as one or the value is one.
  if (!isLiteral && mayBe(type, 'boolean')) return true;
  if (namesInput(test) && type.kind === 'null') return true;
  return membersOf(type).some((member) => mayMatch(value, member));
}

/** Whether the value may be what a test stands for. */
function mayMatch(value: StaticType, expected: StaticType): boolean {
  if (mayBeEqual(value, expected) || expected.kind === 'function') return true;
  if (expected.kind === 'range') return mayHaveOrder(value, expected.element);
  if (expected.kind !== 'list') return false;
  return membersOf(expected.element).some(
    (element) =>
      mayBeEqual(value, element) || (element.kind === 'range' && mayHaveOrder(value, element.element)),
  );
}
