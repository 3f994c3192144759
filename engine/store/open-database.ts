/** Chooses the database: a PostgreSQL server when there is a URL for one, else the embedded one. */
import type { Log } from '../observe.ts';
import type { Database } from './database.ts';
import { openEmbeddedDatabase } from './embedded-database.ts';
import { openPgDatabase } from './pg-database.ts';

/** The value of `sutra.data-dir` that keeps the embedded database in memory. */
const IN_MEMORY = 'memory:';

export interface OpenDatabaseOptions {
  /** `sutra.datasource.url`, or null: embedded. */
  readonly url: string | null;
  readonly poolMax: number;
  /** `sutra.data-dir`: a directory, or `memory:`. */
  readonly dataDir: string;
  readonly log: Log;
}

/**
 * Opens the database; `migrate` comes next.
 * @throws SUTRA.STORE.URL_INVALID, SUTRA.STORE.DIRECTORY_LOCKED, SUTRA.STORE.DIRECTORY_UNUSABLE
 */
export function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { url, poolMax, dataDir, log } = options;
  if (url !== null) return openPgDatabase({ url, poolMax, log });
  return openEmbeddedDatabase({ directory: dataDir === IN_MEMORY ? null : dataDir, log });
}
