/** Exponential backoff with equal jitter: how long to wait after the n-th failure in a row. */

export interface BackoffSettings {
  /** The delay after the first failure, before jitter. */
  readonly baseDelayMs: number;
  /** No delay is longer, however many failures. */
  readonly maxDelayMs: number;
  /** Spread the delays, so that what failed together does not come back together. */
  readonly jitter: boolean;
}

/** 2^52 times any base is beyond any cap; more would only lead to infinity. */
const MAX_DOUBLINGS = 52;

/**
 * The delay after `failures` failures in a row (1 is the first): base, doubled each time, up to the cap.
 *
 * Jitter is *equal*: half of the delay is fixed and half is drawn. Full jitter (0 to the delay) spreads a
 * little better, but draws delays near zero, which would dial a struggling peer again at once.
 *
 * @param random gives a number in [0, 1).
 */
export function backoffDelayMs(settings: BackoffSettings, failures: number, random: () => number): number {
  const doublings = Math.min(Math.max(failures - 1, 0), MAX_DOUBLINGS);
  const delayMs = Math.min(settings.maxDelayMs, settings.baseDelayMs * 2 ** doublings);
  if (!settings.jitter) return delayMs;
  return delayMs / 2 + (delayMs / 2) * random();
}
