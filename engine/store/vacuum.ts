/**
 * Vacuums. On the embedded database, what a server's autovacuum does: dead rows of all tables are given back and the
 * planner's statistics follow them. On a server, the queues alone, sooner than autovacuum comes.
 */
import type { Database, Statement } from './database.ts';

/** Every table that the engine changes as it runs. */
const tables = [
  'outbox',
  'external_task',
  'timer',
  'instance',
  'instance_part',
  'instance_value',
  'instance_call',
  'alias',
  'inbox',
  'receipt',
  'history',
  'incident',
  'data_record',
] as const;

export type VacuumedTable = (typeof tables)[number];

/** What is claimed in the order of an index, from its start, where the dead entries are. */
const queues = ['external_task', 'outbox', 'timer'] as const satisfies readonly VacuumedTable[];

/** A table and what it needs. */
export interface TableUpkeep {
  readonly table: VacuumedTable;
  readonly isAnalyzeDue: boolean;
}

/**
 * The thresholds are those of PostgreSQL's autovacuum, but for dead rows 2 % instead of 20 %, as the hot tables
 * have it on a server. Many inserted rows count too: their block range indexes know only what was vacuumed.
 */
export const READ_TABLES_UPKEEP: Statement = {
  name: 'read_tables_upkeep',
  text: `
SELECT relname::text AS "table",
  n_mod_since_analyze > 50 + 0.1 * n_live_tup AS "isAnalyzeDue"
FROM pg_stat_user_tables
WHERE schemaname = 'public'
  AND relname::text = ANY ($1::text[])
  AND (n_dead_tup > 50 + 0.02 * n_live_tup
    OR n_ins_since_vacuum > 1000 + 0.2 * n_live_tup
    OR n_mod_since_analyze > 50 + 0.1 * n_live_tup)
ORDER BY relname`,
};

/** The tables that need one, by what was counted since the last one. */
export function readTablesUpkeep(database: Database): Promise<TableUpkeep[]> {
  return database.run<TableUpkeep>(READ_TABLES_UPKEEP, [tables]);
}

/**
 * Two thresholds, because a claim pays for each dead entry and a vacuum reads the indexes whole.
 * - 10,000 dead entries cost a claim some 4 ms (19 to 46 ms behind 40,000 to 160,000).
 * - A 20th of the rows: a vacuum of 300,000 rows took 353 ms, so with 1,000,000 parked tasks some 1.2 s, and then it comes
 *   after 50,000 tasks: 24 µs for each of them. A fifth would save 18 µs of these, and let claims grow to over 40 ms.
 * The counts are a second or so late, which is nothing to them. Statistics are left to autovacuum.
 */
export const READ_QUEUES_UPKEEP: Statement = {
  name: 'read_queues_upkeep',
  text: `
SELECT relname::text AS "table",
  false AS "isAnalyzeDue"
FROM pg_stat_user_tables
WHERE schemaname = 'public'
  AND relname::text = ANY ($1::text[])
  AND n_dead_tup > 10000
  AND n_dead_tup > 0.05 * n_live_tup
ORDER BY relname`,
};

/** The queues that cannot wait for autovacuum. */
export function readQueuesUpkeep(database: Database): Promise<TableUpkeep[]> {
  return database.run<TableUpkeep>(READ_QUEUES_UPKEEP, [queues]);
}

/** Not exported as constants: `PREPARE` takes no VACUUM, although the protocol does. */
const vacuum = (table: VacuumedTable): Statement => ({ name: `vacuum_${table}`, text: `VACUUM ${table}` });
const vacuumAnalyze = (table: VacuumedTable): Statement => ({
  name: `vacuum_analyze_${table}`,
  text: `VACUUM (ANALYZE) ${table}`,
});

/**
 * SKIP_LOCKED: another replica or autovacuum is at it, and one is enough. INDEX_CLEANUP: PostgreSQL 14 and later leave
 * the index entries where they are when less than 2 % of the table's pages have dead ones, and they are what this is
 * for. TRUNCATE: giving pages back to the disk locks out everybody, and the queue needs them again. PARALLEL: as
 * autovacuum, on one processor, the others are for turns.
 */
const vacuumBusy = (table: VacuumedTable): Statement => ({
  name: `vacuum_busy_${table}`,
  text: `VACUUM (SKIP_LOCKED, INDEX_CLEANUP ON, TRUNCATE false, PARALLEL 0) ${table}`,
});

/** One table: the session is free for others between two. */
export async function vacuumTable(database: Database, { table, isAnalyzeDue }: TableUpkeep): Promise<void> {
  await database.run(isAnalyzeDue ? vacuumAnalyze(table) : vacuum(table), []);
}

/**
 * One queue, while turns go on; resolves also when somebody held it, or the role does not own it: the server then only warns.
 * `statement_timeout` is left as it is. To lift it for one statement takes a session of its own, and a vacuum that
 * needs longer is better left to autovacuum, which has no such limit.
 * @throws SUTRA.PERSISTENCE_UNAVAILABLE also when the server cancelled it
 */
export async function vacuumQueue(database: Database, { table }: TableUpkeep): Promise<void> {
  await database.run(vacuumBusy(table), []);
}
