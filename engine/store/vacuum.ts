/**
 * What a server's autovacuum does, for the embedded database, which has none: dead rows are given back and
 * the planner's statistics follow the tables.
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

/** Not exported as constants: `PREPARE` takes no VACUUM, although the protocol does. */
const vacuum = (table: VacuumedTable): Statement => ({ name: `vacuum_${table}`, text: `VACUUM ${table}` });
const vacuumAnalyze = (table: VacuumedTable): Statement => ({
  name: `vacuum_analyze_${table}`,
  text: `VACUUM (ANALYZE) ${table}`,
});

/** One table: the session is free for others between two. */
export async function vacuumTable(database: Database, { table, isAnalyzeDue }: TableUpkeep): Promise<void> {
  await database.run(isAnalyzeDue ? vacuumAnalyze(table) : vacuum(table), []);
}
