/**
 * Fires due timers of instances: one row for each timer wait, deleted by the turn that fires it. How it shares
 * them with other replicas, sleeps and recovers: see `due-loop.ts`.
 */
import type { TimerPort } from '../intake/ports.ts';
import type { Log, Meter } from '../observe.ts';
import { errorLabel } from '../relay/refusal.ts';
import { dueTimers, nextTimerDue, type DueTimer } from '../store/timers.ts';
import type { Service, StatementRunner } from '../transport.ts';
import { DueLoop, takeBeside, type DueLoopOptions } from './due-loop.ts';

export interface ClockOptions extends DueLoopOptions {
  readonly database: StatementRunner;
  readonly timers: TimerPort;
  readonly meter: Meter;
  readonly log: Log;
}

export class Clock implements Service {
  readonly #loop: DueLoop<DueTimer>;

  constructor(options: ClockOptions) {
    const { database, timers, meter, log } = options;
    this.#loop = new DueLoop<DueTimer>(
      {
        take: (away, count) => takeBeside((limit) => dueTimers(database, limit), keyOf, away, count),
        next: () => nextTimerDue(database),
        keyOf,
        settle: (timer) => timers.fireTimer(timer),
        settled: ({ lateMs }) => {
          meter.add('sutra_timers_fired_total', 1);
          meter.record('sutra_timer_lateness_seconds', lateMs / 1000);
        },
        failed: ({ instanceId, waitId }, error) => {
          log.error('timer.fire-failed', { instanceId, waitId, cause: errorLabel(error) });
        },
        passFailed: (error, failures, retryInMs) => {
          meter.add('sutra_clock_failures_total', 1, { of: 'timers' });
          log.error('timer.pass-failed', { failures, retryInMs, cause: errorLabel(error) });
        },
      },
      options,
    );
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** After a commit that set timers: the earliest of them, by the database's clock. */
  noticeTimer(dueAtMs: number): void {
    this.#loop.noticeDue(dueAtMs);
  }
}

function keyOf(timer: { readonly instanceId: string; readonly waitId: number }): string {
  return `${timer.instanceId} ${String(timer.waitId)}`;
}
