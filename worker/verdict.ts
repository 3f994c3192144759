/** What the engine's refusals mean for a task that is being worked on. */
import { CallError, LockLostError, WithdrawnError, type AbortReason } from './errors.ts';
import { describe, type RefusedReply, type UnansweredReply } from './engine-client.ts';

const LOST: Readonly<Record<string, string>> = {
  'SUTRA.EXTERNAL_TASK.LOCK_LOST': 'the lock ran out or was released',
  'SUTRA.EXTERNAL_TASK.LOCK_HELD': 'another worker, or a later attempt of this one, holds the lock',
  'SUTRA.EXTERNAL_TASK.TERMINAL': 'the task has spent its failure budget, or an operator ended it',
  'SUTRA.EXTERNAL_TASK.COMPLETION_CONFLICT':
    'this attempt was ended before with another result, which stands',
};
const GONE: Readonly<Record<string, string>> = {
  'SUTRA.EXTERNAL_TASK.WITHDRAWN': 'the task is not wanted any more',
  'SUTRA.EXTERNAL_TASK.NOT_FOUND': 'there is no such task any more',
};

/** @returns the reason to stop the work; null: the refusal says nothing about the lock. */
export function lossOf({ code, attributes }: RefusedReply): LockLostError | WithdrawnError | null {
  const lost = LOST[code];
  if (lost !== undefined) return new LockLostError(lost);
  const gone =
    GONE[code] ?? (attributes['cancelRequested'] === true ? 'the task is to be stopped' : undefined);
  return gone === undefined ? null : new WithdrawnError(gone);
}

export function callErrorOf(reply: RefusedReply | UnansweredReply): CallError {
  return new CallError(describe(reply), reply.kind === 'refused' ? reply.code : null, reply.status);
}

/** A run whose end the engine has not confirmed as its own. `code` null: no verdict, the reckoning here. */
export interface Loss {
  readonly reason: AbortReason;
  readonly code: string | null;
}
