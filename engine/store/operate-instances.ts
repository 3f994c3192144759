/** What operators read of instances: lists, one instance whole, its journal, its open work. */
import type { Database } from './database.ts';
import { decodeCursor, readPage, UUID_PART, type Page, type PageRequest } from './operate-list.ts';

export const INSTANCE_STATUSES = ['running', 'completed', 'terminated', 'failed'] as const;
export type InstanceRowStatus = (typeof INSTANCE_STATUSES)[number];

/** Null: not filtered by. */
export interface InstanceFilter {
  readonly status: string | null;
  readonly processId: string | null;
  readonly deploymentId: string | null;
  readonly tenant: string | null;
  readonly module: string | null;
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
  readonly alias: { readonly name: string; readonly value: string } | null;
  /** Of failed ones: with this code, at this element. */
  readonly failureCode: string | null;
  readonly failureElement: string | null;
}

export interface InstanceSummary {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly processId: string;
  readonly status: InstanceRowStatus;
  readonly turn: number;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
  readonly failureElement: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly endedAt: Date | null;
}

export interface InstanceRow extends InstanceSummary {
  readonly snapshot: string;
  /** The texts of the large variables that it names, by id. */
  readonly largeValues: Readonly<Record<string, string>>;
}

const SUMMARY_COLUMNS = [
  'instance.id as id',
  'instance.deployment_id as deploymentId',
  'instance.tenant as tenant',
  'instance.module as module',
  'instance.process_id as processId',
  'instance.status as status',
  'instance.turn as turn',
  'instance.failure_code as failureCode',
  'instance.failure_message as failureMessage',
  'instance.failure_element as failureElement',
  'instance.created_at as createdAt',
  'instance.updated_at as updatedAt',
  'instance.ended_at as endedAt',
] as const;

/**
 * LIST_INSTANCES, newest first: ids are drawn in time order, so the primary key is the order. Uses the
 * primary key, or `instance_failed` for the failed ones, or the primary key of `alias`.
 */
export function listInstances(
  database: Database,
  filter: InstanceFilter,
  page: PageRequest,
): Promise<Page<InstanceSummary>> {
  const builder = database.knex('instance').select(SUMMARY_COLUMNS).orderBy('instance.id', 'desc');
  // As text of the statement, so that a plan for any values can use the partial index.
  const isOfFailed = filter.failureCode !== null || filter.failureElement !== null;
  if (filter.status === 'failed' || isOfFailed) builder.whereRaw(`instance.status = 'failed'`);
  if (filter.status !== null && filter.status !== 'failed') builder.where('instance.status', filter.status);
  if (filter.failureCode !== null) builder.where('instance.failure_code', filter.failureCode);
  if (filter.failureElement !== null) builder.where('instance.failure_element', filter.failureElement);
  if (filter.processId !== null) builder.where('instance.process_id', filter.processId);
  if (filter.deploymentId !== null) builder.where('instance.deployment_id', filter.deploymentId);
  if (filter.tenant !== null) builder.where('instance.tenant', filter.tenant);
  if (filter.module !== null) builder.where('instance.module', filter.module);
  if (filter.createdAfter !== null) builder.where('instance.created_at', '>', filter.createdAfter);
  if (filter.createdBefore !== null) builder.where('instance.created_at', '<', filter.createdBefore);
  const { alias } = filter;
  if (alias !== null) {
    builder.whereIn('instance.id', (inner) => {
      const aliases = inner
        .from('alias')
        .select('instance_id')
        .where({ name: alias.name, value: alias.value });
      if (filter.tenant !== null) aliases.where('tenant', filter.tenant);
      if (filter.module !== null) aliases.where('module', filter.module);
    });
  }
  if (page.cursor !== null) {
    const [id = ''] = decodeCursor('list_instances', page.cursor, [UUID_PART]);
    builder.where('instance.id', '<', id);
  }
  return readPage<InstanceSummary>(database, { list: 'list_instances', builder, page }, (row) => [row.id]);
}

/** Uses the primary keys. One statement: a snapshot and its large values belong together. */
export const READ_INSTANCE = {
  name: 'read_instance',
  text: `
SELECT id, deployment_id AS "deploymentId", tenant, module, process_id AS "processId", status, turn,
  failure_code AS "failureCode", failure_message AS "failureMessage", failure_element AS "failureElement",
  created_at AS "createdAt", updated_at AS "updatedAt", ended_at AS "endedAt", snapshot,
  (SELECT COALESCE(json_object_agg(v.id, v.data), '{}')
   FROM instance_value AS v
   WHERE v.instance_id = instance.id) AS "largeValues"
FROM instance
WHERE id = $1::uuid`,
};

export async function readInstance(database: Database, id: string): Promise<InstanceRow | null> {
  const [row] = await database.run<InstanceRow>(READ_INSTANCE, [id]);
  return row ?? null;
}

export interface AliasRow {
  readonly name: string;
  readonly value: string;
  readonly isUnique: boolean;
}

/** Uses `alias_instance`. */
export const READ_INSTANCE_ALIASES = {
  name: 'read_instance_aliases',
  text: `
SELECT name, value, is_unique AS "isUnique"
FROM alias
WHERE instance_id = $1::uuid
ORDER BY name, value
LIMIT 1000`,
};

export function readInstanceAliases(database: Database, id: string): Promise<readonly AliasRow[]> {
  return database.run<AliasRow>(READ_INSTANCE_ALIASES, [id]);
}

export interface PartRow {
  readonly partId: number;
  readonly data: string;
}

/** Uses the primary key. */
export const LIST_INSTANCE_PARTS = {
  name: 'list_instance_parts',
  text: `
SELECT part_id AS "partId", data
FROM instance_part
WHERE instance_id = $1::uuid AND part_id > $2::integer AND is_open
ORDER BY part_id
LIMIT $3::integer`,
};

/** The open parts after `afterPart`, in the order of their ids, at most `limit`. */
export function listInstanceParts(
  database: Database,
  id: string,
  afterPart: number,
  limit: number,
): Promise<readonly PartRow[]> {
  return database.run<PartRow>(LIST_INSTANCE_PARTS, [id, afterPart, limit]);
}

/** Uses the primary key. */
export const COUNT_INSTANCE_PARTS = {
  name: 'count_instance_parts',
  text: `
SELECT count(*) AS count
FROM instance_part
WHERE instance_id = $1::uuid AND is_open`,
};

/** How many open parts there are. */
export async function countInstanceParts(database: Database, id: string): Promise<number> {
  const [row] = await database.run<{ count: number }>(COUNT_INSTANCE_PARTS, [id]);
  return row?.count ?? 0;
}

export interface OpenDeliveryRow {
  readonly id: string;
  readonly channel: string;
  readonly transport: string;
  readonly elementId: string;
  readonly idempotencyKey: string;
  readonly state: 'open' | 'poisoned';
  readonly attempts: number;
  readonly visibleAt: Date;
  readonly lastError: string | null;
  readonly createdAt: Date;
}

/** Uses `outbox_instance`. */
export const READ_INSTANCE_DELIVERIES = {
  name: 'read_instance_deliveries',
  text: `
SELECT id, channel, transport, element_id AS "elementId", idempotency_key AS "idempotencyKey", state, attempts,
  visible_at AS "visibleAt", last_error AS "lastError", created_at AS "createdAt"
FROM outbox
WHERE instance_id = $1::uuid
ORDER BY created_at, id
LIMIT 1000`,
};

export function readInstanceDeliveries(database: Database, id: string): Promise<readonly OpenDeliveryRow[]> {
  return database.run<OpenDeliveryRow>(READ_INSTANCE_DELIVERIES, [id]);
}

export interface HistoryTurnRow {
  readonly turn: number;
  readonly at: Date;
  /** JSON, as text: numbers keep their digits. */
  readonly entries: string;
}

/** Uses the primary key. */
export const READ_HISTORY = {
  name: 'read_history',
  text: `
SELECT turn, at, entries::text AS entries
FROM history
WHERE instance_id = $1::uuid AND turn > $2::integer
ORDER BY turn
LIMIT $3::integer`,
};

/** The turns after `afterTurn`, in order, at most `limit`. Also of an instance whose row has gone. */
export function readHistory(
  database: Database,
  id: string,
  afterTurn: number,
  limit: number,
): Promise<readonly HistoryTurnRow[]> {
  return database.run<HistoryTurnRow>(READ_HISTORY, [id, afterTurn, limit]);
}

/** Uses the primary key. */
export const READ_HISTORY_BACK = {
  name: 'read_history_back',
  text: `
SELECT turn, at, entries::text AS entries
FROM history
WHERE instance_id = $1::uuid AND turn < $2::integer
ORDER BY turn DESC
LIMIT $3::integer`,
};

/** The turns before `beforeTurn`, the latest first, at most `limit`. */
export function readHistoryBack(
  database: Database,
  id: string,
  beforeTurn: number,
  limit: number,
): Promise<readonly HistoryTurnRow[]> {
  return database.run<HistoryTurnRow>(READ_HISTORY_BACK, [id, beforeTurn, limit]);
}

/** An incident of a task or a delivery. */
export interface InstanceIncidentRow {
  readonly kind: 'task-terminal' | 'delivery-poisoned';
  readonly elementId: string | null;
  readonly subjectId: string;
  readonly code: string;
  readonly message: string;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
}

/** Uses `incident_instance`. What failed of the instance itself is in its journal. */
export const READ_INSTANCE_INCIDENTS = {
  name: 'read_instance_incidents',
  text: `
SELECT kind, element_id AS "elementId", subject_id AS "subjectId", code, message, created_at AS "createdAt",
  resolved_at AS "resolvedAt"
FROM incident
WHERE instance_id = $1::uuid AND kind IN ('task-terminal', 'delivery-poisoned')
ORDER BY created_at, id
LIMIT 1000`,
};

export function readInstanceIncidents(
  database: Database,
  id: string,
): Promise<readonly InstanceIncidentRow[]> {
  return database.run<InstanceIncidentRow>(READ_INSTANCE_INCIDENTS, [id]);
}
