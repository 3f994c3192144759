/** Why a delivery was poisoned when no other part of the engine refused it. Recorded, never thrown. */
import type { CodeTable } from '../../config/engine-error.ts';

export const relayCodes = {
  'SUTRA.OUTBOX.ATTEMPTS_EXHAUSTED': {
    httpStatus: 502,
    retry: 'after-change',
    meaning:
      'A delivery failed as often as sutra.outbox.retry.max-attempts allows. It is kept, and is not tried again by itself.',
    remedy:
      'The incident names the last error. Bring the receiver back, then requeue the delivery; the receiver sees the same idempotency key.',
  },
  'SUTRA.OUTBOX.REFUSED': {
    httpStatus: 502,
    retry: 'after-change',
    meaning:
      'The receiver answered that it will never take this delivery. It is kept, and is not tried again by itself.',
    remedy:
      'The incident names what the receiver said. Correct the channel or the receiver, then requeue the delivery, or cancel the instance.',
  },
} as const satisfies CodeTable;

export type RelayCode = keyof typeof relayCodes;
