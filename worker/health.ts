/**
 * Whether a worker can fetch, as it tells others.
 *
 * A1 It is not healthy from the moment on at which fetches have failed for `unhealthyAfterMs` without one that succeeded
 *    between them, until one does.
 * A2 `onUnhealthy` and `onHealthy` are told in turn, each once for a change.
 */
import { messageOf } from './errors.ts';
import { monotonicNow } from './timing.ts';

export type WorkerState = 'new' | 'idle' | 'polling' | 'backing-off' | 'draining' | 'stopped';

export interface WorkerHealth {
  /** False before the first fetch that succeeded, when fetching has failed for too long, and once stopped. */
  readonly healthy: boolean;
  readonly state: WorkerState;
  /** Of the last fetch that succeeded; null: none has. */
  readonly lastPollAt: Date | null;
  /** Of the first of the fetches that have failed since; null: the last one succeeded. */
  readonly failingSince: Date | null;
  readonly lastError: string | null;
  /** Tasks that are worked on. */
  readonly inFlight: number;
  /** Those of them whose signal was aborted, and whose handlers still run. */
  readonly abandoned: number;
}

export interface HealthRecordOptions {
  readonly unhealthyAfterMs: number;
  readonly onUnhealthy: (reason: string, since: Date) => void;
  readonly onHealthy: () => void;
}

export interface HealthFacts {
  readonly state: WorkerState;
  readonly inFlight: number;
  readonly abandoned: number;
  /** Why it cannot work although it can fetch; null: it can. */
  readonly reason: string | null;
}

interface Failing {
  /** Monotonic milliseconds. */
  readonly sinceMs: number;
  readonly since: Date;
}

export class HealthRecord {
  readonly #options: HealthRecordOptions;
  readonly #waiting = new Set<{ readonly resolve: () => void; readonly reject: (error: Error) => void }>();
  #lastPollAt: Date | null = null;
  #failing: Failing | null = null;
  #stuckSince: Failing | null = null;
  #lastError: string | null = null;
  #isToldUnhealthy = false;
  #isStopped = false;

  constructor(options: HealthRecordOptions) {
    this.#options = options;
  }

  polled(): void {
    this.#lastPollAt = new Date();
    this.#failing = null;
    this.#lastError = null;
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
    this.judge(null);
  }

  failed(error: unknown): void {
    this.#failing ??= { sinceMs: monotonicNow(), since: new Date() };
    this.#lastError = messageOf(error);
  }

  stopped(): void {
    this.#isStopped = true;
    for (const { reject } of this.#waiting) reject(new Error('the worker stopped before it was ready'));
    this.#waiting.clear();
  }

  ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#lastPollAt !== null) resolve();
      else if (this.#isStopped) reject(new Error('the worker has stopped'));
      else this.#waiting.add({ resolve, reject });
    });
  }

  /** Tells a change. @param stuck why it cannot work although it can fetch; null: it can. */
  judge(stuck: string | null): void {
    this.#stuckSince =
      stuck === null ? null : (this.#stuckSince ?? { sinceMs: monotonicNow(), since: new Date() });
    const trouble = this.#trouble();
    if ((trouble !== null) === this.#isToldUnhealthy) return;
    this.#isToldUnhealthy = trouble !== null;
    if (trouble === null) this.#options.onHealthy();
    else this.#options.onUnhealthy(stuck ?? `no fetch succeeds: ${this.#lastError ?? ''}`, trouble.since);
  }

  read({ state, inFlight, abandoned, reason }: HealthFacts): WorkerHealth {
    return {
      healthy: !this.#isStopped && this.#lastPollAt !== null && this.#trouble() === null,
      state,
      lastPollAt: this.#lastPollAt,
      failingSince: this.#failing?.since ?? null,
      lastError: this.#lastError ?? reason,
      inFlight,
      abandoned,
    };
  }

  #trouble(): Failing | null {
    const { unhealthyAfterMs } = this.#options;
    const isLong = (failing: Failing | null): boolean =>
      failing !== null && monotonicNow() - failing.sinceMs >= unhealthyAfterMs;
    return [this.#failing, this.#stuckSince].find(isLong) ?? null;
  }
}
