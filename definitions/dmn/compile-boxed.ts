/** Boxed expressions to code. Source: DMN 1.5, 7.3 (boxed expressions) and 10.2 (their semantics in FEEL). */
import { compileContext, compileList, compileRelation } from './compile-context.ts';
import { compileFunctionDefinition, compileInvocation } from './compile-function.ts';
import { compileConditional, compileFilter, compileFor, compileQuantified } from './compile-iteration.ts';
import type { BoxedScope, Compiled } from './compile-scope.ts';
import { compileText } from './compile-text.ts';
import { typed } from './compile-typed.ts';
import { compileDecisionTable } from './decision-table.ts';
import type { BoxedExpression } from './model.ts';

/** The value is of the type that the expression declares, or null. */
export function compileBoxed(node: BoxedExpression, scope: BoxedScope): Compiled {
  const compiled = compileKind(node, scope);
  // What a function declares is the type of its result as often as that of the function.
  if (node.type === null || node.kind === 'function') return compiled;
  return typed(compiled, scope.typeOf(node.type), 'the value of the expression', node.place);
}

function compileKind(node: BoxedExpression, scope: BoxedScope): Compiled {
  switch (node.kind) {
    case 'literal':
      return compileText(node.source, scope);
    case 'context':
      return compileContext(node, scope);
    case 'list':
      return compileList(node, scope);
    case 'relation':
      return compileRelation(node, scope);
    case 'function':
      return compileFunctionDefinition(node, scope);
    case 'invocation':
      return compileInvocation(node, scope);
    case 'conditional':
      return compileConditional(node, scope);
    case 'filter':
      return compileFilter(node, scope);
    case 'for':
      return compileFor(node, scope);
    case 'some':
    case 'every':
      return compileQuantified(node, node.kind, scope);
    case 'decision-table':
      return compileDecisionTable(node, scope);
  }
}
