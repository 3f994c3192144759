import type { EndEvent } from '../../../definitions/model.ts';
import { throwBpmnError } from '../bpmn-error.ts';
import { ElementFailure } from '../element-failure.ts';
import { triggerBoundaryEvent } from '../interrupt.ts';
import { isRun, type LiveToken } from '../live-state.ts';
import { sendReply } from '../send.ts';
import type { Step } from '../step.ts';
import { throwResults, undo } from '../throw-results.ts';
import { endToken, terminateScope } from '../token-flow.ts';
import type { Behaviour } from './behaviour.ts';

/** Consumes the token, and does its results on the way. BPMN 2.0.2 §13.5.6. */
export const endEvent: Behaviour<EndEvent> = {
  enter: (step, token, node) => undo(step, token, node.results),

  complete(step, token, node) {
    sendReply(step, token, node.reply);
    throwResults(step, token, node.results);
  },

  leave(step, token, node) {
    for (const result of node.results) {
      if (result.kind === 'terminate') {
        terminateScope(step, token.scope);
        return;
      }
      if (result.kind === 'cancel') {
        cancelTransaction(step, token);
        return;
      }
      if (result.kind === 'error') {
        const message = `thrown by the end event ${node.id}`;
        throwBpmnError(step, token, {
          code: result.errorCode,
          message,
          uncaughtAs: 'SUTRA.BPMN_ERROR.UNCAUGHT',
        });
        return;
      }
    }
    endToken(step, token);
  },
};

/** The transaction has been undone: its cancel boundary event leads on. BPMN 2.0.2 §13.3.4, §10.7.2. */
function cancelTransaction(step: Step, token: LiveToken): void {
  const inside = token.scope.owner;
  // Of a transaction that loops, the boundary events are those of the activity as a whole.
  const transaction = inside !== null && isRun(inside) ? inside.scope.owner : inside;
  const boundary = transaction?.scope.graph
    .facts(transaction.elementId)
    .boundaries.find(({ triggers }) => triggers.some(({ kind }) => kind === 'cancel'));
  if (transaction === null || boundary === undefined) {
    throw new ElementFailure(
      'SUTRA.CORE.CANCEL_UNCAUGHT',
      `${token.elementId} cancels a transaction that has no cancel boundary event`,
    );
  }
  triggerBoundaryEvent(step, transaction, boundary);
}
