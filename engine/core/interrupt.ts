/** Ending what still runs, and letting an event that has occurred take over. */
import type { BoundaryEvent } from '../../definitions/model.ts';
import type { EventHandler } from './graph.ts';
import { isRun, type LiveScope, type LiveToken } from './live-state.ts';
import type { Step } from './step.ts';
import { collectsOutput } from './loop-facts.ts';

/**
 * Lets a boundary event that has been triggered continue. An interrupting one ends the activity and takes
 * its token over; another gets a token of its own, and the activity goes on.
 * BPMN 2.0.2 §13.5.3, handling events attached to an activity.
 * @returns the token at the boundary event
 */
export function triggerBoundaryEvent(step: Step, token: LiveToken, boundary: BoundaryEvent): LiveToken {
  if (!boundary.isInterrupting) {
    step.history('entered', boundary.id);
    return step.newToken(token.scope, boundary.id, 'completing', null);
  }
  interruptActivity(step, token);
  step.history('entered', boundary.id);
  step.moveToken(token, boundary.id, null, 'completing');
  return token;
}

/**
 * Runs an event sub-process of the scope whose start event has occurred. An interrupting one ends all else
 * in the scope, and the other event sub-processes wait no longer. BPMN 2.0.2 §10.5.5, §13.5.4.
 * @returns the token at the start event
 */
export function triggerEventSubProcess(
  step: Step,
  scope: LiveScope,
  { subProcess, start }: EventHandler,
): LiveToken {
  if (start.isInterrupting) {
    removeTokensOf(step, scope);
    step.withdrawWaits(scope);
  }
  step.history('entered', subProcess.id);
  const owner = step.newWaitingToken(scope, subProcess.id);
  const declared = scope.graph.scopeFacts(subProcess.id).declared;
  const inside = step.newScope(owner, Object.fromEntries(declared.map((name) => [name, null])));
  return step.newToken(inside, start.id, 'entering', null);
}

/** Ends all that the activity at which the token is still does: its waits, its calls, what is inside it. */
export function interruptActivity(step: Step, token: LiveToken): void {
  step.history('interrupted', token.elementId);
  removeInside(step, token);
  step.withdrawWaits(token);
}

/** Removes what is inside the activity at which the token is. @throws NeedsParts */
export function removeInside(step: Step, token: LiveToken): void {
  if (token.loop?.isParted === true) {
    for (const { id } of step.partsOf(token, collectsOutput(token))) step.parts.delete(id);
  }
  for (const scope of token.childScopes ?? []) {
    removeTokensOf(step, scope);
    step.removeScope(scope);
  }
  token.loop = null;
  token.compensating = null;
  step.compensations.takePending(token.id);
}

/** Removes all tokens of a scope, and what is inside the activities at which they are. */
export function removeTokensOf(step: Step, scope: LiveScope): void {
  for (const token of scope.tokens) {
    if (!isRun(token)) step.history('interrupted', token.elementId);
    removeInside(step, token);
    step.removeToken(token);
  }
  scope.joining = null;
  scope.complexGateways = null;
}
