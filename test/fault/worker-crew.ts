/** Workers as processes on one channel, with one ledger of what they and the senders of orders were told. */
import assert from 'node:assert/strict';
import type { RetryLoadClient } from '../support/retry-load-client.ts';
import { pause } from '../support/fault-load.ts';
import { WorkerLedger } from './worker-ledger.ts';
import { channelOf, ordersPathOf, type Order } from './worker-package.ts';
import { WorkerProcess } from './worker-process.ts';
import type { ProgramOptions } from './worker-program.ts';

/** Longer than anything here takes on a busy machine. */
const PATIENCE_MS = 60_000;

export class WorkerCrew {
  readonly ledger = new WorkerLedger();
  readonly #engineUrl: string;
  readonly #client: RetryLoadClient;
  readonly #scenario: string;
  readonly #processes: WorkerProcess[] = [];
  #nextOrder = 0;

  constructor(scenario: string, engineUrl: string, client: RetryLoadClient) {
    this.#scenario = scenario;
    this.#engineUrl = engineUrl;
    this.#client = client;
  }

  hire(workerId: string, options: Partial<ProgramOptions> = {}): WorkerProcess {
    const worker = new WorkerProcess(
      {
        baseUrl: this.#engineUrl,
        workerId,
        channel: channelOf(this.#scenario),
        concurrency: 4,
        lockDuration: 'PT1S',
        drainTimeout: 'PT20S',
        workMs: 5,
        blockEvery: 0,
        blockMs: 0,
        isHeld: false,
        ...options,
      },
      (message) => {
        if (message.kind === 'begun') this.ledger.begin(message.task, message.order, message.mark);
        if (message.kind === 'ended') this.ledger.end(message.task, message.outcome);
      },
    );
    this.#processes.push(worker);
    return worker;
  }

  async order(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1) {
      const order: Order = { n: this.#nextOrder, kind: 'plain' };
      this.#nextOrder += 1;
      const { answer } = await this.#client.insist('POST', ordersPathOf(this.#scenario), order);
      assert.equal(answer.status, 202, JSON.stringify(answer));
      this.ledger.noteOrder(order.n, order.kind, String(answer.body['instanceId']));
    }
  }

  async until(isReached: () => boolean, what: string): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (!isReached()) {
      const errors = this.#processes.map((worker) => worker.errors).join('\n');
      assert.ok(performance.now() < until, `${what}: ${JSON.stringify(this.ledger.runs)}\n${errors}`);
      await pause(20);
    }
  }

  /** They drain; what they had to say has been noted. */
  async dismiss(): Promise<void> {
    for (const worker of this.#processes) worker.signal('SIGTERM');
    await Promise.all(this.#processes.map((worker) => worker.ended()));
  }

  async kill(): Promise<void> {
    await Promise.all(this.#processes.map((worker) => worker.kill()));
  }
}
