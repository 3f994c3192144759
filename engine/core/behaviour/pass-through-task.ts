import type { PassThroughTask } from '../../../definitions/model.ts';
import { sendReply } from '../send.ts';
import type { Behaviour } from './behaviour.ts';

/** Abstract and manual tasks: nothing that the engine could do or wait for. BPMN 2.0.2 §13.3.3. */
export const passThroughTask: Behaviour<PassThroughTask> = {
  enter: () => 'done',

  complete(step, token, node) {
    sendReply(step, token, node.reply);
  },
};
