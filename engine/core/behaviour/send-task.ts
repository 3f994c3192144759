import type { SendTask } from '../../../definitions/model.ts';
import { sendMessage, sendReply } from '../send.ts';
import type { Behaviour } from './behaviour.ts';

/** Done as soon as the message is on its way. BPMN 2.0.2 §13.3.3, Send Task. */
export const sendTask: Behaviour<SendTask> = {
  enter(step, token, node) {
    sendMessage(step, token, node.send);
    return 'done';
  },

  complete(step, token, node) {
    sendReply(step, token, node.reply);
  },
};
