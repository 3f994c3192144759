/** What operators read of deployments, and the probe by which readiness asks the database. */
import type { Database } from './database.ts';
import { decodeCursor, DIGITS_PART, readPage, type Page, type PageRequest } from './operate-list.ts';

export const DEPLOYMENT_STATES = ['active', 'draining', 'retired'] as const;

/** Null: not filtered by. */
export interface DeploymentFilter {
  readonly state: string | null;
  readonly tenant: string | null;
  readonly module: string | null;
}

export interface DeploymentRow {
  readonly id: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  readonly state: (typeof DEPLOYMENT_STATES)[number];
  readonly deployedAt: Date;
  /** Null: it is active. */
  readonly drainedAt: Date | null;
  readonly retiredAt: Date | null;
}

interface ListedDeployment extends DeploymentRow {
  /** Microseconds since the epoch: a `Date` would lose the last three digits, and rows with them. */
  readonly sortKey: string;
}

const DEPLOYED_AT_MICROSECONDS = '(extract(epoch FROM deployed_at) * 1000000)::bigint';
const DEPLOYMENT_ID_PART = /^dep-[0-9a-f]{24}$/;

export function isDeploymentId(text: string): boolean {
  return DEPLOYMENT_ID_PART.test(text);
}

/** LIST_DEPLOYMENTS, newest first. A scan: there are as many rows as deployments were made. */
export async function listDeployments(
  database: Database,
  filter: DeploymentFilter,
  page: PageRequest,
): Promise<Page<DeploymentRow>> {
  const { knex } = database;
  const builder = knex('deployment')
    .select('id', 'tenant', 'module', 'version', 'state')
    .select({ deployedAt: 'deployed_at', drainedAt: 'drained_at', retiredAt: 'retired_at' })
    .select(knex.raw(`${DEPLOYED_AT_MICROSECONDS}::text AS "sortKey"`))
    .orderBy([
      { column: 'deployed_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);
  if (filter.state !== null) builder.where('state', filter.state);
  if (filter.tenant !== null) builder.where('tenant', filter.tenant);
  if (filter.module !== null) builder.where('module', filter.module);
  if (page.cursor !== null) {
    const shape = [DIGITS_PART, DEPLOYMENT_ID_PART];
    const [at = '', id = ''] = decodeCursor('list_deployments', page.cursor, shape);
    builder.whereRaw(`(${DEPLOYED_AT_MICROSECONDS}, id) < (?::bigint, ?::text)`, [at, id]);
  }
  const found = await readPage<ListedDeployment>(
    database,
    { list: 'list_deployments', builder, page },
    (row) => [row.sortKey, row.id],
  );
  return { rows: found.rows.map(({ sortKey: _, ...row }) => row), nextCursor: found.nextCursor };
}

/** Uses the primary key. */
export const READ_DEPLOYMENT = {
  name: 'read_deployment',
  text: `
SELECT id, tenant, module, version, state, deployed_at AS "deployedAt", drained_at AS "drainedAt",
  retired_at AS "retiredAt"
FROM deployment
WHERE id = $1::text`,
};

export async function readDeployment(database: Database, id: string): Promise<DeploymentRow | null> {
  const [row] = await database.run<DeploymentRow>(READ_DEPLOYMENT, [id]);
  return row ?? null;
}

export interface DeploymentLoad {
  readonly liveInstances: number;
  /** Live instances of other deployments that have called a process of this one. */
  readonly callingInstances: number;
  readonly openTasks: number;
  readonly outboxRows: number;
}

/**
 * What keeps a draining deployment. Uses `instance_live`, `instance_call_pkey` and `external_task_fetch`; scans the small outbox. Held
 * tasks are not counted: their failed instances are.
 */
export const READ_DEPLOYMENT_LOAD = {
  name: 'read_deployment_load',
  text: `
SELECT
  (SELECT count(*) FROM instance WHERE deployment_id = $1::text AND ended_at IS NULL) AS "liveInstances",
  (SELECT count(*) FROM instance_call WHERE deployment_id = $1::text) AS "callingInstances",
  (SELECT count(*) FROM external_task WHERE deployment_id = $1::text AND state = 'open' AND NOT held) AS "openTasks",
  (SELECT count(*) FROM outbox WHERE deployment_id = $1::text) AS "outboxRows"`,
};

export async function readDeploymentLoad(database: Database, id: string): Promise<DeploymentLoad> {
  const [row] = await database.run<DeploymentLoad>(READ_DEPLOYMENT_LOAD, [id]);
  return row ?? { liveInstances: 0, callingInstances: 0, openTasks: 0, outboxRows: 0 };
}

export const PROBE_DATABASE = {
  name: 'probe_database',
  text: 'SELECT 1 AS "one"',
};

/** Resolves when the database answers. Bounded by the pool; the caller has a shorter limit of its own. */
export async function probeDatabase(database: Database): Promise<void> {
  await database.run(PROBE_DATABASE, []);
}
