/**
 * Statements and transactions over a knex pool of `pg` connections: the part that both databases share.
 *
 * knex lends the connection; hot statements then go to it directly, as named prepared statements, in the
 * driver's pipeline mode: `BEGIN` travels with the first statement, so a transaction costs one round trip for
 * each statement and one for `COMMIT`, or none for it when it leaves behind the last statements (`commitBehind`).
 *
 * K1 A connection goes back to the pool only outside a transaction; if that is not certain, it is marked and
 *    the pool throws it away.
 * K2 A transaction that had a failed statement is never reported as committed.
 * K3 After `transaction` has settled, its connection refuses further statements.
 * K4 A wait for a connection is bounded in time by the pool, and in number here.
 */
import type { Knex } from 'knex';
import type pg from 'pg';
import { EngineError } from '../../config/engine-error.ts';
import type { Log } from '../observe.ts';
import type { StoreCode } from './codes.ts';
import {
  asStoreError,
  isConnectionLost,
  persistenceUnavailable,
  type UnavailableOutcome,
} from './connection-errors.ts';
import { prepareValues } from './database-values.ts';
import type { Database, Statement, Transaction } from './database.ts';

/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const MAX_NOTIFY_BYTES = 7_900;

/** Above any sensible number of callers (the intake admits 10,000); a guard against a leak, not a limit. */
const MAX_WAITING_COUNT = 20_000;

export const NOTIFY: Statement = {
  name: 'notify',
  text: 'SELECT pg_notify($1::text, $2::text)',
};

/** A pooled connection, with the mark by which knex throws it away at its next use. */
type PooledClient = pg.Client & { __knex__disposed?: unknown };

/** What we use of knex's client, which its typings leave open. */
interface Pool {
  acquireConnection(): Promise<PooledClient>;
  releaseConnection(client: PooledClient): Promise<void>;
}

export type Listen = (channel: string, ring: (payload: string) => void) => Promise<() => Promise<void>>;

export interface KnexDatabaseParts {
  readonly kind: Database['kind'];
  readonly poolSize: number;
  readonly knex: Knex;
  /** False behind a pooler that shares server connections between clients. */
  readonly hasNamedStatements: boolean;
  readonly log: Log;
  readonly listen: Listen;
  /** Closes what is beside the pool. Called once, after the pool has drained. */
  readonly closeRest: () => Promise<void>;
}

export class KnexDatabase implements Database {
  readonly kind: Database['kind'];
  readonly poolSize: number;
  readonly knex: Knex;
  readonly listen: Listen;
  readonly #parts: KnexDatabaseParts;
  readonly #pool: Pool;
  #statementCount = 0;
  #commitCount = 0;
  #waitingCount = 0;
  #isReachable = true;
  #closing: Promise<void> | null = null;

  constructor(parts: KnexDatabaseParts) {
    this.kind = parts.kind;
    this.poolSize = parts.poolSize;
    this.knex = parts.knex;
    this.listen = parts.listen;
    this.#parts = parts;
    this.#pool = parts.knex.client as Pool;
  }

  async run<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const prepared = prepareValues(statement, values);
    const client = await this.#acquire();
    try {
      return await this.#query<Row>(client, statement, prepared);
    } catch (error) {
      if (isConnectionLost(error)) dispose(client, error);
      throw asStoreError(error);
    } finally {
      await this.#pool.releaseConnection(client);
    }
  }

  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const client = await this.#acquire();
    const open = new OpenTransaction(client, (statement, prepared) =>
      this.#query(client, statement, prepared),
    );
    try {
      let result: Result;
      try {
        result = await work(open);
      } catch (error) {
        await open.rollback();
        throw asStoreError(error);
      }
      await open.commit();
      return result;
    } finally {
      this.#statementCount += open.controlCount;
      this.#commitCount += open.isCommitted ? 1 : 0;
      await this.#pool.releaseConnection(client);
    }
  }

  async notify(channel: string, payload: string): Promise<void> {
    if (Buffer.byteLength(payload) > MAX_NOTIFY_BYTES) {
      throw new RangeError(
        `a notification of ${Buffer.byteLength(payload)} bytes exceeds ${MAX_NOTIFY_BYTES}`,
      );
    }
    await this.run(NOTIFY, [channel, payload]);
  }

  /** Statements sent so far, `BEGIN`, `COMMIT` and `ROLLBACK` included; those of `knex` are not. */
  statementCount(): number {
    return this.#statementCount;
  }

  /** Transactions committed so far; statements outside a transaction are not counted. */
  commitCount(): number {
    return this.#commitCount;
  }

  close(): Promise<void> {
    this.#closing ??= this.knex.destroy().then(() => this.#parts.closeRest());
    return this.#closing;
  }

  async #acquire(): Promise<PooledClient> {
    if (this.#closing !== null) throw persistenceUnavailable('it was closed', undefined);
    if (this.#waitingCount >= MAX_WAITING_COUNT) {
      throw persistenceUnavailable(`${MAX_WAITING_COUNT} callers wait for a connection`, undefined);
    }
    this.#waitingCount += 1;
    try {
      const client = await this.#pool.acquireConnection();
      this.#noteReachable(true, undefined);
      return client;
    } catch (error) {
      this.#noteReachable(false, error);
      throw persistenceUnavailable('no connection could be had', error);
    } finally {
      this.#waitingCount -= 1;
    }
  }

  #noteReachable(isReachable: boolean, cause: unknown): void {
    if (isReachable === this.#isReachable) return;
    this.#isReachable = isReachable;
    const { log, kind } = this.#parts;
    if (isReachable) log.info('database.reachable', { kind });
    else
      log.warn('database.unreachable', {
        kind,
        cause: cause instanceof Error ? cause.message : String(cause),
      });
  }

  async #query<Row>(client: PooledClient, statement: Statement, prepared: unknown[]): Promise<Row[]> {
    this.#statementCount += 1;
    const { hasNamedStatements } = this.#parts;
    cork(client);
    const answer = await client.query<Row & pg.QueryResultRow>(
      hasNamedStatements
        ? { name: statement.name, text: statement.text, values: prepared }
        : { text: statement.text, values: prepared },
    );
    return answer.rows;
  }
}

/** Has the pool throw the connection away instead of lending it again. */
function dispose(client: PooledClient, why: unknown): void {
  client.__knex__disposed ??= why;
}

/**
 * What is sent in one go of this process leaves in one write: a write for each statement would wake the server for
 * each of them, and the two would take turns on a processor statement by statement.
 */
function cork({ connection: { stream } }: PooledClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => {
    stream.uncork();
  });
}

type Query = <Row>(statement: Statement, prepared: unknown[]) => Promise<Row[]>;

/** One transaction on one connection: not begun, open, then settled for good. */
class OpenTransaction implements Transaction {
  readonly #client: PooledClient;
  readonly #query: Query;
  #begin: Promise<unknown> | null = null;
  #isSettled = false;
  #failure: { readonly error: unknown } | null = null;
  /** `COMMIT` is on its way behind statements that are not answered yet. */
  #commitBehind: Promise<pg.QueryResult> | null = null;
  /** `BEGIN`, `COMMIT` and `ROLLBACK` sent. */
  controlCount = 0;
  isCommitted = false;

  constructor(client: PooledClient, query: Query) {
    this.#client = client;
    this.#query = query;
  }

  async run<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    if (this.#isSettled) throw new TypeError(`${statement.name} was run after its transaction had settled`);
    const prepared = this.#prepare(statement, values);
    const begin = (this.#begin ??= this.#control('BEGIN').catch((error: unknown) => {
      throw asStoreError(error);
    }));
    // Written behind BEGIN without waiting for its answer.
    const rows = this.#query<Row>(statement, prepared).catch((error: unknown) => {
      this.#failure ??= { error };
      throw asStoreError(error, this.#outcome());
    });
    const [, answer] = await Promise.all([begin, rows]);
    return answer;
  }

  /** What cannot be sent fails the transaction: a commit on its way behind would make the rest of it durable. */
  #prepare(statement: Statement, values: readonly unknown[]): unknown[] {
    try {
      return prepareValues(statement, values);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  #outcome(): UnavailableOutcome {
    return this.#commitBehind === null ? 'not-done' : 'unknown';
  }

  commitBehind(): void {
    if (this.#isSettled || this.#begin === null || this.#failure !== null) return;
    this.#isSettled = true;
    this.#commitBehind = this.#control('COMMIT');
  }

  async commit(): Promise<void> {
    this.#isSettled = true;
    if (this.#begin === null) return;
    if (this.#failure !== null) {
      await this.rollback();
      const { error } = this.#failure;
      throw isConnectionLost(error) ? asStoreError(error, this.#outcome()) : this.#aborted();
    }
    try {
      const answer = await (this.#commitBehind ?? this.#control('COMMIT'));
      // PostgreSQL answers ROLLBACK, without an error, to the COMMIT of an aborted transaction.
      if (answer.command !== 'COMMIT') throw this.#aborted();
      this.isCommitted = true;
    } catch (error) {
      if (error instanceof EngineError) throw error;
      // A deferred constraint fails here: the server has rolled back, and the session is sound.
      if (isConnectionLost(error)) dispose(this.#client, error);
      throw asStoreError(error, 'unknown');
    }
  }

  async rollback(): Promise<void> {
    this.#isSettled = true;
    if (this.#begin === null) return;
    if (this.#failure !== null && isConnectionLost(this.#failure.error)) {
      dispose(this.#client, this.#failure.error);
      return;
    }
    try {
      // The answer to a COMMIT that was sent behind the failure is that the transaction was rolled back.
      const answer = await (this.#commitBehind ?? this.#control('ROLLBACK'));
      this.isCommitted = answer.command === 'COMMIT';
    } catch (error) {
      // The session's state is unknown; the server rolls back when the connection goes.
      dispose(this.#client, error);
    }
  }

  #control(text: 'BEGIN' | 'COMMIT' | 'ROLLBACK'): Promise<pg.QueryResult> {
    this.controlCount += 1;
    cork(this.#client);
    const answer = this.#client.query(text);
    answer.catch((error: unknown) => {
      this.#failure ??= { error };
    });
    return answer;
  }

  #aborted(): EngineError {
    const code: StoreCode = 'SUTRA.STORE.TRANSACTION_ABORTED';
    return new EngineError(code, 'a statement of the transaction failed, so nothing of it was committed', {
      cause: this.#failure?.error,
    });
  }
}
