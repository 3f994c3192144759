/** What waits for a person: open incidents, oldest first. */
import type { Database } from './database.ts';
import { decodeCursor, readPage, UUID_PART, type Page, type PageRequest } from './operate-list.ts';

export const INCIDENT_KINDS = ['instance-failed', 'task-terminal', 'delivery-poisoned'] as const;

/** Null: not filtered by. */
export interface IncidentFilter {
  readonly kind: string | null;
  readonly tenant: string | null;
  readonly module: string | null;
  readonly instanceId: string | null;
  readonly code: string | null;
}

export interface IncidentRow {
  readonly id: string;
  readonly kind: (typeof INCIDENT_KINDS)[number];
  readonly tenant: string;
  readonly module: string;
  readonly instanceId: string;
  readonly elementId: string | null;
  /** The task or the outbox row. */
  readonly subjectId: string | null;
  readonly code: string;
  readonly message: string;
  readonly createdAt: Date;
}

/** LIST_INCIDENTS. Uses `incident_open` or `incident_instance`. */
export function listOpenIncidents(
  database: Database,
  filter: IncidentFilter,
  page: PageRequest,
): Promise<Page<IncidentRow>> {
  const builder = database
    .knex('incident')
    .select('id', 'kind', 'tenant', 'module', 'code', 'message')
    .select({
      instanceId: 'instance_id',
      elementId: 'element_id',
      subjectId: 'subject_id',
      createdAt: 'created_at',
    })
    .whereNull('resolved_at')
    .orderBy('id', 'asc');
  if (filter.kind !== null) builder.where('kind', filter.kind);
  if (filter.tenant !== null) builder.where('tenant', filter.tenant);
  if (filter.module !== null) builder.where('module', filter.module);
  if (filter.instanceId !== null) builder.where('instance_id', filter.instanceId);
  if (filter.code !== null) builder.where('code', filter.code);
  if (page.cursor !== null) {
    const [id = ''] = decodeCursor('list_incidents', page.cursor, [UUID_PART]);
    builder.where('id', '>', id);
  }
  return readPage<IncidentRow>(database, { list: 'list_incidents', builder, page }, (row) => [row.id]);
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
