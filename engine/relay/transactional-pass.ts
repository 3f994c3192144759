/**
 * Moves rows through a transactional sink. Each `move` is one statement, and so its own transaction: a
 * delivery is never in both places nor in neither.
 *
 * X1 A row that makes the statement fail holds up no other: the batch shrinks to one row, and the row that
 *    fails alone is put off by the ordinary backoff.
 */
import { peekDeliveries } from '../store/outbox-delivery.ts';
import type { TransactionalSink } from '../transport.ts';
import type { DeliveryPass, DeliveryPassOptions } from './delivery-pass.ts';
import { errorLabel, isOutage } from './refusal.ts';

/** Rows in one move. A guess: large enough to share a commit, small enough to hold no lock for long. */
const BATCH_SIZE = 500;

export class TransactionalPass implements DeliveryPass {
  readonly #sink: TransactionalSink;
  readonly #options: DeliveryPassOptions;
  #limit = BATCH_SIZE;

  constructor(sink: TransactionalSink, options: DeliveryPassOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  async run(): Promise<number | null> {
    while (!this.#options.isStopping()) {
      const limit = this.#limit;
      const movedCount = await this.#move(limit);
      if (movedCount === null) continue;
      this.#limit = Math.min(limit * 2, BATCH_SIZE);
      if (movedCount < limit) break;
    }
    return null;
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  /** How many rows were moved, or null when the batch was too large to find the row that fails. */
  async #move(limit: number): Promise<number | null> {
    let counts: ReadonlyMap<string, number>;
    try {
      counts = await this.#sink.move(this.#options.runner, limit);
    } catch (error) {
      if (isOutage(error)) throw error;
      this.#limit = 1;
      if (limit > 1) return null;
      await this.#putOffFirst(error);
      throw error;
    }
    const movedCount = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (movedCount === 0) return 0;
    const { transport, meter } = this.#options;
    meter.add('sutra_outbox_delivered_total', movedCount, { transport });
    this.#sink.moved(counts);
    return movedCount;
  }

  /**
   * Puts off the first due row, which is the one that `move` tried. Should another replica have taken that
   * one in between, the next one is merely delivered a little later.
   */
  async #putOffFirst(error: unknown): Promise<void> {
    const { runner, transport, settlement, wakeIn } = this.#options;
    const [first] = await peekDeliveries(runner, transport, 1);
    if (first === undefined) return;
    const delayMs = await settlement.failed(first, `moving the delivery failed: ${errorLabel(error)}`, null);
    if (delayMs !== null) wakeIn(delayMs);
  }
}
