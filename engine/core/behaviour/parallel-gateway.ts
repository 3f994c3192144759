import type { ParallelGateway } from '../../../definitions/model.ts';
import { addJoining, takeJoining } from '../live-state.ts';
import { takeFlows } from '../token-flow.ts';
import type { Behaviour } from './behaviour.ts';

/**
 * Waits for one token on each incoming flow, consumes these, and puts one on each outgoing flow. Further
 * tokens on a flow stay for the next round; conditions on outgoing flows are not looked at. BPMN 2.0.2 §13.4.1.
 */
export const parallelGateway: Behaviour<ParallelGateway> = {
  enter(step, token, node) {
    if (node.incoming.length < 2) return 'done';
    addJoining(token);
    if (token.scope.joining?.get(node.id)?.size !== node.incoming.length) return 'joins';
    // Only the arrival of a token on a flow that had none can complete the set: so this one is among them.
    for (const other of takeJoining(token.scope, node.id)) if (other !== token) step.removeToken(other);
    return 'done';
  },

  leave(step, token, node) {
    takeFlows(step, token, token.scope.graph.facts(node.id).outgoing);
  },
};
