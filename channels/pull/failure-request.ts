/** What a worker says of a task that it could not do. */
import type { Settings } from '../../config/settings.ts';
import { newId } from '../../engine/new-id.ts';
import type { TaskFailure } from '../../engine/store/external-tasks-failure.ts';
import { hashToken } from './claim-plan.ts';
import { keepDiagnostic } from './diagnostics.ts';
import { MAX_ID_LENGTH, type RequestFields } from './request-fields.ts';

const MAX_MESSAGE_LENGTH = 4_000;
const MAX_DETAILS_LENGTH = 100_000;

/** Beside the worker's id. */
export const FAILURE_FIELDS = [
  'lockToken',
  'errorMessage',
  'errorDetails',
  'retries',
  'retryTimeout',
] as const;

export interface FailureRequest {
  readonly failure: TaskFailure;
  /** Not all of its texts is kept. */
  readonly isTruncated: boolean;
}

/** @throws EngineError REQUEST_INVALID. */
export function readFailure(
  taskId: string,
  workerId: string,
  fields: RequestFields,
  settings: Settings['externalTask'],
): FailureRequest {
  const lockToken = fields.optionalText('lockToken', MAX_ID_LENGTH);
  const message = keepDiagnostic(fields.anyText('errorMessage'), MAX_MESSAGE_LENGTH);
  const details = fields.has('errorDetails')
    ? keepDiagnostic(fields.anyText('errorDetails'), MAX_DETAILS_LENGTH)
    : null;
  const failure: TaskFailure = {
    taskId,
    workerId,
    tokenHash: lockToken === null ? null : hashToken(lockToken),
    retries: fields.integer('retries', {
      min: 0,
      max: settings.maxRetries,
      maxKey: 'sutra.external-task.max-retries',
    }),
    retryTimeoutMs: fields.duration('retryTimeout', {
      minMs: 0,
      maxMs: settings.maxRetryTimeoutMs,
      maxKey: 'sutra.external-task.max-retry-timeout',
    }),
    defaultRetryTimeoutMs: settings.retryTimeoutMs,
    errorMessage: message.text,
    errorDetails: details?.text ?? null,
    incidentId: newId(),
  };
  return { failure, isTruncated: message.isTruncated || details?.isTruncated === true };
}
