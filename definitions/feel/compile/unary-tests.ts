/** Unary tests: the input entries of a decision table, and allowed values. */
import type { UnaryTests } from '../ast.ts';
import type { Scope } from './scope.ts';
import { compileTests, type Test } from './tests.ts';

/** Whether the input passes. Null: it cannot be told; then it does not pass `not(…)` either. */
export function compileUnaryTests(node: UnaryTests, scope: Scope): Test {
  if (node.kind === 'any') return () => true;
  const test = compileTests(node.tests, scope);
  if (!node.isNegated) return test;
  return (frame, value) => {
    const isPassed = test(frame, value);
    return isPassed === null ? null : !isPassed;
  };
}
