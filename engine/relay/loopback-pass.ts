/**
 * Hands rows back to this engine's own inbound path: each becomes a turn that deletes the row in its own
 * commit, so there is nothing to settle here when it succeeds.
 *
 * K1 The rows of a batch are handed over together, so that their turns share a commit.
 * K2 A row that is busy is set aside for a moment: it is not handed over again at once, and the rows behind
 *    it are not held up.
 * K3 When the engine itself has no room, the pass ends: what is left comes later, and no attempt is counted.
 */
import { EngineError } from '../../config/engine-error.ts';
import { peekDeliveries } from '../store/outbox-delivery.ts';
import type { Delivery } from '../transport.ts';
import type { DeliveryPass, DeliveryPassOptions } from './delivery-pass.ts';
import { errorLabel, refusalKind } from './refusal.ts';
import { SetAside } from './set-aside.ts';

/** Rows in one batch. A guess: it bounds the bodies in memory, and fills a turn batch. */
const BATCH_SIZE = 100;

/** A busy row is held for the length of one turn, mostly a few milliseconds. */
const ASIDE_BACKOFF = { baseDelayMs: 20, maxDelayMs: 1_000, jitter: true } as const;
const ASIDE_CAPACITY = 2_000;

export class LoopbackPass implements DeliveryPass {
  readonly #options: DeliveryPassOptions;
  readonly #aside: SetAside;

  constructor(options: DeliveryPassOptions) {
    this.#options = options;
    this.#aside = new SetAside(ASIDE_BACKOFF, ASIDE_CAPACITY, options.random);
  }

  async run(): Promise<number | null> {
    const { runner, transport } = this.#options;
    while (!this.#options.isStopping()) {
      const away = this.#aside.keys();
      if (away.length + BATCH_SIZE > ASIDE_CAPACITY) break;
      const deliveries = await peekDeliveries(runner, transport, BATCH_SIZE, away);
      const results = await Promise.allSettled(deliveries.map((delivery) => this.#take(delivery)));
      const failure = results.find((result) => result.status === 'rejected');
      if (failure !== undefined) throw failure.reason;
      const isPressed = results.some((result) => result.status === 'fulfilled' && result.value === 'pressed');
      if (isPressed || deliveries.length < BATCH_SIZE) break;
    }
    return this.#aside.nextMs();
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  async #take(delivery: Delivery): Promise<'taken' | 'busy' | 'pressed'> {
    try {
      const outcome = await this.#options.loopback.deliverFromOutbox(delivery, null);
      if (outcome === 'busy') {
        this.#aside.put(delivery.id);
        return 'busy';
      }
      this.#aside.release(delivery.id);
      if (outcome === 'done') {
        this.#options.meter.add('sutra_outbox_delivered_total', 1, { transport: this.#options.transport });
      }
      return 'taken';
    } catch (error) {
      return await this.#refused(delivery, error);
    }
  }

  async #refused(delivery: Delivery, error: unknown): Promise<'taken' | 'pressed'> {
    const { settlement, transport, log, wakeIn } = this.#options;
    const kind = refusalKind(error);
    if (kind === 'outage') throw error;
    if (kind === 'pressed') {
      this.#aside.put(delivery.id);
      return 'pressed';
    }
    this.#aside.release(delivery.id);
    if (kind === 'refused' && error instanceof EngineError) {
      await settlement.poisoned(delivery, error.code, error.message);
      return 'taken';
    }
    log.warn('outbox.delivery-put-off', { transport, deliveryId: delivery.id, cause: errorLabel(error) });
    const delayMs = await settlement.failed(delivery, `the inbound path failed: ${errorLabel(error)}`, null);
    if (delayMs !== null) wakeIn(delayMs);
    return 'taken';
  }
}
