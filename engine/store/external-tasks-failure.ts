/**
 * Failures that workers report: a retry is spent, or the budget set, and the lock is gone.
 *
 * F1 Every guard is in the WHERE clause and by the database's clock; what is not answered was not changed.
 * F2 A statement that waits for a row holds no other row meanwhile. A turn locks tasks in an order of its own
 *    (it withdraws them), so one failure may wait for it, and many skip what it has locked.
 */
import type { Connection, Statement } from './database.ts';
import { terminalTasks } from './external-tasks-terminal.ts';

export interface TaskFailure {
  readonly taskId: string;
  readonly workerId: string;
  /** Null: the worker gave no token, and its id alone decides. */
  readonly tokenHash: Uint8Array | null;
  /** The budget to set; null spends one. */
  readonly retries: number | null;
  /** Null: the task's own policy, else `defaultRetryTimeoutMs`. */
  readonly retryTimeoutMs: number | null;
  readonly defaultRetryTimeoutMs: number;
  readonly errorMessage: string;
  readonly errorDetails: string | null;
  /** The id of the incident, if this failure is the last one. */
  readonly incidentId: string;
}

export interface TaskFailed {
  readonly taskId: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly retries: number;
  readonly isTerminal: boolean;
  /** How long until it can be fetched again; meaningless when terminal. */
  readonly delayMs: number;
}

function failing(locking: string): string {
  return `
WITH budget AS (
  SELECT t.id, COALESCE(r.retries, GREATEST(t.retries - 1, 0)) AS left,
    COALESCE(r.retry_ms, (t.policy ->> 'retryTimeoutMs')::double precision, r.default_retry_ms) AS delay_ms,
    r.message, r.details, r.incident_id
  FROM external_task AS t
  JOIN unnest(
    $1::uuid[], $2::text[], $3::bytea[], $4::integer[], $5::double precision[], $6::double precision[], $7::text[],
    $8::text[], $9::uuid[]
  ) AS r (id, worker_id, token_hash, retries, retry_ms, default_retry_ms, message, details, incident_id)
    ON r.id = t.id
  WHERE t.id = ANY ($1::uuid[])
    AND t.state = 'open'
    AND t.lock_owner = r.worker_id
    AND t.visible_at > now()
    AND (r.token_hash IS NULL OR t.lock_token_hash = r.token_hash)
  ${locking}
),
failed AS (
  UPDATE external_task AS t
  SET retries = b.left,
    state = CASE WHEN b.left = 0 THEN 'failed' ELSE 'open' END,
    failed_at = CASE WHEN b.left = 0 THEN now() END,
    lock_owner = NULL, lock_token_hash = NULL, locked_at = NULL, lost_locks = 0,
    visible_at = now() + b.delay_ms * interval '1 millisecond',
    last_error = b.message,
    last_error_details = b.details
  FROM budget AS b
  WHERE t.id = ANY ($1::uuid[])
    AND t.id = b.id
  RETURNING t.id, t.tenant, t.module, t.process_id, t.channel, t.instance_id, t.element_id, t.retries, t.state,
    t.policy, t.last_error, b.delay_ms, b.incident_id
),${terminalTasks(
    'failed',
    `
  SELECT f.id, f.tenant, f.module, f.process_id, f.instance_id, f.element_id, f.policy, f.last_error,
    f.incident_id
  FROM failed AS f
  WHERE f.state = 'failed'`,
  )}
SELECT f.id AS "taskId", f.channel, f.instance_id AS "instanceId", f.retries, f.state = 'failed' AS "isTerminal",
  f.delay_ms AS "delayMs"
FROM failed AS f`;
}

function values(failures: readonly TaskFailure[]): unknown[] {
  return [
    failures.map((failure) => failure.taskId),
    failures.map((failure) => failure.workerId),
    failures.map((failure) => failure.tokenHash),
    failures.map((failure) => failure.retries),
    failures.map((failure) => failure.retryTimeoutMs),
    failures.map((failure) => failure.defaultRetryTimeoutMs),
    failures.map((failure) => failure.errorMessage),
    failures.map((failure) => failure.errorDetails),
    failures.map((failure) => failure.incidentId),
  ];
}

/** Uses `external_task_pkey`. Waits for a completion of the same task that is committing. */
export const REPORT_FAILURE: Statement = { name: 'report_failure', text: failing('FOR UPDATE OF t') };

/** Null: nothing was changed, because the caller does not hold the lock; ask `explainRefusals` why. */
export async function reportFailure(
  connection: Connection,
  failure: TaskFailure,
): Promise<TaskFailed | null> {
  const [row] = await connection.run<TaskFailed>(REPORT_FAILURE, values([failure]));
  return row ?? null;
}

/** Uses `external_task_pkey`. Waits for nobody. */
export const REPORT_FAILURES: Statement = {
  name: 'report_failures',
  text: failing('FOR UPDATE OF t SKIP LOCKED'),
};

/** Each task once. A task that is absent from the answer: the caller does not hold its lock, or a turn has the row. */
export async function reportFailures(
  connection: Connection,
  failures: readonly TaskFailure[],
): Promise<Map<string, TaskFailed>> {
  const rows = await connection.run<TaskFailed>(REPORT_FAILURES, values(failures));
  return new Map(rows.map((row) => [row.taskId, row]));
}
