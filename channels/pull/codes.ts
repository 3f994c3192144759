/** The error codes of the pull surface. Source: protocol §3, "Verdicts". */
import type { CodeTable } from '../../config/engine-error.ts';

export const pullCodes = {
  'SUTRA.EXTERNAL_TASK.REQUEST_INVALID': {
    httpStatus: 400,
    retry: 'after-change',
    meaning: 'A field of the request is missing, unknown, of the wrong type, malformed or over its ceiling.',
    remedy:
      'Nothing was changed. The detail names the field, the value and the limit. Ceilings are the sutra.external-task.* keys; they are refused rather than lowered, so that no worker believes in a lock it does not have.',
  },
  'SUTRA.EXTERNAL_TASK.NOT_FOUND': {
    httpStatus: 404,
    retry: 'never',
    meaning: 'There is no such task on any live deployment: it was completed, or never existed.',
    remedy: 'Nothing was changed. The worker drops the work and fetches again.',
  },
  'SUTRA.EXTERNAL_TASK.WITHDRAWN': {
    httpStatus: 409,
    retry: 'never',
    meaning:
      'The task was withdrawn: its instance ended, timed out, was cancelled or moved on, or an operator discarded it.',
    remedy:
      'Nothing was changed. The worker stops, as attributes.cancelRequested says, and undoes what it can; nobody waits for the result.',
  },
  'SUTRA.EXTERNAL_TASK.LOCK_LOST': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'The lock expired or was released before this call; the task can be fetched again.',
    remedy:
      'Nothing was changed. The worker drops this attempt and fetches again. If it happens often, the work takes longer than its lock: ask for a longer lockDuration, or extend the lock while the work goes on.',
  },
  'SUTRA.EXTERNAL_TASK.LOCK_HELD': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'Another worker holds the lock, or a later attempt under the same worker id does.',
    remedy:
      'Nothing was changed. The worker drops this attempt. If two processes share a worker id, give each its own, or send lockToken with every call.',
  },
  'SUTRA.EXTERNAL_TASK.TERMINAL': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'The task spent its failure budget; it is kept with its last error and takes no result.',
    remedy:
      'Nothing was changed. See the incident and the last error, remove the cause, then re-arm the task (POST /admin/external-tasks/{id}/retries) or discard it (DELETE /admin/external-tasks/{id}).',
  },
  'SUTRA.EXTERNAL_TASK.NOT_TERMINAL': {
    httpStatus: 409,
    retry: 'never',
    meaning: 'Only a terminal task can be re-armed, and this one still has its budget.',
    remedy:
      'Nothing was changed. The task is fetched, or waits for its lock or its retry time, without help.',
  },
  'SUTRA.EXTERNAL_TASK.NOT_LOCKABLE': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'The task was asked for by its id, but its instance has failed, or its deadline has passed.',
    remedy:
      'Nothing was changed. After the instance was repaired and retried, the task can be locked again; one past its deadline is withdrawn by the timer of its call.',
  },
  'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The engine refused the result on the inbound path; attributes.causeCode says why.',
    remedy:
      'The task is kept and stays locked for a short grace. If attributes.retryable is true, send the same result again; otherwise correct it, or report a failure.',
  },
  'SUTRA.EXTERNAL_TASK.COMPLETION_CONFLICT': {
    httpStatus: 409,
    retry: 'never',
    meaning:
      'This completionId, or this attempt, was used before with another result; the earlier one stands.',
    remedy:
      'Nothing was changed. Use a completionId once, for one result; repeat it only with the same bytes.',
  },
  'SUTRA.EXTERNAL_TASK.CAPACITY': {
    httpStatus: 429,
    retry: 'safe',
    meaning: 'This replica holds as many waiting fetches as it can.',
    remedy:
      'Nothing was changed. Workers try again after the Retry-After time. Let one process fetch for many handlers (maxTasks), or run more replicas.',
  },
} as const satisfies CodeTable;

export type PullCode = keyof typeof pullCodes;
