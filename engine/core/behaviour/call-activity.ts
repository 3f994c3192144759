import type { CallActivity } from '../../../definitions/model.ts';
import { startCalledProcess, takeResults } from '../call-process.ts';
import { sendReply } from '../send.ts';
import type { Behaviour } from './behaviour.ts';

/** Runs another process inside this instance and takes its results over. BPMN 2.0.2 §13.3.5. */
export const callActivity: Behaviour<CallActivity> = {
  enter: startCalledProcess,

  collect: takeResults,

  complete(step, token, node) {
    sendReply(step, token, node.reply);
  },
};
