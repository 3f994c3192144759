/**
 * Fires due timers. Every replica runs one, with no leader: a timer's row lock decides who fires it, and the
 * turn that fires it deletes the row in its own commit.
 *
 * It sleeps until the next due time, or until `noticeTimer` says that an earlier one was set here.
 *
 * C1 A timer fires once: that another replica has fired it (`gone`) or is firing it (`busy`) is normal.
 * C2 Whether a timer is due, and how long to sleep, is reckoned by the database's clock. This machine's clock
 *    only measures how much time has passed since the database was last asked.
 * C3 A timer that cannot be fired is tried again after a growing delay, and holds up no other.
 * C4 No sleep is longer than `maxSleepMs`, so that timers set by a replica that died are noticed.
 * C5 A failing database neither ends the clock nor makes it spin: it is retried with backoff.
 */
import { performance } from 'node:perf_hooks';
import type { TimerPort } from '../intake/ports.ts';
import type { Log, Meter } from '../observe.ts';
import { backoffDelayMs } from '../relay/backoff.ts';
import { errorLabel, refusalKind } from '../relay/refusal.ts';
import { SetAside } from '../relay/set-aside.ts';
import { WakeLoop } from '../relay/wake-loop.ts';
import type { DueTimer } from '../store/timers.ts';
import { dueTimers, nextTimerDue } from '../store/timers.ts';
import type { Service, StatementRunner } from '../transport.ts';

/** Timers fired together, so that their turns share commits. A guess. */
const BATCH_SIZE = 200;

/** How late at most a timer fires whose replica died after setting it; one statement in that time. */
const MAX_SLEEP_MS = 5_000;

/** A busy timer is held for the length of one turn, mostly a few milliseconds. */
const BUSY_BACKOFF = { baseDelayMs: 20, maxDelayMs: 1_000, jitter: true } as const;

/** A timer whose turn failed unexpectedly. A guess: often enough to recover, seldom enough to read the log. */
const FAILED_BACKOFF = { baseDelayMs: 1_000, maxDelayMs: 60_000, jitter: true } as const;

const ASIDE_CAPACITY = 5_000;

export interface ClockOptions {
  readonly database: StatementRunner;
  readonly timers: TimerPort;
  readonly meter: Meter;
  readonly log: Log;
  /** Spreads delays. Default: `Math.random`. */
  readonly random?: () => number;
  /** Default: 5 seconds. Longer: a dead replica's timers fire later. Shorter: more statements when idle. */
  readonly maxSleepMs?: number;
}

type Fired = 'settled' | 'busy' | 'pressed';

export class Clock implements Service {
  readonly #options: ClockOptions;
  readonly #random: () => number;
  readonly #maxSleepMs: number;
  readonly #loop: WakeLoop;
  readonly #busy: SetAside;
  readonly #failed: SetAside;
  /** The database's clock when it was last asked, and this machine's monotonic clock after the answer. */
  #anchor: { readonly databaseMs: number; readonly localMs: number } | null = null;
  #heldLooks = 0;

  constructor(options: ClockOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#maxSleepMs = options.maxSleepMs ?? MAX_SLEEP_MS;
    this.#busy = new SetAside(BUSY_BACKOFF, ASIDE_CAPACITY, this.#random);
    this.#failed = new SetAside(FAILED_BACKOFF, ASIDE_CAPACITY, this.#random);
    this.#loop = new WakeLoop({
      pass: () => this.#pass(),
      onFailure: (error, failures, delayMs) => this.#report(error, failures, delayMs),
      random: this.#random,
    });
  }

  async start(): Promise<void> {
    await this.#loop.start();
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** After a commit that set timers: the earliest of them, by the database's clock. */
  noticeTimer(dueAtMs: number): void {
    if (this.#anchor === null) {
      this.#loop.wake();
      return;
    }
    const elapsedMs = performance.now() - this.#anchor.localMs;
    // The anchor is late by the answer's way back, so this never wakes before the timer is due.
    this.#loop.wakeIn(dueAtMs - (this.#anchor.databaseMs + elapsedMs));
  }

  async #pass(): Promise<number> {
    while (!this.#loop.isStopping) {
      const away = new Set([...this.#busy.keys(), ...this.#failed.keys()]);
      if (away.size + BATCH_SIZE > ASIDE_CAPACITY) break;
      const limit = away.size + BATCH_SIZE;
      const timers = await dueTimers(this.#options.database, limit);
      const wanted = timers.filter((timer) => !away.has(keyOf(timer))).slice(0, BATCH_SIZE);
      const isPressed = await this.#fireAll(wanted);
      if (isPressed || timers.length < limit) break;
    }
    return await this.#sleepMs();
  }

  /** True when the engine has no room for more. @throws when the database is away. */
  async #fireAll(timers: readonly DueTimer[]): Promise<boolean> {
    const results = await Promise.allSettled(timers.map((timer) => this.#fire(timer)));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    return results.some((result) => result.status === 'fulfilled' && result.value === 'pressed');
  }

  async #fire(timer: DueTimer): Promise<Fired> {
    const key = keyOf(timer);
    try {
      const outcome = await this.#options.timers.fireTimer({
        instanceId: timer.instanceId,
        waitId: timer.waitId,
      });
      if (outcome === 'busy') {
        this.#busy.put(key);
        return 'busy';
      }
      this.#busy.release(key);
      this.#failed.release(key);
      if (outcome === 'done') {
        this.#options.meter.add('sutra_timers_fired_total', 1);
        this.#options.meter.record('sutra_timer_lateness_seconds', timer.lateMs / 1000);
      }
      return 'settled';
    } catch (error) {
      const kind = refusalKind(error);
      if (kind === 'outage') throw error;
      if (kind === 'pressed') {
        this.#busy.put(key);
        return 'pressed';
      }
      this.#failed.put(key);
      const { instanceId, waitId } = timer;
      this.#options.log.error('timer.fire-failed', { instanceId, waitId, cause: errorLabel(error) });
      return 'settled';
    }
  }

  async #sleepMs(): Promise<number> {
    const { nowMs, isOneDue, nextDueAtMs } = await nextTimerDue(this.#options.database);
    this.#anchor = { databaseMs: nowMs, localMs: performance.now() };
    this.#heldLooks = isOneDue ? this.#heldLooks + 1 : 0;
    return Math.min(
      this.#maxSleepMs,
      nextDueAtMs === null ? Infinity : nextDueAtMs - nowMs,
      this.#busy.nextMs() ?? Infinity,
      this.#failed.nextMs() ?? Infinity,
      isOneDue ? backoffDelayMs(BUSY_BACKOFF, this.#heldLooks, this.#random) : Infinity,
    );
  }

  #report(error: unknown, failures: number, delayMs: number): void {
    this.#options.meter.add('sutra_clock_failures_total', 1);
    this.#options.log.error('timer.pass-failed', {
      failures,
      retryInMs: Math.round(delayMs),
      cause: errorLabel(error),
    });
  }
}

function keyOf(timer: { readonly instanceId: string; readonly waitId: number }): string {
  return `${timer.instanceId} ${String(timer.waitId)}`;
}
