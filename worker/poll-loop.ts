/**
 * The loop that fetches tasks.
 *
 *            room for a task              an answer
 *    idle ─────────────────────► polling ──────────► (looks for room again)
 *     ▲  ◄─────────────────────┐    │  ▲
 *     │       no room          │    │  │ the wait is over
 *     └────────────────────────┘    ▼  │
 *                              backing-off             any ──stop──► stopped
 *
 * P1 At most one fetch is under way, it asks for no more than there is room for, and there is none without room.
 * P2 It ends by `stop` and by nothing else: whatever a step throws is a failed fetch.
 * P3 Each state has a time by which it must have moved on (`overdueAt`), except idle without room, which a released slot
 *    ends. The watchdog holds it to that.
 * P4 The first fetch, and each after a failure, looks once and does not wait: so it is known at once whether fetching works.
 * P5 An answer without tasks that did not wait for any (a server that shuts down, `pollTimeout` PT0S) is followed by a pause
 *    that grows: nothing makes the loop spin.
 * P6 Room on a channel that the fetch under way did not ask for ends that fetch; it is made anew, and counts as no failure.
 */
import { Backoff, type BackoffOptions } from './backoff.ts';
import { messageOf } from './errors.ts';
import { sleep } from './timing.ts';
import type { Wish } from './slots.ts';

export type LoopState = 'idle' | 'polling' | 'backing-off' | 'stopped';

/** How a fetch went; what it brought has been taken care of. */
export type PollOutcome =
  | { readonly kind: 'answered'; readonly taskCount: number }
  /** Given up by P6 or `stop`. */
  | { readonly kind: 'given-up' }
  | { readonly kind: 'failed'; readonly error: Error; readonly retryAfterMs: number | null };

export interface Poll {
  readonly wish: Wish;
  /** Waits for tasks; false: looks once. */
  readonly isPatient: boolean;
  readonly signal: AbortSignal;
  /** From here on it is not given up for P6: tasks are on their way. */
  readonly onHeaders: () => void;
}

export interface PollLoopOptions {
  readonly wish: () => Wish | null;
  /** Resolves when a slot was released, or the signal aborts. */
  readonly released: (signal: AbortSignal) => Promise<void>;
  readonly poll: (poll: Poll) => Promise<PollOutcome>;
  /** The longest that `poll` may take, in milliseconds. */
  readonly maxPollMs: number;
  readonly backoff: BackoffOptions;
  readonly onPolled: () => void;
  readonly onFailed: (failure: PollFailure) => void;
}

export interface PollFailure {
  readonly error: Error;
  /** In a row, this one included. */
  readonly failures: number;
  /** Milliseconds. */
  readonly nextPollInMs: number;
}

/** An answer without tasks that comes sooner has not waited. */
const HASTY_MS = 100;
const HASTY_PAUSE_MS = 1_000;

export class PollLoop {
  readonly #options: PollLoopOptions;
  readonly #stopping = new AbortController();
  readonly #backoff: Backoff;
  readonly #hasty: Backoff;
  #state: LoopState = 'idle';
  #overdueAt = Number.POSITIVE_INFINITY;
  #failures = 0;
  #isPatient = false;

  constructor(options: PollLoopOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff);
    this.#hasty = new Backoff({ ...options.backoff, maxMs: Math.min(options.backoff.maxMs, HASTY_PAUSE_MS) });
  }

  get state(): LoopState {
    return this.#state;
  }

  /** Monotonic milliseconds: a loop that has not moved on by then never will. */
  get overdueAt(): number {
    return this.#overdueAt;
  }

  /** Resolves when it has stopped. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#step(signal);
      } catch (error) {
        await this.#fail(error instanceof Error ? error : new Error(messageOf(error)), null, signal);
      }
    }
    this.#enter('stopped', Number.POSITIVE_INFINITY);
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #step(signal: AbortSignal): Promise<void> {
    const { wish: wishNow, released, maxPollMs } = this.#options;
    const wish = wishNow();
    if (wish === null) {
      this.#enter('idle', Number.POSITIVE_INFINITY);
      await released(signal);
      return;
    }
    const { now } = this.#options.backoff;
    this.#enter('polling', maxPollMs);
    const startedAt = now();
    const wasPatient = this.#isPatient;
    const outcome = await this.#poll(wish, signal);
    if (signal.aborted || outcome.kind === 'given-up') return;
    if (outcome.kind === 'failed') {
      await this.#fail(outcome.error, outcome.retryAfterMs, signal);
      return;
    }
    this.#backoff.reset();
    this.#failures = 0;
    this.#isPatient = true;
    this.#options.onPolled();
    if (outcome.taskCount > 0 || !wasPatient || now() - startedAt >= HASTY_MS) this.#hasty.reset();
    else await this.#pause(this.#hasty.next(null), signal);
  }

  async #poll(wish: Wish, stopping: AbortSignal): Promise<PollOutcome> {
    const giving = new AbortController();
    const watching = new AbortController();
    const giveUp = (): void => giving.abort();
    stopping.addEventListener('abort', giveUp);
    void this.#watchForRoom(wish, giveUp, watching.signal);
    try {
      return await this.#options.poll({
        wish,
        isPatient: this.#isPatient,
        signal: giving.signal,
        onHeaders: () => watching.abort(),
      });
    } finally {
      watching.abort();
      stopping.removeEventListener('abort', giveUp);
    }
  }

  async #watchForRoom(asked: Wish, giveUp: () => void, signal: AbortSignal): Promise<void> {
    const names = new Set(asked.channels.map(({ name }) => name));
    for (;;) {
      await this.#options.released(signal);
      if (signal.aborted) return;
      const wish = this.#options.wish();
      if (wish?.channels.some(({ name }) => !names.has(name)) === true) {
        giveUp();
        return;
      }
    }
  }

  async #fail(error: Error, retryAfterMs: number | null, signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    this.#isPatient = false;
    const nextPollInMs = this.#backoff.next(retryAfterMs);
    const pause = this.#pause(nextPollInMs, signal);
    try {
      this.#options.onFailed({ error, failures: this.#failures, nextPollInMs: Math.round(nextPollInMs) });
    } catch {
      // Whoever hears of failures has a fault too. The wait that has begun is what matters.
    }
    await pause;
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    this.#enter('backing-off', ms);
    await sleep(ms, signal);
  }

  /** @param maxMs how long it may stay. */
  #enter(state: LoopState, maxMs: number): void {
    this.#state = state;
    this.#overdueAt = this.#options.backoff.now() + maxMs;
  }
}
