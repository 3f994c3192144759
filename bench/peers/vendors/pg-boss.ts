/**
 * pg-boss. A unit: `send` (one insert, one commit), a fetch by one of its workers (one UPDATE over SKIP LOCKED, one
 * commit for a batch), the handler, `complete` (one UPDATE, one commit for a batch; awaited by the worker before it
 * fetches again). The row is kept as completed, with its output.
 */
import { PgBoss } from 'pg-boss';
import type { Adapter, AdapterEvents, AdapterOptions } from '../adapter.ts';
import { numberOf } from '../settings.ts';
import { order, outcome, type Order } from '../unit.ts';

const QUEUE = 'units';

export function makeAdapter(options: AdapterOptions, events: AdapterEvents): Adapter {
  return new PgBossAdapter(options, events);
}

class PgBossAdapter implements Adapter {
  readonly #options: AdapterOptions;
  readonly #events: AdapterEvents;
  readonly #boss: PgBoss;

  constructor(options: AdapterOptions, events: AdapterEvents) {
    this.#options = options;
    this.#events = events;
    this.#boss = new PgBoss({
      connectionString: options.url,
      max: numberOf(options.settings, 'poolSize'),
      useListenNotify: options.settings['notify'] === true,
      // Nothing that runs on a schedule is measured.
      schedule: false,
      // The only word that pg-boss gives of a completion; it costs a copy, so it is asked for one unit at a time only.
      __test__enableSpies: options.isLatency,
    });
    this.#boss.on('error', (error) => process.stderr.write(`pg-boss: ${String(error)}\n`));
  }

  async start(): Promise<void> {
    const { settings } = this.#options;
    await this.#boss.start();
    const queue = { notify: settings['notify'] === true };
    if ((await this.#boss.getQueue(QUEUE)) === null) {
      await this.#boss.createQueue(QUEUE, { ...queue, partition: settings['partition'] === true });
    } else {
      await this.#boss.updateQueue(QUEUE, queue);
    }
    const options = {
      batchSize: numberOf(settings, 'batchSize'),
      localConcurrency: Math.ceil(numberOf(settings, 'loops') / numberOf(settings, 'processes')),
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
    };
    await this.#boss.work<Order>(QUEUE, options, async (jobs) => {
      for (let index = 0; index < jobs.length; index += 1) this.#events.begun();
      // The batch is completed when this returns: at most two batches too early for a closed loop of hundreds.
      if (!this.#options.isLatency) this.#events.recorded(jobs.length);
      return outcome;
    });
  }

  async send(): Promise<void> {
    const id = await this.#boss.send(QUEUE, order);
    if (id === null) throw new Error('pg-boss took no job');
    if (!this.#options.isLatency) return;
    const spy = this.#boss.getSpy(QUEUE);
    void spy.waitForJobWithId(id, 'completed').then(() => {
      spy.clear();
      this.#events.recorded(1);
    });
  }

  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: true, close: true, timeout: 10_000 });
  }
}
