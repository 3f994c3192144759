/**
 * The verdict on a worker's completion, under the task's row lock. Source: protocol §3.
 *
 * C1 A stale worker never gets an answer that it could take for success.
 * C2 `ACCEPTED` is said only for the result, or BPMN error, that the instance received; its repetition under the same
 *    completion id is answered the same. A task ends once: whatever else is said of it later is a conflict.
 */
import { createHash, hash } from 'node:crypto';
import { EngineError } from '../../config/engine-error.ts';
import type { Receipt, TaskForCompletion } from '../store/external-tasks-settle.ts';
import { judgeAbsence, judgeLock, taskRefusal } from '../store/external-tasks-verdict.ts';
import type { TaskFacts, TaskSettlement } from './turn.ts';

export type CompletionVerdict =
  | { readonly kind: 'holds'; readonly task: TaskForCompletion }
  | { readonly kind: 'busy' }
  | { readonly kind: 'replayed'; readonly task: TaskFacts }
  | { readonly kind: 'duplicate'; readonly task: TaskFacts }
  | { readonly kind: 'refused'; readonly error: EngineError };

export function judgeCompletion(
  settlement: TaskSettlement,
  task: TaskForCompletion | undefined,
  isLockedElsewhere: boolean,
  receipts: readonly Receipt[],
): CompletionVerdict {
  if (task === undefined) {
    return isLockedElsewhere ? { kind: 'busy' } : judgeByReceipts(settlement, receipts);
  }
  const { lockToken, workerId } = settlement;
  const tokenHash = lockToken === null ? null : hash('sha256', lockToken, 'buffer');
  const verdict = judgeLock(task, workerId, tokenHash);
  if (verdict === 'HOLDS_LOCK') return { kind: 'holds', task };
  return { kind: 'refused', error: taskRefusal(verdict, task.id) };
}

/** The task is gone: was it this worker that completed it, and with this very result? */
function judgeByReceipts(settlement: TaskSettlement, receipts: readonly Receipt[]): CompletionVerdict {
  const { taskId, workerId, completionId } = settlement;
  const completed = receipts.find(
    (receipt) => receipt.outcome === 'completed' && receipt.lockOwner === workerId,
  );
  if (completed === undefined) {
    const latest = receipts.reduce<Receipt | null>(
      (last, receipt) => (last === null || receipt.generation > last.generation ? receipt : last),
      null,
    );
    return { kind: 'refused', error: taskRefusal(judgeAbsence(latest?.outcome ?? null), taskId) };
  }
  const isSameResult = completed.bodyHash !== null && completionHash(settlement).equals(completed.bodyHash);
  if (!isSameResult) {
    const error = new EngineError(
      'SUTRA.EXTERNAL_TASK.COMPLETION_CONFLICT',
      `You ended external task ${taskId} before with another result or BPMN error. The earlier outcome stands.`,
      { attributes: { taskId } },
    );
    return { kind: 'refused', error };
  }
  const task = { taskId, channel: completed.channel, instanceId: completed.instanceId };
  const isRepetition = completionId !== null && completed.completionId === completionId;
  return { kind: isRepetition ? 'replayed' : 'duplicate', task };
}

/** SHA-256 over content type and body; a completion without a result, and what is none, have hashes of their own. */
export function completionHash(settlement: TaskSettlement): Buffer {
  const sum = createHash('sha256');
  if (settlement.failure !== undefined) return sum.update(`failure\n${settlement.failure.code}`).digest();
  if (settlement.bpmnError !== undefined) {
    const { code, message, variables } = settlement.bpmnError;
    sum
      .update('bpmn-error\n')
      .update(JSON.stringify([code, message]))
      .update('\n');
    return sum.update(variables ?? 'none').digest();
  }
  if (settlement.result === null) return sum.update('original').digest();
  const { contentType, body } = settlement.result;
  return sum.update('result\n').update(contentType).update('\n').update(body).digest();
}

/** A refusal of the inbound path, as the worker sees it. The task stays. */
export function rejectedCompletion({ taskId, bpmnError }: TaskSettlement, cause: EngineError): EngineError {
  const what = bpmnError === undefined ? 'result' : 'BPMN error';
  const attributes = { taskId, causeCode: cause.code, retryable: cause.attributes['retryable'] === true };
  return new EngineError(
    'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED',
    `The engine refused the ${what}: ${cause.message}`,
    { attributes, cause },
  );
}
