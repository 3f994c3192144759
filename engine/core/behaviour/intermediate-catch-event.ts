import type { IntermediateCatchEvent } from '../../../definitions/model.ts';
import { waitForEvent } from '../event-waits.ts';
import { InvariantError } from '../invariant-error.ts';
import type { Behaviour } from './behaviour.ts';

/** Waits for its trigger. A link event is reached by those that throw to it. BPMN 2.0.2 §13.5.2. */
export const intermediateCatchEvent: Behaviour<IntermediateCatchEvent> = {
  enter(step, token, node) {
    if (node.triggers.some(({ kind }) => kind === 'link')) {
      throw new InvariantError(`a token came to the link event ${node.id} over a sequence flow`);
    }
    waitForEvent(step, token, node);
    return 'waits';
  },
};
