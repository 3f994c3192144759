/** Moving tokens over sequence flows, and the ends of tokens and scopes. */
import type { SequenceFlow } from '../../definitions/model.ts';
import { removeTokensOf } from './event-waits.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import type { Step } from './step.ts';

/**
 * Sends the token over the first flow and a token of its own over each other one; with no flow to take
 * the token ends. BPMN 2.0.2 §13.3.1.
 */
export function takeFlows(step: Step, token: LiveToken, flows: readonly SequenceFlow[]): void {
  const [first, ...others] = flows;
  if (first === undefined) {
    endToken(step, token);
    return;
  }
  const { node, outgoing } = step.graph.facts(token.elementId);
  if (outgoing.length > 1) {
    for (const flow of flows) step.history('flowTaken', node.id, { flowId: flow.id });
  }
  step.moveToken(token, first.targetId, first.id);
  for (const flow of others) step.newToken(token.scope, flow.targetId, 'entering', flow.id);
}

/** The token is consumed; a scope without tokens has ended. BPMN 2.0.2 §13.5.6, §13.3.4. */
export function endToken(step: Step, token: LiveToken): void {
  step.removeToken(token);
  if (token.scope.tokens.size === 0) endScope(step, token.scope, 'completed');
}

/** Ends a scope with all that is still in it: its sub-process then continues as usual. §13.5.6 Terminate. */
export function terminateScope(step: Step, scope: LiveScope, by: LiveToken): void {
  step.removeToken(by);
  removeTokensOf(step, scope);
  endScope(step, scope, 'terminated');
}

function endScope(step: Step, scope: LiveScope, outcome: 'completed' | 'terminated'): void {
  if (scope.owner === null) {
    step.endedAs = outcome;
    return;
  }
  step.removeScope(scope);
  if (scope.owner.childScopes.length === 0) step.enqueue(scope.owner, 'completing');
}
