/**
 * What the engine needs of PostgreSQL, whether it is a server (`pg-database.ts`) or the embedded one
 * (`embedded-database.ts`). Both give the same types: `bigint` and `count` as numbers (refused beyond
 * 2^53), `timestamptz` as `Date`, `bytea` as `Buffer`, `jsonb` as parsed JSON, `uuid` as string; the whole
 * table, and what may be bound, is in `database-values.ts`. JSON is bound as its text.
 *
 * D1 `transaction` commits when `work` resolves and rolls back when it rejects; the connection is never
 *    returned to the pool inside a transaction.
 * D2 A connection that failed is discarded, not reused.
 * D3 When the database cannot be reached, calls reject with `SUTRA.PERSISTENCE_UNAVAILABLE` within a
 *    bounded time; nothing is queued without bound.
 */
import type { Knex } from 'knex';
import type { StatementRunner } from '../transport.ts';

/** A statement is one named constant: keywords upper case, columns listed, values always bound. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Connection = StatementRunner;

/** An open transaction. */
export interface Transaction extends StatementRunner {
  /**
   * Sends COMMIT right behind the statements under way, instead of waiting for their answers: a round trip less. When one
   * of them fails, the server rolls back. Nothing may be run afterwards, and `work` must reject for the failure of a
   * statement alone: what it finds out by itself comes too late. Sends nothing when a statement could not even be sent.
   */
  commitBehind(): void;
}

export interface Database {
  readonly kind: 'postgresql' | 'embedded';
  /** How many transactions can be under way at once: the pool's size, or 1 when embedded. */
  readonly poolSize: number;
  /** For operators' filtered lists and migrations only; hot statements are text. */
  readonly knex: Knex;
  /** Runs one statement on any free connection, outside a transaction. */
  run<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** The doorbell. A hint only: polling alone must be correct. Payload at most 7,900 bytes. */
  notify(channel: string, payload: string): Promise<void>;
  /** Calls `ring` for each notification until the returned function is called. Reconnects by itself. */
  listen(channel: string, ring: (payload: string) => void): Promise<() => Promise<void>>;
  /** Statements sent so far, transaction control included. For measurements. */
  statementCount(): number;
  /** Transactions committed so far. For measurements. */
  commitCount(): number;
  close(): Promise<void>;
}
