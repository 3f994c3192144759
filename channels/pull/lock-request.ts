/** What a worker says of a lock that it holds. */
import type { Settings } from '../../config/settings.ts';
import type { TaskClaimant } from '../../engine/store/external-tasks.ts';
import { hashToken } from './claim-plan.ts';
import type { WriteJson } from './completion-request.ts';
import {
  invalidRequest,
  MAX_ID_LENGTH,
  readTaskId,
  RequestFields,
  type DurationRule,
} from './request-fields.ts';

/** The JSON of a progress note, in bytes. It is for a person's eyes, and every list of tasks carries it. */
const MAX_PROGRESS_BYTES = 4_096;

export function lockDurationRule({ maxLockDurationMs }: Settings['externalTask']): DurationRule {
  return { minMs: 1, maxMs: maxLockDurationMs, maxKey: 'sutra.external-task.max-lock-duration' };
}

export interface HolderRequest {
  readonly claimant: TaskClaimant;
  readonly fields: RequestFields;
}

/** @param more what the call takes beside the proof of the lock. @throws EngineError REQUEST_INVALID. */
export function readHolder(taskId: string, body: unknown, more: readonly string[]): HolderRequest {
  const id = readTaskId(taskId);
  const fields = new RequestFields(body, ['workerId', 'lockToken', ...more]);
  const workerId = fields.trimmedText('workerId', MAX_ID_LENGTH);
  const lockToken = fields.optionalText('lockToken', MAX_ID_LENGTH);
  const tokenHash = lockToken === null ? null : hashToken(lockToken);
  return { claimant: { taskId: id, workerId, tokenHash }, fields };
}

/** @throws EngineError REQUEST_INVALID. */
export function requiredLockDuration(fields: RequestFields, settings: Settings['externalTask']): number {
  const lockDurationMs = fields.duration('lockDuration', lockDurationRule(settings));
  if (lockDurationMs === null) throw invalidRequest('lockDuration', 'lockDuration is required');
  return lockDurationMs;
}

/** The note as JSON text. @throws EngineError REQUEST_INVALID, or what `writeJson` throws. */
export function readProgress(fields: RequestFields, writeJson: WriteJson): string {
  if (!fields.has('progress')) throw invalidRequest('progress', 'progress is required');
  const text = writeJson(fields.raw('progress'));
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PROGRESS_BYTES) {
    throw invalidRequest(
      'progress',
      `progress has ${bytes} bytes of JSON; at most ${MAX_PROGRESS_BYTES} are taken`,
      { value: bytes, limit: MAX_PROGRESS_BYTES },
    );
  }
  return text;
}
