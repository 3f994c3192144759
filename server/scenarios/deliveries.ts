/**
 * The way out: what the engine has put into its outbox, seen before it leaves, and then taken on by the relay's own
 * passes.
 */
import type { Settings } from '../../config/settings.ts';
import { silentLog, silentMeter } from '../../engine/observe.ts';
import type { DeliveryPass, DeliveryPassOptions } from '../../engine/relay/delivery-pass.ts';
import { defaultDialLimits } from '../../engine/relay/network-pass.ts';
import { passOf } from '../../engine/relay/pass-of.ts';
import { Settlement } from '../../engine/relay/settlement.ts';
import type { LoopbackPort } from '../../engine/intake/ports.ts';
import type { Database } from '../../engine/store/database.ts';
import { nextOutboxDue, peekDeliveries } from '../../engine/store/outbox-delivery.ts';
import type { Delivery, Sink, Transport } from '../../engine/transport.ts';

export interface DeliveriesOptions {
  readonly database: Database;
  readonly transports: readonly Transport[];
  readonly loopback: LoopbackPort;
  readonly settings: Settings['outbox'];
}

/** More than one turn sends. */
const MAX_PEEKED = 10_000;

export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** By id: ids are drawn in the order of sending. */
  readonly #sent = new Map<string, Delivery>();
  readonly #byKey = new Map<string, Delivery>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** In the order of sending. */
  get sent(): readonly Delivery[] {
    return [...this.#sent.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** The latest attempt of a delivery. */
  byKey(idempotencyKey: string): Delivery | undefined {
    return this.#byKey.get(idempotencyKey);
  }

  /** Takes all that is due; whether there was something. */
  async run(): Promise<boolean> {
    let hasMoved = false;
    for (const { name, sink } of this.#options.transports) {
      if (sink === null) continue;
      const due = await peekDeliveries(this.#options.database, name, MAX_PEEKED);
      if (due.length === 0) continue;
      hasMoved = true;
      for (const delivery of due) {
        if (!this.#sent.has(delivery.id)) this.#sent.set(delivery.id, delivery);
        this.#byKey.set(delivery.idempotencyKey, delivery);
      }
      const pass = this.#passOf(name, sink);
      await pass.run();
      await pass.drain();
    }
    return hasMoved;
  }

  /** In how many milliseconds a delivery that was put off is due; null: none was. */
  async nextDueInMs(): Promise<number | null> {
    const names = this.#options.transports.map(({ name }) => name);
    const due = await nextOutboxDue(this.#options.database, names);
    return due.size === 0 ? null : Math.min(...due.values());
  }

  /** A pass of its own each time: one that has drained dials no more. */
  #passOf(transport: string, sink: Sink): DeliveryPass {
    const { database: runner, loopback, settings } = this.#options;
    const random = (): number => 1;
    const observed = { meter: silentMeter, log: silentLog };
    const options: DeliveryPassOptions = {
      ...{ transport, runner, loopback, random },
      settlement: new Settlement({ transport, runner, retry: settings.retry, loopback, random, ...observed }),
      isStopping: () => false,
      wake: () => {},
      wakeIn: () => {},
      ...observed,
    };
    return passOf(sink, options, defaultDialLimits);
  }
}
