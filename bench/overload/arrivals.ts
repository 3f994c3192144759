/**
 * Orders that arrive at a fixed rate, whatever the engine answers, as a process of its own (an open loop). An order for
 * which no connection is free is not sent and counted. Talks with `overload.ts` over the channel of `fork`.
 *
 * Latencies begin at the instant at which the order was to arrive, not at which it was sent: a client that was late
 * because the engine was slow must not hide it.
 */
import { performance } from 'node:perf_hooks';
import { OpenConnections, type OpenAnswer } from './connections.ts';
import { percentiles, type Percentiles } from './percentiles.ts';

export interface ArrivalOptions {
  readonly url: string;
  /** Orders a second. */
  readonly rate: number;
  readonly seconds: number;
  readonly connections: number;
  /** Begins every key of this process. */
  readonly prefix: string;
}

export interface ArrivalCounts {
  readonly offered: number;
  /** Offered, but no connection was free. */
  readonly notSent: number;
  readonly accepted: number;
  /** 429 with `Retry-After`. */
  readonly refused: number;
  /** Any other answer, or none. */
  readonly failed: number;
}

export type ArrivalMessage =
  | { readonly kind: 'ready' }
  /** Once a second; ids of the instances whose order was accepted since the last message. */
  | { readonly kind: 'counts'; readonly counts: ArrivalCounts; readonly instanceIds: readonly string[] }
  /** Nothing is offered any more; answers may still come. */
  | { readonly kind: 'ended' }
  | {
      readonly kind: 'done';
      readonly acceptedMs: Percentiles;
      readonly refusedMs: Percentiles;
      /** How late orders left this process. */
      readonly lagMs: Percentiles;
      /** Status and text of some failures. */
      readonly failures: readonly string[];
    };

const TICK_MS = 2;
const PATIENCE_MS = 60_000;
const MAX_FAILURES_SHOWN = 10;

class Arrivals {
  readonly #options: ArrivalOptions;
  readonly #connections: OpenConnections;
  readonly #acceptedMs: number[] = [];
  readonly #refusedMs: number[] = [];
  readonly #lagMs: number[] = [];
  readonly #failures: string[] = [];
  #instanceIds: string[] = [];
  #offered = 0;
  #notSent = 0;
  #failed = 0;

  constructor(options: ArrivalOptions) {
    this.#options = options;
    this.#connections = new OpenConnections(options.url, options.connections);
  }

  open(): Promise<void> {
    return this.#connections.open();
  }

  async run(): Promise<void> {
    const { rate, seconds } = this.#options;
    const startedAt = performance.now();
    const counting = setInterval(() => {
      this.#sendCounts();
    }, 1000);
    for (;;) {
      const elapsedMs = Math.min(performance.now() - startedAt, seconds * 1000);
      const due = Math.floor((elapsedMs * rate) / 1000);
      while (this.#offered < due) this.#offer(startedAt + (this.#offered * 1000) / rate);
      if (elapsedMs >= seconds * 1000) break;
      await pause(TICK_MS);
    }
    say({ kind: 'ended' });
    const patientUntil = performance.now() + PATIENCE_MS;
    while (this.#connections.busyCount > 0 && performance.now() < patientUntil) await pause(10);
    clearInterval(counting);
    this.#connections.close();
    await pause(10);
    this.#sendCounts();
    say({
      kind: 'done',
      acceptedMs: percentiles(this.#acceptedMs),
      refusedMs: percentiles(this.#refusedMs),
      lagMs: percentiles(this.#lagMs),
      failures: this.#failures,
    });
  }

  #offer(dueAt: number): void {
    const key = `${this.#options.prefix}-${String(this.#offered)}`;
    this.#offered += 1;
    const isSent = this.#connections.post('/channels/bench-orders', key, orderOf(key), (answer) => {
      this.#answered(answer, performance.now() - dueAt);
    });
    if (isSent) this.#lagMs.push(performance.now() - dueAt);
    else this.#notSent += 1;
  }

  #answered({ status, retryAfter, text }: OpenAnswer, ms: number): void {
    if (status === 202) {
      this.#acceptedMs.push(ms);
      this.#instanceIds.push((JSON.parse(text) as { instanceId: string }).instanceId);
    } else if (status === 429 && retryAfter !== null) {
      this.#refusedMs.push(ms);
    } else {
      this.#failed += 1;
      if (this.#failures.length < MAX_FAILURES_SHOWN)
        this.#failures.push(`${String(status)} ${text.slice(0, 200)}`);
    }
  }

  #sendCounts(): void {
    const instanceIds = this.#instanceIds;
    this.#instanceIds = [];
    const counts = {
      offered: this.#offered,
      notSent: this.#notSent,
      accepted: this.#acceptedMs.length,
      refused: this.#refusedMs.length,
      failed: this.#failed,
    };
    say({ kind: 'counts', counts, instanceIds });
  }
}

/** 300 bytes of JSON, like the order of `load.ts`, with its own key. */
function orderOf(key: string): string {
  return `{"orderId":"${key.padEnd(14, ' ')}","amount":129.5,"country":"DE","note":"${'x'.repeat(228)}"}`;
}

function say(message: ArrivalMessage): void {
  process.send?.(message);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const arrivals = new Arrivals(JSON.parse(process.argv[2] ?? '{}') as ArrivalOptions);
await arrivals.open();
process.once('message', () => {
  void arrivals.run().then(() => {
    process.disconnect();
  });
});
say({ kind: 'ready' });
