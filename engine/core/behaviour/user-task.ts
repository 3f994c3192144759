import type { UserTask } from '../../../definitions/model.ts';
import { armBoundaryEvents, waitForMessage } from '../event-waits.ts';
import { sendReply } from '../send.ts';
import { runAssignments } from './assignments.ts';
import type { Behaviour } from './behaviour.ts';

/** Done when a person completes it, or when a message of its `q:source` comes. BPMN 2.0.2 §13.3.3. */
export const userTask: Behaviour<UserTask> = {
  enter(step, token, node) {
    armBoundaryEvents(step, token);
    step.addWait(token, { kind: 'user-task', id: step.allocate(), tokenId: token.id, elementId: node.id });
    if (node.source !== null) waitForMessage(step, token, node.id, node.source, node.aliases);
    return 'waits';
  },

  complete(step, token, node) {
    runAssignments(step, token, node.assignments);
    sendReply(step, token, node.reply);
  },
};
