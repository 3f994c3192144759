/** Who holds an external task: for facades whose clients report on a job without saying who they are. */
import type { Database, Statement } from './database.ts';
import { findReceipts } from './external-tasks-settle.ts';

export interface TaskHolder {
  /** The owner of the unexpired lock, or of the attempt that completed the task when it has gone; null: nobody. */
  readonly workerId: string | null;
  /** Its budget is spent. */
  readonly isTerminal: boolean;
}

/** Uses the primary key. An expired lock is nobody's. */
export const READ_TASK_HOLDER: Statement = {
  name: 'read_task_holder',
  text: `
SELECT
  CASE WHEN visible_at > now() THEN lock_owner END AS "workerId",
  state = 'failed' AS "isTerminal"
FROM external_task
WHERE id = $1::uuid`,
};

/** True only for the moment of the read: what acts on it must check again under its own lock. */
export async function readTaskHolder(database: Database, taskId: string): Promise<TaskHolder> {
  const [holder] = await database.run<TaskHolder>(READ_TASK_HOLDER, [taskId]);
  if (holder !== undefined) return holder;
  const receipts = await findReceipts(database, [taskId]);
  const completed = receipts.find(({ outcome }) => outcome === 'completed');
  return { workerId: completed?.lockOwner ?? null, isTerminal: false };
}

/** An instance without what it holds. */
export interface InstanceStanding {
  readonly deploymentId: string;
  readonly tenant: string;
  readonly processId: string;
  readonly status: 'running' | 'completed' | 'terminated' | 'failed';
  readonly failureCode: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** It has failed, or one of its tasks or deliveries waits for a person. */
  readonly hasIncident: boolean;
}

/** Uses the primary key and `incident_instance`. */
export const READ_INSTANCE_STANDING: Statement = {
  name: 'read_instance_standing',
  text: `
SELECT i.deployment_id AS "deploymentId", i.tenant, i.process_id AS "processId", i.status,
  i.failure_code AS "failureCode", i.created_at AS "createdAt", i.ended_at AS "endedAt",
  i.status = 'failed' OR EXISTS (
    SELECT FROM incident AS n
    WHERE n.instance_id = i.id AND n.resolved_at IS NULL
  ) AS "hasIncident"
FROM instance AS i
WHERE i.id = $1::uuid`,
};

/** Null: there is none, or it has ended and is not kept. */
export async function readInstanceStanding(
  database: Database,
  instanceId: string,
): Promise<InstanceStanding | null> {
  const [standing] = await database.run<InstanceStanding>(READ_INSTANCE_STANDING, [instanceId]);
  return standing ?? null;
}
