/** The interpreter (feel-interpreter.ts) within bounds: it goes through what compiled code need not, and recurses as it likes. */
import { Meter, TurnBudget } from '../../definitions/feel/budget.ts';
import { FeelEvaluationError } from '../../definitions/feel/errors.ts';
import type { FeelFunction, FeelValue } from '../../definitions/feel/runtime.ts';
import { Interpreter } from './feel-interpreter.ts';

const MAX_STEPS = 100_000;

class TooManySteps extends Error {}

/** Undefined: it takes too long, or too much of the stack, which says nothing of compiled code. */
export function interpreted(
  builtins: ReadonlyMap<string, FeelFunction>,
  nowMs: number,
  evaluate: (interpreter: Interpreter) => FeelValue,
): FeelValue | undefined {
  let stepsLeft = MAX_STEPS;
  const onStep = (): void => {
    stepsLeft -= 1;
    if (stepsLeft < 0) throw new TooManySteps();
  };
  const run = { meter: new Meter(new TurnBudget(nowMs)), warn: () => undefined };
  try {
    return evaluate(new Interpreter(builtins, run, onStep));
  } catch (error) {
    const isOwn =
      error instanceof TooManySteps || error instanceof FeelEvaluationError || error instanceof RangeError;
    if (isOwn) return undefined;
    throw error;
  }
}
