import type { IntermediateThrowEvent } from '../../../definitions/model.ts';
import { sendMessage, sendReply } from '../send.ts';
import type { Behaviour } from './behaviour.ts';

/** Throws and goes on at once. BPMN 2.0.2 §13.5.2. */
export const intermediateThrowEvent: Behaviour<IntermediateThrowEvent> = {
  enter(step, token, node) {
    if (node.event.kind === 'message') sendMessage(step, token, node.event.send);
    return 'done';
  },

  complete(step, token, node) {
    sendReply(step, token, node.reply);
  },
};
