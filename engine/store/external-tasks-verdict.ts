/**
 * Who may act on a parked task: the one place that turns a task's row, or its absence, into a verdict
 * of the worker surface. The intake (completions) and the pull surface (failures) both judge with it.
 *
 * Order of the verdicts: gone, terminal, lock lost, lock held. A lock that has expired is *lost*
 * whoever held it: the task can be fetched again, which is what its reader must know.
 */
import { timingSafeEqual } from 'node:crypto';
import { EngineError } from '../../config/engine-error.ts';
import type { ReceiptOutcome } from './external-tasks-settle.ts';

export type TaskVerdict =
  /** The caller holds the current lock. */
  'HOLDS_LOCK' | 'NOT_FOUND' | 'WITHDRAWN' | 'LOCK_LOST' | 'LOCK_HELD' | 'TERMINAL';

export type TaskRefusal = Exclude<TaskVerdict, 'HOLDS_LOCK'>;

/** What a verdict on an existing row depends on. */
export interface LockFacts {
  readonly state: 'open' | 'failed';
  readonly lockOwner: string | null;
  readonly lockTokenHash: Uint8Array | null;
  readonly isLockCurrent: boolean;
}

/** `tokenHash` null: the caller gave no token, and its worker id alone decides. */
export function judgeLock(task: LockFacts, workerId: string, tokenHash: Uint8Array | null): TaskVerdict {
  if (task.state === 'failed') {
    return 'TERMINAL';
  }
  if (!task.isLockCurrent) {
    return 'LOCK_LOST';
  }
  if (task.lockOwner !== workerId) {
    return 'LOCK_HELD';
  }
  if (tokenHash !== null && (task.lockTokenHash === null || !isSameHash(tokenHash, task.lockTokenHash))) {
    return 'LOCK_HELD';
  }
  return 'HOLDS_LOCK';
}

/** The verdict on a task that has no row; `latestReceipt` is its youngest receipt, if it left one. */
export function judgeAbsence(latestReceipt: ReceiptOutcome | null): 'NOT_FOUND' | 'WITHDRAWN' {
  return latestReceipt === 'withdrawn' ? 'WITHDRAWN' : 'NOT_FOUND';
}

interface RefusalText {
  readonly code: string;
  readonly sentence: (taskId: string) => string;
}

const refusals: Readonly<Record<TaskRefusal, RefusalText>> = {
  NOT_FOUND: {
    code: 'SUTRA.EXTERNAL_TASK.NOT_FOUND',
    sentence: (taskId) => `There is no external task ${taskId}; it was completed, or never existed.`,
  },
  WITHDRAWN: {
    code: 'SUTRA.EXTERNAL_TASK.WITHDRAWN',
    sentence: (taskId) =>
      `External task ${taskId} was withdrawn: its process instance no longer waits for it. Drop the work.`,
  },
  LOCK_LOST: {
    code: 'SUTRA.EXTERNAL_TASK.LOCK_LOST',
    sentence: (taskId) =>
      `Your lock on external task ${taskId} expired or was released; the task can be fetched again.`,
  },
  LOCK_HELD: {
    code: 'SUTRA.EXTERNAL_TASK.LOCK_HELD',
    sentence: (taskId) =>
      `External task ${taskId} is locked by another worker, or by a later fetch of your own; drop this attempt.`,
  },
  TERMINAL: {
    code: 'SUTRA.EXTERNAL_TASK.TERMINAL',
    sentence: (taskId) =>
      `External task ${taskId} spent its retries and waits for an operator; it accepts no result.`,
  },
};

/**
 * The coded error of a refusal. Names the task, never a token or another worker. `cancelRequested` is the stop signal of
 * a heartbeat: the work itself is no longer wanted, while the other refusals only end an attempt.
 */
export function taskRefusal(refusal: TaskRefusal, taskId: string): EngineError {
  const { code, sentence } = refusals[refusal];
  const attributes = refusal === 'WITHDRAWN' ? { taskId, cancelRequested: true } : { taskId };
  return new EngineError(code, sentence(taskId), { attributes });
}

function isSameHash(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
