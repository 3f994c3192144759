/** Says how many dead letters are kept, and, at most once a minute, that there is no room for more. */
import type { Log, Meter } from '../observe.ts';
import type { LetterCounts } from './dead-letter-settlements.ts';

const SILENCE_MS = 60_000;

export interface DeadLetterReportOptions {
  readonly maxCount: number;
  readonly meter: Meter;
  readonly log: Log;
  /** Milliseconds from any origin. Default: this process's own. */
  readonly now?: () => number;
}

export class DeadLetterReport {
  readonly #options: DeadLetterReportOptions;
  readonly #now: () => number;
  #droppedCount = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(options: DeadLetterReportOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  counted({ kept, dropped }: LetterCounts): void {
    const { meter, log, maxCount } = this.#options;
    for (const kind of kept) meter.add('sutra_dead_letters_kept_total', 1, { kind });
    for (const kind of dropped) meter.add('sutra_dead_letters_dropped_total', 1, { kind });
    this.#droppedCount += dropped.length;
    if (dropped.length === 0 || this.#now() - this.#saidAt < SILENCE_MS) return;
    log.error('dead-letter.limit-reached', { maxCount, droppedCount: this.#droppedCount });
    this.#droppedCount = 0;
    this.#saidAt = this.#now();
  }
}
