/**
 * Holds the poll loop to its time, from a timer of its own.
 *
 * The loop is built so that it cannot stand still; should it all the same, it is given up and another takes its place.
 *
 * W1 `onStalled` is told only when the loop was overdue at several ticks in a row: after work that blocked the event loop,
 *    everything looks late for one.
 * W2 A tick that throws does not end the ticks.
 */
import { monotonicNow } from './timing.ts';

export interface WatchdogOptions {
  /** Milliseconds. Default: 500. */
  readonly tickMs?: number;
  /** What has to move on, and by when, in monotonic milliseconds. */
  readonly overdueAt: () => number;
  readonly onStalled: () => void;
  /** At each tick, stalled or not. */
  readonly onTick: () => void;
  readonly onFault: (error: unknown) => void;
}

const TICK_MS = 500;
/** Timers and promises that are only late come in between. */
const OVERDUE_TICKS = 4;

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #tickMs: number;
  #timer: ReturnType<typeof setInterval> | null = null;
  #lastTickAt = 0;
  #overdueTicks = 0;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#tickMs = options.tickMs ?? TICK_MS;
  }

  start(): void {
    this.#lastTickAt = monotonicNow();
    this.#timer = setInterval(() => this.#tick(), this.#tickMs);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /**
   * The last moment at which the event loop was certainly free, in monotonic milliseconds: what is seen only now may
   * have come any time after it. Now, when it has not been blocked for longer than a tick or two.
   */
  lastFreeAt(): number {
    const now = monotonicNow();
    return now - this.#lastTickAt > 2 * this.#tickMs ? this.#lastTickAt : now;
  }

  #tick(): void {
    const { overdueAt, onStalled, onTick, onFault } = this.#options;
    const now = monotonicNow();
    this.#lastTickAt = now;
    try {
      this.#overdueTicks = now > overdueAt() ? this.#overdueTicks + 1 : 0;
      if (this.#overdueTicks >= OVERDUE_TICKS) {
        this.#overdueTicks = 0;
        onStalled();
      }
      onTick();
    } catch (error) {
      onFault(error);
    }
  }
}
