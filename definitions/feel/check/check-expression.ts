/**
 * Checks of expressions and unary tests before they run: names that nothing has, and kinds of values that never go
 * together.
 *
 * E1 What is an error is never right, whatever the data: a name that nothing has, a value that there cannot be, a condition
 *    that never holds. It may be refused. Null is no mistake.
 * E2 Where the scope is not known in full, nothing is said.
 */
import type { Expression, UnaryTests } from '../ast.ts';
import type { ValueKind } from '../value-kind.ts';
import { typeOfArithmetic, typeOfNegation } from './arithmetic.ts';
import { typeOfInvocation } from './calls.ts';
import { Checker } from './checker.ts';
import { inputType, typeOfBetween, typeOfComparison, typeOfEqualityTest, typeOfRange } from './comparison.ts';
import { checkCondition, typeOfFilter, typeOfIf, typeOfJunction } from './conditions.ts';
import type { FeelFinding } from './findings.ts';
import { typeOfFor, typeOfQuantified } from './iteration.ts';
import { typeOfContext, typeOfFunction, typeOfInstanceOf, typeOfLiteral } from './literals.ts';
import { typeOfName, typeOfPath } from './paths.ts';
import type { CheckScope } from './scope.ts';
import { describe, listOf, mayBe, unionOf, type StaticType } from './static-type.ts';
import { checkTests, typeOfIn } from './tests.ts';

export type { FeelCode, FeelFinding } from './findings.ts';
export type { CheckScope } from './scope.ts';

export interface CheckedExpression {
  /** Of what it gives. */
  readonly type: StaticType;
  /** In the order of the text. */
  readonly findings: readonly FeelFinding[];
}

/** What an expression must give, null aside. */
export interface Expectation {
  /** What its value is, in a sentence: `the condition`. */
  readonly what: string;
  readonly kinds: readonly ValueKind[];
  /** As in "must be a list". */
  readonly wanted: string;
}

/** @param expected null: anything */
export function checkExpression(
  tree: Expression,
  scope: CheckScope,
  expected: Expectation | null = null,
): CheckedExpression {
  const checker = Checker.of(scope, typeOf);
  const type = expected === null ? checker.typeOf(tree) : typeOfExpected(tree, expected, checker);
  return { type, findings: checker.findings };
}

function typeOfExpected(
  tree: Expression,
  { what, kinds, wanted }: Expectation,
  checker: Checker,
): StaticType {
  if (kinds.length === 1 && kinds[0] === 'boolean') return checkCondition(tree, what, checker);
  const type = checker.typeOf(tree);
  if (mayBe(type, ...kinds)) return type;
  const message = `${what} must be ${wanted}, and is ${describe(type)}`;
  return checker.error('SUTRA.FEEL.TYPE_MISMATCH', tree, message);
}

/** @param input the type of the value that is tested */
export function checkUnaryTests(
  tests: UnaryTests,
  input: StaticType,
  scope: CheckScope,
): readonly FeelFinding[] {
  if (tests.kind === 'any') return [];
  const checker = Checker.of(scope, typeOf);
  checkTests(tests.tests, input, checker);
  return checker.findings;
}

function typeOf(node: Expression, checker: Checker): StaticType {
  switch (node.kind) {
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
    case 'at':
      return typeOfLiteral(node, checker);
    case 'name':
      return typeOfName(node, checker);
    case 'input':
      return inputType(node, checker);
    case 'path':
      return typeOfPath(node, checker);
    case 'filter':
      return typeOfFilter(node, checker);
    case 'invocation':
      return typeOfInvocation(node, checker);
    case 'arithmetic':
      return typeOfArithmetic(node, checker);
    case 'negation':
      return typeOfNegation(node, checker);
    case 'comparison':
      return typeOfComparison(node, checker);
    case 'between':
      return typeOfBetween(node, checker);
    case 'in':
      return typeOfIn(node, checker);
    case 'conjunction':
    case 'disjunction':
      return typeOfJunction(node, checker);
    case 'if':
      return typeOfIf(node, checker);
    case 'for':
      return typeOfFor(node, checker);
    case 'quantified':
      return typeOfQuantified(node, checker);
    default:
      return typeOfBoxed(node, checker);
  }
}

type Boxed = Extract<
  Expression,
  { readonly kind: 'context' | 'list' | 'range' | 'equality-test' | 'function' | 'instance-of' }
>;

function typeOfBoxed(node: Boxed, checker: Checker): StaticType {
  switch (node.kind) {
    case 'context':
      return typeOfContext(node, checker);
    case 'list':
      return listOf(unionOf(node.items.map((item) => checker.typeOf(item))));
    case 'range':
      return typeOfRange(node, checker);
    case 'equality-test':
      return typeOfEqualityTest(node, checker);
    case 'function':
      return typeOfFunction(node, checker);
    case 'instance-of':
      return typeOfInstanceOf(node, checker);
  }
}
