import type { EndEvent } from '../../../definitions/model.ts';
import { throwBpmnError } from '../bpmn-error.ts';
import { sendMessage, sendReply } from '../send.ts';
import { endToken, terminateScope } from '../token-flow.ts';
import type { Behaviour } from './behaviour.ts';

/** Consumes the token, and does its result on the way. BPMN 2.0.2 §13.5.6. */
export const endEvent: Behaviour<EndEvent> = {
  enter: () => 'done',

  complete(step, token, node) {
    if (node.result.kind === 'message') sendMessage(step, token, node.result.send);
    sendReply(step, token, node.reply);
  },

  leave(step, token, node) {
    switch (node.result.kind) {
      case 'none':
      case 'message':
        endToken(step, token);
        break;
      case 'terminate':
        terminateScope(step, token.scope, token);
        break;
      case 'error': {
        const code = node.result.errorCode;
        const message = `thrown by the end event ${node.id}`;
        throwBpmnError(step, token, { code, message, uncaughtAs: 'SUTRA.BPMN_ERROR.UNCAUGHT' });
        break;
      }
    }
  },
};
