import type { UserTask } from '../../../definitions/model.ts';
import { waitForMessage, waitForPerson } from '../event-waits.ts';
import { sendReply } from '../send.ts';
import type { Behaviour } from './behaviour.ts';

/** Done when a person completes it, or when a message of its `q:source` comes. BPMN 2.0.2 §13.3.3. */
export const userTask: Behaviour<UserTask> = {
  enter(step, token, node) {
    waitForPerson(step, token, 'user-task');
    if (node.source !== null) waitForMessage(step, token, node.id, node.source, node.aliases);
    return 'waits';
  },

  complete(step, token, node) {
    sendReply(step, token, node.reply);
  },
};
