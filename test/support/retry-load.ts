/**
 * Senders, workers and an operator that never give up, over the package of retry-load-package.ts. It keeps what it
 * was told, for the audit: an engine that was killed must not have told it anything else than what it holds.
 */
import { pause } from './fault-load.ts';
import type { RetryLoadClient } from './retry-load-client.ts';
import { CALL_TIMEOUT_MS, isCancelled, isGivenUp, isUnanswered } from './retry-load-package.ts';

interface Task {
  readonly id: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly idempotencyKey: string;
  readonly attempts: number;
  readonly lockToken: string;
  readonly body: { readonly n: number };
}

export interface Accepted {
  readonly instanceId: string;
  readonly channel: string;
  readonly key: string;
  readonly mark: string;
}

export interface Cancelled {
  readonly instanceId: string;
  /** 200; 409: it had ended. */
  readonly status: number;
  /** Calls before that one which had no answer. */
  readonly lost: number;
}

const WORKER_CHANNELS = ['asks', 'checks'];
/** Between two orders of one sender: the load is to be steady, not as much as can be. */
const ORDER_PAUSE_MS = 100;
const LONGEST_WAIT_OF_OPERATOR_MS = 2_500;

export class RetryLoad {
  /** By order number: the instances that the engine named. */
  readonly instances = new Map<number, Set<string>>();
  readonly accepted: Accepted[] = [];
  readonly cancels: Cancelled[] = [];
  /** Codes with which late completions were refused, counted. */
  readonly refusals = new Map<string, number>();
  /** Tasks of an attempt that were handed out after one of a later attempt had been. */
  readonly staleHandouts: string[] = [];
  readonly #latestAttempts = new Map<string, number>();
  readonly #client: RetryLoadClient;
  readonly #sending: Promise<void>[] = [];
  readonly #working: Promise<void>[] = [];
  #nextOrder = 0;
  #isSending = true;
  #isWorking = true;

  constructor(client: RetryLoadClient) {
    this.#client = client;
  }

  begin(senderCount: number, workerCount: number): void {
    for (let index = 0; index < senderCount; index += 1) this.#sending.push(this.#send());
    for (let index = 0; index < workerCount; index += 1)
      this.#working.push(this.#work(`worker-${String(index)}`));
  }

  /** @throws Error when a sender has failed: it would be waited for in vain */
  async reached(orderCount: number): Promise<void> {
    while (this.instances.size < orderCount) await Promise.race([Promise.all(this.#sending), pause(50)]);
  }

  /** Resolves when every order that was begun has its instance, and every cancel its answer. */
  async stopSending(): Promise<void> {
    this.#isSending = false;
    await Promise.all(this.#sending);
  }

  async stopWorking(): Promise<void> {
    this.#isWorking = false;
    await Promise.all(this.#working);
  }

  /** For a test that fails: nothing new begins, and nothing is waited for. */
  abandon(): void {
    this.#isSending = false;
    this.#isWorking = false;
  }

  async #send(): Promise<void> {
    const cancelling: Promise<void>[] = [];
    while (this.#isSending) {
      const n = this.#nextOrder;
      this.#nextOrder += 1;
      const headers = { 'idempotency-key': `order-${String(n)}` };
      const { answer } = await this.#client.insist('POST', '/channels/orders', { n }, headers);
      const { instanceId } = answer.body;
      if (typeof instanceId !== 'string') throw new Error(`order ${String(n)}: ${JSON.stringify(answer)}`);
      this.instances.set(n, (this.instances.get(n) ?? new Set()).add(instanceId));
      // Whoever doubts an answer asks again: it names the same instance.
      if (n % 10 === 0) {
        const again = await this.#client.insist('POST', '/channels/orders', { n }, headers);
        this.instances.get(n)?.add(String(again.answer.body['instanceId']));
      }
      if (isCancelled(n)) cancelling.push(this.#cancel(instanceId));
      await pause(ORDER_PAUSE_MS * Math.random() * 2);
    }
    await Promise.all(cancelling);
  }

  async #cancel(instanceId: string): Promise<void> {
    await pause(Math.random() * LONGEST_WAIT_OF_OPERATOR_MS);
    const path = `/sutra/instances/${instanceId}/cancel`;
    const { answer, lost } = await this.#client.insist('POST', path, { reason: 'not wanted' });
    this.cancels.push({ instanceId, status: answer.status, lost });
  }

  async #work(workerId: string): Promise<void> {
    const tasks = new Set<Promise<void>>();
    while (this.#isWorking) {
      const latest = new Map(this.#latestAttempts);
      const { answer } = await this.#client.insist('POST', '/sutra/external-tasks/fetch-and-lock', {
        workerId,
        channels: WORKER_CHANNELS,
        maxTasks: 10,
        lockDuration: 'PT2S',
        asyncResponseTimeout: 'PT1S',
      });
      const found = (answer.body as { readonly tasks?: readonly Task[] }).tasks ?? [];
      for (const task of found) {
        this.#noteHandout(task, latest);
        const done = this.#handle(workerId, task).finally(() => tasks.delete(done));
        tasks.add(done);
      }
    }
    await Promise.all(tasks);
  }

  #noteHandout({ idempotencyKey }: Task, before: ReadonlyMap<string, number>): void {
    const [, call = '', digits = '1'] = /^(.*:call-\d+)(?:\.(\d+))?$/.exec(idempotencyKey) ?? [];
    const attempt = Number(digits);
    if (attempt < (before.get(call) ?? 0)) this.staleHandouts.push(idempotencyKey);
    this.#latestAttempts.set(call, Math.max(attempt, this.#latestAttempts.get(call) ?? 0));
  }

  #handle(workerId: string, task: Task): Promise<void> {
    return task.channel === 'asks' ? this.#answerAsk(workerId, task) : this.#check(workerId, task);
  }

  async #answerAsk(workerId: string, task: Task): Promise<void> {
    const chance = Math.random();
    if (isUnanswered(task.body.n) || chance < 0.12) return;
    if (chance < 0.18) await this.#fail(workerId, task, { retries: 0 });
    else if (chance < 0.3) await this.#fail(workerId, task, { retryTimeout: 'PT0.1S' });
    else {
      if (chance < 0.45) await pause(CALL_TIMEOUT_MS + Math.random() * 500);
      await this.#complete(workerId, task);
    }
  }

  async #check(workerId: string, task: Task): Promise<void> {
    const chance = Math.random();
    if (isGivenUp(task.body.n)) await this.#fail(workerId, task, { retries: 0 });
    else if (chance < 0.15) await this.#fail(workerId, task, { retries: 5, retryTimeout: 'PT0.1S' });
    // Not answered: another worker gets it when the lock has run out.
    else if (chance > 0.2) await this.#complete(workerId, task);
  }

  async #fail(
    workerId: string,
    { id, lockToken }: Task,
    how: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#client.insist('POST', `/sutra/external-tasks/${id}/failure`, {
      workerId,
      lockToken,
      errorMessage: 'no luck',
      ...how,
    });
  }

  async #complete(workerId: string, task: Task): Promise<void> {
    const { id, channel, instanceId, idempotencyKey: key } = task;
    const mark = `${workerId}-${String(Math.random())}`;
    const { answer } = await this.#client.insist('POST', `/sutra/external-tasks/${id}/complete`, {
      workerId,
      lockToken: task.lockToken,
      completionId: `${id}-${String(task.attempts)}`,
      result: { key, mark },
    });
    // A duplicate under a completion id of its own is this very result, whose first answer was lost.
    if (answer.status === 200) this.accepted.push({ instanceId, channel, key, mark });
    else {
      const code = String(answer.body['code']);
      this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
    }
  }
}
