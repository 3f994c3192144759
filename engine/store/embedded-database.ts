/**
 * PostgreSQL inside this process (PGlite), for a machine with nothing else installed.
 *
 * The same driver, pool and code as with a server (`knex-database.ts`), over a socket that ends in a worker
 * thread. Layout of the directory: `lock.N` (`directory-lock.ts`), `postgres` (the data), `postgres.new` (an
 * initialisation under way, or what a killed one left).
 *
 * E1 One process at a time: the directory is locked before anything in it is touched.
 * E2 `postgres` appears complete, by renaming; a kill during the first start leaves only `postgres.new`.
 * E3 One session. While a transaction is open, all others wait their turn, first come first served.
 * E4 When the thread dies, calls reject as unavailable; with a directory, the next one starts it again.
 * E5 A killed process loses no committed work. A power failure may: nothing is ever flushed to the disk.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import knexFactory from 'knex';
import type { Knex } from 'knex';
import type pg from 'pg';
import { EngineError } from '../../config/engine-error.ts';
import { silentLog } from '../observe.ts';
import type { Log } from '../observe.ts';
import type { StoreCode } from './codes.ts';
import { resultTypes } from './database-values.ts';
import type { Database } from './database.ts';
import { lockDirectory } from './directory-lock.ts';
import type { DirectoryLock } from './directory-lock.ts';
import { EmbeddedDoorbell } from './embedded-doorbell.ts';
import { EmbeddedHost } from './embedded-host.ts';
import { EmbeddedSocket } from './embedded-socket.ts';
import { KnexDatabase } from './knex-database.ts';

/** The server logs this at every start on the embedded database. */
export const EMBEDDED_NOTICE =
  'running on the embedded database: committed work survives a crash or kill of this process, but not a power ' +
  'failure or a crash of the machine, because nothing is flushed to the disk; and only one engine can use it. ' +
  'For anything that must not be lost, set sutra.datasource.url to a PostgreSQL server.';

export interface EmbeddedDatabaseOptions {
  /** Where the data is kept, or null: in memory, gone with the process. */
  readonly directory: string | null;
  readonly log?: Log;
  /** A tar file of a data directory, as `dump` gives it, to begin with instead of initialising an empty one. */
  readonly snapshotFile?: string;
  /** How long to wait for another process that holds the directory. Default: as `lockDirectory`. */
  readonly lockPatienceMs?: number;
}

export interface EmbeddedDatabase extends Database {
  /** The data directory as a tar file, between two statements. For tests. */
  dump(): Promise<Uint8Array>;
  /** Stops the clock at an instant, until it is set again or the thread ends. For scenarios, whose time is not ours. */
  setClock(nowMs: number): Promise<void>;
  /** Ends the thread as a fault would. For tests. */
  kill(): Promise<void>;
}

/** The one session serves everybody, so a wait for it is longer than for one of a server's. */
const ACQUIRE_MS = 30_000;
const SILENCE_MS = 60_000;

/**
 * Opens, and on the first start initialises (some seconds), the embedded database.
 * @throws SUTRA.STORE.DIRECTORY_LOCKED, SUTRA.STORE.DIRECTORY_UNUSABLE
 */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const runtime = await EmbeddedRuntime.open(options);
  const database = embeddedDatabaseOver(
    () => runtime.host(),
    options.log ?? silentLog,
    () => runtime.close(),
  );
  return Object.assign(database, {
    dump: async () => (await runtime.host()).dump(),
    setClock: async (nowMs: number) => (await runtime.host()).setClock(nowMs),
    kill: () => runtime.kill(),
  });
}

/** The database of whatever thread `openHost` gives; `closeHost` is called after the pool has drained. */
export function embeddedDatabaseOver(
  openHost: () => Promise<EmbeddedHost>,
  log: Log,
  closeHost: () => Promise<void>,
): Database {
  const doorbell = new EmbeddedDoorbell();
  const knex = createKnex(openHost, doorbell);
  doorbell.useKnex(knex);
  return new KnexDatabase({
    kind: 'embedded',
    poolSize: 1,
    knex,
    hasNamedStatements: true,
    log,
    listen: (channel, ring) => doorbell.listen(channel, ring),
    closeRest: closeHost,
  });
}

function createKnex(openHost: () => Promise<EmbeddedHost>, doorbell: EmbeddedDoorbell): Knex {
  const connection: pg.ClientConfig = {
    stream: () => new EmbeddedSocket(openHost),
    user: 'postgres',
    database: 'postgres',
    password: '',
    host: 'embedded',
    ssl: false,
    connectionTimeoutMillis: ACQUIRE_MS,
    query_timeout: SILENCE_MS,
    pipeline: true,
    types: resultTypes,
  };
  return knexFactory.knex({
    client: 'pg',
    connection: connection as Knex.PgConnectionConfig,
    version: '18.0',
    log: { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} },
    pool: {
      // Kept when idle: the session that listens is this one.
      min: 1,
      max: 1,
      acquireTimeoutMillis: ACQUIRE_MS,
      createTimeoutMillis: ACQUIRE_MS,
      propagateCreateError: true,
      afterCreate: (client: pg.Client, done: (error: Error | null, client: pg.Client) => void) => {
        doorbell.attach(client).then(
          () => done(null, client),
          (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), client),
        );
      },
    },
  });
}

/** The locked directory and the thread on it, which it starts again when it died. */
class EmbeddedRuntime {
  readonly #dataDirectory: string | null;
  readonly #lock: DirectoryLock | null;
  readonly #log: Log;
  #host: Promise<EmbeddedHost>;
  #isClosed = false;

  private constructor(
    dataDirectory: string | null,
    lock: DirectoryLock | null,
    host: EmbeddedHost,
    log: Log,
  ) {
    this.#dataDirectory = dataDirectory;
    this.#lock = lock;
    this.#host = Promise.resolve(host);
    this.#log = log;
  }

  static async open(options: EmbeddedDatabaseOptions): Promise<EmbeddedRuntime> {
    const log = options.log ?? silentLog;
    if (options.directory === null) {
      const host = await startHost(null, options.snapshotFile ?? null, 'memory:');
      return new EmbeddedRuntime(null, null, host, log);
    }
    const directory = resolve(options.directory);
    await usable(directory, mkdir(directory, { recursive: true }));
    let runtime: EmbeddedRuntime | null = null;
    const lost = (): void => {
      log.error('database.directory-lost', { directory });
      if (runtime !== null) void runtime.#abandon();
    };
    const patience = options.lockPatienceMs === undefined ? {} : { patienceMs: options.lockPatienceMs };
    const lock = await usable(directory, lockDirectory(directory, { lost, ...patience }));
    try {
      const dataDirectory = join(directory, 'postgres');
      if (!existsSync(dataDirectory)) await initialise(dataDirectory, options.snapshotFile ?? null, log);
      runtime = new EmbeddedRuntime(
        dataDirectory,
        lock,
        await startHost(dataDirectory, null, directory),
        log,
      );
      return runtime;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async host(): Promise<EmbeddedHost> {
    const host = await this.#host;
    if (!host.isDead || this.#isClosed || this.#dataDirectory === null) return host;
    return this.#restart(host, this.#dataDirectory);
  }

  async kill(): Promise<void> {
    await (await this.#host).kill();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#host).close();
    await this.#lock?.release();
  }

  async #restart(dead: EmbeddedHost, dataDirectory: string): Promise<EmbeddedHost> {
    // Whoever comes second finds the first one's attempt under way.
    if ((await this.#host) !== dead) return this.host();
    this.#log.warn('database.thread-restarted', { directory: dataDirectory });
    const next = startHost(dataDirectory, null, dataDirectory);
    // A failed attempt leaves the dead one in place, so that the next call tries again.
    this.#host = next.catch(() => dead);
    return next;
  }

  /** Another process has the directory: touch it no more. */
  async #abandon(): Promise<void> {
    this.#isClosed = true;
    await (await this.#host).kill();
  }
}

async function initialise(dataDirectory: string, snapshotFile: string | null, log: Log): Promise<void> {
  const draft = `${dataDirectory}.new`;
  log.info('database.initialising', { directory: dataDirectory });
  await rm(draft, { recursive: true, force: true });
  const host = await startHost(draft, snapshotFile, draft);
  await host.close();
  await rename(draft, dataDirectory);
}

function startHost(
  directory: string | null,
  snapshotFile: string | null,
  place: string,
): Promise<EmbeddedHost> {
  return usable(place, EmbeddedHost.start({ directory, snapshotFile }));
}

/** Gives the error of an attempt to use `directory` its code, unless it has one. */
async function usable<Value>(directory: string, attempt: Promise<Value>): Promise<Value> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const code: StoreCode = 'SUTRA.STORE.DIRECTORY_UNUSABLE';
    const why = error instanceof Error ? error.message : String(error);
    throw new EngineError(code, `the embedded database in ${directory} cannot be opened: ${why}`, {
      attributes: { directory },
      cause: error,
    });
  }
}
