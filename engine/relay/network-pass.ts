/**
 * Dials the rows of a network sink: claimed under a visibility timeout, dialled outside any transaction, then
 * settled.
 *
 *   claimed --dial--> delivered --> deleted
 *                 |-> answered  --> the answer's turn deletes the row (or its refusal settles it)
 *                 |-> retry     --> put off, or poisoned at the attempt ceiling
 *                 |-> refused   --> poisoned
 *   claimed --(this process dies)--> due again when the visibility timeout has passed
 *
 * N1 A dial ends before its row becomes visible again, with time left to settle it.
 * N2 At most `maxDials` dials run, at most `maxDialsPerChannel` of them for one channel: a receiver that
 *    hangs holds up its own channel, not the others.
 * N3 A row is claimed only when a dial is free for it.
 * N4 `drain` waits for the dials under way, then aborts them; what could not be settled comes due again.
 */
import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout, clearTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { channelKey, claimDeliveries } from '../store/outbox-delivery.ts';
import type { Delivery, DeliveryResult, NetworkSink } from '../transport.ts';
import type { DeliveryPass, DeliveryPassOptions } from './delivery-pass.ts';
import { withoutReservedHeaders } from './delivery-pass.ts';
import { dial } from './dial.ts';
import { settleDial } from './dial-settlement.ts';

/** All are guesses; the bodies of `maxDials` rows are in memory at once. */
export interface DialLimits {
  readonly maxDials: number;
  readonly maxDialsPerChannel: number;
  /** Rows in one claim, at most `maxDialsPerChannel`. */
  readonly claimSize: number;
  readonly dialTimeoutMs: number;
  /** Longer than `dialTimeoutMs` by what settling may take. */
  readonly visibilityMs: number;
  /** How long `drain` lets dials finish by themselves. */
  readonly drainMs: number;
}

export const defaultDialLimits: DialLimits = {
  maxDials: 32,
  maxDialsPerChannel: 16,
  claimSize: 8,
  dialTimeoutMs: 30_000,
  visibilityMs: 45_000,
  drainMs: 5_000,
};

export class NetworkPass implements DeliveryPass {
  readonly #sink: NetworkSink;
  readonly #options: DeliveryPassOptions;
  readonly #limits: DialLimits;
  readonly #halt = new AbortController();
  readonly #dials = new Set<Promise<void>>();
  readonly #dialsPerChannel = new Map<string, number>();
  /** The last claim left rows behind for want of a dial: the next dial that ends asks for a pass. */
  #hasLeftRows = false;

  constructor(sink: NetworkSink, options: DeliveryPassOptions, limits: DialLimits) {
    this.#sink = sink;
    this.#options = options;
    this.#limits = limits;
    // Every dial and every settlement under way listens; there are at most `maxDials` of each.
    setMaxListeners(0, this.#halt.signal);
  }

  async run(): Promise<number | null> {
    const { runner, transport, isStopping } = this.#options;
    const { maxDials, claimSize, visibilityMs } = this.#limits;
    while (!isStopping()) {
      const limit = Math.min(maxDials - this.#dials.size, claimSize);
      const fullChannels = this.#fullChannels(limit);
      this.#hasLeftRows = limit === 0 || fullChannels.length > 0;
      if (limit === 0) break;
      const claimedAt = performance.now();
      const deliveries = await claimDeliveries(runner, transport, limit, visibilityMs, fullChannels);
      for (const delivery of deliveries) this.#begin(delivery, claimedAt);
      if (deliveries.length < limit) break;
    }
    return null;
  }

  async drain(): Promise<void> {
    if (this.#dials.size > 0) {
      const patience = new AbortController();
      const patienceEnds = sleep(this.#limits.drainMs, undefined, { signal: patience.signal }).catch(
        () => undefined,
      );
      await Promise.race([Promise.all(this.#dials), patienceEnds]);
      patience.abort();
    }
    this.#halt.abort();
    await Promise.all(this.#dials);
  }

  /** Channels of which `limit` more rows could be too many (N2). */
  #fullChannels(limit: number): readonly string[] {
    const most = this.#limits.maxDialsPerChannel - limit;
    return [...this.#dialsPerChannel].filter(([, count]) => count > most).map(([key]) => key);
  }

  #begin(delivery: Delivery, claimedAt: number): void {
    const key = channelKey(delivery);
    this.#dialsPerChannel.set(key, (this.#dialsPerChannel.get(key) ?? 0) + 1);
    const work = this.#deliver(delivery, claimedAt).finally(() => {
      this.#dials.delete(work);
      const count = (this.#dialsPerChannel.get(key) ?? 1) - 1;
      if (count === 0) this.#dialsPerChannel.delete(key);
      else this.#dialsPerChannel.set(key, count);
      if (this.#hasLeftRows) this.#options.wake();
    });
    this.#dials.add(work);
  }

  async #deliver(delivery: Delivery, claimedAt: number): Promise<void> {
    const result = await this.#dial(delivery);
    await settleDial(
      this.#options,
      delivery,
      result,
      claimedAt + this.#limits.visibilityMs,
      this.#halt.signal,
    );
  }

  async #dial(delivery: Delivery): Promise<DeliveryResult> {
    const { meter, transport } = this.#options;
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const timer = setTimeout(abort, this.#limits.dialTimeoutMs);
    timer.unref();
    const halt = this.#halt.signal;
    if (halt.aborted) abort();
    halt.addEventListener('abort', abort, { once: true });
    const startedAt = performance.now();
    const result = await dial(this.#sink, withoutReservedHeaders(delivery), controller.signal);
    meter.record('sutra_outbox_dial_seconds', (performance.now() - startedAt) / 1000, { transport });
    clearTimeout(timer);
    halt.removeEventListener('abort', abort);
    return result;
  }
}
