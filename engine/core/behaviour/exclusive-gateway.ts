import type { ConditionalGateway } from '../../../definitions/model.ts';
import { firstFlowThatHolds } from '../flow-choice.ts';
import { takeFlows } from '../token-flow.ts';
import type { Behaviour } from './behaviour.ts';

/** Passes each token on over one flow, without joining any. BPMN 2.0.2 §13.4.2. */
export const exclusiveGateway: Behaviour<ConditionalGateway> = {
  enter: () => 'done',

  leave(step, token, node) {
    takeFlows(step, token, firstFlowThatHolds(step, token, node.defaultFlowId));
  },
};
