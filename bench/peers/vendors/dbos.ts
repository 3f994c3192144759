/**
 * DBOS Transact. A unit: a workflow with one step, started directly in the process that runs it. Three commits, each
 * awaited: the workflow's row and input; the step's output; the workflow's status and output. All rows are kept.
 */
import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Adapter, AdapterEvents, AdapterOptions } from '../adapter.ts';
import { numberOf } from '../settings.ts';
import { order, outcome, type Order } from '../unit.ts';

export function makeAdapter(options: AdapterOptions, events: AdapterEvents): Adapter {
  return new DbosAdapter(options, events);
}

class DbosAdapter implements Adapter {
  readonly #options: AdapterOptions;
  readonly #events: AdapterEvents;
  readonly #workflow: (order: Order) => Promise<typeof outcome>;

  constructor(options: AdapterOptions, events: AdapterEvents) {
    this.#options = options;
    this.#events = events;
    this.#workflow = DBOS.registerWorkflow(
      async () => DBOS.runStep(async () => this.#score(), { name: 'score' }),
      { name: 'unit' },
    );
  }

  async start(): Promise<void> {
    const { url, settings, index } = this.#options;
    DBOS.setConfig({
      name: 'bench',
      systemDatabaseUrl: url,
      systemDatabasePoolSize: numberOf(settings, 'poolSize'),
      useListenNotify: settings['useListenNotify'] === true,
      // Two processes with one id would each recover what the other has under way.
      executorID: `bench-${String(index)}`,
      applicationVersion: 'bench',
      logLevel: 'error',
    });
    await DBOS.launch();
  }

  /** Resolves at the commit of the workflow's row; the result, which comes after the last commit, is what is recorded. */
  async send(): Promise<void> {
    const handle = await DBOS.startWorkflow(this.#workflow)(order);
    void handle.getResult().then(() => this.#events.recorded(1));
  }

  async stop(): Promise<void> {
    await DBOS.shutdown();
  }

  #score(): typeof outcome {
    this.#events.begun();
    return outcome;
  }
}
