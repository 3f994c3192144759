import type { ReceiveTask } from '../../../definitions/model.ts';
import { waitForMessage } from '../event-waits.ts';
import { sendReply } from '../send.ts';
import type { Behaviour } from './behaviour.ts';

/** Done when its message has come. BPMN 2.0.2 §13.3.3, Receive Task. */
export const receiveTask: Behaviour<ReceiveTask> = {
  enter(step, token, node) {
    waitForMessage(step, token, node.id, node.source, node.aliases);
    return 'waits';
  },

  complete(step, token, node) {
    sendReply(step, token, node.reply);
  },
};
