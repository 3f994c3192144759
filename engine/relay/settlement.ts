/**
 * What becomes of the outbox rows that the relay took: deleted, put off, or poisoned. Used by every way of
 * delivery; the statements of many deliveries are written together.
 *
 * E1 A failed attempt is put off by backoff with jitter, for ever, unless the operator set an attempt
 *    ceiling: the attempt that reaches it poisons the row.
 * E2 A call that resolves is durable. One that rejects changed nothing: the row is still there and comes due
 *    again by its `visible_at`.
 * E3 The request of a call with `q:retry` is not poisoned: its instance is told, and the row goes in that turn.
 */
import type { Settings } from '../../config/settings.ts';
import type { LoopbackPort } from '../intake/ports.ts';
import { newId } from '../new-id.ts';
import type { Log, Meter } from '../observe.ts';
import { deleteOutboxRows } from '../store/outbox.ts';
import type { Poisoning, Reschedule } from '../store/outbox-delivery.ts';
import { poisonDeliveries, rescheduleDeliveries } from '../store/outbox-delivery.ts';
import type { Delivery, StatementRunner } from '../transport.ts';
import { backoffDelayMs } from './backoff.ts';
import { Batcher } from './batcher.ts';
import type { RelayCode } from './codes.ts';
import { isOutage } from './refusal.ts';

const ATTEMPTS_EXHAUSTED: RelayCode = 'SUTRA.OUTBOX.ATTEMPTS_EXHAUSTED';

/** Rows in one settlement statement. A guess: far more than are dialled at once. */
const MAX_BATCH = 500;

export interface SettlementOptions {
  readonly transport: string;
  readonly runner: StatementRunner;
  readonly retry: Settings['outbox']['retry'];
  /** Takes over calls that have attempts left (E3). */
  readonly loopback: Pick<LoopbackPort, 'failFromOutbox'>;
  readonly random: () => number;
  readonly meter: Meter;
  readonly log: Log;
}

export class Settlement {
  readonly #options: SettlementOptions;
  readonly #deletions: Batcher<string>;
  readonly #reschedules: Batcher<Reschedule>;
  readonly #poisonings: Batcher<Poisoning>;

  constructor(options: SettlementOptions) {
    this.#options = options;
    const { runner } = options;
    const common = { maxItems: MAX_BATCH, isCommonFailure: isOutage };
    this.#deletions = new Batcher({
      ...common,
      write: async (ids) => {
        await deleteOutboxRows(runner, ids);
      },
    });
    this.#reschedules = new Batcher({
      ...common,
      write: async (items) => {
        await rescheduleDeliveries(runner, items);
      },
    });
    this.#poisonings = new Batcher({ ...common, write: (items) => this.#writePoisonings(items) });
  }

  /** The row goes. */
  async delivered(delivery: Delivery): Promise<void> {
    await this.#deletions.submit(delivery.id);
    this.#count('sutra_outbox_delivered_total');
  }

  /**
   * The attempt failed: put off or, at the attempt ceiling, poisoned (E1). `wishMs` is the receiver's own
   * wish; it lengthens the delay, up to the longest backoff: a receiver cannot put a delivery off for ever.
   * Answers the delay, or null when there will be no other attempt.
   */
  async failed(delivery: Delivery, error: string, wishMs: number | null): Promise<number | null> {
    const { retry, random } = this.#options;
    if (retry.maxAttempts !== null && delivery.attempt >= retry.maxAttempts) {
      const ceiling = `attempt ${String(delivery.attempt)} of at most ${String(retry.maxAttempts)} failed: ${error}`;
      await this.poisoned(delivery, ATTEMPTS_EXHAUSTED, ceiling);
      return null;
    }
    const backoffMs = backoffDelayMs(retry, delivery.attempt, random);
    const delayMs = Math.max(backoffMs, Math.min(wishMs ?? 0, retry.maxDelayMs));
    await this.#reschedules.submit({ id: delivery.id, attempt: delivery.attempt, delayMs, error });
    this.#count('sutra_outbox_retried_total');
    return delayMs;
  }

  /** No attempt can help: the row is kept for a person, with an incident under `code`, unless a call takes over (E3). */
  async poisoned(delivery: Delivery, code: string, error: string): Promise<void> {
    if (delivery.expectsAnswer) {
      const { loopback } = this.#options;
      if (await loopback.failFromOutbox(delivery, { code, message: error })) return;
    }
    await this.#poisonings.submit({
      id: delivery.id,
      attempt: delivery.attempt,
      code,
      error,
      incidentId: newId(),
    });
  }

  async #writePoisonings(items: readonly Poisoning[]): Promise<void> {
    const poisonedIds = new Set(await poisonDeliveries(this.#options.runner, items));
    for (const { id, attempt, code } of items) {
      if (!poisonedIds.has(id)) continue;
      this.#count('sutra_outbox_poisoned_total');
      const { transport, log } = this.#options;
      log.error('outbox.delivery-poisoned', { transport, deliveryId: id, attempt, code });
    }
  }

  #count(name: string): void {
    this.#options.meter.add(name, 1, { transport: this.#options.transport });
  }
}
