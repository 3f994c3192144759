/**
 * Orders and workers that never give up: what a client must do so that a fault of the server costs time and
 * nothing else. Senders repeat under one idempotency key, workers under one completion id.
 */
import { setMaxListeners } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
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

/** How long the server may be silent. */
const SILENCE_MS = 20_000;

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
  readonly #agent = new Agent({ keepAlive: true });
  readonly #running: Promise<void>[] = [];

  constructor(url: string) {
    this.#url = url;
    // Each request under way listens to it.
    setMaxListeners(0, this.#abandoned.signal);
  }

  get sent(): number {
    return this.instances.size;
  }

  begin(senderCount: number, workerCount: number): void {
    for (let index = 0; index < senderCount; index += 1) this.#running.push(this.#sendOrders());
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
    this.#agent.destroy();
  }

  /** For a test that fails: ends everything that is under way, and waits for nothing. */
  abandon(): void {
    this.#isSending = false;
    this.#isWorking = false;
    this.#abandoned.abort();
    this.#agent.destroy();
  }

  async #sendOrders(): Promise<void> {
    while (this.#isSending) {
      const n = this.#nextOrder;
      this.#nextOrder += 1;
      const patience = new Patience();
      while (!this.#abandoned.signal.aborted) {
        const answer = await this.#post(
          '/channels/orders',
          { n },
          { 'idempotency-key': `order-${String(n)}` },
        );
        if (answer.status !== 202) {
          await patience.wait();
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
    let patience = new Patience();
    while (this.#isWorking) {
      const answer = await this.#post('/sutra/external-tasks/fetch-and-lock', {
        workerId,
        channels: ['first', 'second'],
        maxTasks: 10,
        lockDuration: 'PT3S',
        asyncResponseTimeout: 'PT1S',
      });
      if (answer.status !== 200) {
        await patience.wait();
        continue;
      }
      patience = new Patience();
      await Promise.all(
        (answer.body as { tasks: Task[] }).tasks.map((task) => this.#complete(workerId, task)),
      );
    }
  }

  async #complete(workerId: string, task: Task): Promise<void> {
    const result = `${workerId}-${String(Math.random())}`;
    const completionId = `${task.id}-${String(task.attempts)}`;
    const patience = new Patience();
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
      await patience.wait();
    }
  }

  async #post(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown }> {
    try {
      const response = await this.#send(path, JSON.stringify(body), headers);
      const answer: unknown = JSON.parse(await text(response));
      const status = response.statusCode ?? 0;
      if (status < 200 || status > 299) this.#note(status, response);
      return { status, body: answer };
    } catch {
      // No answer: the server was killed, or the answer was cut. What it did is unknown; ask again.
      this.#count(0);
      return { status: 0, body: null };
    }
  }

  /** Not by `fetch`: a refused connection, of which there are thousands, costs it three times as much. */
  #send(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#url}${path}`, {
        agent: this.#agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
        signal: this.#abandoned.signal,
        timeout: SILENCE_MS,
      });
      sent.once('response', resolve).once('error', reject);
      sent.once('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.end(body);
    });
  }

  #note(status: number, response: IncomingMessage): void {
    this.#count(status);
    const isRetryable = status === 503 || status === 429;
    if (isRetryable && response.headers['retry-after'] === undefined) this.missingRetryAfter += 1;
  }

  #count(status: number): void {
    this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1);
  }
}

/** The pauses of one client between its attempts: the first are short, so that some come at every moment of a restart. */
class Patience {
  #ms = 25;

  async wait(): Promise<void> {
    await pause(this.#ms * (0.5 + Math.random()));
    this.#ms = Math.min(this.#ms * 2, 400);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
