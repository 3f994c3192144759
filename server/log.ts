/** The engine's log: one JSON object a line, on standard error. */
import type { Writable } from 'node:stream';
import pino from 'pino';
import { EngineError } from '../config/engine-error.ts';
import type { Log } from '../engine/observe.ts';

export interface EngineLog extends Log {
  /** Resolves when every line so far was handed to the operating system. */
  flush(): Promise<void>;
}

export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Field names whose values are never written, whoever passes them: the last guard, not the first. In lower
 * case, without separators.
 */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'apikey',
  'authorization',
  'body',
  'cookie',
  'headers',
  'locktoken',
  'password',
  'payload',
  'secret',
  'token',
  'variables',
]);

const MAX_CAUSES = 5;

/** `stream`: where lines go. Default: standard error, synchronously, so that a crash loses none. */
export function createLog(stream?: Writable): EngineLog {
  const destination = stream ?? pino.destination({ dest: 2, sync: true });
  const logger = pino(
    {
      level: 'info',
      base: { pid: process.pid },
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return {
    info: (event, fields = {}) => {
      logger.info(presentable(fields), event);
    },
    warn: (event, fields = {}) => {
      logger.warn(presentable(fields), event);
    },
    error: (event, fields = {}) => {
      logger.error(presentable(fields), event);
    },
    flush: () =>
      new Promise((resolve) => {
        logger.flush(() => {
          resolve();
        });
      }),
  };
}

/** The fields as they are written: errors as data, secrets hidden. One level: fields are flat by contract. */
export function presentable(fields: LogFields): Record<string, unknown> {
  const shown: [string, unknown][] = Object.entries(fields).map(([name, value]) => {
    if (SECRET_FIELDS.has(name.toLowerCase().replaceAll(/[-_]/g, ''))) return [name, '[hidden]'];
    return [name, value instanceof Error ? describeError(value, MAX_CAUSES) : value];
  });
  return Object.fromEntries(shown);
}

/** Code, message and stack of an error and of what caused it. A stack of an `EngineError` says nothing more. */
function describeError(error: Error, causesLeft: number): Record<string, unknown> {
  const described: Record<string, unknown> = { name: error.name, message: error.message };
  if ('code' in error && typeof error.code === 'string') described['code'] = error.code;
  if (!(error instanceof EngineError)) described['stack'] = error.stack;
  if (error.cause instanceof Error && causesLeft > 0)
    described['cause'] = describeError(error.cause, causesLeft - 1);
  return described;
}
