/** The PostgreSQL server that all share: what it is, that it writes durably, and a database for each peer. */
import { withClient } from '../engine-process.ts';
import { postmasterOf } from './cpu.ts';

export interface ServerFacts {
  readonly version: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Null: on another machine. */
  readonly postmaster: number | null;
}

/** Printed with every run; the first two must be `on`. */
const SETTINGS = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'shared_buffers',
  'max_wal_size',
  'max_connections',
  'autovacuum',
];

/** @throws Error when a commit of this server is not durable */
export async function readServer(server: string): Promise<ServerFacts> {
  return withClient(server, async (client) => {
    const { rows } = await client.query<{ name: string; setting: string }>(
      "SELECT name, setting || coalesce(' ' || unit, '') AS setting FROM pg_settings WHERE name = ANY ($1)",
      [SETTINGS],
    );
    const settings = Object.fromEntries(rows.map((row) => [row.name, row.setting]));
    for (const name of ['fsync', 'synchronous_commit']) {
      if (settings[name] !== 'on') throw new Error(`${name} is ${String(settings[name])}; it must be on`);
    }
    const about = await client.query<{ version: string; pid: number }>(
      'SELECT version() AS version, pg_backend_pid() AS pid',
    );
    const [row] = about.rows;
    return {
      version: row?.version ?? '',
      settings,
      postmaster: row === undefined ? null : await postmasterOf(row.pid),
    };
  });
}

/** A database of one peer, of this run. */
export class PeerDatabase {
  readonly #server: string;
  readonly #name: string;

  constructor(server: string, peer: string) {
    this.#server = server;
    this.#name = `sutra_peers_${String(process.pid)}_${peer.replaceAll('-', '_')}`;
  }

  get url(): string {
    const own = new URL(this.#server);
    own.pathname = `/${this.#name}`;
    return own.href;
  }

  async create(): Promise<void> {
    await withClient(this.#server, (client) => client.query(`CREATE DATABASE ${this.#name}`));
  }

  /** Idempotent. */
  async drop(): Promise<void> {
    await withClient(this.#server, (client) =>
      client.query(`DROP DATABASE IF EXISTS ${this.#name} WITH (FORCE)`),
    );
  }

  /** So that no peer measures what another left to vacuum or to write: what autovacuum and the checkpointer would do at some time. */
  async settle(): Promise<void> {
    await withClient(this.url, async (client) => {
      await client.query('VACUUM (ANALYZE)');
      await client.query('CHECKPOINT');
    });
  }

  /** As PostgreSQL counts them, those that only read included. */
  async commits(): Promise<number> {
    return this.count('SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()');
  }

  async count(sql: string): Promise<number> {
    return withClient(this.url, async (client) => {
      const { rows } = await client.query<{ count: string }>(sql);
      return Number(rows[0]?.count);
    });
  }
}
