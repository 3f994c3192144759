/** Senders of numbered orders that never give up, each order under a key of its own. */
import { pause } from './fault-load.ts';
import type { RetryLoadClient } from './retry-load-client.ts';

/** Between two orders of one sender: the load is to be steady, not as much as can be. */
const ORDER_PAUSE_MS = 100;

export interface OrderOptions {
  readonly bodyOf: (n: number) => unknown;
  /** What else is done about an order; the senders have stopped when it is done for all of them. */
  readonly whenStarted: (n: number, instanceId: string) => Promise<void>;
}

export class LoadOrders {
  /** By order number: the instances that the engine named. */
  readonly instances = new Map<number, Set<string>>();
  readonly #client: RetryLoadClient;
  readonly #options: OrderOptions;
  readonly #sending: Promise<void>[] = [];
  #nextOrder = 0;
  #isSending = true;

  constructor(client: RetryLoadClient, options: OrderOptions) {
    this.#client = client;
    this.#options = options;
  }

  begin(senderCount: number): void {
    for (let index = 0; index < senderCount; index += 1) this.#sending.push(this.#send());
  }

  /** @throws Error when a sender has failed: it would be waited for in vain */
  async reached(orderCount: number): Promise<void> {
    while (this.instances.size < orderCount) await Promise.race([Promise.all(this.#sending), pause(50)]);
  }

  /** Resolves when every order that was begun has its instance, and what else is done about it is done. */
  async stop(): Promise<void> {
    this.#isSending = false;
    await Promise.all(this.#sending);
  }

  /** For a test that fails: nothing new begins, and nothing is waited for. */
  abandon(): void {
    this.#isSending = false;
  }

  async #send(): Promise<void> {
    const following: Promise<void>[] = [];
    while (this.#isSending) {
      const n = this.#nextOrder;
      this.#nextOrder += 1;
      const instanceId = await this.#order(n);
      this.instances.set(n, (this.instances.get(n) ?? new Set()).add(instanceId));
      // Whoever doubts an answer asks again: it names the same instance.
      if (n % 10 === 0) this.instances.get(n)?.add(await this.#order(n));
      following.push(this.#options.whenStarted(n, instanceId));
      await pause(ORDER_PAUSE_MS * Math.random() * 2);
    }
    await Promise.all(following);
  }

  async #order(n: number): Promise<string> {
    const headers = { 'idempotency-key': `order-${String(n)}` };
    const { answer } = await this.#client.insist(
      'POST',
      '/channels/orders',
      this.#options.bodyOf(n),
      headers,
    );
    const { instanceId } = answer.body;
    if (typeof instanceId === 'string') return instanceId;
    throw new Error(`order ${String(n)}: ${JSON.stringify(answer)}`);
  }
}
