/** What operators read of external tasks: never a lock token or its hash, and no body in a list. */
import type { Database } from './database.ts';
import { decodeCursor, readPage, UUID_PART, type Page, type PageRequest } from './operate-list.ts';

export const TASK_STATES = ['open', 'failed'] as const;

/** Null: not filtered by. */
export interface TaskFilter {
  readonly channel: string | null;
  readonly state: string | null;
  readonly instanceId: string | null;
  readonly deploymentId: string | null;
  readonly processId: string | null;
  readonly elementId: string | null;
  /** By the database's clock: does someone hold an unexpired lock? */
  readonly locked: boolean | null;
}

export interface TaskSummary {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  readonly processId: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly elementId: string;
  readonly idempotencyKey: string;
  readonly attempts: number;
  /** The holder of an unexpired lock, else null. */
  readonly lockOwner: string | null;
  readonly lockedAt: Date | null;
  readonly lockExpiresAt: Date | null;
  /** When it can be fetched (again). */
  readonly visibleAt: Date;
  readonly retries: number;
  readonly isHeld: boolean;
  readonly priority: number;
  readonly deadline: Date | null;
  readonly state: (typeof TASK_STATES)[number];
  readonly lastError: string | null;
  /** What the worker of the latest lock said last, as JSON text. */
  readonly progress: string | null;
  readonly progressAt: Date | null;
  readonly failedAt: Date | null;
  readonly createdAt: Date;
}

export interface TaskRow extends TaskSummary {
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: Buffer;
  readonly lastErrorDetails: string | null;
}

/** An expired lock is nobody's: its owner shows as null although the row still has the name. */
const SUMMARY_COLUMNS = `id, deployment_id AS "deploymentId", tenant, module, version, process_id AS "processId",
  channel, instance_id AS "instanceId", element_id AS "elementId", idempotency_key AS "idempotencyKey",
  generation AS "attempts",
  CASE WHEN visible_at > now() THEN lock_owner END AS "lockOwner",
  CASE WHEN visible_at > now() AND lock_owner IS NOT NULL THEN locked_at END AS "lockedAt",
  CASE WHEN visible_at > now() AND lock_owner IS NOT NULL THEN visible_at END AS "lockExpiresAt",
  visible_at AS "visibleAt", retries, held AS "isHeld", priority, deadline, state,
  last_error AS "lastError", progress, progress_at AS "progressAt", failed_at AS "failedAt", created_at AS "createdAt"`;

/**
 * LIST_EXTERNAL_TASKS, oldest first. Uses the primary key, `external_task_instance` or
 * `external_task_failed`.
 */
export function listExternalTasks(
  database: Database,
  filter: TaskFilter,
  page: PageRequest,
): Promise<Page<TaskSummary>> {
  const { knex } = database;
  const builder = knex('external_task').select(knex.raw(SUMMARY_COLUMNS)).orderBy('id', 'asc');
  if (filter.channel !== null) builder.where('channel', filter.channel);
  // As text of the statement, so that a plan for any values can use the partial index.
  if (filter.state === 'failed') builder.whereRaw(`state = 'failed'`);
  else if (filter.state !== null) builder.where('state', filter.state);
  if (filter.instanceId !== null) builder.where('instance_id', filter.instanceId);
  if (filter.deploymentId !== null) builder.where('deployment_id', filter.deploymentId);
  if (filter.processId !== null) builder.where('process_id', filter.processId);
  if (filter.elementId !== null) builder.where('element_id', filter.elementId);
  if (filter.locked === true) builder.whereRaw('lock_owner IS NOT NULL AND visible_at > now()');
  if (filter.locked === false) builder.whereRaw('(lock_owner IS NULL OR visible_at <= now())');
  if (page.cursor !== null) {
    const [id = ''] = decodeCursor('list_external_tasks', page.cursor, [UUID_PART]);
    builder.where('id', '>', id);
  }
  return readPage<TaskSummary>(database, { list: 'list_external_tasks', builder, page }, (row) => [row.id]);
}

/** Uses the primary key. */
export const READ_EXTERNAL_TASK = {
  name: 'read_external_task',
  text: `
SELECT ${SUMMARY_COLUMNS}, headers, content_type AS "contentType", body, last_error_details AS "lastErrorDetails"
FROM external_task
WHERE id = $1::uuid`,
};

export async function readExternalTask(database: Database, id: string): Promise<TaskRow | null> {
  const [row] = await database.run<TaskRow>(READ_EXTERNAL_TASK, [id]);
  return row ?? null;
}

/** Uses `external_task_instance`. */
export const READ_INSTANCE_TASKS = {
  name: 'read_instance_tasks',
  text: `
SELECT ${SUMMARY_COLUMNS}
FROM external_task
WHERE instance_id = $1::uuid
ORDER BY created_at, id
LIMIT 1000`,
};

export function readInstanceTasks(database: Database, instanceId: string): Promise<readonly TaskSummary[]> {
  return database.run<TaskSummary>(READ_INSTANCE_TASKS, [instanceId]);
}
