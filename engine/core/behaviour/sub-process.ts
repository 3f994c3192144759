import type { SubProcess } from '../../../definitions/model.ts';
import { armBoundaryEvents } from '../event-waits.ts';
import type { Behaviour } from './behaviour.ts';

/** Opens a scope with a token at its start event; done when no token is left in it. BPMN 2.0.2 §13.3.4. */
export const subProcess: Behaviour<SubProcess> = {
  enter(step, token, node) {
    armBoundaryEvents(step, token);
    const scope = step.newScope(token, {});
    step.newToken(scope, node.startEventId, 'entering', null);
    return 'waits';
  },
};
