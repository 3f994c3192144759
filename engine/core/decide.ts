/** Decisions of the package, made at a token. */
import { TurnBudgetError } from '../../definitions/feel.ts';
import type { Decision, DecisionProblem, DecisionResult } from '../../definitions/dmn/decisions.ts';
import { Meter } from '../../definitions/feel/budget.ts';
import { toVariableValue } from '../../definitions/feel/result.ts';
import type { ParamDefinition } from '../../definitions/model.ts';
import type { Value } from '../../definitions/value.ts';
import { ElementFailure } from './element-failure.ts';
import { evaluate } from './evaluate.ts';
import type { LiveToken } from './live-state.ts';
import { lookUp } from './scope-variables.ts';
import type { Step } from './step.ts';
import { isTooLarge, MAX_VALUE_SIZE } from './value-size.ts';

/**
 * What is decided. Each input is the parameter of its name, else the variable of its name that is visible at the token.
 * @throws ElementFailure when the decision has no result, and for what an expression fails for
 */
export function decide(
  step: Step,
  token: LiveToken,
  decision: Decision,
  params: readonly ParamDefinition[],
): Value {
  const given = new Map(params.map(({ name, expression }) => [name, evaluate(step, token, expression)]));
  const value = resultOf(step, decision, (name) =>
    given.has(name) ? given.get(name) : lookUp(token.scope, name),
  );
  if (!isTooLarge(value)) return value;
  throw new ElementFailure(
    'SUTRA.CORE.VALUE_TOO_LARGE',
    `the decision ${decision.name} gave a value larger than ${MAX_VALUE_SIZE}`,
  );
}

function resultOf(step: Step, decision: Decision, lookup: (name: string) => Value | undefined): Value {
  try {
    const result = decision.evaluate(lookup, step.budget);
    const [problem, ...more] = errorsOf(result);
    if (problem !== undefined) throw noResult(decision, problem, more.length);
    const meter = new Meter(step.budget);
    try {
      return toVariableValue(result.value, meter);
    } finally {
      meter.end();
    }
  } catch (cause) {
    if (cause instanceof ElementFailure) throw cause;
    const reason = cause instanceof Error ? cause.message : 'unknown error';
    throw new ElementFailure(
      cause instanceof TurnBudgetError ? 'SUTRA.CORE.COST_LIMIT' : 'SUTRA.CORE.DECISION_FAILED',
      `${reason} (decision ${decision.name} in ${inWords(decision.place)})`,
    );
  }
}

/** Warnings are of those who write the model: a value of it is null, and it can live with that. */
function errorsOf({ problems }: DecisionResult): readonly DecisionProblem[] {
  return problems.filter(({ severity }) => severity === 'error');
}

function noResult({ name }: Decision, problem: DecisionProblem, moreCount: number): ElementFailure {
  const { code, message, place } = problem;
  const more = moreCount === 0 ? '' : ` (and ${moreCount} more)`;
  return new ElementFailure(
    'SUTRA.CORE.DECISION_FAILED',
    `the decision ${name} has no result: ${code}: ${message}, in ${inWords(place)}${more}`,
  );
}

/** `rules/loan.dmn:12:7 (rule-2)` */
function inWords({ file, line, column, elementId }: DecisionProblem['place']): string {
  const position = [file, line, column].filter((part) => part !== undefined).join(':');
  return elementId === undefined ? position : `${position} (${elementId})`;
}
