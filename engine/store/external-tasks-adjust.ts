/**
 * What an operator changes of a task, whoever holds it: its budget, its priority, how long its lock lasts.
 *
 * J1 A budget of zero makes the task terminal, with its incident, in this statement; a greater one opens a terminal task
 *    again and closes its incident.
 * J2 A lock is extended only where there is one: asked for it, the statement changes nothing of a task without.
 */
import type { Connection, Statement } from './database.ts';
import type { TaskPlace } from './external-tasks.ts';
import { terminalTasks } from './external-tasks-terminal.ts';

export interface TaskAdjustment {
  readonly taskId: string;
  /** Null: as it is; so are the others. */
  readonly retries: number | null;
  readonly priority: number | null;
  /** From now; the deadline bounds it. */
  readonly lockDurationMs: number | null;
  /** The id of the incident, if this makes the task terminal. */
  readonly incidentId: string;
}

/** Uses `external_task_pkey`, `incident_instance`. Waits for a turn that has the row. */
export const ADJUST_TASK: Statement = {
  name: 'adjust_task',
  text: `
WITH was AS (
  SELECT t.id, t.state
  FROM external_task AS t
  WHERE t.id = $1::uuid
    AND ($4::double precision IS NULL OR (t.lock_owner IS NOT NULL AND t.visible_at > now()))
  FOR UPDATE
),
adjusted AS (
  UPDATE external_task AS t
  SET retries = COALESCE($2::integer, t.retries),
    priority = COALESCE($3::integer, t.priority),
    state = CASE WHEN $2::integer IS NULL THEN t.state WHEN $2::integer = 0 THEN 'failed' ELSE 'open' END,
    failed_at = CASE
      WHEN $2::integer IS NULL THEN t.failed_at
      WHEN $2::integer = 0 THEN COALESCE(t.failed_at, now())
    END,
    lock_owner = CASE WHEN $2::integer IS DISTINCT FROM 0 THEN t.lock_owner END,
    lock_token_hash = CASE WHEN $2::integer IS DISTINCT FROM 0 THEN t.lock_token_hash END,
    locked_at = CASE WHEN $2::integer IS DISTINCT FROM 0 THEN t.locked_at END,
    lost_locks = CASE WHEN $2::integer IS NULL THEN t.lost_locks ELSE 0 END,
    last_error = CASE
      WHEN $2::integer = 0 THEN COALESCE(t.last_error, 'an operator set its retries to 0')
      ELSE t.last_error
    END,
    visible_at = CASE
      WHEN $4::double precision IS NOT NULL
        THEN LEAST(t.deadline, now() + $4::double precision * interval '1 millisecond')
      WHEN was.state = 'failed' AND $2::integer > 0 THEN now()
      ELSE t.visible_at
    END
  FROM was
  WHERE t.id = $1::uuid
    AND t.id = was.id
  RETURNING t.id, t.tenant, t.module, t.process_id, t.channel, t.instance_id, t.element_id, t.state, t.policy,
    t.last_error, was.state AS state_before
),
reopened AS (
  SELECT a.id, a.instance_id
  FROM adjusted AS a
  WHERE a.state_before = 'failed'
    AND a.state = 'open'
),
resolved AS (
  UPDATE incident AS i
  SET resolved_at = now()
  FROM reopened AS r
  WHERE i.instance_id = r.instance_id
    AND i.subject_id = r.id
    AND i.kind = 'task-terminal'
    AND i.resolved_at IS NULL
),${terminalTasks(
    'adjusted',
    `
  SELECT a.id, a.tenant, a.module, a.process_id, a.instance_id, a.element_id, a.policy, a.last_error,
    $5::uuid AS incident_id
  FROM adjusted AS a
  WHERE a.state_before = 'open'
    AND a.state = 'failed'`,
  )}
SELECT a.channel, a.instance_id AS "instanceId", a.state_before = 'failed' AND a.state = 'open' AS "isReopened"
FROM adjusted AS a`,
};

export interface TaskAdjusted extends TaskPlace {
  /** It was terminal, and can be fetched now. */
  readonly isReopened: boolean;
}

/** Null: there is no such task, or no lock to extend. */
export async function adjustTask(
  connection: Connection,
  adjustment: TaskAdjustment,
): Promise<TaskAdjusted | null> {
  const { taskId, retries, priority, lockDurationMs, incidentId } = adjustment;
  const [row] = await connection.run<TaskAdjusted>(ADJUST_TASK, [
    taskId,
    retries,
    priority,
    lockDurationMs,
    incidentId,
  ]);
  return row ?? null;
}
