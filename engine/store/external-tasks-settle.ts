/**
 * What a turn's commit does to parked tasks: check and lock what it completes, delete it, keep the
 * receipt; withdraw what is no longer waited for; hold what belongs to a failed instance.
 *
 * S1 Every function runs on the turn's own connection: it holds or falls with the turn.
 * S2 Locking never waits (`SKIP LOCKED`): a row that is locked elsewhere is answered as absent, and
 *    `taskExists` tells "locked elsewhere" from "gone".
 * S3 One statement a function, whatever the number of rows; only `withdrawDeliveries` may need a second
 *    (see there).
 * S4 A receipt of a used (task, generation) is never overwritten: the first answer stands.
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
export const DELETE_TASKS: Statement = {
  name: 'delete_tasks',
  text: `
WITH deleted AS (
  DELETE FROM external_task
  WHERE id = ANY ($1::uuid[])
  RETURNING id
)
SELECT count(*)::integer AS count
FROM deleted`,
};

/** Deletes settled tasks. The caller holds their row locks and compares the count. */
export async function deleteTasks(connection: Connection, ids: readonly string[]): Promise<number> {
  const rows = await connection.run<{ readonly count: number }>(DELETE_TASKS, [ids]);
  return rows[0]?.count ?? 0;
}

/** Index: receipt_pkey. */
export const INSERT_RECEIPTS: Statement = {
  name: 'insert_receipts',
  text: `
WITH inserted AS (
  INSERT INTO receipt (task_id, generation, completion_id, outcome, lock_owner, body_hash, channel, instance_id)
  SELECT r.task_id, r.generation, r.completion_id, r.outcome, r.lock_owner, r.body_hash, r.channel, r.instance_id
  FROM unnest(
    $1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::uuid[]
  ) AS r (task_id, generation, completion_id, outcome, lock_owner, body_hash, channel, instance_id)
  ON CONFLICT (task_id, generation) DO NOTHING
  RETURNING task_id
)
SELECT count(*)::integer AS count
FROM inserted`,
};

/** Keeps receipts; answers how many were new (S4). */
export async function insertReceipts(connection: Connection, receipts: readonly Receipt[]): Promise<number> {
  const rows = await connection.run<{ readonly count: number }>(INSERT_RECEIPTS, [
    receipts.map((receipt) => receipt.taskId),
    receipts.map((receipt) => receipt.generation),
    receipts.map((receipt) => receipt.completionId),
    receipts.map((receipt) => receipt.outcome),
    receipts.map((receipt) => receipt.lockOwner),
    receipts.map((receipt) => receipt.bodyHash),
    receipts.map((receipt) => receipt.channel),
    receipts.map((receipt) => receipt.instanceId),
  ]);
  return rows[0]?.count ?? 0;
}

/** Index: external_task_pkey. */
export const GRACE_REJECTED_TASKS: Statement = {
  name: 'grace_rejected_tasks',
  text: `
WITH graced AS (
  UPDATE external_task
  SET visible_at = GREATEST(visible_at, now() + $2::double precision * interval '1 millisecond')
  WHERE id = ANY ($1::uuid[])
    AND lock_owner IS NOT NULL
  RETURNING id
)
SELECT count(*)::integer AS count
FROM graced`,
};

/**
 * Leaves the lock of a refused completion in place for `graceMs` more, so that a corrected result can
 * follow; never shortens a longer lock, keeps the owner, the token and the generation.
 */
export async function graceRejectedTasks(
  connection: Connection,
  ids: readonly string[],
  graceMs: number,
): Promise<number> {
  const rows = await connection.run<{ readonly count: number }>(GRACE_REJECTED_TASKS, [ids, graceMs]);
  return rows[0]?.count ?? 0;
}

/** A delivery whose wait is gone. */
export interface WithdrawnDelivery {
  readonly instanceId: string;
  readonly idempotencyKey: string;
}

/**
 * Deletes the outbox rows and the tasks of waits that are gone, keeps a receipt for each task, and
 * closes the incident of a task that was terminal or of a row that was poisoned.
 * Indexes: outbox_instance, external_task_instance, incident_instance.
 */
export const WITHDRAW_DELIVERIES: Statement = {
  name: 'withdraw_deliveries',
  text: `
WITH gone (instance_id, idempotency_key) AS (
  SELECT g.instance_id, g.idempotency_key
  FROM unnest($1::uuid[], $2::text[]) AS g (instance_id, idempotency_key)
),
dropped AS (
  DELETE FROM outbox AS o
  USING gone
  WHERE o.instance_id = gone.instance_id
    AND o.instance_id = ANY ($1::uuid[])
    AND o.idempotency_key = gone.idempotency_key
  RETURNING o.id, o.instance_id, o.idempotency_key, o.state
),
withdrawn AS (
  DELETE FROM external_task AS t
  USING gone
  WHERE t.instance_id = gone.instance_id
    AND t.instance_id = ANY ($1::uuid[])
    AND t.idempotency_key = gone.idempotency_key
  RETURNING t.id, t.generation, t.lock_owner, t.channel, t.instance_id, t.idempotency_key, t.state
),
receipted AS (
  INSERT INTO receipt (task_id, generation, completion_id, outcome, lock_owner, body_hash, channel, instance_id)
  SELECT w.id, w.generation, NULL, 'withdrawn', w.lock_owner, NULL, w.channel, w.instance_id
  FROM withdrawn AS w
  ON CONFLICT (task_id, generation) DO NOTHING
),
settled (instance_id, subject_id, kind) AS (
  SELECT w.instance_id, w.id, 'task-terminal'
  FROM withdrawn AS w
  WHERE w.state = 'failed'
  UNION ALL
  SELECT d.instance_id, d.id, 'delivery-poisoned'
  FROM dropped AS d
  WHERE d.state = 'poisoned'
),
resolved AS (
  UPDATE incident AS i
  SET resolved_at = now()
  FROM settled AS s
  WHERE i.instance_id = s.instance_id
    AND i.instance_id = ANY ($1::uuid[])
    AND i.subject_id = s.subject_id
    AND i.kind = s.kind
    AND i.resolved_at IS NULL
)
SELECT d.instance_id AS "instanceId", d.idempotency_key AS "idempotencyKey", NULL::uuid AS "taskId"
FROM dropped AS d
UNION ALL
SELECT w.instance_id, w.idempotency_key, w.id
FROM withdrawn AS w`,
};

interface WithdrawnRow {
  readonly instanceId: string;
  readonly idempotencyKey: string;
  readonly taskId: string | null;
}

/**
 * Withdraws what nobody waits for; answers the ids of the tasks that were withdrawn.
 *
 * A relay may be moving a row from the outbox to the tasks at this very moment. The statement then
 * waits for the relay's commit, finds the outbox row gone, and cannot see the task, which is younger
 * than its snapshot. So what was not found is asked for once more: the second statement's snapshot is
 * younger than the relay's commit, and a third cannot be needed.
 */
export async function withdrawDeliveries(
  connection: Connection,
  deliveries: readonly WithdrawnDelivery[],
): Promise<string[]> {
  let missing = deliveries;
  const withdrawn: string[] = [];
  for (let pass = 0; pass < 2 && missing.length > 0; pass += 1) {
    const rows = await connection.run<WithdrawnRow>(WITHDRAW_DELIVERIES, [
      missing.map((delivery) => delivery.instanceId),
      missing.map((delivery) => delivery.idempotencyKey),
    ]);
    const found = new Set<string>();
    for (const row of rows) {
      found.add(deliveryKey(row));
      if (row.taskId !== null) {
        withdrawn.push(row.taskId);
      }
    }
    missing = missing.filter((delivery) => !found.has(deliveryKey(delivery)));
  }
  return withdrawn;
}

/** Instance ids are of one length, so the two parts cannot run into each other. */
function deliveryKey(delivery: WithdrawnDelivery): string {
  return `${delivery.instanceId.toLowerCase()} ${delivery.idempotencyKey}`;
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
