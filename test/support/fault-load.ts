/**
 * Orders and workers that never give up: what a client must do so that a fault of the server costs time and
 * nothing else. Senders repeat under one idempotency key, workers under one completion id.
 */
import { packageFiles, call, flows, start } from './packages.ts';

/** Two calls with a timer between them: every moving part has a commit that a kill can hit. */
export const faultPackage = packageFiles({
  channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: first, transport: pull }
  - { name: second, transport: pull }`,
  processes: {
    order: `${start('orders', '', 'name="order"')}
      ${call('first-work', 'first', '<q:param name="n" expression="order.n"/><q:output variable="firstResult"/>')}
      <intermediateCatchEvent id="pause"><timerEventDefinition id="t"><timeDuration>PT0.1S</timeDuration></timerEventDefinition></intermediateCatchEvent>
      ${call('second-work', 'second', '<q:param name="n" expression="order.n"/><q:output variable="secondResult"/>')}
      <endEvent id="end"/>
      ${flows('start -> first-work', 'first-work -> pause', 'pause -> second-work', 'second-work -> end')}`,
  },
});

interface Task {
  readonly id: string;
  readonly channel: string;
  readonly instanceId: string;
  readonly attempts: number;
  readonly lockToken: string;
}

export interface Accepted {
  readonly instanceId: string;
  readonly channel: string;
  readonly result: string;
}

export class FaultLoad {
  readonly #url: string;
  /** By order number: the instance that the engine named. More than one would be a duplicate. */
  readonly instances = new Map<number, Set<string>>();
  /** Completions that were answered ACCEPTED. */
  readonly accepted: Accepted[] = [];
  /** Statuses of answers that were not wanted, counted: 503, 0 for no answer at all. */
  readonly refusals = new Map<number, number>();
  missingRetryAfter = 0;
  #nextOrder = 0;
  #isSending = true;
  #isWorking = true;
  readonly #abandoned = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  get sent(): number {
    return this.instances.size;
  }

  begin(senderCount: number, workerCount: number): void {
    for (let index = 0; index < senderCount; index += 1) this.#running.push(this.#send());
    for (let index = 0; index < workerCount; index += 1)
      this.#running.push(this.#work(`worker-${String(index)}`));
  }

  /** No more orders; those that were begun are finished. */
  stopSending(): void {
    this.#isSending = false;
  }

  async stopWorking(): Promise<void> {
    this.#isWorking = false;
    await Promise.all(this.#running);
  }

  /** For a test that fails: ends everything that is under way, and waits for nothing. */
  abandon(): void {
    this.#isSending = false;
    this.#isWorking = false;
    this.#abandoned.abort();
  }

  async #send(): Promise<void> {
    while (this.#isSending) {
      const n = this.#nextOrder;
      this.#nextOrder += 1;
      for (;;) {
        const answer = await this.#post(
          '/channels/orders',
          { n },
          { 'idempotency-key': `order-${String(n)}` },
        );
        if (answer.status !== 202) {
          await pause(20 + Math.random() * 80);
          continue;
        }
        const ids = this.instances.get(n) ?? new Set();
        ids.add((answer.body as { instanceId: string }).instanceId);
        this.instances.set(n, ids);
        break;
      }
    }
  }

  async #work(workerId: string): Promise<void> {
    while (this.#isWorking) {
      const answer = await this.#post('/sutra/external-tasks/fetch-and-lock', {
        workerId,
        channels: ['first', 'second'],
        maxTasks: 10,
        lockDuration: 'PT3S',
        asyncResponseTimeout: 'PT1S',
      });
      if (answer.status !== 200) {
        await pause(20 + Math.random() * 80);
        continue;
      }
      await Promise.all(
        (answer.body as { tasks: Task[] }).tasks.map((task) => this.#complete(workerId, task)),
      );
    }
  }

  async #complete(workerId: string, task: Task): Promise<void> {
    const result = `${workerId}-${String(Math.random())}`;
    const completionId = `${task.id}-${String(task.attempts)}`;
    for (let attempt = 0; attempt < 200 && !this.#abandoned.signal.aborted; attempt += 1) {
      const answer = await this.#post(`/sutra/external-tasks/${task.id}/complete`, {
        workerId,
        lockToken: task.lockToken,
        completionId,
        result,
      });
      if (answer.status === 200) {
        const { outcome } = answer.body as { outcome: string };
        if (outcome === 'ACCEPTED')
          this.accepted.push({ instanceId: task.instanceId, channel: task.channel, result });
        return;
      }
      if (answer.status === 404 || answer.status === 409) return;
      await pause(20 + Math.random() * 80);
    }
  }

  async #post(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown }> {
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.any([AbortSignal.timeout(20_000), this.#abandoned.signal]),
      });
      const answer: unknown = await response.json();
      if (!response.ok) this.#note(response);
      return { status: response.status, body: answer };
    } catch {
      // No answer: the server was killed, or the answer was cut. What it did is unknown; ask again.
      this.#count(0);
      return { status: 0, body: null };
    }
  }

  #note(response: Response): void {
    this.#count(response.status);
    const isRetryable = response.status === 503 || response.status === 429;
    if (isRetryable && response.headers.get('retry-after') === null) this.missingRetryAfter += 1;
  }

  #count(status: number): void {
    this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
