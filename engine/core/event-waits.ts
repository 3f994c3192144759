/** Arming what a token waits for: catch events, receive and user tasks, boundary events. */
import type {
  AliasDefinition,
  BoundaryEvent,
  CatchDefinition,
  SourceDefinition,
} from '../../definitions/model.ts';
import { evaluateAliases, registerAliases } from './aliases.ts';
import type { LiveToken } from './live-state.ts';
import type { Step } from './step.ts';
import { dueAt } from './timer-value.ts';

/**
 * Lets the token wait for a message.
 * @param elementId the node that continues: the token's own, or an event that is attached to it or behind it
 */
export function waitForMessage(
  step: Step,
  token: LiveToken,
  elementId: string,
  source: SourceDefinition,
  definitions: readonly AliasDefinition[],
): void {
  const aliases = evaluateAliases(step, token, definitions);
  registerAliases(step, elementId, definitions, aliases);
  const { channel } = source;
  step.addWait(token, {
    kind: 'message',
    id: step.allocate(),
    tokenId: token.id,
    elementId,
    channel,
    aliases,
  });
}

/** Lets the token wait for an event; an error event is not waited for but looked for when one is thrown. */
export function waitForEvent(step: Step, token: LiveToken, elementId: string, event: CatchDefinition): void {
  if (event.kind === 'message') waitForMessage(step, token, elementId, event.source, event.aliases);
  if (event.kind !== 'timer') return;
  const dueAtMs = dueAt(step, token, event.timer);
  step.addWait(token, {
    kind: 'timer',
    id: step.allocate(),
    tokenId: token.id,
    elementId,
    dueAtMs,
    purpose: 'event',
  });
}

/** Arms the boundary events of the activity at which the token begins to wait. BPMN 2.0.2 §13.5.3. */
export function armBoundaryEvents(step: Step, token: LiveToken): void {
  for (const boundary of step.graph.facts(token.elementId).boundaries) {
    waitForEvent(step, token, boundary.id, boundary.event);
  }
}

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
  token.elementId = boundary.id;
  token.arrivedByFlowId = null;
  step.enqueue(token, 'completing');
  return token;
}

/** Ends all that the activity at which the token is still does: its waits, its calls, what is inside it. */
export function interruptActivity(step: Step, token: LiveToken): void {
  step.history('interrupted', token.elementId);
  removeChildScopes(step, token);
  step.withdrawWaits(token);
}

function removeChildScopes(step: Step, token: LiveToken): void {
  for (const scope of token.childScopes) {
    removeTokensOf(step, scope);
    step.removeScope(scope);
  }
}

/** Removes all tokens of a scope, and what is inside the activities at which they are. */
export function removeTokensOf(step: Step, scope: LiveToken['scope']): void {
  for (const token of scope.tokens) {
    step.history('interrupted', token.elementId);
    removeChildScopes(step, token);
    step.removeToken(token);
  }
  scope.joining.clear();
}
