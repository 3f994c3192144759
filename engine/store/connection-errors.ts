/**
 * Tells a database that cannot be used just now from a statement that it refused.
 *
 * The first becomes `SUTRA.PERSISTENCE_UNAVAILABLE`, whatever the driver, the pool or the server called it;
 * the second passes through as the driver's error, with its SQLSTATE in `code`.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { StoreCode } from './codes.ts';

/** What became of the work: `unknown` only for a commit whose answer was lost. */
export type UnavailableOutcome = 'not-done' | 'unknown';

const unavailable: StoreCode = 'SUTRA.PERSISTENCE_UNAVAILABLE';

/** SQLSTATEs after which the session is gone or of no use to us. */
const sessionLost = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
  '25006', // read_only_sql_transaction: a standby, after a failover
  '53300', // too_many_connections
  '3D000', // invalid_catalog_name
  '28000', // invalid_authorization_specification
  '28P01', // invalid_password
]);

/** SQLSTATEs that say the server is too slow or too full; the session itself is sound. */
const serverStruggles = new Set([
  '57014', // query_canceled: statement_timeout
  '55P03', // lock_not_available: lock_timeout
  '53000', // insufficient_resources
  '53100', // disk_full
  '53200', // out_of_memory
]);

const systemCodes =
  /^(ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EPIPE|EACCES|ENOENT|ERR_STREAM_\w+|ERR_TLS_\w+)$/;

/** Texts of the driver and the pool, which give these errors no code. */
const driverTexts =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|timeout exceeded|Query read timeout|The server does not support SSL|There was an error establishing an SSL|Unable to acquire a connection|aborted$|Knex: Timeout acquiring|Received unexpected )/;

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** Must the connection that raised this be thrown away? */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof EngineError) return error.code === unavailable;
  const code = codeOf(error);
  if (sessionLost.has(code) || code.startsWith('08') || systemCodes.test(code)) return true;
  return error instanceof Error && driverTexts.test(error.message);
}

export function persistenceUnavailable(
  why: string,
  cause: unknown,
  outcome: UnavailableOutcome = 'not-done',
): EngineError {
  const sqlState = codeOf(cause);
  return new EngineError(unavailable, `the database cannot be used: ${why}`, {
    attributes: { outcome, ...(sqlState === '' ? {} : { causeCode: sqlState }) },
    cause,
  });
}

/** The error that callers see: coded when the database cannot be used, else the driver's own. */
export function asStoreError(error: unknown, outcome: UnavailableOutcome = 'not-done'): unknown {
  if (error instanceof EngineError) return error;
  if (isConnectionLost(error)) return persistenceUnavailable('the connection failed', error, outcome);
  if (serverStruggles.has(codeOf(error))) return persistenceUnavailable('it did not answer in time', error);
  return error;
}
