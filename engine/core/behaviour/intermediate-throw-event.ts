import type { IntermediateThrowEvent } from '../../../definitions/model.ts';
import { defaultLeave } from './leave.ts';
import { sendReply } from '../send.ts';
import { throwResults, undo } from '../throw-results.ts';
import type { Behaviour } from './behaviour.ts';

/** Throws and goes on; with compensation, when the handlers are done. BPMN 2.0.2 §13.5.2. */
export const intermediateThrowEvent: Behaviour<IntermediateThrowEvent> = {
  enter: (step, token, node) => undo(step, token, node.results),

  complete(step, token, node) {
    sendReply(step, token, node.reply);
    throwResults(step, token, node.results);
  },

  leave(step, token, node) {
    const link = node.results.find((result) => result.kind === 'link');
    if (link?.kind !== 'link') {
      defaultLeave(step, token);
      return;
    }
    step.history('entered', link.targetId);
    step.moveToken(token, link.targetId, null, 'completing');
  },
};
