/**
 * Keeps the embedded database's tables small: it has no autovacuum of its own. Only for that one; a server
 * looks after itself.
 *
 * V1 A table is vacuumed only when enough was written to it since the last time; an idle engine runs one small
 *    statement a minute.
 * V2 One table at a time, each a statement of its own: turns get the one session in between.
 * V3 A failing database neither ends it nor makes it spin.
 */
import { performance } from 'node:perf_hooks';
import type { Log } from '../observe.ts';
import { errorLabel } from '../relay/refusal.ts';
import { WakeLoop } from '../relay/wake-loop.ts';
import type { Database } from '../store/database.ts';
import { readTablesUpkeep, vacuumTable, type TableUpkeep } from '../store/vacuum.ts';
import type { Service } from '../transport.ts';

export interface EmbeddedVacuumOptions {
  readonly database: Database;
  readonly log: Log;
  /** Default: a minute, as a server's. Longer: tables and their scans grow. Shorter: the session is held oftener. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 60_000;

/** Longer than this, and the engine stood still so long that somebody may ask why. */
const SLOW_MS = 1_000;

export class EmbeddedVacuum implements Service {
  readonly #options: EmbeddedVacuumOptions;
  readonly #loop: WakeLoop;

  constructor(options: EmbeddedVacuumOptions) {
    this.#options = options;
    this.#loop = new WakeLoop({
      pass: () => this.#pass(),
      onFailure: (error, failures, delayMs) =>
        options.log.warn('vacuum.failed', { cause: errorLabel(error), failures, delayMs }),
      random: Math.random,
    });
  }

  async start(): Promise<void> {
    await this.#loop.start();
    this.#loop.wakeIn(this.#intervalMs);
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  get #intervalMs(): number {
    return this.#options.intervalMs ?? INTERVAL_MS;
  }

  async #pass(): Promise<number> {
    for (const upkeep of await readTablesUpkeep(this.#options.database)) {
      if (this.#loop.isStopping) break;
      await this.#vacuum(upkeep);
    }
    return this.#intervalMs;
  }

  async #vacuum(upkeep: TableUpkeep): Promise<void> {
    const startedAt = performance.now();
    await vacuumTable(this.#options.database, upkeep);
    const tookMs = Math.round(performance.now() - startedAt);
    if (tookMs > SLOW_MS) this.#options.log.info('vacuum.slow', { table: upkeep.table, tookMs });
  }
}
