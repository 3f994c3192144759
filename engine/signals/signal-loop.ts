/**
 * Delivers signals: each row that a throw has written becomes one turn, of an instance that waits or of a start
 * event. How it shares them with other replicas, sleeps and recovers: see `engine/clock/due-loop.ts`.
 * BPMN 2.0.2 §10.5.5, signal events; §13.5.4.
 *
 * It is woken by the commit that threw; its longest sleep is for what a replica threw that died since. No doorbell
 * is rung: the replica that threw is awake already, and the others could only contend with it.
 *
 * D1 An instance gets its signals in the order in which they were thrown, as far as no turn has to be repeated.
 * D2 One that no longer waits, or has ended, is no failure: the delivery goes, and that is all.
 * D3 A failed instance holds its deliveries until its repair, whose commit wakes this loop again.
 * D4 A start that is refused for good is given up, and leaves a dead letter.
 */
import { DueLoop, type DueLoopOptions, type NextDue, type TakenRows } from '../clock/due-loop.ts';
import type { SignalPort } from '../intake/ports.ts';
import type { Log, Meter } from '../observe.ts';
import { errorLabel } from '../relay/refusal.ts';
import { dueSignalDeliveries, isSignalDue, type DueSignal } from '../store/signals.ts';
import type { Service, StatementRunner } from '../transport.ts';

/** Payloads in memory at once; a single larger one is taken alone. A guess. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;

export interface SignalLoopOptions extends DueLoopOptions {
  readonly database: StatementRunner;
  readonly signals: SignalPort;
  readonly meter: Meter;
  readonly log: Log;
}

export class SignalLoop implements Service {
  readonly #options: SignalLoopOptions;
  readonly #loop: DueLoop<DueSignal>;

  constructor(options: SignalLoopOptions) {
    this.#options = options;
    const { meter, log } = options;
    this.#loop = new DueLoop<DueSignal>(
      {
        take: (away, count) => this.#take(away, count),
        next: () => this.#next(),
        keyOf: ({ id }) => String(id),
        settle: async (signal) => {
          const outcome = await options.signals.deliverSignal(signal);
          meter.add('sutra_signal_deliveries_total', 1, { outcome });
          return outcome === 'held' || outcome === 'dropped' ? 'gone' : outcome;
        },
        settled: ({ lagMs }) => meter.record('sutra_signal_lag_seconds', lagMs / 1000),
        failed: ({ name, target }, error) => {
          log.error('signal.delivery-failed', { name, ...target, cause: errorLabel(error) });
        },
        passFailed: (error, failures, retryInMs) => {
          meter.add('sutra_clock_failures_total', 1, { of: 'signals' });
          log.error('signal.pass-failed', { failures, retryInMs, cause: errorLabel(error) });
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

  /** After a commit that threw signals, or that repaired an instance with deliveries that were held. */
  wake(): void {
    this.#loop.wake();
  }

  async #take(away: ReadonlySet<string>, count: number): Promise<TakenRows<DueSignal>> {
    const { database } = this.#options;
    const rows = await dueSignalDeliveries(database, [...away].map(Number), count, MAX_BATCH_BYTES);
    // Fewer may have come for their size alone; then the next look finds none.
    return { rows, hasMore: rows.length > 0 };
  }

  async #next(): Promise<NextDue> {
    const isOneDue = await isSignalDue(this.#options.database);
    return { nowMs: 0, isOneDue, nextDueAtMs: null };
  }
}
