/**
 * What a turn's commit does to parked tasks: check and lock what it completes; hold what belongs to a failed instance.
 * That completed tasks go and leave a receipt is in `turn-writes.ts`, what is withdrawn in `withdrawals.ts`.
 *
 * S1 Every function runs on the turn's own connection: it holds or falls with the turn.
 * S2 Locking never waits (`SKIP LOCKED`): a row that is locked elsewhere is answered as absent, and
 *    `taskExists` tells "locked elsewhere" from "gone".
 * S3 One statement a function, whatever the number of rows.
 */
import type { Connection, Statement } from './database.ts';

/** A task as a completion must judge it. Times are the database's. */
export interface TaskForCompletion {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly elementId: string;
  readonly idempotencyKey: string;
  readonly expectsAnswer: boolean;
  readonly generation: number;
  readonly lockOwner: string | null;
  readonly lockTokenHash: Uint8Array | null;
  /** Somebody holds it and the lock has not expired. */
  readonly isLockCurrent: boolean;
  readonly state: 'open' | 'failed';
  readonly contentType: string;
  readonly body: Uint8Array;
  /** What the last attempt that failed reported. */
  readonly lastError: string | null;
  readonly lockedAt: Date | null;
  readonly createdAt: Date;
}

/** Index: external_task_pkey. */
export const LOCK_TASKS_FOR_COMPLETION: Statement = {
  name: 'lock_tasks_for_completion',
  text: `
SELECT
  id,
  deployment_id AS "deploymentId",
  tenant,
  module,
  channel,
  instance_id AS "instanceId",
  element_id AS "elementId",
  idempotency_key AS "idempotencyKey",
  expects_answer AS "expectsAnswer",
  generation,
  lock_owner AS "lockOwner",
  lock_token_hash AS "lockTokenHash",
  (lock_owner IS NOT NULL AND visible_at > now()) AS "isLockCurrent",
  state,
  content_type AS "contentType",
  body,
  last_error AS "lastError",
  locked_at AS "lockedAt",
  created_at AS "createdAt"
FROM external_task
WHERE id = ANY ($1::uuid[])
FOR UPDATE SKIP LOCKED`,
};

/** Locks those of `ids` that exist and that nobody else is working on; the others are left out. */
export function lockTasksForCompletion(
  connection: Connection,
  ids: readonly string[],
): Promise<TaskForCompletion[]> {
  return connection.run<TaskForCompletion>(LOCK_TASKS_FOR_COMPLETION, [ids]);
}

/** Index: external_task_pkey. */
export const TASK_EXISTS: Statement = {
  name: 'task_exists',
  text: `
SELECT id
FROM external_task
WHERE id = ANY ($1::uuid[])`,
};

/** Those of `ids` that exist: locked elsewhere, when `lockTasksForCompletion` left them out. */
export async function taskExists(connection: Connection, ids: readonly string[]): Promise<Set<string>> {
  const rows = await connection.run<{ readonly id: string }>(TASK_EXISTS, [ids]);
  return new Set(rows.map((row) => row.id));
}

export type ReceiptOutcome = 'completed' | 'failed' | 'withdrawn' | 'ignored' | 'rejected';

/** What was answered to one attempt of one task. */
export interface Receipt {
  readonly taskId: string;
  readonly generation: number;
  readonly completionId: string | null;
  readonly outcome: ReceiptOutcome;
  readonly lockOwner: string | null;
  /** SHA-256 of the completion's content type and body; null for a withdrawal. */
  readonly bodyHash: Uint8Array | null;
  readonly channel: string;
  readonly instanceId: string;
}

/** Index: receipt_pkey. */
export const FIND_RECEIPTS: Statement = {
  name: 'find_receipts',
  text: `
SELECT
  task_id AS "taskId",
  generation,
  completion_id AS "completionId",
  outcome,
  lock_owner AS "lockOwner",
  body_hash AS "bodyHash",
  channel,
  instance_id AS "instanceId"
FROM receipt
WHERE task_id = ANY ($1::uuid[])
ORDER BY task_id, generation DESC`,
};

/** All receipts of those tasks, the latest attempt of each task first. */
export function findReceipts(connection: Connection, taskIds: readonly string[]): Promise<Receipt[]> {
  return connection.run<Receipt>(FIND_RECEIPTS, [taskIds]);
}

/** Index: external_task_pkey. */
export const GRACE_REJECTED_TASKS: Statement = {
  name: 'grace_rejected_tasks',
  text: `
WITH graced AS (
  UPDATE external_task
  SET visible_at = LEAST(deadline, GREATEST(visible_at, now() + $2::double precision * interval '1 millisecond'))
  WHERE id = ANY ($1::uuid[])
    AND lock_owner IS NOT NULL
  RETURNING id
)
SELECT count(*)::integer AS count
FROM graced`,
};

/**
 * Leaves the lock of a refused completion in place for `graceMs` more, so that a corrected result can
 * follow; never shortens a longer lock nor outlives the deadline, keeps the owner, the token and the generation.
 */
export async function graceRejectedTasks(
  connection: Connection,
  ids: readonly string[],
  graceMs: number,
): Promise<number> {
  const rows = await connection.run<{ readonly count: number }>(GRACE_REJECTED_TASKS, [ids, graceMs]);
  return rows[0]?.count ?? 0;
}

/** Indexes: external_task_instance, timer_pkey. */
export const HOLD_INSTANCES: Statement = {
  name: 'hold_instances',
  text: `
WITH tasks AS (
  UPDATE external_task
  SET held = $2::boolean
  WHERE instance_id = ANY ($1::uuid[])
    AND held <> $2::boolean
  RETURNING channel
),
timers AS (
  UPDATE timer
  SET held = $2::boolean
  WHERE instance_id = ANY ($1::uuid[])
    AND held <> $2::boolean
  RETURNING instance_id
)
SELECT t.channel, count(*)::integer AS count
FROM tasks AS t
GROUP BY t.channel
UNION ALL
SELECT NULL, count(*)::integer
FROM timers`,
};

/**
 * Holds the tasks and timers of failed instances, or lets them go again. Answers how many tasks
 * changed, per channel: after the commit of a let-go, those channels have work for waiting fetches.
 */
export async function holdInstances(
  connection: Connection,
  instanceIds: readonly string[],
  isHeld: boolean,
): Promise<Map<string, number>> {
  const rows = await connection.run<{ readonly channel: string | null; readonly count: number }>(
    HOLD_INSTANCES,
    [instanceIds, isHeld],
  );
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (row.channel !== null) {
      counts.set(row.channel, row.count);
    }
  }
  return counts;
}
