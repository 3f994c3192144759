/**
 * Brings the schema of a database to what this engine needs.
 *
 * M1 All that is missing is applied in one transaction, under an advisory lock that ends with it: whoever
 *    boots first migrates, the others wait and find it done; a process that dies leaves nothing behind.
 * M2 Forward only. A migration that was applied with another text, or one that this engine does not know,
 *    is refused before anything is changed.
 *
 * knex lends connection and transaction. Its own migrator is not used: its lock is a row that a killed
 * process leaves behind, and it keeps no checksums.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { EngineError } from '../../config/engine-error.ts';
import type { StoreCode } from './codes.ts';
import { asStoreError } from './connection-errors.ts';
import type { Database } from './database.ts';
import * as initial from './migrations/0001-initial.ts';
import * as partsRecordsCalls from './migrations/0002-parts-records-calls.ts';
import * as signalsAndStarts from './migrations/0003-signals-and-starts.ts';
import * as largeValues from './migrations/0004-large-values.ts';
import * as lostLocks from './migrations/0005-lost-locks.ts';
import * as deadLetters from './migrations/0006-dead-letters.ts';
import * as summarizedRanges from './migrations/0007-summarized-ranges.ts';
import * as progress from './migrations/0008-progress.ts';

export interface Migration {
  /** Counts up from 1 without gaps. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** In order. A released one is never edited: add another. */
export const migrations: readonly Migration[] = [
  initial,
  partsRecordsCalls,
  signalsAndStarts,
  largeValues,
  lostLocks,
  deadLetters,
  summarizedRanges,
  progress,
];

/** Two arbitrary numbers, the same in every engine: the advisory lock's key. */
const LOCK_KEY = [1_937_077_345, 1] as const;

/** Longer than any migration should take on a database in use; then boot fails and says why. */
const LOCK_WAIT_MS = 60_000;

const LEDGER = `
CREATE TABLE IF NOT EXISTS schema_migration (
  version     integer PRIMARY KEY,
  name        text NOT NULL,
  -- SHA-256 of the SQL text, in hex.
  checksum    text NOT NULL,
  applied_at  timestamptz NOT NULL DEFAULT now()
)`;

interface AppliedRow {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

export function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex');
}

export interface MigrateOptions {
  /** Default: this engine's own. */
  readonly migrations?: readonly Migration[];
  /** How long to wait for another engine's migration. Default: one minute. */
  readonly lockWaitMs?: number;
}

/**
 * Applies what is missing.
 * @throws SUTRA.STORE.MIGRATION_CHANGED, SUTRA.STORE.MIGRATION_UNKNOWN, SUTRA.STORE.MIGRATION_BUSY
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<void> {
  const lockWaitMs = options.lockWaitMs ?? LOCK_WAIT_MS;
  try {
    await database.knex.transaction((transaction) =>
      migrateIn(transaction, options.migrations ?? migrations, lockWaitMs),
    );
  } catch (error) {
    if (isLockTimeout(error)) {
      const code: StoreCode = 'SUTRA.STORE.MIGRATION_BUSY';
      throw new EngineError(code, `waited ${lockWaitMs} ms for another engine's migration`, { cause: error });
    }
    throw asStoreError(error);
  }
}

async function migrateIn(
  transaction: Knex.Transaction,
  known: readonly Migration[],
  lockWaitMs: number,
): Promise<void> {
  await transaction.raw(`SET LOCAL lock_timeout = ${lockWaitMs}`);
  await transaction.raw('SET LOCAL statement_timeout = 0');
  await transaction.raw(`SELECT pg_advisory_xact_lock(${LOCK_KEY.join(', ')})`);
  await transaction.raw(LEDGER);
  const applied = await transaction<AppliedRow>('schema_migration').select('version', 'name', 'checksum');
  checkApplied(applied, known);
  const done = new Set(applied.map((row) => row.version));
  for (const migration of known) {
    if (done.has(migration.version)) continue;
    // knex reads a question mark as a place for a value; our texts have none.
    await transaction.raw(migration.sql.replaceAll('?', '\\?'));
    await transaction('schema_migration').insert({
      version: migration.version,
      name: migration.name,
      checksum: checksumOf(migration),
    });
  }
}

function checkApplied(applied: readonly AppliedRow[], known: readonly Migration[]): void {
  const byVersion = new Map(known.map((migration) => [migration.version, migration]));
  for (const row of applied) {
    const migration = byVersion.get(row.version);
    if (migration === undefined) {
      const code: StoreCode = 'SUTRA.STORE.MIGRATION_UNKNOWN';
      throw new EngineError(
        code,
        `the database has migration ${row.version} (${row.name}); this engine knows none after ${known.at(-1)?.version ?? 0}`,
        { attributes: { version: row.version } },
      );
    }
    if (checksumOf(migration) !== row.checksum) {
      const code: StoreCode = 'SUTRA.STORE.MIGRATION_CHANGED';
      throw new EngineError(code, `migration ${row.version} (${row.name}) was applied with another text`, {
        attributes: { version: row.version, appliedChecksum: row.checksum, checksum: checksumOf(migration) },
      });
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '55P03';
}
