import type { StartEvent } from '../../../definitions/model.ts';
import { armEventSubProcesses } from '../event-waits.ts';
import type { Behaviour } from './behaviour.ts';

/**
 * Where a scope begins. What triggered it has been taken in before. The event sub-processes inside an event
 * sub-process wait from here on, so that a failure of theirs is one of this token. BPMN 2.0.2 §13.5.1, §13.5.4.
 */
export const startEvent: Behaviour<StartEvent> = {
  enter(step, { scope }, node) {
    const parent = scope.graph.process.nodes.get(node.parentId);
    const begins = parent?.kind === 'subProcess' && parent.variant.kind === 'event';
    if (begins) armEventSubProcesses(step, scope);
    return 'done';
  },
};
