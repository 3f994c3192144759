/** What waits for a person: open incidents, oldest first, and how many there are of which sort. */
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import {
  decodeCursor,
  readPage,
  runComposed,
  UUID_PART,
  type Page,
  type PageRequest,
} from './operate-list.ts';

export const INCIDENT_KINDS = [
  'instance-failed',
  'task-terminal',
  'delivery-poisoned',
  'dead-letter',
] as const;

/** Null: not filtered by. */
export interface IncidentFilter {
  readonly kind: string | null;
  readonly tenant: string | null;
  readonly module: string | null;
  readonly instanceId: string | null;
  readonly code: string | null;
  readonly processId: string | null;
  readonly elementId: string | null;
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
}

export interface IncidentRow {
  readonly id: string;
  readonly kind: (typeof INCIDENT_KINDS)[number];
  readonly tenant: string;
  readonly module: string;
  /** Of a failed instance its own; of a task or a delivery the one that sent it, which may be a called one. */
  readonly processId: string | null;
  /** Null: of a dead letter. */
  readonly instanceId: string | null;
  readonly elementId: string | null;
  /** The task, the outbox row or the dead letter. */
  readonly subjectId: string | null;
  readonly code: string;
  readonly message: string;
  readonly createdAt: Date;
}

/** `incident_open` is small whatever there was before, so that what it leads to is filtered, sorted and counted row by row. */
function openIncidents(database: Database, filter: IncidentFilter): Knex.QueryBuilder {
  const builder = database.knex('incident').whereNull('resolved_at');
  if (filter.kind !== null) builder.where('kind', filter.kind);
  if (filter.tenant !== null) builder.where('tenant', filter.tenant);
  if (filter.module !== null) builder.where('module', filter.module);
  if (filter.instanceId !== null) builder.where('instance_id', filter.instanceId);
  if (filter.code !== null) builder.where('code', filter.code);
  if (filter.processId !== null) builder.where('process_id', filter.processId);
  if (filter.elementId !== null) builder.where('element_id', filter.elementId);
  if (filter.createdAfter !== null) builder.where('created_at', '>', filter.createdAfter);
  if (filter.createdBefore !== null) builder.where('created_at', '<', filter.createdBefore);
  return builder;
}

/**
 * LIST_INCIDENTS. Uses `incident_open` or `incident_instance`. Materialized, because in the order of the primary key the
 * closed ones come first, mostly, and all of them would be read before the first open one.
 */
export function listOpenIncidents(
  database: Database,
  filter: IncidentFilter,
  page: PageRequest,
): Promise<Page<IncidentRow>> {
  const open = openIncidents(database, filter)
    .select('id', 'kind', 'tenant', 'module', 'code', 'message')
    .select({
      processId: 'process_id',
      instanceId: 'instance_id',
      elementId: 'element_id',
      subjectId: 'subject_id',
      createdAt: 'created_at',
    });
  if (page.cursor !== null) {
    const [id = ''] = decodeCursor('list_incidents', page.cursor, [UUID_PART]);
    open.where('id', '>', id);
  }
  const columns = ['id', 'kind', 'tenant', 'module', 'processId', 'instanceId', 'elementId', 'subjectId'];
  const builder = database.knex
    .withMaterialized('open', open)
    .select([...columns, 'code', 'message', 'createdAt'])
    .from('open')
    .orderBy('id', 'asc');
  return readPage<IncidentRow>(database, { list: 'list_incidents', builder, page }, (row) => [row.id]);
}

export interface IncidentGroup {
  readonly kind: IncidentRow['kind'];
  readonly code: string;
  readonly processId: string | null;
  readonly elementId: string | null;
  readonly count: number;
}

export interface IncidentSummary {
  /** Largest first. */
  readonly groups: readonly IncidentGroup[];
  /** Of all incidents that the filters find, also those of groups that are not shown. */
  readonly incidentCount: number;
  /** There are more groups. */
  readonly isCut: boolean;
}

const MAX_GROUPS = 200;

/** SUMMARIZE_INCIDENTS. Uses `incident_open` or `incident_instance`. */
export async function summarizeOpenIncidents(
  database: Database,
  filter: IncidentFilter,
): Promise<IncidentSummary> {
  const { knex } = database;
  const columns = ['kind', 'code', 'process_id', 'element_id'];
  const builder = openIncidents(database, filter)
    .select('kind', 'code', { processId: 'process_id', elementId: 'element_id' })
    .select(knex.raw('count(*) AS "count", (sum(count(*)) OVER ())::bigint AS "incidentCount"'))
    .groupBy(columns)
    .orderBy([{ column: 'count', order: 'desc' }, ...columns])
    .limit(MAX_GROUPS + 1);
  const rows = await runComposed<IncidentGroup & Pick<IncidentSummary, 'incidentCount'>>(
    database,
    'summarize_incidents',
    builder,
  );
  return {
    groups: rows
      .slice(0, MAX_GROUPS)
      .map(({ kind, code, processId, elementId, count }) => ({ kind, code, processId, elementId, count })),
    incidentCount: rows[0]?.incidentCount ?? 0,
    isCut: rows.length > MAX_GROUPS,
  };
}

/** COUNT_INCIDENTS. Uses `incident_open`. */
export const COUNT_INCIDENTS = {
  name: 'count_incidents',
  text: `
SELECT kind, count(*) AS "count"
FROM incident
WHERE resolved_at IS NULL
GROUP BY kind`,
};

export async function countOpenIncidents(
  database: Database,
): Promise<ReadonlyArray<{ readonly kind: IncidentRow['kind']; readonly count: number }>> {
  return database.run(COUNT_INCIDENTS, []);
}
