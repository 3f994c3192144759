/** Moving tokens over sequence flows, and the ends of tokens and scopes. */
import type { SequenceFlow } from '../../definitions/model.ts';
import { continueCompensation } from './compensation.ts';
import { keepInside } from './compensation-records.ts';
import { removeTokensOf } from './interrupt.ts';
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
  const { node, outgoing } = token.scope.graph.facts(token.elementId);
  if (outgoing.length > 1) {
    for (const flow of flows) step.history('flowTaken', node.id, { flowId: flow.id });
  }
  step.moveToken(token, first.targetId, first.id);
  for (const flow of others) step.newToken(token.scope, flow.targetId, 'entering', flow.id);
}

/**
 * The token is consumed; a scope without tokens has ended. With nothing left in it but event sub-processes, it
 * only waits for these to end: no more of them begin. BPMN 2.0.2 §13.5.6, §13.3.4, §13.5.4.
 */
export function endToken(step: Step, token: LiveToken): void {
  const { scope } = token;
  step.removeToken(token);
  if (isAdHoc(scope)) return;
  if (scope.tokens.size === 0) endScope(step, scope, 'completed');
  else if (scope.waits.length > 0 && hasOnlyEventSubProcesses(scope)) step.withdrawWaits(scope);
}

function hasOnlyEventSubProcesses({ graph, tokens }: LiveScope): boolean {
  for (const { elementId } of tokens) {
    const node = graph.node(elementId);
    if (node.kind !== 'subProcess' || node.variant.kind !== 'event') return false;
  }
  return true;
}

/** Ends a scope with all that is still in it: its sub-process then continues as usual. §13.5.6 Terminate. */
export function terminateScope(step: Step, scope: LiveScope): void {
  removeTokensOf(step, scope);
  endScope(step, scope, 'terminated');
}

/** The inside of an ad hoc sub-process lives until it is told to end. BPMN 2.0.2 §13.3.5. */
export function isAdHoc({ kind, graph, elementId }: LiveScope): boolean {
  if (kind !== undefined && kind !== 'restored') return false;
  const node = graph.process.nodes.get(elementId);
  return node?.kind === 'subProcess' && node.variant.kind === 'adHoc';
}

/** What waited for the scope goes on. The scope holds no token any more. */
export function endScope(step: Step, scope: LiveScope, outcome: 'completed' | 'terminated'): void {
  const { owner, kind } = scope;
  if (owner === null) {
    step.withdrawWaits(scope);
    step.endedAs = outcome;
  } else if (kind === 'handler') {
    step.removeScope(scope);
    continueCompensation(step, owner);
  } else if (kind === 'restored') {
    continueCompensation(step, owner);
  } else if (kind === 'called') {
    // Its variables are still wanted: the call activity takes its results from them and then removes it.
    step.withdrawWaits(scope);
    step.complete(owner);
  } else {
    if (outcome === 'completed') keepInside(step, scope);
    step.removeScope(scope);
    step.complete(owner);
  }
}
