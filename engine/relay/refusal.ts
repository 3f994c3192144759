/** Reads what the engine's own refusal, or failure, means for the delivery that met it. */
import { EngineError } from '../../config/engine-error.ts';
import { intakeCodes } from '../intake/codes.ts';
import { storeCodes } from '../store/codes.ts';

/**
 * `outage`: the database is away; nothing is known about the delivery.
 * `pressed`: the engine has no room at this moment; no attempt was made.
 * `retryable`: this attempt failed, a later one may succeed. Also every error that is no refusal at all: a
 * bug must not cost a delivery.
 * `refused`: the same delivery will be refused again.
 */
export type RefusalKind = 'outage' | 'pressed' | 'retryable' | 'refused';

const outageCodes: ReadonlySet<string> = new Set<keyof typeof storeCodes>([
  'SUTRA.PERSISTENCE_UNAVAILABLE',
  'SUTRA.PERSISTENCE_REQUIRED',
]);

const pressedCodes: ReadonlySet<string> = new Set<keyof typeof intakeCodes>([
  'SUTRA.INTAKE.CAPACITY',
  'SUTRA.INTAKE.STOPPING',
  'SUTRA.INTAKE.INSTANCE_BUSY',
]);

/** Documented as safe to repeat, whoever throws them. */
const safeCodes: ReadonlySet<string> = new Set(
  [...Object.entries(intakeCodes), ...Object.entries(storeCodes)]
    .filter(([, row]) => row.retry === 'safe')
    .map(([code]) => code),
);

export function refusalKind(error: unknown): RefusalKind {
  if (!(error instanceof EngineError)) return 'retryable';
  if (outageCodes.has(error.code)) return 'outage';
  if (pressedCodes.has(error.code)) return 'pressed';
  return error.attributes['retryable'] === true || safeCodes.has(error.code) ? 'retryable' : 'refused';
}

export function isOutage(error: unknown): boolean {
  return refusalKind(error) === 'outage';
}

/** What may be said of an unexpected error: its code or its class, since its message may quote data. */
export function errorLabel(error: unknown): string {
  if (error instanceof EngineError) return error.code;
  if (!(error instanceof Error)) return 'unknown error';
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? `${error.name} ${code}` : error.name;
}
