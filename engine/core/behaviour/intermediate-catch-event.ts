import type { IntermediateCatchEvent } from '../../../definitions/model.ts';
import { waitForEvent } from '../event-waits.ts';
import type { Behaviour } from './behaviour.ts';

/** Waits for its message or its time. BPMN 2.0.2 §13.5.2. */
export const intermediateCatchEvent: Behaviour<IntermediateCatchEvent> = {
  enter(step, token, node) {
    waitForEvent(step, token, node.id, node.event);
    return 'waits';
  },
};
