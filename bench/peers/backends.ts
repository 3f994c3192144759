/** Where the peers keep their units: a database of their own each, and for two of them a server before it. */
import { join } from 'node:path';
import { root, runCommand, startEngine, stopEngine, type MeasuredEngine } from '../engine-process.ts';
import type { PeerDatabase } from './database.ts';
import type { Backend, Endpoint } from './driven-peer.ts';
import type { RestateServer } from './restate-server.ts';

/** The clients are the peer: they speak to PostgreSQL themselves. */
export class DatabaseBackend implements Backend {
  readonly hasOwnWorkers = false;
  readonly #database: PeerDatabase;
  readonly #unfinishedSql: string;

  /** @param unfinishedSql counts, as `count`, the units that are not done */
  constructor(database: PeerDatabase, unfinishedSql: string) {
    this.#database = database;
    this.#unfinishedSql = unfinishedSql;
  }

  create(): Promise<void> {
    return this.#database.create();
  }

  async start(): Promise<Endpoint> {
    await this.#database.settle();
    return { url: this.#database.url, adminUrl: '' };
  }

  unfinished(): Promise<number> {
    return this.#database.count(this.#unfinishedSql);
  }

  commits(): Promise<number> {
    return this.#database.commits();
  }

  async stop(): Promise<void> {}

  drop(): Promise<void> {
    return this.#database.drop();
  }

  pids(): readonly number[] {
    return [];
  }
}

/** Ours: the built engine as a process, with the package of `npm run bench`. */
export class SutraBackend implements Backend {
  readonly hasOwnWorkers = false;
  readonly #database: PeerDatabase;
  readonly #env: Readonly<Record<string, string>>;
  #engine: MeasuredEngine | null = null;

  constructor(database: PeerDatabase, env: Readonly<Record<string, string>>) {
    this.#database = database;
    this.#env = env;
  }

  create(): Promise<void> {
    return this.#database.create();
  }

  async start(): Promise<Endpoint> {
    await this.#database.settle();
    this.#engine = await startEngine({ SUTRA_DATASOURCE_URL: this.#database.url, ...this.#env });
    await runCommand('deploy', join(root, 'bench/package'), '--url', this.#engine.url);
    return { url: this.#engine.url, adminUrl: '' };
  }

  unfinished(): Promise<number> {
    return this.#database.count('SELECT count(*) FROM instance WHERE ended_at IS NULL');
  }

  commits(): Promise<number> {
    return this.#database.commits();
  }

  async stop(): Promise<void> {
    const engine = this.#engine;
    this.#engine = null;
    if (engine !== null) await stopEngine(engine);
  }

  drop(): Promise<void> {
    return this.#database.drop();
  }

  pids(): readonly number[] {
    const pid = this.#engine?.process.pid;
    return pid === undefined ? [] : [pid];
  }
}

/** Restate: its own server, which keeps everything in a folder of its own and needs no PostgreSQL. */
export class RestateBackend implements Backend {
  readonly hasOwnWorkers = true;
  readonly #server: RestateServer;

  constructor(server: RestateServer) {
    this.#server = server;
  }

  create(): Promise<void> {
    return this.#server.prepare();
  }

  start(): Promise<Endpoint> {
    return this.#server.start();
  }

  unfinished(): Promise<number> {
    return this.#server.unfinished();
  }

  async commits(): Promise<null> {
    return null;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  drop(): Promise<void> {
    return this.#server.remove();
  }

  pids(): readonly number[] {
    return this.#server.pids();
  }
}
