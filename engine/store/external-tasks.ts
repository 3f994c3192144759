/**
 * The life of a parked task outside a turn: parked by the relay, given back, failed by its worker,
 * repaired by an operator. Fetching is in `external-tasks-fetch.ts`, what a holder does with its lock in
 * `external-tasks-lock.ts`, failure in `external-tasks-failure.ts`, completion in `external-tasks-settle.ts`, what an
 * operator changes in `external-tasks-adjust.ts`.
 *
 *            park                fetch                    complete, withdraw, discard
 *   outbox ───────► open, free ─────────► open, locked ─────────────────────────────► gone (+ receipt)
 *                     ▲  ▲                  │    │ failure, budget spent
 *                     │  └── lock expiry ───┤    └─────────────► failed (terminal, + incident)
 *                     │      (no statement) │                        │
 *                     ├── failure, unlock ──┘                        │
 *                     │   (or release)                               │
 *                     └───────────────── re-arm ─────────────────────┘
 *
 * T1 A row is in the outbox or a task, never both, never neither: parking is one statement.
 * T2 `generation` only grows; every lock has one of its own.
 * T3 Every guard is in the WHERE clause and by the database's clock; zero rows is never success.
 * T4 A task that becomes terminal and its incident are one statement.
 */
import type { OutgoingRow, StatementRunner } from '../transport.ts';
import type { Connection, Statement } from './database.ts';
import { judgeAbsence, judgeLock } from './external-tasks-verdict.ts';
import type { LockFacts, TaskVerdict } from './external-tasks-verdict.ts';
import type { ReceiptOutcome } from './external-tasks-settle.ts';

/**
 * Uses `outbox_due` to find, `outbox_pkey` to delete. A row past its deadline is parked as well: it is not
 * fetchable, and the turn that ends its wait withdraws it from where it is.
 *
 * The reserved headers are dropped in any spelling; the text is tested first, so that an object is taken
 * apart and put together again only when it has one.
 */
export const PARK_TASKS: Statement = {
  name: 'park_tasks',
  text: `
WITH taken AS (
  DELETE FROM outbox
  WHERE id = ANY(ARRAY(
    SELECT due.id
    FROM outbox AS due
    WHERE due.transport = 'pull'
      AND due.state = 'open'
      AND due.visible_at <= now()
    ORDER BY due.visible_at, due.id
    LIMIT $1::integer
    FOR UPDATE SKIP LOCKED
  ))
  RETURNING id, deployment_id, tenant, module, version, process_id, channel, instance_id, element_id,
    idempotency_key, expects_answer, retries, policy, priority, deadline, headers, content_type, body
),
parked AS (
  INSERT INTO external_task (id, deployment_id, tenant, module, version, process_id, channel, instance_id,
    element_id, idempotency_key, expects_answer, task_type, visible_at, retries, policy, priority, deadline,
    headers, content_type, body)
  SELECT t.id, t.deployment_id, t.tenant, t.module, t.version, t.process_id, t.channel, t.instance_id,
    t.element_id, t.idempotency_key, t.expects_answer, t.channel, now(), t.retries, t.policy, t.priority, t.deadline,
    CASE
      WHEN t.headers::text ILIKE '%sutra-park-%' THEN (
        SELECT coalesce(jsonb_object_agg(header.key, header.value), '{}')
        FROM jsonb_each(t.headers) AS header (key, value)
        WHERE lower(header.key) NOT IN ('sutra-park-deployment', 'sutra-park-instance')
      )
      ELSE t.headers
    END,
    t.content_type, t.body
  FROM taken AS t
  RETURNING channel
)
SELECT channel, count(*)::integer AS count
FROM parked
GROUP BY channel`,
};

/** Parks at most `limit` due deliveries, the longest due first; answers how many, per channel. */
export async function parkTasks(connection: Connection, limit: number): Promise<Map<string, number>> {
  const rows = await connection.run<{ readonly channel: string; readonly count: number }>(PARK_TASKS, [
    limit,
  ]);
  return new Map(rows.map((row) => [row.channel, row.count]));
}

/**
 * As `PARK_TASKS` writes them; the reserved headers never get out of the core. A row with a lock owner is born locked:
 * its worker has been waiting for it. Not once its deadline has passed: then there is no attempt to begin.
 */
export const INSERT_TASKS: Statement = {
  name: 'insert_tasks',
  text: `
WITH parked AS (
  INSERT INTO external_task (id, deployment_id, tenant, module, version, process_id, channel, instance_id,
    element_id, idempotency_key, expects_answer, task_type, retries, policy, priority, deadline,
    headers, content_type, body, lock_owner, lock_token_hash, locked_at, generation, visible_at)
  SELECT r.id, r.deployment_id, r.tenant, r.module, r.version, r.process_id, r.channel, r.instance_id,
    r.element_id, r.idempotency_key, r.expects_answer, r.channel, r.retries, r.policy, r.priority,
    to_timestamp(r.deadline_ms / 1000), r.headers, r.content_type, r.body,
    CASE WHEN born.is_locked THEN r.lock_owner END,
    CASE WHEN born.is_locked THEN r.lock_token_hash END,
    CASE WHEN born.is_locked THEN now() END,
    CASE WHEN born.is_locked THEN 1 ELSE 0 END,
    CASE
      WHEN born.is_locked THEN LEAST(to_timestamp(r.deadline_ms / 1000), now() + interval '1 millisecond'
        * COALESCE(r.lock_ms, (r.policy ->> 'lockDurationMs')::double precision, $22::double precision))
      ELSE now()
    END
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[],
    $9::text[], $10::text[], $11::boolean[], $12::integer[], $13::jsonb[], $14::integer[], $15::double precision[],
    $16::jsonb[], $17::text[], $18::bytea[], $19::text[], $20::bytea[], $21::double precision[])
    AS r (id, deployment_id, tenant, module, version, process_id, channel, instance_id, element_id,
    idempotency_key, expects_answer, retries, policy, priority, deadline_ms, headers, content_type, body,
    lock_owner, lock_token_hash, lock_ms)
  CROSS JOIN LATERAL (
    SELECT r.lock_owner IS NOT NULL
      AND (r.deadline_ms IS NULL OR to_timestamp(r.deadline_ms / 1000) > now()) AS is_locked
  ) AS born
  RETURNING id, lock_owner, visible_at, created_at, deadline
)
SELECT p.id, p.visible_at AS "lockExpiresAt", p.created_at AS "createdAt", p.deadline
FROM parked AS p
WHERE p.lock_owner IS NOT NULL`,
};

/** A task to be parked. `lock`: it is born locked, unless its deadline has passed; or null. */
export interface NewTask extends OutgoingRow {
  readonly lock: {
    readonly workerId: string;
    readonly tokenHash: Uint8Array;
    /** Null: the task's own policy, else the default. */
    readonly lockDurationMs: number | null;
  } | null;
}

export interface BornLocked {
  readonly id: string;
  readonly lockExpiresAt: Date;
  readonly createdAt: Date;
  readonly deadline: Date | null;
}

/** Parks what a turn sends, in the turn's own commit: it never was in the outbox. Answers what is born locked. */
export async function insertTasks(
  runner: StatementRunner,
  rows: readonly NewTask[],
  defaultLockDurationMs: number,
): Promise<readonly BornLocked[]> {
  return runner.run<BornLocked>(INSERT_TASKS, [
    rows.map((row) => row.id),
    rows.map((row) => row.deploymentId),
    rows.map((row) => row.tenant),
    rows.map((row) => row.module),
    rows.map((row) => row.version),
    rows.map((row) => row.processId),
    rows.map((row) => row.channel),
    rows.map((row) => row.instanceId),
    rows.map((row) => row.elementId),
    rows.map((row) => row.idempotencyKey),
    rows.map((row) => row.expectsAnswer),
    rows.map((row) => row.retries),
    rows.map((row) => JSON.stringify(row.policy)),
    rows.map((row) => row.priority),
    rows.map((row) => row.deadlineMs),
    rows.map((row) => JSON.stringify(row.headers)),
    rows.map((row) => row.contentType),
    rows.map((row) => row.body),
    rows.map(({ lock }) => lock?.workerId ?? null),
    rows.map(({ lock }) => lock?.tokenHash ?? null),
    rows.map(({ lock }) => lock?.lockDurationMs ?? null),
    defaultLockDurationMs,
  ]);
}

/** Names one lock: a later lock of the same task has another token. */
export interface TaskLock {
  readonly taskId: string;
  readonly tokenHash: Uint8Array;
}

/**
 * Uses `external_task_pkey`. The task goes back to where it was in its queue (`created_at`), not to the end.
 */
export const RELEASE_LOCKS: Statement = {
  name: 'release_locks',
  text: `
UPDATE external_task AS t
SET lock_owner = NULL, lock_token_hash = NULL, locked_at = NULL, lost_locks = 0, visible_at = t.created_at
FROM unnest($1::uuid[], $2::bytea[]) AS held (id, token_hash)
WHERE t.id = ANY ($1::uuid[])
  AND t.id = held.id
  AND t.lock_token_hash = held.token_hash
  AND t.visible_at > now()
  AND t.state = 'open'
RETURNING t.channel`,
};

/**
 * Frees locks whose holder never got the answer. The generation stays: an attempt number is never used
 * twice (T2), so the next fetch shows one attempt more. Answers how many were freed, per channel.
 */
export async function releaseLocks(
  connection: Connection,
  locks: readonly TaskLock[],
): Promise<Map<string, number>> {
  const rows = await connection.run<{ readonly channel: string }>(RELEASE_LOCKS, [
    locks.map((lock) => lock.taskId),
    locks.map((lock) => lock.tokenHash),
  ]);
  const counts = new Map<string, number>();
  for (const row of rows) {
    counts.set(row.channel, (counts.get(row.channel) ?? 0) + 1);
  }
  return counts;
}

/** Uses `external_task_pkey`, `receipt_pkey`. */
export const EXPLAIN_REFUSALS: Statement = {
  name: 'explain_refusals',
  text: `
SELECT asked.id AS "taskId", t.state, t.lock_owner AS "lockOwner", t.lock_token_hash AS "lockTokenHash",
  COALESCE(t.lock_owner IS NOT NULL AND t.visible_at > now(), false) AS "isLockCurrent",
  latest.outcome AS "latestReceipt"
FROM unnest($1::uuid[]) AS asked (id)
LEFT JOIN external_task AS t ON t.id = asked.id AND t.id = ANY ($1::uuid[])
LEFT JOIN LATERAL (
  SELECT r.outcome
  FROM receipt AS r
  WHERE r.task_id = asked.id
  ORDER BY r.generation DESC
  LIMIT 1
) AS latest ON true`,
};

type ExplainRow = { readonly taskId: string; readonly latestReceipt: ReceiptOutcome | null } & (
  LockFacts | { readonly state: null }
);

/** Who asks for a task, with what proof. */
export interface TaskClaimant {
  readonly taskId: string;
  readonly workerId: string;
  readonly tokenHash: Uint8Array | null;
}

/**
 * By task: why a guarded statement changed nothing. `HOLDS_LOCK`: the lock was taken since, or a turn had the row;
 * try again.
 */
export async function explainRefusals(
  connection: Connection,
  claimants: readonly TaskClaimant[],
): Promise<Map<string, TaskVerdict>> {
  const rows = await connection.run<ExplainRow>(EXPLAIN_REFUSALS, [claimants.map(({ taskId }) => taskId)]);
  const byTask = new Map(rows.map((row) => [row.taskId, row]));
  return new Map(
    claimants.map(({ taskId, workerId, tokenHash }) => [
      taskId,
      verdictOf(byTask.get(taskId), workerId, tokenHash),
    ]),
  );
}

function verdictOf(row: ExplainRow | undefined, workerId: string, tokenHash: Uint8Array | null): TaskVerdict {
  if (row === undefined) return 'NOT_FOUND';
  return row.state === null ? judgeAbsence(row.latestReceipt) : judgeLock(row, workerId, tokenHash);
}

/** As `explainRefusals`, of one. */
export async function explainRefusal(
  connection: Connection,
  taskId: string,
  workerId: string,
  tokenHash: Uint8Array | null,
): Promise<TaskVerdict> {
  const verdicts = await explainRefusals(connection, [{ taskId, workerId, tokenHash }]);
  return verdicts.get(taskId) ?? 'NOT_FOUND';
}

export interface TaskPlace {
  readonly channel: string;
  readonly instanceId: string;
}

/** Uses `external_task_failed`, `incident_instance`. */
export const REARM_TASK: Statement = {
  name: 'rearm_task',
  text: `
WITH rearmed AS (
  UPDATE external_task
  SET state = 'open', retries = $2::integer, visible_at = now(), failed_at = NULL, lost_locks = 0
  WHERE id = $1::uuid
    AND state = 'failed'
  RETURNING id, channel, instance_id
),
resolved AS (
  UPDATE incident AS i
  SET resolved_at = now()
  FROM rearmed AS r
  WHERE i.instance_id = r.instance_id
    AND i.subject_id = r.id
    AND i.kind = 'task-terminal'
    AND i.resolved_at IS NULL
)
SELECT r.channel, r.instance_id AS "instanceId"
FROM rearmed AS r`,
};

/** Opens a terminal task again with `retries` and closes its incident. Null: it is not terminal. */
export async function rearmTask(
  connection: Connection,
  taskId: string,
  retries: number,
): Promise<TaskPlace | null> {
  const [row] = await connection.run<TaskPlace>(REARM_TASK, [taskId, retries]);
  return row ?? null;
}

/** Uses `external_task_pkey`, `incident_instance`. */
export const DISCARD_TASK: Statement = {
  name: 'discard_task',
  text: `
WITH discarded AS (
  DELETE FROM external_task
  WHERE id = $1::uuid
  RETURNING id, generation, lock_owner, channel, instance_id
),
receipted AS (
  INSERT INTO receipt (task_id, generation, completion_id, outcome, lock_owner, body_hash, channel, instance_id)
  SELECT d.id, d.generation, NULL, 'withdrawn', d.lock_owner, NULL, d.channel, d.instance_id
  FROM discarded AS d
  ON CONFLICT (task_id, generation) DO NOTHING
),
resolved AS (
  UPDATE incident AS i
  SET resolved_at = now()
  FROM discarded AS d
  WHERE i.instance_id = d.instance_id
    AND i.subject_id = d.id
    AND i.kind = 'task-terminal'
    AND i.resolved_at IS NULL
)
SELECT d.channel, d.instance_id AS "instanceId"
FROM discarded AS d`,
};

/**
 * Deletes a task, whatever its state, and leaves a withdrawal receipt: its worker is told to drop the
 * work. The instance keeps waiting. Null: no such task.
 */
export async function discardTask(connection: Connection, taskId: string): Promise<TaskPlace | null> {
  const [row] = await connection.run<TaskPlace>(DISCARD_TASK, [taskId]);
  return row ?? null;
}
