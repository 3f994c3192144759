/**
 * The doorbell's ear: one connection of its own that listens, and comes back by itself.
 *
 * States: idle (no channel), connecting, listening, waiting (for the next attempt), closed.
 *
 * L1 What is rung while the connection is away is lost: a notification is a hint.
 * L2 `listen` resolves after the first attempt, whether it connected or not; attempts go on until `close`.
 * L3 Between two attempts nothing keeps the process alive. After `close` there is neither a connection nor a timer.
 */
import type pg from 'pg';
import type { Log } from '../observe.ts';

type Ring = (payload: string) => void;

/** Delay before the n-th attempt in a row; half of it is jitter, so that replicas do not come back in step. */
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;

export class PgListener {
  readonly #createClient: () => pg.Client;
  readonly #log: Log;
  readonly #rings = new Map<string, Set<Ring>>();
  /** The channels that `#client` listens on. */
  #listened = new Set<string>();
  #client: pg.Client | null = null;
  #connecting: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failedCount = 0;
  #isClosed = false;

  constructor(createClient: () => pg.Client, log: Log) {
    this.#createClient = createClient;
    this.#log = log;
  }

  async listen(channel: string, ring: Ring): Promise<() => Promise<void>> {
    const known = this.#rings.get(channel);
    if (known === undefined) this.#rings.set(channel, new Set([ring]));
    else known.add(ring);
    if (this.#client === null || this.#connecting !== null) await this.#connect();
    if (this.#client !== null) await this.#listenOn(this.#client, channel);
    return () => this.#forget(channel, ring);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#connecting;
    await this.#drop();
  }

  async #forget(channel: string, ring: Ring): Promise<void> {
    const rings = this.#rings.get(channel);
    if (rings === undefined || !rings.delete(ring) || rings.size > 0) return;
    this.#rings.delete(channel);
    this.#listened.delete(channel);
    if (this.#client !== null) await this.#send(this.#client, `UNLISTEN ${quoteIdentifier(channel)}`);
  }

  #connect(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#connecting ??= this.#attempt().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #attempt(): Promise<void> {
    const client = this.#createClient();
    client.on('notification', ({ channel, payload }) => {
      for (const ring of this.#rings.get(channel) ?? []) ring(payload ?? '');
    });
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    this.#client = client;
    this.#listened = new Set();
    try {
      await client.connect();
      for (const channel of this.#rings.keys()) await this.#listenOn(client, channel);
      if (this.#client !== client) return;
      if (this.#failedCount > 0) this.#log.info('doorbell.reconnected', { attempts: this.#failedCount });
      this.#failedCount = 0;
    } catch {
      this.#lost(client);
    }
  }

  async #listenOn(client: pg.Client, channel: string): Promise<void> {
    if (this.#listened.has(channel)) return;
    this.#listened.add(channel);
    await this.#send(client, `LISTEN ${quoteIdentifier(channel)}`);
  }

  async #send(client: pg.Client, text: string): Promise<void> {
    try {
      await client.query(text);
    } catch {
      this.#lost(client);
    }
  }

  /** The connection is gone: try again after a delay, unless this was the close. */
  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.end().catch(() => {});
    if (this.#isClosed || this.#rings.size === 0) return;
    if (this.#failedCount === 0) this.#log.warn('doorbell.lost');
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** this.#failedCount, MAX_DELAY_MS);
    this.#failedCount += 1;
    this.#timer = setTimeout(() => void this.#connect(), delayMs * (0.5 + Math.random() / 2));
    this.#timer.unref();
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    if (client !== null) await client.end().catch(() => {});
  }
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
