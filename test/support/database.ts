/**
 * The databases that a test runs on: the embedded one always, and PostgreSQL when SUTRA_TEST_DATABASE_URL
 * names a server on which databases may be created.
 *
 *   for (const target of testDatabases()) {
 *     describe(`outbox on ${target.name}`, () => {
 *       let database: Database;
 *       before(async () => { database = await target.open(); });
 *       after(() => database.close());
 *
 * Each `open` gives a fresh, migrated database, which `close` drops. Test files may run side by side.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Log } from '../../engine/observe.ts';
import { silentLog } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { embeddedDatabaseOver, openEmbeddedDatabase } from '../../engine/store/embedded-database.ts';
import { EmbeddedHost } from '../../engine/store/embedded-host.ts';
import { migrate } from '../../engine/store/migrate.ts';
import { openPgDatabase } from '../../engine/store/pg-database.ts';
import { recordEvidence } from './evidence.ts';
import { copyMigrated, migratedSnapshot, schemaKey } from './migrated-database.ts';

export interface OpenOptions {
  /** PostgreSQL only. Default: 5. */
  readonly poolMax?: number;
  readonly log?: Log;
}

/** One database that lives until `drop`, for tests that open it more than once or start engine processes. */
export interface TestDatabase {
  /** What an engine process needs in its environment to use it. */
  readonly env: Readonly<Record<string, string>>;
  /** `postgres://…`, or null when embedded. */
  readonly url: string | null;
  /** PostgreSQL: as often as you like. Embedded: while nobody else has it open. */
  open(options?: OpenOptions): Promise<Database>;
  drop(): Promise<void>;
}

export interface TestTarget {
  readonly name: 'embedded' | 'postgresql';
  /** A fresh, migrated database; `close` drops it. Embedded: in memory. */
  open(options?: OpenOptions): Promise<Database>;
  /** A fresh, migrated database that outlives its connections. Embedded: in a directory. */
  create(): Promise<TestDatabase>;
}

const SERVER_URL_VARIABLE = 'SUTRA_TEST_DATABASE_URL';
const DEFAULT_POOL_MAX = 5;

export function testDatabases(): readonly TestTarget[] {
  const url = process.env[SERVER_URL_VARIABLE];
  return url === undefined || url === '' ? [embeddedTarget] : [embeddedTarget, postgresTarget(url)];
}

/**
 * The server alone, for what one embedded database cannot show: several replicas, kills beside a database that lives.
 * Without a server the file has no tests, which test/run.ts takes from files that call this, and from no others.
 */
export function postgresqlOnly(): readonly TestTarget[] {
  return testDatabases().filter(({ name }) => name === 'postgresql');
}

/** One of them, the server where there is one: for programs that speak HTTP alone, and cannot see which it is. */
export function anyDatabase(): readonly TestTarget[] {
  return testDatabases().slice(-1);
}

// --- embedded -----------------------------------------------------------------------------------

const embeddedTarget: TestTarget = {
  name: 'embedded',
  open: async ({ log = silentLog } = {}) => {
    const database = await openWarm(log);
    recordEvidence('embedded');
    return database;
  },
  create: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sutra-test-'));
    await copyMigrated(directory);
    return {
      env: { SUTRA_DATA_DIR: directory },
      url: null,
      open: async ({ log = silentLog } = {}) => {
        const database = await openEmbeddedDatabase({ directory, log });
        recordEvidence('embedded');
        return database;
      },
      drop: () => rm(directory, { recursive: true, force: true }),
    };
  },
};

/**
 * Threads whose database was closed: starting one takes a second, emptying one a few milliseconds. They do
 * not keep the process alive.
 */
const idleHosts: EmbeddedHost[] = [];

async function openWarm(log: Log): Promise<Database> {
  const idle = idleHosts.pop();
  if (idle === undefined) {
    const host = await EmbeddedHost.start({ directory: null, snapshotFile: await migratedSnapshot() });
    const fresh = databaseOn(host, log);
    pristineSchema ??= JSON.stringify(await schemaOf(fresh));
    return fresh;
  }
  idle.ref();
  const database = databaseOn(idle, log);
  if (await empty(database)) return database;
  await idle.kill();
  await database.close();
  return openWarm(log);
}

function databaseOn(host: EmbeddedHost, log: Log): Database {
  return embeddedDatabaseOver(
    () => Promise.resolve(host),
    log,
    () => {
      host.unref();
      if (!host.isDead) idleHosts.push(host);
      return Promise.resolve();
    },
  );
}

const schemaOf = (database: Database): Promise<{ name: string; columns: number }[]> =>
  database.run(
    {
      name: 'test_schema',
      text: `
SELECT c.relname::text AS name, c.relnatts::integer AS columns
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
 ORDER BY 1`,
    },
    [],
  );

let pristineSchema: string | null = null;

/** Empties all tables; false when a test has changed the schema, so that the thread is of no use any more. */
async function empty(database: Database): Promise<boolean> {
  if (JSON.stringify(await schemaOf(database)) !== pristineSchema) return false;
  const tables = await database.run<{ names: string }>(
    {
      name: 'test_tables',
      text: `
SELECT string_agg(quote_ident(tablename), ', ') AS names
  FROM pg_tables
 WHERE schemaname = 'public' AND tablename <> 'schema_migration'`,
    },
    [],
  );
  await database.knex.raw(`TRUNCATE ${tables[0]?.names ?? ''} RESTART IDENTITY`);
  return true;
}

// --- PostgreSQL ---------------------------------------------------------------------------------

let template: Promise<string> | null = null;

function postgresTarget(serverUrl: string): TestTarget {
  const create = async (): Promise<TestDatabase & { readonly url: string }> => {
    template ??= makeTemplate(serverUrl);
    const from = await template;
    const name = `sutra_test_p${process.pid}_${randomBytes(6).toString('hex')}`;
    await administer(serverUrl, (admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${from}`));
    const url = withDatabase(serverUrl, name);
    return {
      env: { SUTRA_DATASOURCE_URL: url },
      url,
      open: async ({ poolMax = DEFAULT_POOL_MAX, log = silentLog } = {}) => {
        const database = await openPgDatabase({ url, poolMax, log });
        recordEvidence('postgresql');
        return database;
      },
      drop: () =>
        administer(serverUrl, async (admin) => {
          await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
        }),
    };
  };
  return {
    name: 'postgresql',
    create,
    open: async (options) => {
      const created = await create();
      const database = await created.open(options);
      const close = database.close.bind(database);
      let closing: Promise<void> | null = null;
      return Object.assign(database, { close: () => (closing ??= close().then(() => created.drop())) });
    },
  };
}

async function makeTemplate(serverUrl: string): Promise<string> {
  const name = `sutra_test_template_${await schemaKey()}`;
  const draft = `${name}_new`;
  await administer(serverUrl, async (admin) => {
    await admin.query(`SELECT pg_advisory_lock(hashtext('sutra_test_template'))`);
    await dropLeftOvers(admin, name);
    const found = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount !== 0) return;
    await admin.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${draft} TEMPLATE template0`);
    const database = await openPgDatabase({ url: withDatabase(serverUrl, draft), poolMax: 1 });
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    await admin.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
  });
  return name;
}

/** Databases of test processes that were killed, and templates of other schemas. */
async function dropLeftOvers(admin: pg.Client, template: string): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    `SELECT datname FROM pg_database WHERE datname LIKE 'sutra\\_test\\_%' AND datname <> $1`,
    [template],
  );
  for (const { datname } of rows) {
    const pid = /^sutra_test_p(\d+)_/.exec(datname)?.[1];
    if (pid !== undefined && isRunning(Number(pid))) continue;
    // Not by force: what somebody is connected to is in use.
    await admin.query(`DROP DATABASE IF EXISTS ${datname}`).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function administer<Result>(
  serverUrl: string,
  work: (admin: pg.Client) => Promise<Result>,
): Promise<Result> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
