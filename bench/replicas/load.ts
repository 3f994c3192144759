/** One turn of load.ts in its mode `throughput`, over one replica or several, and what PostgreSQL saw of it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import pg from 'pg';
import { root, withClient } from '../engine-process.ts';
import type { Cleanup } from '../support/cleanup.ts';

export interface LoadOptions {
  readonly workers: number;
  readonly maxTasks: number;
  readonly senders: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly maxOpen: number;
}

export interface LoadResult {
  readonly orders: number;
  /** Completed by the workers of each, in the order of the URLs. */
  readonly ordersByReplica: readonly number[];
  /** Orders that were not answered 202. Another call that is refused makes the load fail. */
  readonly refused: number;
  readonly perSecond: number;
}

export interface Turn extends LoadResult {
  readonly deadlocks: number;
  readonly rollbacks: number;
  readonly commitsPerOrder: number;
  /** The share of samples in which a backend waited for a lock of a row, a transaction or a table. */
  readonly lockWaitShare: number;
}

const SAMPLE_MS = 200;
/** The statistics of a backend arrive at the end of its idle second. */
const STATISTICS_MS = 1_500;

export async function runLoad(
  urls: readonly string[],
  databaseUrl: string,
  options: LoadOptions,
  cleanup: Cleanup,
): Promise<Turn> {
  const before = await readDatabase(databaseUrl);
  const watch = await LockWatch.start(databaseUrl);
  let result: LoadResult;
  try {
    result = await spawnLoad(urls, options, cleanup);
  } finally {
    await watch.stop();
  }
  const after = await readDatabase(databaseUrl);
  if (after.open !== 0) throw new Error(`${after.open} instances are left running after the load`);
  return {
    ...result,
    deadlocks: after.deadlocks - before.deadlocks,
    rollbacks: after.rollbacks - before.rollbacks,
    // Those of warm-up and drain are counted as well, so they are related to all orders of the turn.
    commitsPerOrder: (after.commits - before.commits) / (after.ended - before.ended),
    lockWaitShare: watch.share,
  };
}

async function spawnLoad(
  urls: readonly string[],
  options: LoadOptions,
  cleanup: Cleanup,
): Promise<LoadResult> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(root, 'bench/load.ts'), urls.join(','), 'throughput', JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  cleanup.addProcess(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the load ended with ${String(code)}`);
  return JSON.parse(text) as LoadResult;
}

async function readDatabase(url: string) {
  await new Promise((resolve) => setTimeout(resolve, STATISTICS_MS));
  return withClient(url, async (client) => {
    const { rows } = await client.query<
      Record<'commits' | 'rollbacks' | 'deadlocks' | 'open' | 'ended', string>
    >(`
SELECT s.xact_commit AS commits, s.xact_rollback AS rollbacks, s.deadlocks,
       i.open, i.ended
  FROM pg_stat_database AS s,
       (SELECT count(*) FILTER (WHERE ended_at IS NULL) AS open,
               count(*) FILTER (WHERE ended_at IS NOT NULL) AS ended
          FROM instance) AS i
 WHERE s.datname = current_database()`);
    const [row] = rows;
    if (row === undefined) throw new Error('PostgreSQL has no statistics of the database');
    return {
      commits: Number(row.commits),
      rollbacks: Number(row.rollbacks),
      deadlocks: Number(row.deadlocks),
      open: Number(row.open),
      ended: Number(row.ended),
    };
  });
}

/** Looks now and then whether a backend of the database waits for a lock. */
class LockWatch {
  readonly #client: pg.Client;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();
  #looks = 0;
  #waits = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
    this.#timer = setInterval(() => {
      this.#looking = this.#look();
    }, SAMPLE_MS);
  }

  static async start(url: string): Promise<LockWatch> {
    const client = new pg.Client({ connectionString: url });
    // Dropping the database by force, after Ctrl-C, ends the connection.
    client.on('error', () => undefined);
    await client.connect();
    return new LockWatch(client);
  }

  get share(): number {
    return this.#looks === 0 ? 0 : this.#waits / this.#looks;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#client.end();
  }

  async #look(): Promise<void> {
    try {
      const { rows } = await this.#client.query<{ waits: boolean }>(`
SELECT EXISTS (
  SELECT 1 FROM pg_stat_activity
   WHERE datname = current_database() AND wait_event_type = 'Lock'
     -- The lock of a NOTIFY at its commit is one of the whole server: it is short, and nobody's row.
     AND wait_event <> 'object') AS waits`);
      this.#looks += 1;
      if (rows[0]?.waits === true) this.#waits += 1;
    } catch {
      // The connection has ended: the load says what happened.
    }
  }
}
