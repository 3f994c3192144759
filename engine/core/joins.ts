/**
 * When a gateway that joins by what can still come may go on: inclusive gateways, the reset of complex ones, and parallel
 * ones that have become complete without an arrival.
 *
 * They are asked only when no token can move by itself: a token in motion may still come.
 */
import type { NodeFacts } from './graph.ts';
import { takeJoining, type LiveScope, type LiveToken } from './live-state.ts';
import type { Step } from './step.ts';
import { endScope, isAdHoc } from './token-flow.ts';

/**
 * Lets one join that has become ready go on. A parallel or inclusive one consumes one token of each flow that has any,
 * and the oldest of them continues; a complex one is reset.
 * @returns false when none was ready
 */
export function fireJoin(step: Step): boolean {
  for (const scope of step.changedScopes) {
    if (fireReadyJoin(step, scope) || resetComplexGateway(step, scope)) return true;
    step.changedScopes.delete(scope);
  }
  return false;
}

function fireReadyJoin(step: Step, scope: LiveScope): boolean {
  for (const joinId of scope.joining?.keys() ?? []) {
    if (!isReady(scope, joinId)) continue;
    const [first, ...others] = [...takeJoining(scope, joinId)].sort((left, right) => left.id - right.id);
    if (first === undefined) continue;
    for (const token of others) step.removeToken(token);
    step.enqueue(first, 'completing');
    return true;
  }
  return false;
}

/**
 * A parallel join fires when the last token arrives (`parallel-gateway.ts`): at rest it is complete only when the
 * instance was migrated to a model in which fewer flows lead to it.
 */
function isReady(scope: LiveScope, joinId: string): boolean {
  const { kind, incoming } = scope.graph.node(joinId);
  const arrived = scope.joining?.get(joinId);
  if (kind === 'parallelGateway') return arrived?.size === incoming.length;
  return kind === 'inclusiveGateway' && isSettled(scope, joinId, new Set(arrived?.keys()));
}

/**
 * A complex gateway that has fired waits for the tokens of its other flows, by the rule of the inclusive
 * gateway, and takes them away: what comes after a firing belongs to it. BPMN 2.0.2 §13.4.5, waitingForReset.
 */
function resetComplexGateway(step: Step, scope: LiveScope): boolean {
  for (const [gatewayId, taken] of scope.complexGateways ?? []) {
    const waiting = scope.joining?.get(gatewayId);
    const late = [...(waiting?.keys() ?? [])].filter((flowId) => !taken.has(flowId));
    if (!isSettled(scope, gatewayId, new Set([...taken, ...late]))) continue;
    scope.complexGateways?.delete(gatewayId);
    for (const token of takeJoining(scope, gatewayId, (flowId) => !taken.has(flowId)))
      step.removeToken(token);
    // A further token on a flow that was taken belongs to the next round.
    for (const tokens of scope.joining?.get(gatewayId)?.values() ?? []) {
      for (const token of tokens) step.enqueue(token, 'entering');
    }
    scope.joining?.delete(gatewayId);
    if (scope.tokens.size === 0 && !isAdHoc(scope)) endScope(step, scope, 'completed');
    return true;
  }
  return false;
}

/**
 * BPMN 2.0.2 §13.4.3: at least one incoming flow has a token, and every token elsewhere in the scope that has
 * a path to an incoming flow without one also has a path to an incoming flow with one; paths through the
 * gateway itself, and across the scope's border, do not count.
 */
function isSettled(scope: LiveScope, joinId: string, arrived: ReadonlySet<string>): boolean {
  if (arrived.size === scope.graph.node(joinId).incoming.length) return true;
  for (const token of scope.tokens) {
    if (token.elementId === joinId && token.state === 'joining') continue;
    let reachesEmpty = false;
    let reachesArrived = false;
    for (const flowId of reachableFrom(token, joinId)) {
      if (arrived.has(flowId)) reachesArrived = true;
      else reachesEmpty = true;
    }
    if (reachesEmpty && !reachesArrived) return false;
  }
  return true;
}

/**
 * The incoming flows of the join that the token can still come over. At an activity with boundary events
 * only those count that can still be triggered: those it waits for, and those that something thrown inside can
 * trigger.
 */
function reachableFrom(token: LiveToken, joinId: string): Iterable<string> {
  const { graph } = token.scope;
  const reach = graph.reachOf(joinId);
  const facts = graph.facts(token.elementId);
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
    .filter(
      ({ id, triggers }) =>
        triggers.some(({ kind }) => kind === 'error' || kind === 'escalation' || kind === 'cancel') ||
        token.waits.some((wait) => wait.elementId === id),
    )
    .map(({ id }) => id);
}
