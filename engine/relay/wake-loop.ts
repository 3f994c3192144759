/**
 * Runs a pass over some work whenever it is woken: by a call, or by the one timer that it keeps.
 * The relay has one for each transport, the clock has one.
 *
 *   stopped --start--> idle --wake--> passing --done--> idle
 *                                        |--failed--> recovering --its delay--> passing
 *
 * W1 At most one pass runs. Any number of wakes during a pass cause exactly one more pass.
 * W2 A pass that fails is run again by itself after a growing, capped delay. Until then wakes change
 *    nothing, so neither an outage nor a bug makes the loop spin, and neither ends it.
 * W3 `stop` resolves when no pass runs and no timer is left.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout, clearTimeout } from 'node:timers';
import type { Service } from '../transport.ts';
import { backoffDelayMs } from './backoff.ts';

/** After a failed pass. The cap bounds how late work resumes after an outage; both are guesses. */
const RECOVERY = { baseDelayMs: 100, maxDelayMs: 5_000, jitter: true } as const;

/** A timer may fire a fraction of a millisecond early, and would then find nothing due. */
const TIMER_SLACK_MS = 2;

/** The longest delay that a timer takes; a longer sleep is slept in pieces. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface WakeLoopOptions {
  /**
   * One pass. `isTimed`: the timer came due, and whoever set it for later times must say so again.
   * Answers after how many milliseconds to run again, or null to sleep until woken.
   */
  readonly pass: (isTimed: boolean) => Promise<number | null>;
  readonly onFailure: (error: unknown, failures: number, delayMs: number) => void;
  readonly random: () => number;
}

export class WakeLoop implements Service {
  readonly #options: WakeLoopOptions;
  #isStarted = false;
  #isStopped = false;
  #isWoken = false;
  #isTimed = false;
  #failures = 0;
  #isRecovering = false;
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #timerDueAt = 0;

  constructor(options: WakeLoopOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    this.#isStarted = true;
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#isWoken = false;
    this.#clearTimer();
    await this.#running;
    this.#clearTimer();
  }

  /** True from the call of `stop`: a pass under way should come to its end. */
  get isStopping(): boolean {
    return this.#isStopped;
  }

  /** Asks for a pass. Legal in every state; does nothing before `start`, after `stop` and while recovering. */
  wake(): void {
    if (!this.#isStarted || this.#isStopped || this.#isRecovering) return;
    this.#isWoken = true;
    // The run begins in a later microtask, so that a pass that wakes its own loop finds it running.
    this.#running ??= Promise.resolve().then(() => this.#run());
  }

  /** Asks for a timed pass after `delayMs`, unless one is due sooner. */
  wakeIn(delayMs: number): void {
    if (!this.#isStarted || this.#isStopped || this.#isRecovering) return;
    this.#arm(delayMs);
  }

  async #run(): Promise<void> {
    while (this.#isWoken) {
      const isTimed = this.#isTimed;
      this.#isWoken = false;
      this.#isTimed = false;
      try {
        const nextMs = await this.#options.pass(isTimed);
        this.#failures = 0;
        if (nextMs !== null) this.wakeIn(nextMs);
      } catch (error) {
        this.#recover(error);
      }
    }
    this.#running = null;
  }

  #recover(error: unknown): void {
    this.#failures += 1;
    const delayMs = backoffDelayMs(RECOVERY, this.#failures, this.#options.random);
    this.#options.onFailure(error, this.#failures, delayMs);
    this.#isWoken = false;
    if (this.#isStopped) return;
    this.#clearTimer();
    this.#arm(delayMs);
    this.#isRecovering = true;
  }

  #arm(delayMs: number): void {
    const dueAt = performance.now() + Math.max(delayMs, 0);
    if (this.#timer !== null && this.#timerDueAt <= dueAt) return;
    this.#clearTimer();
    this.#timerDueAt = dueAt;
    const sleepMs = Math.min(Math.ceil(Math.max(delayMs, 0)) + TIMER_SLACK_MS, MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#isRecovering = false;
      this.#isTimed = true;
      this.wake();
    }, sleepMs);
    this.#timer.unref();
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
