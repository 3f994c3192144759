/**
 * What facades of other systems read of external tasks: filtered lists with offsets, as their clients ask for them. Our
 * own lists (operate-tasks.ts) have cursors.
 *
 * I1 Never a lock token or its hash, and no body.
 * I2 An offset is of the list as it is now: rows that come or go between pages shift it.
 */
import type { Knex } from 'knex';
import type { Database, Statement } from './database.ts';
import { runComposed } from './operate-list.ts';

/** Null: not filtered by. Of several fields a task must match each. An empty list is matched by nothing. */
export interface CompatTaskFilter {
  readonly ids: readonly string[] | null;
  readonly channel: string | null;
  /** The owner of the last lock, also when that has expired. */
  readonly lockOwner: string | null;
  readonly isLocked: boolean | null;
  readonly hasRetries: boolean | null;
  readonly lockExpiresAfter: Date | null;
  readonly lockExpiresBefore: Date | null;
  readonly elementIds: readonly string[] | null;
  readonly instanceIds: readonly string[] | null;
  readonly processIds: readonly string[] | null;
  readonly deploymentId: string | null;
  readonly tenants: readonly string[] | null;
  readonly isHeld: boolean | null;
  readonly minPriority: number | null;
  readonly maxPriority: number | null;
}

export const anyTask: CompatTaskFilter = {
  ids: null,
  channel: null,
  lockOwner: null,
  isLocked: null,
  hasRetries: null,
  lockExpiresAfter: null,
  lockExpiresBefore: null,
  elementIds: null,
  instanceIds: null,
  processIds: null,
  deploymentId: null,
  tenants: null,
  isHeld: null,
  minPriority: null,
  maxPriority: null,
};

const LOCK_EXPIRY = 'CASE WHEN lock_owner IS NOT NULL THEN visible_at END';

/** By what a list can be ordered. */
export const COMPAT_TASK_ORDERS = {
  id: 'id',
  lockExpirationTime: LOCK_EXPIRY,
  processInstanceId: 'instance_id',
  processDefinitionId: `process_id || ':' || version || ':' || deployment_id`,
  processDefinitionKey: 'process_id',
  tenantId: 'tenant',
  taskPriority: 'priority',
  createTime: 'created_at',
} as const;

export interface CompatTaskOrder {
  readonly by: keyof typeof COMPAT_TASK_ORDERS;
  readonly direction: 'asc' | 'desc';
}

export interface CompatTask {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly version: string;
  readonly processId: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly elementId: string;
  readonly retries: number;
  readonly priority: number;
  readonly createdAt: Date;
  /** Of the last lock, also when that has expired; null: it was given back, or there was none. */
  readonly lockOwner: string | null;
  readonly lockExpiresAt: Date | null;
  readonly isHeld: boolean;
  readonly lastError: string | null;
}

const COLUMNS = `id, deployment_id AS "deploymentId", tenant, version, process_id AS "processId", channel,
  instance_id AS "instanceId", element_id AS "elementId", retries, priority, created_at AS "createdAt",
  lock_owner AS "lockOwner", ${LOCK_EXPIRY} AS "lockExpiresAt", held AS "isHeld", last_error AS "lastError"`;

/**
 * LIST_COMPAT_TASKS, at most `limit` after the first `offset`. Uses the primary key for ids and as the order,
 * `external_task_instance` for instances, `external_task_fetch` for a deployment with a topic; anything else reads every
 * task there is.
 */
export function listCompatTasks(
  database: Database,
  filter: CompatTaskFilter,
  page: { readonly orders: readonly CompatTaskOrder[]; readonly offset: number; readonly limit: number },
): Promise<readonly CompatTask[]> {
  const { knex } = database;
  const builder = tasks(database, filter).select(knex.raw(COLUMNS)).limit(page.limit).offset(page.offset);
  for (const { by, direction } of page.orders) {
    builder.orderByRaw(`${COMPAT_TASK_ORDERS[by]} ${direction === 'asc' ? 'ASC' : 'DESC'}`);
  }
  // Ids are drawn in time order; and a page needs an order that is one.
  if (!page.orders.some(({ by }) => by === 'id')) builder.orderBy('id');
  return runComposed<CompatTask>(database, 'list_compat_tasks', builder);
}

/** COUNT_COMPAT_TASKS. Uses the indexes of the list. */
export async function countCompatTasks(database: Database, filter: CompatTaskFilter): Promise<number> {
  const builder = tasks(database, filter).count({ count: '*' });
  const [row] = await runComposed<{ count: number }>(database, 'count_compat_tasks', builder);
  return row?.count ?? 0;
}

/** LIST_COMPAT_TOPICS: the channels that have such tasks, in order. Reads every task: for people, not for workers. */
export async function listCompatTopics(
  database: Database,
  filter: CompatTaskFilter,
): Promise<readonly string[]> {
  const builder = tasks(database, filter).distinct('channel').orderBy('channel');
  const rows = await runComposed<{ channel: string }>(database, 'list_compat_topics', builder);
  return rows.map(({ channel }) => channel);
}

function tasks({ knex }: Database, filter: CompatTaskFilter): Knex.QueryBuilder {
  const builder = knex('external_task');
  // One parameter for any number of values: the statement is the same.
  const any = (sql: string, values: readonly string[] | null): void => {
    if (values !== null) builder.whereRaw(sql, [[...values]]);
  };
  const one = (sql: string, value: string | number | Date | null): void => {
    if (value !== null) builder.whereRaw(sql, [value]);
  };
  const either = (value: boolean | null, whenTrue: string, whenFalse: string): void => {
    if (value !== null) builder.whereRaw(value ? whenTrue : whenFalse);
  };
  any('id = ANY (?::uuid[])', filter.ids);
  any('instance_id = ANY (?::uuid[])', filter.instanceIds);
  any('element_id = ANY (?::text[])', filter.elementIds);
  any('process_id = ANY (?::text[])', filter.processIds);
  any('tenant = ANY (?::text[])', filter.tenants);
  one('channel = ?::text', filter.channel);
  one('lock_owner = ?::text', filter.lockOwner);
  one('deployment_id = ?::text', filter.deploymentId);
  one('priority >= ?::integer', filter.minPriority);
  one('priority <= ?::integer', filter.maxPriority);
  one('lock_owner IS NOT NULL AND visible_at > ?::timestamptz', filter.lockExpiresAfter);
  one('lock_owner IS NOT NULL AND visible_at < ?::timestamptz', filter.lockExpiresBefore);
  either(
    filter.isLocked,
    'lock_owner IS NOT NULL AND visible_at > now()',
    '(lock_owner IS NULL OR visible_at <= now())',
  );
  either(filter.hasRetries, 'retries > 0', 'retries = 0');
  either(filter.isHeld, 'held', 'NOT held');
  return builder;
}

export interface TaskErrors {
  readonly lastError: string | null;
  readonly lastErrorDetails: string | null;
}

/** Uses the primary key. */
export const READ_TASK_ERRORS: Statement = {
  name: 'read_task_errors',
  text: `
SELECT id, last_error AS "lastError", last_error_details AS "lastErrorDetails"
FROM external_task
WHERE id = ANY($1::uuid[])`,
};

/** What was last reported of each of the tasks that there are. */
export async function readTaskErrors(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TaskErrors>> {
  const rows = await database.run<TaskErrors & { readonly id: string }>(READ_TASK_ERRORS, [ids]);
  return new Map(rows.map(({ id, ...errors }) => [id, errors]));
}
