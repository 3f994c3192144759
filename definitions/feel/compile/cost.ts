/**
 * What nodes cost, and how high they are, as far as that is known before they run.
 *
 * C1 What is inside of a node counts, whether it will be evaluated or not; so that it need not be counted while it
 *    runs. What is evaluated for each element, or at each call, is paid for then.
 */
import { childExpressions, type Expression, type Iteration } from '../ast.ts';

/** Units for going on to the next element of an iteration or a filter. */
const ELEMENT_UNITS = 2;

/** Units of a node without those inside it; 1 where none are said. */
const nodeUnits: Partial<Record<Expression['kind'], number>> = {
  name: 2,
  path: 2,
  context: 4,
  list: 3,
  range: 4,
  function: 8,
  invocation: 5,
  'instance-of': 2,
  for: 5,
  quantified: 3,
  filter: 5,
};
/** And for each entry of a context, item of a list, argument of a call. */
const CHILD_UNITS = 2;
const costlyChildren: ReadonlySet<Expression['kind']> = new Set(['context', 'list', 'invocation']);

/** Units for evaluating a node once (C1). */
export function unitsOf(node: Expression): number {
  const children = onceEvaluated(node);
  const own =
    (nodeUnits[node.kind] ?? 1) + (costlyChildren.has(node.kind) ? children.length * CHILD_UNITS : 0);
  return sum(children.map(unitsOf)) + own;
}

/** Units for each element that is gone through: those of what is evaluated for it. */
export function unitsPerElement(nodes: readonly Expression[]): number {
  return ELEMENT_UNITS + sum(nodes.map(unitsOf));
}

/** The parts of a node that are evaluated at most once when it is. */
function onceEvaluated(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case 'for':
    case 'quantified':
      return node.iterations.slice(0, 1).flatMap(domainParts);
    case 'filter':
      return [node.source];
    case 'function':
      return [];
    default:
      return childExpressions(node);
  }
}

/** The expressions that an iteration's domain consists of. */
export function domainParts({ domain }: Iteration): readonly Expression[] {
  return domain.kind === 'iteration-range' ? [domain.start, domain.end] : [domain];
}

/** Heights of nodes without those inside them; 1 where none are said. One is some 140 bytes of stack, measured cold. */
const nodeHeights: Partial<Record<Expression['kind'], number>> = {
  conjunction: 2,
  disjunction: 2,
  list: 2,
  context: 3,
  invocation: 3,
  in: 4,
  quantified: 5,
  for: 5,
};

/** What a node takes of the stack; the bodies of functions are left out, which have a height of their own. */
export function heightOf(node: Expression): number {
  const own = nodeHeights[node.kind] ?? 1;
  if (node.kind === 'function') return own;
  const levels = node.kind === 'for' || node.kind === 'quantified' ? node.iterations.length : 0;
  return own + levels + heightOfAll(childExpressions(node));
}

/** Of those that are evaluated one after the other. */
export function heightOfAll(nodes: readonly Expression[]): number {
  return nodes.reduce((height, node) => Math.max(height, heightOf(node)), 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
