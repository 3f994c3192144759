/**
 * graphile-worker. A unit: `addJob` (one call of a function, one commit), a fetch (one UPDATE over SKIP LOCKED; with a
 * local queue, for a batch), the task, the deletion of the row (one commit; with `completeJobBatchDelay`, for a batch).
 * The worker does not wait for the deletion before it takes the next job, and no outcome is kept: a job is done when its
 * row is gone. Its users learn of the end of a task, not of the deletion, so a unit is counted one commit early.
 */
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
    const preset = {
      worker: {
        connectionString: this.#options.url,
        maxPoolSize: numberOf(settings, 'poolSize'),
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
      noHandleSignals: true,
      crontab: '',
      taskList: {
        [TASK]: () => {
          this.#events.begun();
        },
      },
    });
    this.#runner.events.on('job:complete', () => this.#events.recorded(1));
  }

  async send(): Promise<void> {
    if (this.#utils === null) throw new Error('graphile-worker is not started');
    await this.#utils.addJob(TASK, order);
  }

  async stop(): Promise<void> {
    await this.#runner?.stop();
    await this.#utils?.release();
  }
}
