/**
 * Looks, at the right moment, whether a task has become visible by the mere passing of time: an expired
 * lock, an elapsed retry. One timer, one statement, for all waiting fetches of a replica.
 *
 * C1 While fetches wait, the time between two looks is at most `tickMs`: the backstop for lost doorbells.
 * C2 With nobody waiting there is no timer and no statement.
 * C3 Looks are at least `MIN_SPACING_MS` apart, whatever is expected; one is under way at a time.
 * C4 A failed look is repeated at the tick; the first failure in a row is logged.
 */
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import type { Log } from '../../engine/observe.ts';

export const TICK_MS = 1_000;

/** Bounds the statements when locks and retries come due one after the other: 100 a second. */
const MIN_SPACING_MS = 10;

/** A timer may fire a fraction of a millisecond early, and would then find nothing due. */
const TIMER_SLACK_MS = 2;

export interface WakeClockOptions {
  /** One look. Answers in how many milliseconds the next task becomes visible, or null. */
  readonly look: () => Promise<number | null>;
  readonly hasIdleFetches: () => boolean;
  readonly log: Log;
  readonly tickMs?: number;
}

export class WakeClock {
  readonly #options: WakeClockOptions;
  readonly #tickMs: number;
  #timer: NodeJS.Timeout | null = null;
  #dueAt = Infinity;
  /** What was expected while a look was under way, which may not have seen it. */
  #dueAfterLook = Infinity;
  #lastLookAt = -Infinity;
  #looking: Promise<void> | null = null;
  #failures = 0;
  #isStopped = false;

  constructor(options: WakeClockOptions) {
    this.#options = options;
    this.#tickMs = options.tickMs ?? TICK_MS;
  }

  /** Something that a waiting fetch may want becomes visible in `delayMs`, or is to be looked for then. */
  expect(delayMs: number): void {
    const now = performance.now();
    this.#arm(
      Math.max(now + Math.min(delayMs + TIMER_SLACK_MS, this.#tickMs), this.#lastLookAt + MIN_SPACING_MS),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#disarm();
    await this.#looking;
  }

  #arm(at: number): void {
    if (this.#looking !== null) {
      this.#dueAfterLook = Math.min(this.#dueAfterLook, at);
      return;
    }
    if (this.#isStopped || at >= this.#dueAt || !this.#options.hasIdleFetches()) {
      return;
    }
    this.#disarm();
    this.#dueAt = at;
    this.#timer = setTimeout(
      () => {
        this.#disarm();
        if (this.#options.hasIdleFetches()) {
          this.#looking = this.#look();
        }
      },
      Math.ceil(at - performance.now()),
    );
    this.#timer.unref();
  }

  #disarm(): void {
    this.#dueAt = Infinity;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
    }
  }

  async #look(): Promise<void> {
    this.#lastLookAt = performance.now();
    let nextMs: number | null = null;
    try {
      nextMs = await this.#options.look();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures === 1) {
        const message = error instanceof Error ? error.message : String(error);
        this.#options.log.warn('fetch-desk.look-failed', { error: message });
      }
    }
    this.#looking = null;
    const dueAfterLook = this.#dueAfterLook;
    this.#dueAfterLook = Infinity;
    this.#arm(dueAfterLook);
    this.expect(nextMs ?? this.#tickMs);
  }
}
