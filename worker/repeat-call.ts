/**
 * Repeats a call until the engine has answered it.
 *
 * R1 It is made at least once, and never again after `until`: when a lock has ended there is nothing left to report under it.
 * R2 The bytes are the same each time, so that a call that was taken before its answer was lost is recognised.
 */
import { Backoff, type BackoffOptions } from './backoff.ts';
import type { Reply } from './engine-client.ts';
import { sleep } from './timing.ts';

export interface RepeatedCall {
  readonly make: (timeoutMs: number) => Promise<Reply>;
  /** Of a refusal that says itself that trying again may help. */
  readonly isRepeatable: (reply: Reply) => boolean;
  /** Monotonic milliseconds. */
  readonly until: number;
  readonly callTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly backoff: BackoffOptions;
}

export interface RepeatedReply {
  /** The last one. */
  readonly reply: Reply;
  /** One of the earlier ones was not answered: the engine may have taken it. */
  readonly mayHaveBeenTaken: boolean;
}

/** The last try may begin shortly before the end, and still deserves a chance. */
const MIN_TIMEOUT_MS = 1_000;

export async function repeatCall(call: RepeatedCall): Promise<RepeatedReply> {
  const { make, isRepeatable, until, callTimeoutMs, signal } = call;
  const { now } = call.backoff;
  const backoff = new Backoff(call.backoff);
  let mayHaveBeenTaken = false;
  for (;;) {
    const reply = await make(Math.min(callTimeoutMs, Math.max(until - now(), MIN_TIMEOUT_MS)));
    if (!isRepeatable(reply)) return { reply, mayHaveBeenTaken };
    const waitMs = backoff.next(reply.kind === 'unanswered' ? reply.retryAfterMs : null);
    if (now() + waitMs >= until) return { reply, mayHaveBeenTaken };
    await sleep(waitMs, signal);
    if (signal.aborted) return { reply, mayHaveBeenTaken };
    mayHaveBeenTaken ||= reply.kind === 'unanswered';
  }
}
