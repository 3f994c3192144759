import type { BoundaryEvent } from '../../../definitions/model.ts';
import { InvariantError } from '../invariant-error.ts';
import type { Behaviour } from './behaviour.ts';

/**
 * Continues when it was triggered (`occurrences.ts`, `catchers.ts`); no sequence flow leads to it.
 * BPMN 2.0.2 §13.5.3.
 */
export const boundaryEvent: Behaviour<BoundaryEvent> = {
  enter(_step, _token, node) {
    throw new InvariantError(`a token came to the boundary event ${node.id} over a sequence flow`);
  },
};
