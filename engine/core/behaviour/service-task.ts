import type { ServiceTask } from '../../../definitions/model.ts';
import { throwBpmnError } from '../bpmn-error.ts';
import { callTarget, startCall } from '../call.ts';
import { holds } from '../evaluate.ts';
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

  /** An answer that is an error to the process gives nothing out of the task. */
  collect(step, token, node) {
    const thrown = node.throws.find(({ when }) => holds(step, token, when, node.id));
    if (thrown === undefined) return;
    throwBpmnError(step, token, {
      code: thrown.errorCode,
      message: `the answer to ${node.id} is one for which it throws`,
      uncaughtAs: 'SUTRA.BPMN_ERROR.UNCAUGHT',
    });
  },

  complete(step, token, node) {
    sendReply(step, token, node.reply);
  },
};
