import type { ConditionalGateway } from '../../../definitions/model.ts';
import { addJoining } from '../live-state.ts';
import type { Behaviour } from './behaviour.ts';

/**
 * Joins all tokens that can still come (`joins.ts` decides when), then takes every flow whose
 * condition holds. BPMN 2.0.2 §13.4.3.
 */
export const inclusiveGateway: Behaviour<ConditionalGateway> = {
  enter(_step, token, node) {
    if (node.incoming.length < 2) return 'done';
    addJoining(token);
    return 'joins';
  },
};
