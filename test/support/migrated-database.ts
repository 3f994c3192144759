/**
 * The embedded database with our schema, made once for all test processes and kept in `.cache/` until the schema or the
 * database's version is another one. To initialise one takes some ten seconds of the processor, to copy one a tenth of one.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lockDirectory } from '../../engine/store/directory-lock.ts';
import { openEmbeddedDatabase } from '../../engine/store/embedded-database.ts';
import { checksumOf, migrate, migrations } from '../../engine/store/migrate.ts';

const cacheDirectory = fileURLToPath(new URL('../../.cache/test-database/', import.meta.url));
/** Another test process may be making it on a slow machine. */
const BUILD_PATIENCE_MS = 120_000;

/** Changes with the schema and with the embedded database's version. */
export async function schemaKey(): Promise<string> {
  const hash = createHash('sha256');
  for (const migration of migrations) hash.update(checksumOf(migration));
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  hash.update(await readFile(join(entry, '../../package.json')));
  return hash.digest('hex').slice(0, 12);
}

interface Migrated {
  /** Its data directory, as a tar file. */
  readonly snapshotFile: string;
  /** What `openEmbeddedDatabase` takes; to be copied, never to be opened. */
  readonly directory: string;
}

let migrated: Promise<Migrated> | null = null;

export async function migratedSnapshot(): Promise<string> {
  return (await makeMigrated()).snapshotFile;
}

/** Makes `directory` one that `openEmbeddedDatabase` finds a migrated database in. Copying takes a tenth of initialising. */
export async function copyMigrated(directory: string): Promise<void> {
  await cp(join((await makeMigrated()).directory, 'postgres'), join(directory, 'postgres'), {
    recursive: true,
  });
}

function makeMigrated(): Promise<Migrated> {
  migrated ??= findOrMake();
  return migrated;
}

async function findOrMake(): Promise<Migrated> {
  const directory = join(cacheDirectory, `embedded-${await schemaKey()}`);
  const made: Migrated = { directory, snapshotFile: `${directory}.tar` };
  if (existsSync(directory)) return made;
  await mkdir(cacheDirectory, { recursive: true });
  const lock = await lockDirectory(cacheDirectory, { lost: () => {}, patienceMs: BUILD_PATIENCE_MS });
  try {
    if (!existsSync(directory)) await makeSnapshot(made.snapshotFile).then(() => unpack(made));
    return made;
  } finally {
    await lock.release();
  }
}

async function makeSnapshot(file: string): Promise<void> {
  const database = await openEmbeddedDatabase({ directory: null });
  try {
    await migrate(database);
    // No test makes a database: without their templates the snapshot is a third smaller, and sooner loaded.
    await database.knex.raw('UPDATE pg_database SET datistemplate = false');
    for (const name of ['template0', 'template1']) await database.knex.raw(`DROP DATABASE ${name}`);
    await writeFile(file, await database.dump());
  } finally {
    await database.close();
  }
}

/** The directory comes last, and complete: where it is, the file is too. */
async function unpack({ directory, snapshotFile }: Migrated): Promise<void> {
  const draft = `${directory}.new`;
  await rm(draft, { recursive: true, force: true });
  await (await openEmbeddedDatabase({ directory: draft, snapshotFile })).close();
  await rename(draft, directory);
}
