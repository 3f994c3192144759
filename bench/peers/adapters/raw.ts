/**
 * The ceiling: what PostgreSQL does for a queue that does nothing else. Single inserts, each a commit; claims and
 * settling in batches, each a commit. A unit is done when its row is gone: no outcome is kept.
 */
import pg from 'pg';
import type { Adapter, AdapterEvents, AdapterOptions } from '../adapter.ts';
import { numberOf } from '../settings.ts';
import { orderText } from '../unit.ts';

const CREATE = `
  CREATE TABLE IF NOT EXISTS unit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    claimed_at timestamptz,
    payload jsonb NOT NULL
  );
  CREATE INDEX IF NOT EXISTS unit_open ON unit (id) WHERE claimed_at IS NULL`;

const INSERT = { name: 'insert', text: 'INSERT INTO unit (payload) VALUES ($1::jsonb)' };

const CLAIM = {
  name: 'claim',
  text: `
    UPDATE unit
    SET claimed_at = now()
    WHERE id = ANY (ARRAY (
      SELECT id
      FROM unit
      WHERE claimed_at IS NULL
      ORDER BY id
      LIMIT $1::int
      FOR UPDATE SKIP LOCKED
    ))
    RETURNING id, payload`,
};

const SETTLE = { name: 'settle', text: 'DELETE FROM unit WHERE id = ANY ($1::bigint[])' };

export function makeAdapter(options: AdapterOptions, events: AdapterEvents): Adapter {
  return new RawAdapter(options, events);
}

class RawAdapter implements Adapter {
  readonly #options: AdapterOptions;
  readonly #events: AdapterEvents;
  readonly #senders: pg.Pool;
  readonly #claimers: pg.Client[];
  #running: Promise<void>[] = [];
  #isOver = false;
  #sent = 0;
  /** Claimers that found nothing. They share the process with the senders, which wake them: the floor of any pick-up. */
  readonly #idle: (() => void)[] = [];

  constructor(options: AdapterOptions, events: AdapterEvents) {
    this.#options = options;
    this.#events = events;
    const { url, settings } = options;
    this.#senders = new pg.Pool({ connectionString: url, max: numberOf(settings, 'poolSize') });
    this.#claimers = Array.from(
      { length: Math.ceil(numberOf(settings, 'claimers') / numberOf(settings, 'processes')) },
      () => new pg.Client({ connectionString: url }),
    );
  }

  async start(): Promise<void> {
    await this.#senders.query(CREATE);
    await Promise.all(this.#claimers.map((client) => client.connect()));
    this.#running = this.#claimers.map((client) => this.#work(client));
  }

  async send(): Promise<void> {
    await this.#senders.query({ ...INSERT, values: [orderText] });
    this.#sent += 1;
    this.#idle.shift()?.();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const wake of this.#idle.splice(0)) wake();
    await Promise.all(this.#running);
    await Promise.all(this.#claimers.map((client) => client.end()));
    await this.#senders.end();
  }

  async #work(client: pg.Client): Promise<void> {
    const limit = numberOf(this.#options.settings, 'batchSize');
    while (!this.#isOver) {
      const sent = this.#sent;
      const { rows } = await client.query<{ id: string }>({ ...CLAIM, values: [limit] });
      if (rows.length === 0) {
        // What was sent meanwhile found nobody to wake.
        if (sent === this.#sent && !this.#isOver)
          await new Promise<void>((resolve) => this.#idle.push(resolve));
        continue;
      }
      for (let index = 0; index < rows.length; index += 1) this.#events.begun();
      await client.query({ ...SETTLE, values: [rows.map((row) => row.id)] });
      this.#events.recorded(rows.length);
    }
  }
}
