/**
 * Keeps the lock of one task while its handler works.
 *
 * L1 The lock's end is reckoned on the monotonic clock, from the moment at which a call was made that took or extended
 *    it, and its duration. Neither clock of the server is compared with one of ours.
 * L2 It is extended when a third of its duration has passed. An extension without an answer is tried again until the lock
 *    has run out; then `onLost` is told.
 * L3 A verdict that the lock is gone is told at once. `onLost` is told once, and never after `stop`.
 * L4 One extension at a time, each with a timeout that ends with the lock.
 */
import { Backoff, type BackoffOptions } from './backoff.ts';
import { formatDuration } from './duration.ts';
import type { Reply } from './engine-client.ts';
import { LockLostError } from './errors.ts';
import { sleep } from './timing.ts';
import { lossOf, type Loss } from './verdict.ts';

export interface LockKeeperOptions {
  /** Makes the lock last for `duration` from now. */
  readonly extend: (duration: string, timeoutMs: number, signal: AbortSignal) => Promise<Reply>;
  /** Milliseconds. */
  readonly lockDurationMs: number;
  /** Monotonic milliseconds. */
  readonly expiresAt: number;
  readonly callTimeoutMs: number;
  readonly backoff: BackoffOptions;
  readonly onLost: (loss: Loss) => void;
  readonly log: (line: string) => void;
}

/** A refused duration is halved down to this. */
const MIN_DURATION_MS = 1_000;

export class LockKeeper {
  readonly #options: LockKeeperOptions;
  readonly #stopping = new AbortController();
  readonly #backoff: Backoff;
  #durationMs: number;
  #expiresAt: number;

  constructor(options: LockKeeperOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff);
    this.#durationMs = options.lockDurationMs;
    this.#expiresAt = options.expiresAt;
  }

  /** Monotonic milliseconds; the lock lasts at least until then. */
  get expiresAt(): number {
    return this.#expiresAt;
  }

  start(): void {
    void this.#keep();
  }

  /** Nothing is extended any more, and a call under way is given up. */
  stop(): void {
    this.#stopping.abort();
  }

  /** For a handler that wants another duration. A refusal that says that the lock is gone goes to `onLost`, too. */
  async extend(durationMs: number): Promise<Reply> {
    const { callTimeoutMs } = this.#options;
    return this.#ask(durationMs, callTimeoutMs, (expiresAt) => (this.#expiresAt = expiresAt));
  }

  async #keep(): Promise<void> {
    const { backoff, callTimeoutMs } = this.#options;
    const { signal } = this.#stopping;
    let notBefore = 0;
    while (!signal.aborted) {
      const dueAt = Math.max(this.#expiresAt - (this.#durationMs * 2) / 3, notBefore);
      const waitMs = Math.min(dueAt, this.#expiresAt) - backoff.now();
      if (waitMs > 1) {
        // What a handler extends meanwhile moves the time.
        await sleep(waitMs, signal);
        continue;
      }
      const leftMs = this.#expiresAt - backoff.now();
      if (leftMs <= 0) {
        this.#lose({ reason: new LockLostError('the lock ran out before it was extended'), code: null });
        return;
      }
      const reply = await this.#ask(this.#durationMs, Math.min(callTimeoutMs, leftMs), (expiresAt) => {
        // A handler may have asked for more while this call was under way.
        this.#expiresAt = Math.max(this.#expiresAt, expiresAt);
      });
      if (reply.kind === 'taken') {
        this.#backoff.reset();
        notBefore = 0;
      } else {
        if (reply.kind === 'refused') this.#shorten(reply.code, reply.detail);
        const askedMs = reply.kind === 'unanswered' ? reply.retryAfterMs : null;
        notBefore = backoff.now() + this.#backoff.next(askedMs);
      }
    }
  }

  async #ask(durationMs: number, timeoutMs: number, taken: (expiresAt: number) => void): Promise<Reply> {
    const { signal } = this.#stopping;
    const reply = await this.#options.extend(formatDuration(durationMs), timeoutMs, signal);
    if (signal.aborted) return reply;
    if (reply.kind === 'taken') taken(reply.sentAt + durationMs);
    const reason = reply.kind === 'refused' ? lossOf(reply) : null;
    if (reason !== null && reply.kind === 'refused') this.#lose({ reason, code: reply.code });
    return reply;
  }

  /** The duration of a channel's own is known only nearly, and may be over the ceiling by that. */
  #shorten(code: string, detail: string): void {
    if (code !== 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID') return;
    this.#options.log(`a lock could not be extended: ${detail}`);
    this.#durationMs = Math.max(Math.ceil(this.#durationMs / 2), MIN_DURATION_MS);
  }

  #lose(loss: Loss): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    this.#options.onLost(loss);
  }
}
