/**
 * What facades of other systems read of live instances: filtered lists with offsets, as their clients ask for them,
 * business keys, and instances whole.
 *
 * I1 Live: not ended. One that has failed is live, and waits for its repair.
 * I2 An offset is of the list as it is now: rows that come or go between pages shift it. Our own lists have cursors.
 */
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import type { InstanceRow, InstanceSummary } from './operate-instances.ts';
import { runComposed } from './operate-list.ts';

/** The alias under which an instance has its business key. */
export const BUSINESS_KEY_ALIAS = 'businessKey';

/** Null: not filtered by. An empty list is matched by nothing. */
export interface LiveInstanceFilter {
  readonly ids: readonly string[] | null;
  readonly tenants: readonly string[] | null;
  readonly processIds: readonly string[] | null;
  readonly notProcessIds: readonly string[] | null;
  /** Of these deployments. */
  readonly deploymentIds: readonly string[] | null;
  readonly businessKey: string | null;
  /** With an open incident, or without any. */
  readonly hasIncident: boolean | null;
}

export const anyLiveInstance: LiveInstanceFilter = {
  ids: null,
  tenants: null,
  processIds: null,
  notProcessIds: null,
  deploymentIds: null,
  businessKey: null,
  hasIncident: null,
};

export const LIVE_INSTANCE_ORDERS = {
  instanceId: 'instance.id',
  definitionKey: 'instance.process_id',
  definitionId: 'instance.process_id',
  tenantId: 'instance.tenant',
} as const;

export interface LiveInstanceOrder {
  readonly by: keyof typeof LIVE_INSTANCE_ORDERS;
  readonly direction: 'asc' | 'desc';
}

export interface LiveInstance {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly processId: string;
  readonly status: InstanceSummary['status'];
}

/**
 * LIST_LIVE_INSTANCES, at most `limit` after the first `offset`. Uses the primary key for ids and as the order,
 * `instance_live` for deployments, the primary key of `alias` for a business key.
 */
export function listLiveInstances(
  database: Database,
  filter: LiveInstanceFilter,
  page: { readonly orders: readonly LiveInstanceOrder[]; readonly offset: number; readonly limit: number },
): Promise<readonly LiveInstance[]> {
  const builder = live(database, filter)
    .select({
      id: 'instance.id',
      deploymentId: 'instance.deployment_id',
      tenant: 'instance.tenant',
      module: 'instance.module',
      processId: 'instance.process_id',
      status: 'instance.status',
    })
    .limit(page.limit)
    .offset(page.offset);
  for (const { by, direction } of page.orders) builder.orderBy(LIVE_INSTANCE_ORDERS[by], direction);
  // Ids are drawn in time order; and a page needs an order that is one.
  if (!page.orders.some(({ by }) => by === 'instanceId')) builder.orderBy('instance.id');
  return runComposed<LiveInstance>(database, 'list_live_instances', builder);
}

/** COUNT_LIVE_INSTANCES. Uses the indexes of the list. */
export async function countLiveInstances(database: Database, filter: LiveInstanceFilter): Promise<number> {
  const builder = live(database, filter).count({ count: '*' });
  const [row] = await runComposed<{ count: number }>(database, 'count_live_instances', builder);
  return row?.count ?? 0;
}

function live({ knex }: Database, filter: LiveInstanceFilter): Knex.QueryBuilder {
  const builder = knex('instance').whereNull('instance.ended_at');
  // One parameter for any number of values: the statement is the same.
  const any = (sql: string, values: readonly string[] | null): void => {
    if (values !== null) builder.whereRaw(sql, [[...values]]);
  };
  any('instance.id = ANY (?::uuid[])', filter.ids);
  any('instance.tenant = ANY (?::text[])', filter.tenants);
  any('instance.process_id = ANY (?::text[])', filter.processIds);
  any('instance.process_id <> ALL (?::text[])', filter.notProcessIds);
  any('instance.deployment_id = ANY (?::text[])', filter.deploymentIds);
  const { businessKey, hasIncident } = filter;
  if (businessKey !== null) {
    // As an array and from the inside out: joined, a planner that expects few keys reads all instances or all aliases.
    const sql = `instance.id = ANY (ARRAY(
      SELECT a.instance_id
      FROM (SELECT DISTINCT d.tenant, d.module FROM deployment AS d WHERE d.state IN ('active', 'draining')) AS m
      CROSS JOIN LATERAL (
        SELECT alias.instance_id
        FROM alias
        WHERE alias.tenant = m.tenant AND alias.module = m.module
          AND alias.name = '${BUSINESS_KEY_ALIAS}' AND alias.value = ?::text
        OFFSET 0
      ) AS a))`;
    builder.whereRaw(sql, [businessKey]);
  }
  if (hasIncident !== null) {
    const open = `EXISTS (SELECT FROM incident AS i WHERE i.instance_id = instance.id AND i.resolved_at IS NULL)`;
    builder.whereRaw(hasIncident ? open : `NOT ${open}`);
  }
  return builder;
}

/**
 * Uses `instance_live` and the primary key of `instance_call`. Each part is limited by itself: whoever asks has no use
 * for more than the whole may hold.
 */
export const LIST_INVOLVED_INSTANCES = {
  name: 'list_involved_instances',
  text: `
SELECT DISTINCT involved.id
FROM (
  SELECT own.id
  FROM unnest($1::text[]) AS d (id)
  CROSS JOIN LATERAL (
    SELECT i.id
    FROM instance AS i
    WHERE i.deployment_id = d.id AND i.ended_at IS NULL
    LIMIT $2::integer
  ) AS own
  UNION ALL
  SELECT calling.id
  FROM unnest($1::text[]) AS d (id)
  CROSS JOIN LATERAL (
    SELECT c.instance_id AS id
    FROM instance_call AS c
    WHERE c.deployment_id = d.id
    LIMIT $2::integer
  ) AS calling
) AS involved
LIMIT $2::integer`,
};

/** Live instances of the deployments, and those that have called a process of theirs; any `limit` of them. */
export async function listInvolvedInstances(
  database: Database,
  deploymentIds: readonly string[],
  limit: number,
): Promise<readonly string[]> {
  const rows = await database.run<{ id: string }>(LIST_INVOLVED_INSTANCES, [deploymentIds, limit]);
  return rows.map(({ id }) => id);
}

/** Uses `alias_instance`. */
export const READ_BUSINESS_KEYS = {
  name: 'read_business_keys',
  text: `
SELECT asked.id AS "instanceId", own.value
FROM unnest($1::uuid[]) AS asked (id)
CROSS JOIN LATERAL (
  SELECT min(kept.value) FILTER (WHERE kept.name = '${BUSINESS_KEY_ALIAS}') AS value
  FROM alias AS kept
  WHERE kept.instance_id = asked.id
) AS own
WHERE own.value IS NOT NULL`,
};

/**
 * The business keys by instance, of those live ones that have one. An instance whose variable has changed may have
 * registered several: it is found by each, and the first in the order of texts is its own.
 */
export async function businessKeysOf(
  database: Database,
  instanceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (instanceIds.length === 0) return new Map();
  const rows = await database.run<{ instanceId: string; value: string }>(READ_BUSINESS_KEYS, [instanceIds]);
  return new Map(rows.map(({ instanceId, value }) => [instanceId, value]));
}

/** Uses the primary keys. One statement: a snapshot and its large values belong together. */
export const READ_INSTANCES = {
  name: 'read_instances',
  text: `
SELECT id, deployment_id AS "deploymentId", tenant, module, process_id AS "processId", status, turn,
  failure_code AS "failureCode", failure_message AS "failureMessage", failure_element AS "failureElement",
  created_at AS "createdAt", updated_at AS "updatedAt", ended_at AS "endedAt", snapshot,
  (SELECT COALESCE(json_object_agg(v.id, v.data), '{}')
   FROM instance_value AS v
   WHERE v.instance_id = instance.id) AS "largeValues"
FROM instance
WHERE id = ANY($1::uuid[])`,
};

/** Those of the instances that there are, in no order; ended ones, too, as long as they are kept. */
export function readInstances(database: Database, ids: readonly string[]): Promise<readonly InstanceRow[]> {
  return database.run<InstanceRow>(READ_INSTANCES, [ids]);
}
