/**
 * Empties a migrated database, so that the next run on it begins as on a new one, in milliseconds instead of the
 * seconds that a new one takes. For databases that hold nothing anybody wants: those of scenarios.
 */
import type { Database } from './database.ts';

/** The migrations stay applied. */
const KEPT_TABLE = 'schema_migration';

export async function emptyDatabase(database: Database): Promise<void> {
  // A utility statement cannot be prepared, so it is no named one.
  const found = await database
    .knex('pg_tables')
    .select('tablename as name')
    .where('schemaname', database.knex.raw('current_schema()'))
    .whereNot('tablename', KEPT_TABLE);
  const names = (found as readonly { readonly name: string }[]).map(({ name }) => name);
  await database.knex.raw(`TRUNCATE ${names.map(() => '??').join(', ')} RESTART IDENTITY`, names);
}
