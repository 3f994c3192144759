/** `bpmn:assignment`s: data written when an activity completes. */
import type { AssignmentDefinition } from '../../../definitions/model.ts';
import { evaluate } from '../evaluate.ts';
import type { LiveToken } from '../live-state.ts';
import { assignPath } from '../scope-variables.ts';
import type { Step } from '../step.ts';

/** Runs them in document order; each sees what those before it wrote. BPMN 2.0.2 §10.4.2. */
export function runAssignments(
  step: Step,
  token: LiveToken,
  assignments: readonly AssignmentDefinition[],
): void {
  for (const { from, to } of assignments) assignPath(token.scope, to, evaluate(step, token, from));
}
