/** Compiled code against the interpreter of the tests (../../support/feel-interpreter.ts), where that ends soon enough. */
import type { Expression, TypeExpression, UnaryTests } from '../../../definitions/feel/ast.ts';
import { Meter, TurnBudget } from '../../../definitions/feel/budget.ts';
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { compileProgram, compileTestProgram } from '../../../definitions/feel/compile/program.ts';
import { FeelEvaluationError } from '../../../definitions/feel/errors.ts';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import { isFeelContext, isList } from '../../../definitions/feel/value-kind.ts';
import type { Context, Value } from '../../../definitions/value.ts';
import { lookupIn, show } from '../../definitions/feel/compile-run.ts';
import { environmentOf, type Interpreter } from '../../support/feel-interpreter.ts';
import { interpreted } from '../../support/interpreted.ts';
import { FuzzFailure } from '../fuzz-failure.ts';
import { NOW_MS } from './check-evaluation.ts';

/** What costs more is not interpreted, which may take much longer: it evaluates what compiled code need not. */
const MAX_UNITS = 20_000;
/** In a result, those that are there twice counted twice. */
const MAX_VALUES = 10_000;

/** Whether the two were compared. @throws FuzzFailure when they differ */
export function checkExpressionInterpreted(tree: Expression, variables: Context): boolean {
  if (namesFunctionType(tree)) return false;
  const program = compileProgram(tree, { builtins });
  return compare(
    (run) => program.evaluate(run, lookupIn(variables)),
    (interpreter) => interpreter.evaluate(tree, environmentOf(variables)),
  );
}

/** Whether the two were compared. @throws FuzzFailure when they differ */
export function checkTestsInterpreted(tests: UnaryTests, input: Value, variables: Context): boolean {
  if (namesFunctionType(tests)) return false;
  const program = compileTestProgram(tests, { builtins });
  return compare(
    (run) => program.evaluate(input, run, lookupIn(variables)),
    (interpreter) => interpreter.unaryTests(tests, input, environmentOf(variables)),
  );
}

function compare(
  compiled: (run: Evaluation) => FeelValue,
  interpret: (interpreter: Interpreter) => FeelValue,
): boolean {
  const meter = new Meter(new TurnBudget(NOW_MS));
  let value: FeelValue;
  try {
    value = compiled(new Evaluation(meter));
  } catch (error) {
    if (error instanceof FeelEvaluationError) return false;
    throw error;
  }
  if (meter.spentUnits > MAX_UNITS || isLarge(value)) return false;
  const expected = interpreted(builtins, NOW_MS, interpret);
  if (expected === undefined) return false;
  const [shown, shownExpected] = [show(value), show(expected)];
  if (shown !== shownExpected)
    throw new FuzzFailure(
      'compiled code and the interpreter differ',
      `${shown.slice(0, 300)}, and ${shownExpected.slice(0, 300)}`,
    );
  return true;
}

/** What holds itself twice, and that twice, is small and is written without end. */
function isLarge(root: FeelValue): boolean {
  const pending = [root];
  for (let count = 0; pending.length > 0; count += 1) {
    if (count > MAX_VALUES) return true;
    const value = pending.pop() ?? null;
    if (isList(value)) for (const item of value) pending.push(item);
    else if (isFeelContext(value)) pending.push(...Object.values(value));
  }
  return false;
}

/** The interpreter does not know the types of functions. */
function namesFunctionType(tree: unknown): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  const { kind } = tree as Partial<TypeExpression>;
  return kind === 'function-type' || Object.values(tree).some(namesFunctionType);
}
