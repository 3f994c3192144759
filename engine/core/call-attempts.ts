/**
 * The attempts of a call under `q:retry`: what becomes of one that has failed, and how the next is made.
 *
 * R1 A failed attempt leaves nothing that could still act: its request is withdrawn and its timeout cleared, in the
 *    commit in which it fails.
 * R2 What waits for the next attempt is a timer of the instance: `min(initialDelay * coefficient^(n-1), maxDelay)` after
 *    the n-th has failed.
 * R3 Each attempt is a request of its own, evaluated anew, with a timeout of its own and a key that is read as that
 *    attempt's: `<key of the first>.<attempt>`. So an answer to an earlier one never satisfies a later one.
 * R4 What an answer says is no failure, and neither is a BPMN error of whoever did the work.
 */
import type { RetryDefinition, ServiceTask } from '../../definitions/model.ts';
import { throwBpmnError } from './bpmn-error.ts';
import type { CoreCode } from './codes.ts';
import type { LiveToken } from './live-state.ts';
import type { CallAttempt, Wait } from './snapshot.ts';
import type { Step } from './step.ts';

type CallWait = Extract<Wait, { readonly kind: 'call' }>;
type TimerWait = Extract<Wait, { readonly kind: 'timer' }>;

/** Why an attempt has failed. */
export interface AttemptFailure {
  /** Also the BPMN error that is thrown when there is no other attempt. */
  readonly code: string;
  readonly message: string;
  /** The instance's failure code when nobody catches that. */
  readonly uncaughtAs: CoreCode;
  /** The turn settles the request, whose failure it is; else the request is withdrawn. */
  readonly isSettled: boolean;
}

const ATTEMPT_OF_KEY = /\.([1-9]\d*)$/;

/** The key of an attempt of the call whose first has this key, or any later one has. */
export function keyOfAttempt(key: string, attempt: number): string {
  const first = key.replace(ATTEMPT_OF_KEY, '');
  return attempt === 1 ? first : `${first}.${attempt}`;
}

/** Whether `key` is of an attempt before the one that waits, or of the last one that has failed. */
export function isOfDeadAttempt(step: Step, key: string): boolean {
  const attempt = Number(ATTEMPT_OF_KEY.exec(key)?.[1] ?? 1);
  for (const wait of step.waits.values()) {
    const live = attemptOf(wait);
    if (live !== null && attempt < live.attempt && keyOfAttempt(live.key, attempt) === key) return true;
  }
  return false;
}

/** The attempt that waits for its answer, or for its time. */
function attemptOf(wait: Wait): CallAttempt | null {
  if (wait.kind === 'call') return { attempt: wait.attempt, key: wait.idempotencyKey };
  return wait.kind === 'timer' ? (wait.retry ?? null) : null;
}

/**
 * The attempt that the token waits for has failed: there will be another one, or its failure is thrown as a BPMN error.
 * @throws ElementFailure when nobody catches that
 */
export function failAttempt(step: Step, token: LiveToken, node: ServiceTask, failure: AttemptFailure): void {
  const call = token.waits.find((wait): wait is CallWait => wait.kind === 'call');
  for (const wait of token.waits) {
    if (wait === call && failure.isSettled) step.satisfyWait(wait);
    else if (isOfAttempt(wait)) step.withdrawWait(wait);
  }
  const delayMs =
    call === undefined || catchesExactly(token, failure.code) ? null : delayAfter(node.retry, call, failure);
  if (call === undefined || delayMs === null) {
    throwBpmnError(step, token, failure);
    return;
  }
  const dueAtMs = step.context.nowMs + delayMs;
  const attempt = call.attempt + 1;
  step.history('attemptFailed', node.id, { attempt: call.attempt, code: failure.code, dueAtMs });
  step.addWait(token, {
    kind: 'timer',
    id: step.allocate(),
    tokenId: token.id,
    elementId: node.id,
    dueAtMs,
    purpose: 'call-retry',
    retry: { attempt, key: keyOfAttempt(call.idempotencyKey, attempt) },
  });
}

function isOfAttempt(wait: Wait): wait is CallWait | TimerWait {
  return wait.kind === 'call' || (wait.kind === 'timer' && wait.purpose === 'call-timeout');
}

/** An author who catches exactly this at the call has said where it goes on. */
export function catchesExactly({ scope, elementId }: LiveToken, code: string): boolean {
  return scope.graph
    .facts(elementId)
    .boundaries.some(({ triggers }) =>
      triggers.some((trigger) => trigger.kind === 'error' && trigger.errorCode === code),
    );
}

/** Null: there is no other attempt. */
function delayAfter(
  retry: RetryDefinition | null,
  { attempt }: CallWait,
  { code }: AttemptFailure,
): number | null {
  if (retry === null || attempt >= retry.maxAttempts || retry.nonRetryableCodes.includes(code)) return null;
  // A power that is too large is infinite, and so above the maximum.
  return Math.round(
    Math.min(retry.initialDelayMs * retry.backoffCoefficient ** (attempt - 1), retry.maxDelayMs),
  );
}
