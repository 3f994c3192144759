/**
 * How long to wait after a failure before the next try.
 *
 * B1 Waits begin at 100 ms and double, with jitter, so that many workers do not come back in one wave.
 * B2 While a fault is young (two minutes), no wait is longer than a second: that a worker is at work again within two
 *    seconds of the fault's end rests on it. Only then do waits grow, to `maxMs`.
 * B3 A server that says when to come back is obeyed, up to `maxMs`.
 */

const FIRST_MS = 100;
const EAGER_MAX_MS = 1_000;
const EAGER_TIME_MS = 120_000;
/** Added to a `Retry-After`, of which many are told the same. */
const ASKED_JITTER = 0.1;

export interface BackoffOptions {
  /** At least 100. */
  readonly maxMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** From 0, below 1. */
  readonly random: () => number;
}

export class Backoff {
  readonly #options: BackoffOptions;
  #nextMs = FIRST_MS;
  #failingSince: number | null = null;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** After a success. */
  reset(): void {
    this.#nextMs = FIRST_MS;
    this.#failingSince = null;
  }

  /**
   * After a failure: how long to wait, in milliseconds.
   * @param askedMs what the server asked for; null: nothing.
   */
  next(askedMs: number | null): number {
    const { maxMs, now, random } = this.#options;
    this.#failingSince ??= now();
    const capMs = now() - this.#failingSince < EAGER_TIME_MS ? Math.min(EAGER_MAX_MS, maxMs) : maxMs;
    const limitMs = Math.min(this.#nextMs, capMs);
    this.#nextMs = Math.min(2 * limitMs, maxMs);
    const ownMs = limitMs * (0.5 + random() / 2);
    if (askedMs === null || askedMs <= 0) return ownMs;
    return Math.min(askedMs * (1 + ASKED_JITTER * random()), maxMs);
  }
}

/**
 * A `Retry-After` header in milliseconds from now; null: there is none that means anything.
 * @param date the answer's `Date` header: a time in the other is by the same clock.
 */
export function retryAfterMs(value: string | null, date: string | null): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const untilMs = Date.parse(value) - (date === null ? Date.now() : Date.parse(date));
  return Number.isFinite(untilMs) ? Math.max(untilMs, 0) : null;
}
