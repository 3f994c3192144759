/**
 * Senders, workers and an operator that never give up, over the package of retry-load-package.ts. It keeps what it
 * was told, for the audit: an engine that was killed must not have told it anything else than what it holds.
 */
import { pause } from './fault-load.ts';
import { LoadOrders } from './load-orders.ts';
import { LoadWorkers, type Task } from './load-workers.ts';
import type { RetryLoadClient } from './retry-load-client.ts';
import { CALL_TIMEOUT_MS, isCancelled, isGivenUp, isUnanswered } from './retry-load-package.ts';

export interface Cancelled {
  readonly instanceId: string;
  /** 200; 409: it had ended. */
  readonly status: number;
  /** Calls before that one which had no answer. */
  readonly lost: number;
}

const LONGEST_WAIT_OF_OPERATOR_MS = 2_500;

export class RetryLoad {
  readonly orders: LoadOrders;
  readonly workers: LoadWorkers;
  readonly cancels: Cancelled[] = [];
  /** Tasks of an attempt that were handed out after one of a later attempt had been. */
  readonly staleHandouts: string[] = [];
  readonly #latestAttempts = new Map<string, number>();
  readonly #client: RetryLoadClient;

  constructor(client: RetryLoadClient) {
    this.#client = client;
    this.orders = new LoadOrders(client, {
      bodyOf: (n) => ({ n }),
      whenStarted: (n, instanceId) => (isCancelled(n) ? this.#cancel(instanceId) : Promise.resolve()),
    });
    this.workers = new LoadWorkers(client, {
      channels: ['asks', 'checks'],
      handle: (workerId, task) =>
        task.channel === 'asks' ? this.#answerAsk(workerId, task) : this.#check(workerId, task),
      whenAsked: () => {
        const before = new Map(this.#latestAttempts);
        return (task) => this.#noteHandout(task, before);
      },
    });
  }

  /** For a test that fails: nothing new begins, and nothing is waited for. */
  abandon(): void {
    this.orders.abandon();
    this.workers.abandon();
  }

  async #cancel(instanceId: string): Promise<void> {
    await pause(Math.random() * LONGEST_WAIT_OF_OPERATOR_MS);
    const path = `/sutra/instances/${instanceId}/cancel`;
    const { answer, lost } = await this.#client.insist('POST', path, { reason: 'not wanted' });
    this.cancels.push({ instanceId, status: answer.status, lost });
  }

  #noteHandout({ idempotencyKey }: Task, before: ReadonlyMap<string, number>): void {
    const [, call = '', digits = '1'] = /^(.*:call-\d+)(?:\.(\d+))?$/.exec(idempotencyKey) ?? [];
    const attempt = Number(digits);
    if (attempt < (before.get(call) ?? 0)) this.staleHandouts.push(idempotencyKey);
    this.#latestAttempts.set(call, Math.max(attempt, this.#latestAttempts.get(call) ?? 0));
  }

  async #answerAsk(workerId: string, task: Task): Promise<void> {
    const chance = Math.random();
    if (isUnanswered(task.body.n) || chance < 0.12) return;
    if (chance < 0.18) await this.workers.fail(workerId, task, { retries: 0 });
    else if (chance < 0.3) await this.workers.fail(workerId, task, { retryTimeout: 'PT0.1S' });
    else {
      if (chance < 0.45) await pause(CALL_TIMEOUT_MS + Math.random() * 500);
      await this.workers.complete(workerId, task);
    }
  }

  async #check(workerId: string, task: Task): Promise<void> {
    const chance = Math.random();
    if (isGivenUp(task.body.n)) await this.workers.fail(workerId, task, { retries: 0 });
    else if (chance < 0.15) await this.workers.fail(workerId, task, { retries: 5, retryTimeout: 'PT0.1S' });
    // Not answered: another worker gets it when the lock has run out.
    else if (chance > 0.2) await this.workers.complete(workerId, task);
  }
}
