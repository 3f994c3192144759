/**
 * Listening on the embedded database: its one session is also the one that hears.
 *
 * A notification reaches this process with the answer to the statement that sent it. Whenever the pool makes
 * a new connection (the old one failed), it listens again before it is lent.
 */
import type { Knex } from 'knex';
import type pg from 'pg';

type Ring = (payload: string) => void;

export class EmbeddedDoorbell {
  readonly #rings = new Map<string, Set<Ring>>();
  #knex: Knex | null = null;

  /** The pool whose connection listens; it is made with this doorbell, so it comes after. */
  useKnex(knex: Knex): void {
    this.#knex = knex;
  }

  /** Called for each connection of the pool before it is lent. */
  async attach(client: pg.Client): Promise<void> {
    client.on('notification', ({ channel, payload }) => {
      for (const ring of this.#rings.get(channel) ?? []) ring(payload ?? '');
    });
    for (const channel of this.#rings.keys()) await client.query(`LISTEN ${quoteIdentifier(channel)}`);
  }

  async listen(channel: string, ring: Ring): Promise<() => Promise<void>> {
    const known = this.#rings.get(channel);
    if (known !== undefined) {
      known.add(ring);
    } else {
      this.#rings.set(channel, new Set([ring]));
      await this.#knex?.raw(`LISTEN ${quoteIdentifier(channel)}`);
    }
    return () => this.#forget(channel, ring);
  }

  async #forget(channel: string, ring: Ring): Promise<void> {
    const rings = this.#rings.get(channel);
    if (rings === undefined || !rings.delete(ring) || rings.size > 0) return;
    this.#rings.delete(channel);
    // After a close, or while the thread is away, there is no session to tell.
    await this.#knex?.raw(`UNLISTEN ${quoteIdentifier(channel)}`).catch(() => {});
  }
}

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll('?', '\\?')}"`;
}
