/**
 * Ours. A unit: message in over HTTP, instance started, request in the outbox, parked, fetched by a worker over HTTP,
 * completed by a call of its own (or, with `batchComplete`, with all that were fetched with it), gateway, instance ended
 * with history.
 */
import { HttpClient } from '../../http-client.ts';
import type { Adapter, AdapterEvents, AdapterOptions } from '../adapter.ts';
import { numberOf } from '../settings.ts';
import { orderText, outcomeText } from '../unit.ts';

interface Task {
  readonly id: string;
  readonly lockToken: string;
}

export function makeAdapter(options: AdapterOptions, events: AdapterEvents): Adapter {
  return new SutraAdapter(options, events);
}

class SutraAdapter implements Adapter {
  readonly #client: HttpClient;
  readonly #events: AdapterEvents;
  readonly #workers: number;
  readonly #maxTasks: number;
  readonly #isBatch: boolean;
  #running: Promise<void>[] = [];
  #isOver = false;

  constructor({ url, workers, senders, settings }: AdapterOptions, events: AdapterEvents) {
    // A worker that waits holds its connection.
    this.#client = new HttpClient(url, workers + senders);
    this.#events = events;
    this.#workers = workers;
    this.#maxTasks = numberOf(settings, 'maxTasks');
    this.#isBatch = settings['batchComplete'] === true;
  }

  async start(): Promise<void> {
    this.#running = Array.from({ length: this.#workers }, (_, index) => this.#work(`bench-${String(index)}`));
  }

  async send(): Promise<void> {
    const answer = await this.#client.post('/channels/bench-orders', orderText);
    if (answer.status !== 202)
      throw new Error(`the order was answered ${String(answer.status)}: ${answer.text}`);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
    this.#client.close();
  }

  async #work(workerId: string): Promise<void> {
    const fetchBody = JSON.stringify({
      workerId,
      channels: ['bench-score'],
      maxTasks: this.#maxTasks,
      asyncResponseTimeout: 'PT1S',
    });
    while (!this.#isOver) {
      const { tasks } = (await this.#post('fetch-and-lock', fetchBody)) as { tasks: readonly Task[] };
      for (let index = 0; index < tasks.length; index += 1) this.#events.begun();
      if (this.#isBatch && tasks.length > 0) await this.#completeAll(workerId, tasks);
      else await this.#completeEach(workerId, tasks);
    }
  }

  async #completeEach(workerId: string, tasks: readonly Task[]): Promise<void> {
    for (const task of tasks) {
      const body = `{"workerId":"${workerId}","lockToken":"${task.lockToken}","result":${outcomeText}}`;
      await this.#post(`${task.id}/complete`, body);
      this.#events.recorded(1);
    }
  }

  async #completeAll(workerId: string, tasks: readonly Task[]): Promise<void> {
    const items = tasks.map(
      ({ id, lockToken }) => `{"id":"${id}","lockToken":"${lockToken}","result":${outcomeText}}`,
    );
    const answer = await this.#post('complete', `{"workerId":"${workerId}","tasks":[${items.join(',')}]}`);
    const refused = (answer as { tasks: readonly { error?: unknown }[] }).tasks.filter(
      ({ error }) => error !== undefined,
    );
    if (refused.length > 0) throw new Error(`completions were refused: ${JSON.stringify(refused[0])}`);
    this.#events.recorded(tasks.length);
  }

  async #post(path: string, body: string): Promise<unknown> {
    const answer = await this.#client.post(`/sutra/external-tasks/${path}`, body);
    if (answer.status !== 200)
      throw new Error(`${path} was answered ${String(answer.status)}: ${answer.text}`);
    return JSON.parse(answer.text) as unknown;
  }
}
