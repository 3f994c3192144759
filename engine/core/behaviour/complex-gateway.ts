import type { ComplexGateway } from '../../../definitions/model.ts';
import type { Value } from '../../../definitions/value.ts';
import { holds } from '../evaluate.ts';
import { addJoining, keepTaken, takeJoining, type LiveToken } from '../live-state.ts';
import type { Behaviour } from './behaviour.ts';

/**
 * Fires when its activation condition holds over what has arrived, takes one token of each flow that has any,
 * and every outgoing flow whose condition holds. Until it is reset (`joins.ts`) it fires no more.
 * BPMN 2.0.2 §13.4.5.
 */
export const complexGateway: Behaviour<ComplexGateway> = {
  enter(step, token, node) {
    if (node.incoming.length < 2 || node.activationCondition === null) return 'done';
    const { scope } = token;
    const isWaitingForReset = scope.complexGateways?.has(node.id) === true;
    const fires =
      !isWaitingForReset && holds(step, token, node.activationCondition, node.id, arrivals(token, node));
    addJoining(token);
    if (!fires) return 'joins';
    const flowIds = new Set(scope.joining?.get(node.id)?.keys());
    const taken = takeJoining(scope, node.id);
    if (flowIds.size < node.incoming.length) keepTaken(scope, node.id, flowIds);
    // The oldest token of this one's flow may be another one: then that goes, and this one stays for the next round.
    const onward = taken.includes(token) ? token : taken[0];
    for (const other of taken) if (other !== onward) step.removeToken(other);
    if (onward === token || onward === undefined) return 'done';
    step.enqueue(onward, 'completing');
    return 'joins';
  },
};

/** What the activation condition sees: the tokens on all incoming flows and on each one, this one included. */
function arrivals(token: LiveToken, node: ComplexGateway): Record<string, Value> {
  const byFlow = token.scope.joining?.get(node.id);
  const counts: Record<string, Value> = {};
  let activationCount = 0;
  for (const flowId of node.incoming) {
    const count = (byFlow?.get(flowId)?.length ?? 0) + (flowId === token.arrivedByFlowId ? 1 : 0);
    counts[flowId] = count;
    activationCount += count;
  }
  return { ...counts, activationCount };
}
