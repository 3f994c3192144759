/** Why a scenario has failed: a finding, and for an expectation what was expected and what was found. */
import { EngineError, type Finding, type Place } from '../../config/engine-error.ts';
import { FeelEvaluationError, TurnBudgetError } from '../../definitions/feel.ts';
import type { ScenarioCode } from '../../definitions/scenarios/codes.ts';
import type { AskedFor } from './answer-book.ts';

export interface Mismatch extends Finding {
  readonly expected: string | null;
  readonly found: string | null;
}

export function mismatch(
  code: ScenarioCode,
  message: string,
  place: Place,
  {
    expected = null,
    found = null,
  }: { readonly expected?: string | null; readonly found?: string | null } = {},
): Mismatch {
  // A refusal's own sentence ends in a full stop already.
  return { code, severity: 'error', message: `${message.replace(/\.$/, '')}.`, place, expected, found };
}

/** Null: `error` is no refusal of an answer but a fault of ours. */
export function answerRefused(error: unknown, asked: AskedFor, place: Place): Mismatch | null {
  const isExpression = error instanceof FeelEvaluationError || error instanceof TurnBudgetError;
  if (!isExpression && !(error instanceof EngineError)) return null;
  const cause = error instanceof EngineError ? ` [${codeOf(error)}]` : '';
  const message = `the answer to ${asked.elementId} on ${asked.channel} was refused: ${error.message}${cause}`;
  return mismatch('SUTRA.SCENARIO.ANSWER_REFUSED', message, place);
}

/** The engine's own code, where a completion was refused for it. */
function codeOf({ code, attributes }: EngineError): string {
  const { causeCode } = attributes;
  return typeof causeCode === 'string' ? causeCode : code;
}
