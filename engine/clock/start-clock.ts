/**
 * Fires timer start events of active deployments: the turn that starts the instance moves the timer's row to its
 * next time, or deletes it. How it shares them with other replicas, sleeps and recovers: see `due-loop.ts`.
 * One whose start is refused for good moves on too, and leaves a dead letter. BPMN 2.0.2 §10.5.2, timer start event.
 */
import type { StartTimerPort } from '../intake/ports.ts';
import type { Log, Meter } from '../observe.ts';
import { errorLabel } from '../relay/refusal.ts';
import { dueStartTimers, nextStartTimerDue, type DueStartTimer } from '../store/start-timers.ts';
import type { Service, StatementRunner } from '../transport.ts';
import { DueLoop, takeBeside, type DueLoopOptions } from './due-loop.ts';

export interface StartClockOptions extends DueLoopOptions {
  readonly database: StatementRunner;
  readonly starts: StartTimerPort;
  readonly meter: Meter;
  readonly log: Log;
}

export class StartClock implements Service {
  readonly #loop: DueLoop<DueStartTimer>;

  constructor(options: StartClockOptions) {
    const { database, starts, meter, log } = options;
    this.#loop = new DueLoop<DueStartTimer>(
      {
        take: (away, count) => takeBeside((limit) => dueStartTimers(database, limit), keyOf, away, count),
        next: () => nextStartTimerDue(database),
        keyOf,
        settle: (timer) => starts.fireStartTimer(timer),
        settled: ({ lateMs }) => {
          meter.add('sutra_start_timers_fired_total', 1);
          meter.record('sutra_start_timer_lateness_seconds', lateMs / 1000);
        },
        failed: ({ deploymentId, processId, startEventId }, error) => {
          const cause = errorLabel(error);
          log.error('start-timer.fire-failed', { deploymentId, processId, startEventId, cause });
        },
        passFailed: (error, failures, retryInMs) => {
          meter.add('sutra_clock_failures_total', 1, { of: 'start-timers' });
          log.error('start-timer.pass-failed', { failures, retryInMs, cause: errorLabel(error) });
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

  /** After an activation that may have armed some. */
  wake(): void {
    this.#loop.wake();
  }
}

function keyOf(timer: DueStartTimer): string {
  const { deploymentId, processId, startEventId, trigger } = timer;
  return JSON.stringify([deploymentId, processId, startEventId, trigger]);
}
