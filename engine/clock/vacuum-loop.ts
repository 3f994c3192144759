/**
 * Keeps tables small where nobody else does it in time. The embedded database has no autovacuum: there it sees to all
 * tables. A server's autovacuum comes once in its naptime, a minute by default: there it sees to the queues alone,
 * whose claims walk over the index entries of dead rows, and leaves all else to the server.
 *
 * V1 A table is vacuumed only when enough was written to it since the last time; an idle engine runs one small
 *    statement in each interval.
 * V2 One table at a time, each a statement of its own: on the embedded database turns get the one session in
 *    between, on a server it holds one connection of the pool.
 * V3 A failing database neither ends it nor makes it spin.
 * V4 A table rests ten times as long as its last vacuum took, however that ended: one that the server cancelled, or
 *    that an open transaction kept from cleaning anything, is not begun again at once.
 *
 * Each replica has one, and they know nothing of each other: they look at times of their own, a table that one has
 * vacuumed needs no other, and one that somebody is at is passed over.
 */
import { performance } from 'node:perf_hooks';
import type { Log } from '../observe.ts';
import { errorLabel } from '../relay/refusal.ts';
import { WakeLoop } from '../relay/wake-loop.ts';
import type { Database } from '../store/database.ts';
import {
  readQueuesUpkeep,
  readTablesUpkeep,
  vacuumQueue,
  vacuumTable,
  type TableUpkeep,
  type VacuumedTable,
} from '../store/vacuum.ts';
import type { Service } from '../transport.ts';

export interface VacuumLoopOptions {
  readonly database: Database;
  readonly log: Log;
  /**
   * Default: a minute when embedded, as a server's; ten seconds on a server. Longer: tables and their scans grow.
   * Shorter: the embedded session, or a connection, is held oftener.
   */
  readonly intervalMs?: number;
  /** For tests. Default: the monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

interface Care {
  readonly intervalMs: number;
  /** A vacuum that took longer is logged. */
  readonly slowMs: number;
  readonly readUpkeep: (database: Database) => Promise<TableUpkeep[]>;
  readonly vacuum: (database: Database, upkeep: TableUpkeep) => Promise<void>;
}

const cares = {
  // Over a second: the engine stood still so long that somebody may ask why.
  embedded: { intervalMs: 60_000, slowMs: 1_000, readUpkeep: readTablesUpkeep, vacuum: vacuumTable },
  // In ten seconds 2,700 orders a second leave 27,000 dead entries; behind 40,000 a claim took 19 ms instead of 1 to 5.
  // Over ten seconds: nothing stood still, but a third of the time after which the server cancels it has gone.
  postgresql: { intervalMs: 10_000, slowMs: 10_000, readUpkeep: readQueuesUpkeep, vacuum: vacuumQueue },
} satisfies Record<Database['kind'], Care>;

/** So that vacuums of a table take at most a tenth of a replica's time. A guess. */
const REST_FACTOR = 10;

/** Null: a server, and a pool of one connection. A vacuum would hold up every turn; autovacuum does it all. */
export function createVacuumLoop(options: VacuumLoopOptions): VacuumLoop | null {
  const { kind, poolSize } = options.database;
  return kind === 'postgresql' && poolSize < 2 ? null : new VacuumLoop(options);
}

export class VacuumLoop implements Service {
  readonly #options: VacuumLoopOptions;
  readonly #care: Care;
  readonly #intervalMs: number;
  readonly #now: () => number;
  readonly #loop: WakeLoop;
  /** By table: until when it is left alone. */
  readonly #restingUntil = new Map<VacuumedTable, number>();

  constructor(options: VacuumLoopOptions) {
    this.#options = options;
    this.#care = cares[options.database.kind];
    this.#intervalMs = options.intervalMs ?? this.#care.intervalMs;
    this.#now = options.now ?? (() => performance.now());
    this.#loop = new WakeLoop({
      pass: () => this.#pass(),
      onFailure: (error, failures, delayMs) =>
        options.log.warn('vacuum.failed', { cause: errorLabel(error), failures, delayMs }),
      random: Math.random,
    });
  }

  /** The first look comes at a random time in the second interval: replicas that start together look apart. */
  async start(): Promise<void> {
    await this.#loop.start();
    this.#loop.wakeIn(this.#intervalMs * (1 + Math.random()));
  }

  /** Waits for a vacuum under way, on a server at most as long as a statement may take. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #pass(): Promise<number> {
    for (const upkeep of await this.#care.readUpkeep(this.#options.database)) {
      if (this.#loop.isStopping) break;
      if (this.#now() >= (this.#restingUntil.get(upkeep.table) ?? 0)) await this.#vacuum(upkeep);
    }
    return this.#intervalMs;
  }

  async #vacuum(upkeep: TableUpkeep): Promise<void> {
    const { database, log } = this.#options;
    const { table } = upkeep;
    const startedAt = this.#now();
    let failure: { readonly error: unknown } | null = null;
    try {
      await this.#care.vacuum(database, upkeep);
    } catch (error) {
      // Not thrown: the other tables have their turn. When the database is away, the next look finds that out.
      failure = { error };
    }
    const endedAt = this.#now();
    this.#restingUntil.set(table, endedAt + REST_FACTOR * (endedAt - startedAt));
    const tookMs = Math.round(endedAt - startedAt);
    if (failure !== null) log.warn('vacuum.failed', { table, cause: errorLabel(failure.error), tookMs });
    else if (tookMs > this.#care.slowMs) log.info('vacuum.slow', { table, tookMs });
  }
}
