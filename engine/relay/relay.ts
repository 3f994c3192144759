/**
 * The outbox relay: takes committed outbox rows to the sinks of their transports. Every replica runs one;
 * they share the work by row locks alone.
 *
 * It is woken by a commit in this process (`wake`), by another replica's doorbell (`ring`), by the next due
 * time, and by its tick. Only the tick is needed for correctness; the others make it prompt.
 *
 * L1 One loop for each transport: a transport that is slow or broken holds up no other.
 * L2 A wake that comes during a pass causes exactly one more pass; a pass goes on while full batches come.
 * L3 When a row is due is decided by the database. The only times kept here are relative delays, and the
 *    tick and every timed pass ask the database for the next ones, in one statement for all transports.
 * L4 A failing database neither ends a loop nor makes it spin: it is retried with backoff.
 * L5 After `stop` no statement, dial or timer of the relay is left.
 */
import type { Settings } from '../../config/settings.ts';
import type { LoopbackPort } from '../intake/ports.ts';
import type { Log, Meter } from '../observe.ts';
import { nextOutboxDue } from '../store/outbox-delivery.ts';
import type { Service, Sink, StatementRunner, Transport } from '../transport.ts';
import { backoffDelayMs } from './backoff.ts';
import type { DeliveryPass, DeliveryPassOptions } from './delivery-pass.ts';
import { defaultDialLimits, type DialLimits } from './network-pass.ts';
import { passOf } from './pass-of.ts';
import { errorLabel } from './refusal.ts';
import { Settlement } from './settlement.ts';
import { WakeLoop } from './wake-loop.ts';

/** When rows are due but a pass found none: others hold them. The cap is reached after a few looks. */
const HELD_ROWS_BACKOFF = { baseDelayMs: 50, maxDelayMs: 1_000, jitter: true } as const;

export interface RelayOptions {
  readonly database: StatementRunner;
  readonly transports: readonly Transport[];
  readonly loopback: LoopbackPort;
  readonly settings: Settings['outbox'];
  readonly meter: Meter;
  readonly log: Log;
  /** Spreads delays. Default: `Math.random`. */
  readonly random?: () => number;
  /** Default: `defaultDialLimits`. */
  readonly dialLimits?: DialLimits;
}

/** What the relay keeps for one transport. */
interface Outlet {
  readonly loop: WakeLoop;
  readonly pass: DeliveryPass;
  /** How often in a row rows were due that could not be taken. */
  heldLooks: number;
}

export class Relay implements Service {
  readonly #options: RelayOptions;
  readonly #random: () => number;
  readonly #outlets = new Map<string, Outlet>();
  readonly #tick: WakeLoop;
  #stopping: Promise<void> | null = null;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    for (const { name, sink } of options.transports) {
      if (sink !== null) this.#outlets.set(name, this.#outlet(name, sink));
    }
    this.#tick = new WakeLoop({
      pass: () => this.#lookAtAll(),
      onFailure: (error, failures, delayMs) => this.#failed('(all)', error, failures, delayMs),
      random: this.#random,
    });
  }

  async start(): Promise<void> {
    for (const { loop } of this.#outlets.values()) await loop.start();
    await this.#tick.start();
    this.#tick.wake();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Right after a commit that wrote outbox rows: the transports that they are for. */
  wake(transportNames: ReadonlySet<string>): void {
    for (const name of transportNames) this.#outlets.get(name)?.loop.wake();
  }

  /** Another replica says that it wrote outbox rows. */
  ring(): void {
    this.#tick.wake();
  }

  async #stop(): Promise<void> {
    const outlets = [...this.#outlets.values()];
    await Promise.all([this.#tick.stop(), ...outlets.map(({ loop }) => loop.stop())]);
    await Promise.all(outlets.map(({ pass }) => pass.drain()));
  }

  #outlet(transport: string, sink: Sink): Outlet {
    const { database: runner, loopback, settings, meter, log } = this.#options;
    const settlement = new Settlement({
      transport,
      runner,
      retry: settings.retry,
      loopback,
      random: this.#random,
      meter,
      log,
    });
    const loop: WakeLoop = new WakeLoop({
      pass: (isTimed) => this.#runPass(transport, isTimed),
      onFailure: (error, failures, delayMs) => this.#failed(transport, error, failures, delayMs),
      random: this.#random,
    });
    const options: DeliveryPassOptions = {
      transport,
      runner,
      settlement,
      loopback,
      meter,
      log,
      random: this.#random,
      isStopping: () => loop.isStopping,
      wake: () => loop.wake(),
      wakeIn: (delayMs) => loop.wakeIn(delayMs),
    };
    const pass = passOf(sink, options, this.#options.dialLimits ?? defaultDialLimits);
    return { loop, pass, heldLooks: 0 };
  }

  async #runPass(transport: string, isTimed: boolean): Promise<number | null> {
    const outlet = this.#outlets.get(transport);
    if (outlet === undefined) return null;
    const nextMs = await outlet.pass.run();
    if (!isTimed) return nextMs;
    const dueInMs = (await nextOutboxDue(this.#options.database, [transport])).get(transport);
    return this.#sooner(nextMs, this.#lookAgainIn(outlet, dueInMs));
  }

  /** After a pass: when to look again, given when the transport's next row is due. */
  #lookAgainIn(outlet: Outlet, dueInMs: number | undefined): number | null {
    if (dueInMs !== undefined && dueInMs <= 0) {
      outlet.heldLooks += 1;
      return backoffDelayMs(HELD_ROWS_BACKOFF, outlet.heldLooks, this.#random);
    }
    outlet.heldLooks = 0;
    return dueInMs ?? null;
  }

  #sooner(a: number | null, b: number | null): number | null {
    if (a === null || b === null) return a ?? b;
    return Math.min(a, b);
  }

  /** The tick's pass: one statement, then only the loops that have something to do. */
  async #lookAtAll(): Promise<number> {
    const dueInMs = await nextOutboxDue(this.#options.database, [...this.#outlets.keys()]);
    for (const [transport, delayMs] of dueInMs) {
      const loop = this.#outlets.get(transport)?.loop;
      if (delayMs <= 0) loop?.wake();
      else loop?.wakeIn(delayMs);
    }
    return this.#options.settings.tickIntervalMs;
  }

  #failed(transport: string, error: unknown, failures: number, delayMs: number): void {
    this.#options.meter.add('sutra_relay_failures_total', 1, { transport });
    this.#options.log.error('outbox.pass-failed', {
      transport,
      failures,
      retryInMs: Math.round(delayMs),
      cause: errorLabel(error),
    });
  }
}
