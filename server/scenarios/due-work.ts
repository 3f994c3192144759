/**
 * What comes due: timers of instances, start timers, and signals on their way. Fired through the same ports as the
 * engine's clocks do it, in the order in which they came due.
 *
 * D1 What could not be fired is reported once and not tried again: a scenario has no operator.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { SignalPort, StartTimerPort, TimerPort } from '../../engine/intake/ports.ts';
import type { Database } from '../../engine/store/database.ts';
import { dueSignalDeliveries } from '../../engine/store/signals.ts';
import { dueStartTimers, nextStartTimerDue } from '../../engine/store/start-timers.ts';
import { dueTimers, nextTimerDue } from '../../engine/store/timers.ts';
import { mismatch, type Mismatch } from './mismatch.ts';

export interface DueWorkOptions {
  readonly database: Database;
  readonly timers: TimerPort;
  readonly starts: StartTimerPort & SignalPort;
  readonly report: (mismatch: Mismatch) => void;
}

const BATCH = 200;
const MAX_SIGNAL_BYTES = 8 * 1024 * 1024;

export class DueWork {
  readonly #options: DueWorkOptions;
  readonly #given = new Set<string>();

  constructor(options: DueWorkOptions) {
    this.#options = options;
  }

  /** Fires what is due; whether there was something. */
  async run(): Promise<boolean> {
    const hasSignals = await this.#signals();
    const hasTimers = await this.#timers();
    const hasStarts = await this.#startTimers();
    return hasSignals || hasTimers || hasStarts;
  }

  /** When the next timer is due that is not due yet, or null. */
  async nextDueAtMs(): Promise<number | null> {
    const { database } = this.#options;
    const times = [await nextTimerDue(database), await nextStartTimerDue(database)];
    const due = times.flatMap(({ nextDueAtMs }) => (nextDueAtMs === null ? [] : [nextDueAtMs]));
    return due.length === 0 ? null : Math.min(...due);
  }

  async #signals(): Promise<boolean> {
    const due = await dueSignalDeliveries(this.#options.database, [], BATCH, MAX_SIGNAL_BYTES);
    return this.#fire(
      due,
      ({ id }) => `signal ${String(id)}`,
      (row) => this.#options.starts.deliverSignal(row),
    );
  }

  async #timers(): Promise<boolean> {
    const due = await dueTimers(this.#options.database, BATCH);
    const keyOf = ({ instanceId, waitId }: (typeof due)[number]): string => `${instanceId} ${String(waitId)}`;
    return this.#fire(due, keyOf, (row) => this.#options.timers.fireTimer(row));
  }

  async #startTimers(): Promise<boolean> {
    const due = await dueStartTimers(this.#options.database, BATCH);
    const keyOf = (row: (typeof due)[number]): string =>
      `${row.processId} ${row.startEventId} ${String(row.trigger)}`;
    return this.#fire(due, keyOf, (row) => this.#options.starts.fireStartTimer(row));
  }

  async #fire<Row>(
    rows: readonly Row[],
    keyOf: (row: Row) => string,
    settle: (row: Row) => Promise<unknown>,
  ): Promise<boolean> {
    const open = rows.filter((row) => !this.#given.has(keyOf(row)));
    for (const row of open) {
      try {
        await settle(row);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        this.#given.add(keyOf(row));
        const message = `what came due was refused: ${error.message} [${error.code}]`;
        this.#options.report(mismatch('SUTRA.SCENARIO.MESSAGE_REFUSED', message, error.place ?? {}));
      }
    }
    return open.length > 0;
  }
}
