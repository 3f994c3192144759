/**
 * graphile-worker. A unit: `addJob` (one call of a function, one commit), a fetch (one UPDATE over SKIP LOCKED; with a
 * local queue, for a batch), the task, the deletion of the row (one commit; with `completeJobBatchDelay`, for a batch).
 * The worker does not wait for the deletion before it takes the next job, and no outcome is kept: a job is done when its
 * row is gone. Its events tell of the end of a task (`job:complete`), not of the deletion; a unit is one whose outcome is
 * recorded, so the connections of its pool are watched for the deletions.
 */
import pg from 'pg';
import { makeWorkerUtils, run, Logger, type Runner, type WorkerUtils } from 'graphile-worker';
import type { Adapter, AdapterEvents, AdapterOptions } from '../adapter.ts';
import { numberOf } from '../settings.ts';
import { order } from '../unit.ts';

const TASK = 'unit';

export function makeAdapter(options: AdapterOptions, events: AdapterEvents): Adapter {
  return new GraphileAdapter(options, events);
}

class GraphileAdapter implements Adapter {
  readonly #options: AdapterOptions;
  readonly #events: AdapterEvents;
  #runner: Runner | null = null;
  #utils: WorkerUtils | null = null;
  #pool: pg.Pool | null = null;

  constructor(options: AdapterOptions, events: AdapterEvents) {
    this.#options = options;
    this.#events = events;
  }

  async start(): Promise<void> {
    const { settings } = this.#options;
    const size = numberOf(settings, 'localQueueSize');
    const refetchMs = numberOf(settings, 'refetchDelayMs');
    const delay = numberOf(settings, 'completeJobBatchDelay');
    const refetchDelay =
      refetchMs > 0 ? { refetchDelay: { durationMs: refetchMs, threshold: size - 1 } } : {};
    const logger = new Logger(() => (level, message) => {
      if (level === 'error') process.stderr.write(`graphile-worker: ${message}\n`);
    });
    const pool = new pg.Pool({ connectionString: this.#options.url, max: numberOf(settings, 'poolSize') });
    this.#pool = pool;
    pool.on('error', (error) => process.stderr.write(`graphile-worker: ${error.message}\n`));
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      watchDeletions(client, (count) => this.#events.recorded(count));
    });
    const preset = {
      worker: {
        concurrentJobs: this.#options.workers,
        pollInterval: numberOf(settings, 'pollIntervalMs'),
        logger,
        ...(size > 0 ? { localQueue: { size, ...refetchDelay } } : {}),
        ...(delay >= 0 ? { completeJobBatchDelay: delay } : {}),
      },
    };
    this.#utils = await makeWorkerUtils({
      connectionString: this.#options.url,
      maxPoolSize: numberOf(settings, 'poolSize'),
      logger,
    });
    await this.#utils.migrate();
    this.#runner = await run({
      preset,
      pgPool: pool,
      noHandleSignals: true,
      crontab: '',
      taskList: {
        [TASK]: () => {
          this.#events.begun();
        },
      },
    });
  }

  async send(): Promise<void> {
    if (this.#utils === null) throw new Error('graphile-worker is not started');
    await this.#utils.addJob(TASK, order);
  }

  async stop(): Promise<void> {
    await this.#runner?.stop();
    await this.#utils?.release();
    await this.#pool?.end();
  }
}

/** Its deletions are promises of a query with a `text`; everything else goes by unseen. */
function watchDeletions(client: pg.PoolClient, deleted: (count: number) => void): void {
  const query = client.query.bind(client) as (...values: unknown[]) => unknown;
  const watched = (...values: unknown[]): unknown => {
    const answer = query(...values);
    const [config] = values;
    const text = typeof config === 'object' && config !== null && 'text' in config ? String(config.text) : '';
    if (!text.startsWith('delete from') || !text.includes('_private_jobs')) return answer;
    return Promise.resolve(answer as Promise<pg.QueryResult>).then((result) => {
      deleted(result.rowCount ?? 0);
      return result;
    });
  };
  client.query = watched as typeof client.query;
}
