/** The error codes of the store: what can be wrong with the database itself. */
import type { CodeTable } from '../../config/engine-error.ts';

export const storeCodes = {
  'SUTRA.PERSISTENCE_REQUIRED': {
    httpStatus: 503,
    retry: 'after-change',
    meaning: 'This call needs a database, and the engine has none that it can use.',
    remedy:
      'Nothing was changed. See the start-up log for why the database could not be opened or migrated, fix that, and repeat the call.',
  },
  'SUTRA.PERSISTENCE_UNAVAILABLE': {
    httpStatus: 503,
    retry: 'safe',
    meaning: 'The database could not be reached, or did not answer in time.',
    remedy:
      'Work resumes by itself when the database answers. A call that failed while its commit was under way (attributes.outcome is "unknown") may have taken effect: repeat it under the same idempotency key.',
  },
  'SUTRA.STORE.URL_INVALID': {
    httpStatus: 500,
    retry: 'never',
    meaning: 'The datasource URL cannot be read.',
    remedy: 'Set sutra.datasource.url to postgres://user:password@host:port/database.',
  },
  'SUTRA.STORE.TRANSACTION_ABORTED': {
    httpStatus: 500,
    retry: 'safe',
    meaning:
      'A transaction was to be committed although one of its statements had failed; it was rolled back.',
    remedy: 'Nothing was changed. This is a fault in the engine: report it with the log around it.',
  },
  'SUTRA.STORE.MIGRATION_CHANGED': {
    httpStatus: 503,
    retry: 'after-change',
    meaning: 'The database was migrated with another text of a migration than this engine has.',
    remedy:
      'Nothing was changed. Run the engine version that created the database, or a newer release; for a throw-away database, drop it and start again.',
  },
  'SUTRA.STORE.MIGRATION_UNKNOWN': {
    httpStatus: 503,
    retry: 'after-change',
    meaning: 'The database was migrated by a newer engine than this one.',
    remedy: 'Nothing was changed. Run an engine at least as new as the newest that ever used this database.',
  },
  'SUTRA.STORE.MIGRATION_BUSY': {
    httpStatus: 503,
    retry: 'safe',
    meaning: 'Another engine has been migrating the database for longer than this one waits.',
    remedy:
      'Start again when the other engine is up. If none is running, look for its session in pg_stat_activity.',
  },
  'SUTRA.STORE.DEPLOYMENT_UNKNOWN': {
    httpStatus: 404,
    retry: 'after-change',
    meaning: 'The deployment to activate is not stored.',
    remedy: 'Nothing was changed. Deploy the package again.',
  },
  'SUTRA.STORE.DIRECTORY_LOCKED': {
    httpStatus: 503,
    retry: 'after-change',
    meaning: 'The embedded database directory is in use by another process.',
    remedy:
      'Stop that process (its id is in the message), give this one another sutra.data-dir, or set sutra.datasource.url: several engines can share a PostgreSQL server, never an embedded directory.',
  },
  'SUTRA.STORE.DIRECTORY_UNUSABLE': {
    httpStatus: 503,
    retry: 'after-change',
    meaning: 'The embedded database directory cannot be created, read or opened.',
    remedy:
      'Check that the directory of sutra.data-dir is writable and that its disk is not full; restore it from a backup if it was damaged.',
  },
} as const satisfies CodeTable;

export type StoreCode = keyof typeof storeCodes;
