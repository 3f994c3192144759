/**
 * The database of one measurement and its engine: made at the start, gone at the end, also after an error or a signal.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedDatabase } from '../../engine/store/embedded-database.ts';
import {
  createDatabase,
  root,
  runCommand,
  startEngine,
  stopEngine,
  withClient,
  type MeasuredEngine,
} from '../engine-process.ts';

export interface OverloadTarget {
  readonly name: 'postgresql' | 'embedded';
  /** Null: embedded. */
  readonly databaseUrl: string | null;
  /** Starts an engine with the bench's package deployed; `env` is added to what the database needs. */
  readonly start: (env: Readonly<Record<string, string>>) => Promise<MeasuredEngine>;
  readonly stop: () => Promise<void>;
  /** Rows of one statement. Embedded: only while no engine runs, because one process at a time has the directory. */
  readonly query: <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;
  /** Idempotent: stops the engine and drops the database. */
  readonly remove: () => Promise<void>;
}

/** @throws Error when a PostgreSQL server is wanted and SUTRA_TEST_DATABASE_URL names none */
export async function makeTarget(isEmbedded: boolean): Promise<OverloadTarget> {
  if (isEmbedded) return embeddedTarget();
  const server = process.env['SUTRA_TEST_DATABASE_URL'];
  if (server === undefined)
    throw new Error('SUTRA_TEST_DATABASE_URL must name a PostgreSQL server (or use --embedded)');
  const database = await createDatabase(server);
  const { url } = database;
  const engines = enginesWith({ SUTRA_DATASOURCE_URL: url });
  return {
    name: 'postgresql',
    databaseUrl: url,
    ...engines,
    query: <Row>(text: string, values: readonly unknown[]) =>
      withClient(url, async (client) => (await client.query(text, [...values])).rows as Row[]),
    remove: once(async () => {
      await engines.stop();
      await database.drop();
    }),
  };
}

async function embeddedTarget(): Promise<OverloadTarget> {
  const dir = await mkdtemp(join(tmpdir(), 'sutra-bench-'));
  const directory = join(dir, 'data');
  const engines = enginesWith({ SUTRA_DATA_DIR: directory });
  return {
    name: 'embedded',
    databaseUrl: null,
    ...engines,
    query: async <Row>(text: string, values: readonly unknown[]) => {
      const database = await openEmbeddedDatabase({ directory });
      try {
        return await database.run<Row>({ name: 'bench-check', text }, values);
      } finally {
        await database.close();
      }
    },
    remove: once(async () => {
      await engines.stop();
      await rm(dir, { recursive: true, force: true });
    }),
  };
}

function enginesWith(databaseEnv: Readonly<Record<string, string>>): Pick<OverloadTarget, 'start' | 'stop'> {
  let starting: Promise<MeasuredEngine> | null = null;
  return {
    start: async (env) => {
      starting = startEngine({ ...databaseEnv, ...env });
      const engine = await starting;
      await runCommand('deploy', join(root, 'bench/package'), '--url', engine.url);
      return engine;
    },
    stop: async () => {
      // Also one that a signal has caught before it was ready.
      const engine = await starting?.catch(() => null);
      starting = null;
      if (engine === undefined || engine === null) return;
      if (engine.process.exitCode === null && engine.process.signalCode === null) await stopEngine(engine);
    },
  };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
}

/**
 * Runs `main` and then `clean`, also after an error or a signal; the exit code is 1 then. A second signal ends at once.
 */
export async function runCleanly(main: () => Promise<void>, clean: () => Promise<void>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void clean().finally(() => process.exit(1)));
  }
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await clean();
  }
}
