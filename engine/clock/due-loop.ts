/**
 * Makes a turn of every row that is due. Every replica runs one for each kind of row (timers of instances, start
 * timers, signals on their way), with no leader: the row's lock decides who makes the turn, and the turn settles
 * the row in its own commit.
 *
 * It sleeps until the next due time, or until it is told that something is due sooner.
 *
 * C1 A row is settled once: that another replica has settled it (`gone`) or is about to (`busy`) is normal.
 * C2 Whether a row is due, and how long to sleep, is reckoned by the database's clock. This machine's clock
 *    only measures how much time has passed since the database was last asked.
 * C3 A row whose turn cannot be made is tried again after a growing delay, and holds up no other.
 * C4 No sleep is longer than `maxSleepMs`, so that rows of a replica that died are noticed.
 * C5 A failing database neither ends the loop nor makes it spin: it is retried with backoff.
 */
import { performance } from 'node:perf_hooks';
import type { SettledTurn } from '../intake/ports.ts';
import { backoffDelayMs } from '../relay/backoff.ts';
import { refusalKind } from '../relay/refusal.ts';
import { SetAside } from '../relay/set-aside.ts';
import { WakeLoop } from '../relay/wake-loop.ts';
import type { Service } from '../transport.ts';

/** Rows taken together, so that their turns share commits. A guess. */
const BATCH_SIZE = 200;

/** How late at most a row is noticed whose replica died after writing it; one statement in that time. */
const MAX_SLEEP_MS = 5_000;

/** A busy row is held for the length of one turn, mostly a few milliseconds. */
const BUSY_BACKOFF = { baseDelayMs: 20, maxDelayMs: 1_000, jitter: true } as const;

/** A row whose turn failed unexpectedly. A guess: often enough to recover, seldom enough to read the log. */
const FAILED_BACKOFF = { baseDelayMs: 1_000, maxDelayMs: 60_000, jitter: true } as const;

const ASIDE_CAPACITY = 5_000;

/** What is due, and what becomes of it. */
export interface DueWork<Row> {
  /** Due rows that nobody holds, the longest due first, at most `count` and none of `away` (keys). */
  take(away: ReadonlySet<string>, count: number): Promise<TakenRows<Row>>;
  next(): Promise<NextDue>;
  keyOf(row: Row): string;
  /** @throws EngineError when no turn could be made of it; what is `outage` by its code ends the pass. */
  settle(row: Row): Promise<SettledTurn>;
  /** It was settled by this replica's own turn. */
  settled(row: Row): void;
  failed(row: Row, error: unknown): void;
  passFailed(error: unknown, failures: number, retryInMs: number): void;
}

export interface TakenRows<Row> {
  readonly rows: readonly Row[];
  /** There may be more that are due now. */
  readonly hasMore: boolean;
}

export interface NextDue {
  /** The database's clock as it answered. */
  readonly nowMs: number;
  /** A row is due already: somebody holds it, or it came due after the last look. */
  readonly isOneDue: boolean;
  /** When the earliest row that is not due yet will be, or null when there is none. */
  readonly nextDueAtMs: number | null;
}

export interface DueLoopOptions {
  /** Spreads delays. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Default: 5 seconds. Longer: a dead replica's rows are late. Shorter: more statements when idle. */
  readonly maxSleepMs?: number | undefined;
}

type Outcome = 'settled' | 'busy' | 'pressed';

export class DueLoop<Row> implements Service {
  readonly #work: DueWork<Row>;
  readonly #random: () => number;
  readonly #maxSleepMs: number;
  readonly #loop: WakeLoop;
  readonly #busy: SetAside;
  readonly #failed: SetAside;
  /** The database's clock when it was last asked, and this machine's monotonic clock after the answer. */
  #anchor: { readonly databaseMs: number; readonly localMs: number } | null = null;
  #heldLooks = 0;

  constructor(work: DueWork<Row>, options: DueLoopOptions) {
    this.#work = work;
    this.#random = options.random ?? Math.random;
    this.#maxSleepMs = options.maxSleepMs ?? MAX_SLEEP_MS;
    this.#busy = new SetAside(BUSY_BACKOFF, ASIDE_CAPACITY, this.#random);
    this.#failed = new SetAside(FAILED_BACKOFF, ASIDE_CAPACITY, this.#random);
    this.#loop = new WakeLoop({
      pass: () => this.#pass(),
      onFailure: (error, failures, delayMs) => work.passFailed(error, failures, Math.round(delayMs)),
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

  /** After a commit that wrote rows which are due at once. */
  wake(): void {
    this.#loop.wake();
  }

  /** After a commit that wrote rows: when the earliest of them is due, by the database's clock. */
  noticeDue(dueAtMs: number): void {
    if (this.#anchor === null) {
      this.#loop.wake();
      return;
    }
    const elapsedMs = performance.now() - this.#anchor.localMs;
    // The anchor is late by the answer's way back, so this never wakes before the row is due.
    this.#loop.wakeIn(dueAtMs - (this.#anchor.databaseMs + elapsedMs));
  }

  async #pass(): Promise<number> {
    while (!this.#loop.isStopping) {
      const away = new Set([...this.#busy.keys(), ...this.#failed.keys()]);
      if (away.size + BATCH_SIZE > ASIDE_CAPACITY) break;
      const { rows, hasMore } = await this.#work.take(away, BATCH_SIZE);
      const isPressed = await this.#settleAll(rows);
      if (isPressed || !hasMore) break;
    }
    return await this.#sleepMs();
  }

  /** True when the engine has no room for more. @throws when the database is away. */
  async #settleAll(rows: readonly Row[]): Promise<boolean> {
    const results = await Promise.allSettled(rows.map((row) => this.#settle(row)));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    return results.some((result) => result.status === 'fulfilled' && result.value === 'pressed');
  }

  async #settle(row: Row): Promise<Outcome> {
    const key = this.#work.keyOf(row);
    try {
      const outcome = await this.#work.settle(row);
      if (outcome === 'busy') {
        this.#busy.put(key);
        return 'busy';
      }
      this.#busy.release(key);
      this.#failed.release(key);
      if (outcome === 'done') this.#work.settled(row);
      return 'settled';
    } catch (error) {
      const kind = refusalKind(error);
      if (kind === 'outage') throw error;
      if (kind === 'pressed') {
        this.#busy.put(key);
        return 'pressed';
      }
      this.#failed.put(key);
      this.#work.failed(row, error);
      return 'settled';
    }
  }

  async #sleepMs(): Promise<number> {
    const { nowMs, isOneDue, nextDueAtMs } = await this.#work.next();
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
}

/** For rows that are read in one order: asks for as many more as are away, and leaves those out. */
export async function takeBeside<Row>(
  due: (limit: number) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
  away: ReadonlySet<string>,
  count: number,
): Promise<TakenRows<Row>> {
  const limit = away.size + count;
  const found = await due(limit);
  const rows = found.filter((row) => !away.has(keyOf(row))).slice(0, count);
  return { rows, hasMore: found.length === limit };
}
