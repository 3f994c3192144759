/** Expressions that give the same value whenever and wherever they are evaluated. */
import { childExpressions, type Expression } from '../feel/ast.ts';
import { TurnBudget, type CompiledExpression, type VariableLookup } from '../feel.ts';
import type { Value } from '../value.ts';

/** Built-in functions whose value is another at another time. */
const changing: ReadonlySet<string> = new Set(['now', 'today', 'random number']);

/** Undefined: it depends on something, or cannot be evaluated. */
export function constantOf(expression: CompiledExpression): Value | undefined {
  if (expression.names.length > 0 || callsChanging(expression.tree)) return undefined;
  return valueOver(expression, () => undefined);
}

/** The value where no variable that it names is there; undefined when it depends on more than variables. */
export function valueOfNothing(expression: CompiledExpression): Value | undefined {
  return callsChanging(expression.tree) ? undefined : valueOver(expression, () => undefined);
}

function valueOver({ evaluate }: CompiledExpression, lookup: VariableLookup): Value | undefined {
  try {
    return evaluate(lookup, new TurnBudget(0));
  } catch {
    // Whatever goes wrong goes wrong in the instance too, and is said there.
    return undefined;
  }
}

function callsChanging(tree: Expression): boolean {
  if (tree.kind === 'name' && changing.has(tree.name)) return true;
  return childExpressions(tree).some(callsChanging);
}
