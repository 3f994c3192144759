import type { ServiceTask } from '../../../definitions/model.ts';
import { callTarget, startCall } from '../call.ts';
import { sendReply } from '../send.ts';
import type { Behaviour } from './behaviour.ts';

/** Calls a channel or a registered function and waits for the answer, or only maps data. §13.3.3. */
export const serviceTask: Behaviour<ServiceTask> = {
  enter(step, token, node) {
    const target = callTarget(node);
    if (target === null) return 'done';
    startCall(step, token, node, target);
    return 'waits';
  },

  complete(step, token, node) {
    sendReply(step, token, node.reply);
  },
};
