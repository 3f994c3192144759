/**
 * Tells the other replicas that tasks were parked, and hears it from them. A hint: what is lost costs a
 * waiting fetch at most one tick of the wake clock.
 *
 * B1 At most one notification is under way, and the next waits for `minIntervalMs`, and twice as long each time while they
 *    follow each other, up to `maxIntervalMs`; what is rung meanwhile is added up. The first after a pause leaves at
 *    once. PostgreSQL takes a global lock for each commit that notifies, and each one costs the others a claim.
 * B2 Never inside a transaction of the engine, and never waited for by one.
 * B3 A replica does not hear itself. What cannot be read as a ring is dropped: anyone may notify.
 * B4 On the embedded database there is nobody else: nothing is sent.
 */
import { clearTimeout, setTimeout } from 'node:timers';
import type { Log } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import type { Service } from '../../engine/transport.ts';

const NOTIFY_CHANNEL = 'sutra_tasks_parked';

/** Guesses: under load 25 notifications a second, of what the workers here do not fetch; a worker elsewhere waits 40 ms. */
const MIN_INTERVAL_MS = 5;
const MAX_INTERVAL_MS = 40;

/** `Database.notify` takes 7,900; the rest is for what surrounds the counts. */
const MAX_COUNTS_BYTES = 7_500;

export interface DoorbellOptions {
  readonly database: Database;
  readonly replicaId: string;
  readonly heard: (counts: ReadonlyMap<string, number>) => void;
  readonly log: Log;
  readonly minIntervalMs?: number;
  readonly maxIntervalMs?: number;
}

export class Doorbell implements Service {
  readonly #options: DoorbellOptions;
  readonly #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #unlisten: (() => Promise<void>) | null = null;
  #isOn = false;
  #intervalMs: number;

  constructor(options: DoorbellOptions) {
    this.#options = options;
    this.#intervalMs = options.minIntervalMs ?? MIN_INTERVAL_MS;
  }

  async start(): Promise<void> {
    const { database } = this.#options;
    if (database.kind === 'embedded' || this.#isOn) {
      return;
    }
    this.#isOn = true;
    this.#unlisten = await database.listen(NOTIFY_CHANNEL, (payload) => this.#hear(payload));
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    this.#pending.clear();
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
    const unlisten = this.#unlisten;
    this.#unlisten = null;
    await unlisten?.();
    await this.#sending;
  }

  ring(channel: string, count: number): void {
    if (!this.#isOn) {
      return;
    }
    this.#pending.set(channel, (this.#pending.get(channel) ?? 0) + count);
    if (this.#sending === null && this.#timer === null) {
      this.#sending = this.#send();
    }
  }

  /** One notification; the next starts when it has ended and its interval has passed. */
  async #send(): Promise<void> {
    const { database, replicaId, log } = this.#options;
    const counts = this.#take();
    try {
      await database.notify(NOTIFY_CHANNEL, JSON.stringify({ replica: replicaId, counts }));
    } catch (error) {
      log.warn('doorbell.unsent', { error: error instanceof Error ? error.message : String(error) });
    }
    this.#sending = null;
    if (!this.#isOn) {
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#next();
    }, this.#intervalMs);
    this.#timer.unref();
  }

  #next(): void {
    const { minIntervalMs = MIN_INTERVAL_MS, maxIntervalMs = MAX_INTERVAL_MS } = this.#options;
    if (this.#pending.size === 0) {
      this.#intervalMs = minIntervalMs;
      return;
    }
    this.#intervalMs = Math.min(2 * this.#intervalMs, maxIntervalMs);
    this.#sending = this.#send();
  }

  /** As many of the pending counts as fit into one payload. */
  #take(): [string, number][] {
    const taken: [string, number][] = [];
    let bytes = 0;
    for (const [channel, count] of this.#pending) {
      bytes += Buffer.byteLength(JSON.stringify([channel, count])) + 1;
      if (bytes > MAX_COUNTS_BYTES && taken.length > 0) {
        break;
      }
      taken.push([channel, count]);
      this.#pending.delete(channel);
    }
    return taken;
  }

  #hear(payload: string): void {
    const ring = readRing(payload);
    if (this.#isOn && ring !== null && ring.replica !== this.#options.replicaId) {
      this.#options.heard(ring.counts);
    }
  }
}

function readRing(
  payload: string,
): { readonly replica: string; readonly counts: Map<string, number> } | null {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('replica' in value) || !('counts' in value)) {
    return null;
  }
  const { replica, counts } = value;
  if (typeof replica !== 'string' || !Array.isArray(counts)) {
    return null;
  }
  const read = new Map<string, number>();
  for (const entry of counts as readonly unknown[]) {
    if (!Array.isArray(entry)) {
      return null;
    }
    const [channel, count] = entry as readonly unknown[];
    if (
      typeof channel !== 'string' ||
      typeof count !== 'number' ||
      !Number.isSafeInteger(count) ||
      count < 1
    ) {
      return null;
    }
    read.set(channel, count);
  }
  return { replica, counts: read };
}
