/** What throwing events do, in the three phases of their token. */
import type { ThrowDefinition } from '../../definitions/model.ts';
import { throwEscalation } from './bpmn-error.ts';
import { throwCompensation } from './compensation.ts';
import { evaluate } from './evaluate.ts';
import { removeTokensOf } from './interrupt.ts';
import { isGone, type LiveToken } from './live-state.ts';
import { sendMessage } from './send.ts';
import { throwSignal } from './signals.ts';
import type { Step } from './step.ts';

/**
 * The results that take time: the handlers of a compensation, and of the transaction that is cancelled, all
 * else in which is ended first. BPMN 2.0.2 §10.7.2, §13.5.5.
 */
export function undo(step: Step, token: LiveToken, results: readonly ThrowDefinition[]): 'done' | 'waits' {
  for (const result of results) {
    if (result.kind === 'compensation') return throwCompensation(step, token, result);
    if (result.kind === 'cancel') {
      endOthers(step, token);
      return throwCompensation(step, token, { activityId: null, waitsForCompletion: true });
    }
  }
  return 'done';
}

function endOthers(step: Step, token: LiveToken): void {
  const { scope } = token;
  scope.tokens.delete(token);
  removeTokensOf(step, scope);
  scope.tokens.add(token);
  step.withdrawWaits(scope);
}

/** Messages, signals and escalations, in document order, until one of them ends the token itself. */
export function throwResults(step: Step, token: LiveToken, results: readonly ThrowDefinition[]): void {
  for (const result of results) {
    if (isGone(token)) return;
    if (result.kind === 'message') {
      sendMessage(step, token, result.send);
    } else if (result.kind === 'signal') {
      throwSignal(step, token, result.name, result.body === null ? null : evaluate(step, token, result.body));
    } else if (result.kind === 'escalation') {
      throwEscalation(step, token, result.escalationCode);
    }
  }
}
