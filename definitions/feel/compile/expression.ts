/**
 * The compiler: a syntax tree to a closure for each of its nodes, which computes the node's value.
 *
 * E1 All that the text tells is found out here: what names mean, which values are constant, what it costs.
 * E2 Evaluation gives null with a warning where there is no value; it throws only for its budget, and for values and
 *    calls that nest too deep.
 */
import type { Expression } from '../ast.ts';
import { compileArithmetic, compileNegation } from './arithmetic.ts';
import { compileBetween, compileComparison, compileEqualityTest } from './comparison.ts';
import type { Code } from './evaluation.ts';
import { compileFilter } from './filter.ts';
import { compileFunction, compileInstanceOf } from './functions.ts';
import { compileInvocation } from './invocation.ts';
import { compileFor, compileQuantified } from './iteration.ts';
import { compileContext, compileList, compileLiteral, compileRange } from './literals.ts';
import { compileConjunction, compileDisjunction, compileIf } from './logic.ts';
import { compileInput, compileName, compilePath } from './names.ts';
import type { Scope } from './scope.ts';
import { compileIn } from './tests.ts';

export function compileTree(node: Expression, scope: Scope): Code {
  switch (node.kind) {
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
    case 'at':
      return compileLiteral(node);
    case 'name':
      return compileName(node, scope);
    case 'input':
      return compileInput(node, scope);
    case 'path':
      return compilePath(node, scope);
    case 'filter':
      return compileFilter(node, scope);
    case 'invocation':
      return compileInvocation(node, scope);
    case 'arithmetic':
      return compileArithmetic(node, scope);
    case 'negation':
      return compileNegation(node, scope);
    case 'comparison':
      return compileComparison(node, scope);
    case 'between':
      return compileBetween(node, scope);
    case 'in':
      return compileIn(node, scope);
    case 'conjunction':
      return compileConjunction(node, scope);
    case 'disjunction':
      return compileDisjunction(node, scope);
    case 'if':
      return compileIf(node, scope);
    case 'for':
      return compileFor(node, scope);
    case 'quantified':
      return compileQuantified(node, scope);
    default:
      return compileBoxed(node, scope);
  }
}

type Boxed = Extract<
  Expression,
  { readonly kind: 'context' | 'list' | 'range' | 'equality-test' | 'function' | 'instance-of' }
>;

function compileBoxed(node: Boxed, scope: Scope): Code {
  switch (node.kind) {
    case 'context':
      return compileContext(node, scope);
    case 'list':
      return compileList(node, scope);
    case 'range':
      return compileRange(node, scope);
    case 'equality-test':
      return compileEqualityTest(node, scope);
    case 'function':
      return compileFunction(node, scope);
    case 'instance-of':
      return compileInstanceOf(node, scope);
  }
}
