/** The names in an expression that it does not declare itself. */
import {
  childExpressions,
  type Expression,
  type Identifier,
  type Iteration,
  type UnaryTests,
} from '../ast.ts';

export interface FreeName extends Identifier {
  /** It stands in a filter's condition, where it may name a property of the element. */
  readonly mayBeProperty: boolean;
}

/** In the order of the text; a name as often as it is there. */
export function freeNamesOf(tree: Expression | UnaryTests): readonly FreeName[] {
  const found: FreeName[] = [];
  const roots = tree.kind === 'any' ? [] : tree.kind === 'tests' ? tree.tests : [tree];
  for (const root of roots) visit(root, { declared: new Set(), isInFilter: false }, found);
  return found;
}

interface Around {
  readonly declared: ReadonlySet<string>;
  readonly isInFilter: boolean;
}

function visit(node: Expression, around: Around, found: FreeName[]): void {
  switch (node.kind) {
    case 'name': {
      const { name, from, to } = node;
      if (!around.declared.has(name)) found.push({ name, from, to, mayBeProperty: around.isInFilter });
      break;
    }
    case 'filter':
      visit(node.source, around, found);
      visit(node.condition, { declared: new Set([...around.declared, 'item']), isInFilter: true }, found);
      break;
    case 'for': {
      const inner = visitIterations(node.iterations, around, found);
      visit(node.body, declaring(inner, ['partial']), found);
      break;
    }
    case 'quantified':
      visit(node.condition, visitIterations(node.iterations, around, found), found);
      break;
    case 'context': {
      let inner = around;
      for (const { key, value } of node.entries) {
        visit(value, inner, found);
        inner = declaring(inner, [key.name]);
      }
      break;
    }
    case 'function': {
      const names = node.parameters.map(({ name }) => name.name);
      visit(node.body, declaring(around, names), found);
      break;
    }
    default:
      for (const child of childExpressions(node)) visit(child, around, found);
  }
}

/** What is declared behind them. */
function visitIterations(iterations: readonly Iteration[], around: Around, found: FreeName[]): Around {
  let inner = around;
  for (const { variable, domain } of iterations) {
    const parts = domain.kind === 'iteration-range' ? [domain.start, domain.end] : [domain];
    for (const part of parts) visit(part, inner, found);
    inner = declaring(inner, [variable.name]);
  }
  return inner;
}

function declaring(around: Around, names: readonly string[]): Around {
  return { ...around, declared: new Set([...around.declared, ...names]) };
}
