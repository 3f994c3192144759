/**
 * Deletes what is past its retention: dedup keys and receipts, ended instances, their history, dead letters, incidents
 * that nobody needs. Every replica runs one, with no leader: they pass over each other's rows.
 *
 * T1 A sweep is many small transactions with a pause after each, so turns never queue behind it.
 * T2 A sweep under way ends within one batch of `stop`.
 * T3 A failing database neither ends it nor makes it spin.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../../config/settings.ts';
import type { Log } from '../observe.ts';
import { errorLabel } from '../relay/refusal.ts';
import { WakeLoop } from '../relay/wake-loop.ts';
import type { Database } from '../store/database.ts';
import { reopenDeployments } from '../store/deployments.ts';
import {
  purgeDeadLetters,
  purgeHistory,
  purgeIncidents,
  purgeInbox,
  purgeInstances,
  purgeReceipts,
} from '../store/purge.ts';
import type { Service, StatementRunner } from '../transport.ts';

export interface RetentionOptions {
  readonly database: Database;
  readonly settings: Pick<Settings, 'inbox' | 'instance' | 'history' | 'deadLetter'>;
  readonly log: Log;
  /** Spreads the replicas' sweeps. Default: `Math.random`. */
  readonly random?: () => number;
}

/** What one sweep deleted. */
export interface Swept {
  readonly instances: number;
  /** Turns. */
  readonly historyRows: number;
  readonly inboxRows: number;
  readonly receipts: number;
  readonly deadLetters: number;
  readonly incidents: number;
}

type Purge = (runner: StatementRunner, retentionMs: number, limit: number) => Promise<number>;

/** An instance brings along what else is its own, a dead letter its body. Guesses: some ten milliseconds a batch. */
const INSTANCE_BATCH = 200;
const ROW_BATCH = 1_000;

/** Leaves the embedded database's one session to others for most of the time. A guess. */
const PAUSE_MS = 50;

/** The first sweep does not wait for a whole interval, nor compete with a start. */
const FIRST_SWEEP_MAX_MS = 60_000;

export class Retention implements Service {
  readonly #options: RetentionOptions;
  readonly #random: () => number;
  readonly #loop: WakeLoop;
  readonly #stopping = new AbortController();
  #isFirst = true;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#loop = new WakeLoop({
      pass: () => this.#pass(),
      onFailure: (error, failures, delayMs) =>
        options.log.warn('retention.failed', { cause: errorLabel(error), failures, delayMs }),
      random: this.#random,
    });
  }

  async start(): Promise<void> {
    await this.#loop.start();
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
  }

  /** One sweep, to its end or to `stop`. */
  async sweep(): Promise<Swept> {
    const { inbox, instance, history, deadLetter } = this.#options.settings;
    const swept = {
      instances: await this.#purge(purgeInstances, instance.retentionMs, INSTANCE_BATCH),
      // After the instances: where both are kept as long, the history of those that have just gone goes too.
      historyRows: await this.#purge(purgeHistory, history.retentionMs, ROW_BATCH),
      inboxRows: await this.#purge(purgeInbox, inbox.retentionMs, ROW_BATCH),
      receipts: await this.#purge(purgeReceipts, inbox.retentionMs, ROW_BATCH),
      deadLetters: await this.#purge(purgeDeadLetters, deadLetter.retentionMs, INSTANCE_BATCH),
      incidents: await this.#purge(purgeIncidents, instance.retentionMs, ROW_BATCH),
    };
    for (const deploymentId of await reopenDeployments(this.#options.database)) {
      this.#options.log.warn('deployment.reopened', { deploymentId });
    }
    return swept;
  }

  async #pass(): Promise<number> {
    const intervalMs = this.#options.settings.instance.retentionSweepIntervalMs;
    if (this.#isFirst) {
      this.#isFirst = false;
      return this.#random() * Math.min(intervalMs, FIRST_SWEEP_MAX_MS);
    }
    const swept = await this.sweep();
    if (Object.values(swept).some((count) => count > 0))
      this.#options.log.info('retention.swept', { ...swept });
    // A tenth of the interval as jitter: replicas that were started together drift apart.
    return intervalMs * (0.9 + this.#random() / 10);
  }

  async #purge(purge: Purge, retentionMs: number, limit: number): Promise<number> {
    let total = 0;
    while (!this.#stopping.signal.aborted) {
      const count = await purge(this.#options.database, retentionMs, limit);
      total += count;
      if (count < limit) break;
      await this.#pause();
    }
    return total;
  }

  async #pause(): Promise<void> {
    // Rejects only when it is aborted, by `stop`.
    await delay(PAUSE_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}
