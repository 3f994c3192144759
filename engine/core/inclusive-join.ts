/**
 * When an inclusive gateway that joins may go on.
 *
 * It is asked only when no token can move by itself: a token in motion may still come.
 */
import type { NodeFacts } from './graph.ts';
import { takeJoining, type LiveScope, type LiveToken } from './live-state.ts';
import type { Step } from './step.ts';

/**
 * Lets one inclusive join that has become ready go on: one token of each flow that has any is consumed,
 * and the oldest of them continues.
 * @returns false when none was ready
 */
export function fireInclusiveJoin(step: Step): boolean {
  for (const scope of step.changedScopes) {
    for (const joinId of scope.joining.keys()) {
      if (step.graph.node(joinId).kind !== 'inclusiveGateway' || !isReady(step, scope, joinId)) continue;
      const [first, ...others] = [...takeJoining(scope, joinId)].sort((left, right) => left.id - right.id);
      if (first === undefined) continue;
      for (const token of others) step.removeToken(token);
      step.enqueue(first, 'completing');
      return true;
    }
    step.changedScopes.delete(scope);
  }
  return false;
}

/**
 * BPMN 2.0.2 §13.4.3: the gateway is activated if at least one incoming flow has a token, and every token
 * elsewhere in the scope that has a path to an incoming flow without one also has a path to an incoming
 * flow with one; paths through the gateway itself, and across the scope's border, do not count.
 */
function isReady(step: Step, scope: LiveScope, joinId: string): boolean {
  const arrived = scope.joining.get(joinId);
  if (arrived === undefined) return false;
  if (arrived.size === step.graph.node(joinId).incoming.length) return true;
  for (const token of scope.tokens) {
    if (token.elementId === joinId && token.state === 'joining') continue;
    let reachesEmpty = false;
    let reachesArrived = false;
    for (const flowId of reachableFrom(step, token, joinId)) {
      if (arrived.has(flowId)) reachesArrived = true;
      else reachesEmpty = true;
    }
    if (reachesEmpty && !reachesArrived) return false;
  }
  return true;
}

/**
 * The incoming flows of the join that the token can still come over. At an activity with boundary events
 * only those count that can still be triggered: those it waits for, and those that catch errors.
 */
function reachableFrom(step: Step, token: LiveToken, joinId: string): Iterable<string> {
  const reach = step.graph.reachOf(joinId);
  const facts = step.graph.facts(token.elementId);
  if (facts.boundaries.length === 0) return reach.get(token.elementId) ?? [];
  const flowIds = new Set<string>();
  for (const flow of facts.outgoing) {
    if (flow.targetId === joinId) flowIds.add(flow.id);
    else for (const flowId of reach.get(flow.targetId) ?? []) flowIds.add(flowId);
  }
  for (const boundaryId of openBoundaries(token, facts)) {
    for (const flowId of reach.get(boundaryId) ?? []) flowIds.add(flowId);
  }
  return flowIds;
}

function openBoundaries(token: LiveToken, facts: NodeFacts): readonly string[] {
  return facts.boundaries
    .filter(({ id, event }) => event.kind === 'error' || token.waits.some((wait) => wait.elementId === id))
    .map(({ id }) => id);
}
