/**
 * A PostgreSQL server as the engine's database.
 *
 * P1 Opening connects to nothing: the first statement does, and so does every one after an outage.
 * P2 A call waits at most `acquireMs` for a connection and `statementMs` for an answer; a peer that fell
 *    silent is given up `silenceMs` after a statement was sent.
 * P3 No error of an idle connection reaches the process: knex marks the connection, the pool drops it.
 */
import knexFactory from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';
import { EngineError } from '../../config/engine-error.ts';
import { silentLog } from '../observe.ts';
import type { Log } from '../observe.ts';
import type { StoreCode } from './codes.ts';
import { resultTypes, sessionSettings } from './database-values.ts';
import type { Database } from './database.ts';
import { KnexDatabase } from './knex-database.ts';
import { PgListener } from './pg-listener.ts';

export interface PgDatabaseOptions {
  /** `postgres://user:password@host:port/database?…`; libpq's parameters (`sslmode`, …) are honoured. */
  readonly url: string;
  readonly poolMax: number;
  readonly log?: Log;
  /**
   * False behind a pooler in transaction mode: statements are sent without names and no session settings are
   * asked for (the pooler must give `TimeZone=UTC` itself). Default: true, unless the URL has `pgbouncer=true`.
   */
  readonly hasNamedStatements?: boolean;
  /** For tests of outages. Default: `defaultTimeouts`. */
  readonly timeouts?: PgTimeouts;
}

export interface PgTimeouts {
  /** A TCP connection and the server's greeting. Shorter than `acquireMs`, so that its error is the one seen. */
  readonly connectMs: number;
  readonly acquireMs: number;
  /** The server cancels a statement after this. Long for an engine whose statements take milliseconds. */
  readonly statementMs: number;
  /** The server ends a session that holds a transaction open and sends nothing: its row locks block others. */
  readonly idleInTransactionMs: number;
  /** Longer than `statementMs`: it is for a peer that vanished without closing the connection. */
  readonly silenceMs: number;
}

/** Guesses, but for their order. */
export const defaultTimeouts: PgTimeouts = {
  connectMs: 4_000,
  acquireMs: 5_000,
  statementMs: 30_000,
  idleInTransactionMs: 30_000,
  silenceMs: 40_000,
};

/** A pooled connection is closed when it was unused for so long, down to one. */
const IDLE_CONNECTION_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;

/** Opens the pool. Rejects only for a URL that cannot be read. @throws SUTRA.STORE.URL_INVALID */
export function openPgDatabase(options: PgDatabaseOptions): Promise<Database> {
  return Promise.resolve().then(() => openNow(options));
}

function openNow(options: PgDatabaseOptions): Database {
  const log = options.log ?? silentLog;
  const timeouts = options.timeouts ?? defaultTimeouts;
  const url = readUrl(options.url);
  const hasNamedStatements = options.hasNamedStatements ?? !url.isPooled;
  const session = hasNamedStatements
    ? {
        statement_timeout: timeouts.statementMs,
        idle_in_transaction_session_timeout: timeouts.idleInTransactionMs,
        options: [url.options, settingsAsOptions()].filter((text) => text !== '').join(' '),
      }
    : {};
  const connection = {
    connectionString: url.text,
    application_name: 'sutra',
    connectionTimeoutMillis: timeouts.connectMs,
    query_timeout: timeouts.silenceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    pipeline: true,
    types: resultTypes,
    ...session,
  };
  const listener = new PgListener(
    () => new pg.Client({ ...connection, application_name: 'sutra-listen' }),
    log,
  );
  return new KnexDatabase({
    kind: 'postgresql',
    poolSize: options.poolMax,
    knex: createKnex(connection, options.poolMax, timeouts),
    hasNamedStatements,
    log,
    listen: (channel, ring) => listener.listen(channel, ring),
    closeRest: () => listener.close(),
  });
}

function createKnex(connection: pg.ClientConfig, poolMax: number, timeouts: PgTimeouts): Knex {
  return knexFactory.knex({
    client: 'pg',
    connection: connection as Knex.PgConnectionConfig,
    // Given, so that knex does not ask the server; it changes nothing that we use.
    version: '15.0',
    // knex repeats on the console what the caller gets as an error.
    log: { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} },
    pool: {
      min: 0,
      max: poolMax,
      acquireTimeoutMillis: timeouts.acquireMs,
      createTimeoutMillis: timeouts.acquireMs,
      idleTimeoutMillis: IDLE_CONNECTION_MS,
      // An outage is told to one waiting caller for each failed attempt, not to each after its whole wait.
      propagateCreateError: true,
    },
  });
}

function settingsAsOptions(): string {
  // `jit=off`: our statements take milliseconds, and compiling one takes tens of them.
  return Object.entries({ ...sessionSettings, jit: 'off' })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

interface ReadUrl {
  /** Without the parameters that are ours to handle. */
  readonly text: string;
  readonly options: string;
  /** `pgbouncer=true`: the widespread mark of a pooler in transaction mode. */
  readonly isPooled: boolean;
}

function readUrl(text: string): ReadUrl {
  const code: StoreCode = 'SUTRA.STORE.URL_INVALID';
  // The text is never repeated: it may hold a password.
  if (!URL.canParse(text)) throw new EngineError(code, 'the datasource URL cannot be read as a URL');
  const url = new URL(text);
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    throw new EngineError(
      code,
      `the datasource URL begins with ${url.protocol}, not with postgres: or postgresql:`,
    );
  }
  const options = url.searchParams.get('options') ?? '';
  const pooled = url.searchParams.get('pgbouncer');
  if (pooled !== null && pooled !== 'true' && pooled !== 'false') {
    throw new EngineError(code, `pgbouncer=${pooled} in the datasource URL is neither true nor false`);
  }
  url.searchParams.delete('options');
  url.searchParams.delete('pgbouncer');
  return { text: url.href, options, isPooled: pooled === 'true' };
}
