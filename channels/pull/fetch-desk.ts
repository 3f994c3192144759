/**
 * The waiting fetches of one replica, and the claims made for them.
 *
 * A fetch that arrives looks at once, unless older fetches already wait idle on all its channels: then
 * there was nothing a moment ago, and what comes wakes the oldest. An idle fetch costs its memory and one
 * timer; it is woken by a park here or on another replica, by a lock or retry time coming due, by a
 * released lock, by a deployment that becomes live, and by the tick of the wake clock.
 *
 * D1 First come, first served per channel: wakes take the oldest idle fetch, and a claim deals to the
 *    oldest first.
 * D2 A park of k tasks wakes at most k fetches here; what nobody here waits for is rung on to the others.
 * D3 One claim is under way at a time; what comes due meanwhile is claimed together in the next.
 * D4 No wake is lost. It stands until a fetch is claimed for; a claim that left tasks behind wakes
 *    further fetches; a woken fetch that goes away before its claim hands its wakes back.
 * D5 Nothing is locked for a fetch that has gone. One that goes during its claim has its locks released.
 * D6 A fetch for which a turn is about to park a task (`hand-off.ts`) is `claiming` until that turn's commit has ended.
 * D7 Every fetch is answered: with tasks, with none when its time is up or the desk stops, or with the
 *    claim's error. A failed claim fails its own fetches only.
 */
import { setImmediate } from 'node:timers';
import { EngineError } from '../../config/engine-error.ts';
import type { Log, Meter } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { releaseLocks } from '../../engine/store/external-tasks.ts';
import { nextVisibleAt, type LivePair } from '../../engine/store/external-tasks-fetch.ts';
import type { ChannelEndpoint, Service } from '../../engine/transport.ts';
import { MAX_BODY_BYTES } from './claim-plan.ts';
import type { LockedTask } from './claim-plan.ts';
import { groupKeyOf, type FetchTerms } from './channel-terms.ts';
import { claimRounds } from './claim-rounds.ts';
import type { ClaimOptions, ClaimOutcome } from './claim-rounds.ts';
import type { PullCode } from './codes.ts';
import { Doorbell } from './doorbell.ts';
import { LiveChannels } from './live-channels.ts';
import { startLongTimer } from './long-timer.ts';
import { WaitingFetches } from './waiting-fetches.ts';
import type { FetchState, WaitingFetch } from './waiting-fetches.ts';
import { WakeClock } from './wake-clock.ts';
import { Wakes } from './wakes.ts';

export interface FetchDeskOptions {
  readonly database: Database;
  readonly defaultLockDurationMs: number;
  /** Null: a task is handed out however often its lock runs out. */
  readonly maxAttempts: number | null;
  readonly replicaId: string;
  readonly meter: Meter;
  readonly log: Log;
  /** Default: 20,000, of which each costs about 4.5 KB. */
  readonly maxWaiting?: number;
  /** Default: `TICK_MS` of the wake clock. */
  readonly tickMs?: number;
  /** Default: `MAX_BODY_BYTES` of the claim plan. */
  readonly maxBodyBytes?: number;
}

export interface FetchDemand extends FetchTerms {
  readonly workerId: string;
  readonly channels: readonly string[];
  /** How long to wait when there is nothing; 0 looks once. */
  readonly waitMs: number;
}

/** A fetch that waits, until it is answered. */
export interface OpenFetch extends WaitingFetch {
  state: FetchState;
  /** Its time is up: it is answered after the claim that it is due for. */
  isExpired: boolean;
  /** Its client hung up while it was being claimed for. */
  isGone: boolean;
  /** It was taken from the idle ones, so that a wake hangs on it (D4). */
  isWoken: boolean;
  readonly settle: (tasks: readonly LockedTask[]) => void;
  readonly fail: (error: unknown) => void;
}

const DEFAULT_MAX_WAITING = 20_000;

/** Fetches in one claim: with more, one statement gets long and its answers wait for each other. */
const MAX_BATCH = 250;

/** After a claim that found rows held by others to the end: look again, less and less often. */
const CONTENTION_DELAY_MS = 50;

/**
 * The first fetch to go idle on a channel does not know when its next lock or retry comes due. Asked for
 * a little later, because under load most waits have ended by then.
 */
const FIRST_LOOK_DELAY_MS = 50;

export class FetchDesk implements Service {
  readonly #options: FetchDeskOptions;
  readonly #claimOptions: ClaimOptions;
  readonly #live = new LiveChannels();
  readonly #waiting = new WaitingFetches<OpenFetch>();
  readonly #due = new Set<OpenFetch>();
  readonly #wakes = new Wakes();
  readonly #clock: WakeClock;
  readonly #doorbell: Doorbell;
  #sequence = 0;
  #working: Promise<void> | null = null;
  readonly #releasing = new Set<Promise<void>>();
  #fruitlessCount = 0;
  #isStopped = false;

  constructor(options: FetchDeskOptions) {
    this.#options = options;
    const {
      database,
      replicaId,
      log,
      meter,
      tickMs,
      defaultLockDurationMs,
      maxAttempts,
      maxBodyBytes = MAX_BODY_BYTES,
    } = options;
    this.#claimOptions = { database, meter, defaultLockDurationMs, maxAttempts, maxBodyBytes };
    this.#clock = new WakeClock({
      look: () => this.#look(),
      hasIdleFetches: () => this.#waiting.size > 0,
      log,
      ...(tickMs === undefined ? {} : { tickMs }),
    });
    this.#doorbell = new Doorbell({
      database,
      replicaId,
      log,
      heard: (counts) => this.#wake(counts, 'elsewhere'),
    });
    meter.gauge('sutra_fetches_waiting', () => this.#waiting.size);
  }

  /** Listens to the other replicas. Fetching works before, and without, this. */
  start(): Promise<void> {
    return this.#doorbell.start();
  }

  /** Answers all waiting fetches with no tasks, after the claim that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const fetch of [...this.#waiting.live()]) {
      if (fetch.state !== 'claiming') {
        this.#answer(fetch, []);
      }
    }
    await this.#working;
    await Promise.all(this.#releasing);
    await Promise.all([this.#clock.stop(), this.#doorbell.stop()]);
  }

  /** How many fetches wait. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** How many fetches wait on `channel`. */
  waitingOn(channel: string): number {
    return this.#waiting.liveCount(channel);
  }

  /** The channels of live deployments. */
  livePairs(): readonly LivePair[] {
    return this.#live.pairsOf(this.#live.names());
  }

  /** Replaces the channels of live deployments. */
  bind(endpoints: readonly Pick<ChannelEndpoint, 'name' | 'deploymentId'>[]): void {
    const gained = this.#live.bind(endpoints);
    this.#wake(new Map([...gained].map((channel) => [channel, 1])), 'elsewhere');
  }

  /** Tasks were parked, let go or released by this replica. */
  parked(counts: ReadonlyMap<string, number>): void {
    this.#wake(counts, 'here');
  }

  /** Takes at most `count` idle fetches out of the queue of `channel`, oldest first: to be handed over to, or given up. */
  reserve(channel: string, count: number): readonly OpenFetch[] {
    return this.#isStopped ? [] : this.#waiting.reserve(channel, count);
  }

  /** Answers a reserved fetch with tasks that were locked for it; if it has gone, the locks are given back. */
  handOver(fetch: OpenFetch, tasks: readonly LockedTask[]): void {
    this.#hand(fetch, tasks);
    this.#clock.expect(Math.min(...tasks.map(({ lockMs }) => lockMs)));
  }

  /** The tasks of reserved fetches do not come: they look for themselves. */
  giveUp(fetches: readonly OpenFetch[]): void {
    this.#putBack(fetches, () => true);
    if (this.#due.size > 0) this.#work();
  }

  /** A task of `channel` will be fetchable in `delayMs`: its retry time was set. */
  deferred(channel: string, delayMs: number): void {
    if (delayMs <= 0) {
      this.parked(new Map([[channel, 1]]));
    } else if (this.#waiting.idleCount(channel) > 0) {
      this.#clock.expect(delayMs);
    }
  }

  /**
   * Waits for tasks. `disconnected` ends the wait with no tasks; nothing stays locked for it.
   * @throws EngineError SUTRA.EXTERNAL_TASK.CAPACITY, or what the database throws.
   */
  fetch(demand: FetchDemand, disconnected: AbortSignal): Promise<readonly LockedTask[]> {
    const { maxWaiting = DEFAULT_MAX_WAITING } = this.#options;
    if (this.#isStopped || disconnected.aborted) {
      return Promise.resolve([]);
    }
    if (this.#waiting.size >= maxWaiting) {
      const code: PullCode = 'SUTRA.EXTERNAL_TASK.CAPACITY';
      const message = `${maxWaiting} fetches already wait on this replica, which is its limit; try again later.`;
      return Promise.reject(new EngineError(code, message, { attributes: { limit: maxWaiting } }));
    }
    return new Promise((resolve, reject) => this.#admit(demand, disconnected, resolve, reject));
  }

  /** Gives locks back whose holder never got them. Failing is harmless: the locks expire. */
  release(tasks: readonly LockedTask[]): Promise<void> {
    if (tasks.length === 0) {
      return Promise.resolve();
    }
    const releasing = this.#release(tasks).finally(() => this.#releasing.delete(releasing));
    this.#releasing.add(releasing);
    return releasing;
  }

  async #release(tasks: readonly LockedTask[]): Promise<void> {
    try {
      const locks = tasks.map(({ id, tokenHash }) => ({ taskId: id, tokenHash }));
      this.parked(await releaseLocks(this.#options.database, locks));
      this.#options.meter.add('sutra_fetch_released_total', tasks.length);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#options.log.warn('fetch-desk.release-failed', { tasks: tasks.length, error: message });
    }
  }

  #admit(
    demand: FetchDemand,
    disconnected: AbortSignal,
    resolve: (tasks: readonly LockedTask[]) => void,
    reject: (error: unknown) => void,
  ): void {
    const channels = [...new Set(demand.channels)];
    const { workerId, maxTasks, lockDurationMs, terms, waitMs } = demand;
    const sequence = (this.#sequence += 1);
    const isBehindOthers = waitMs > 0 && channels.every((channel) => this.#waiting.idleCount(channel) > 0);
    const onGone = (): void => this.#hungUp(fetch);
    const timer = startLongTimer(waitMs, () => this.#expire(fetch));
    const finish = (): void => {
      timer.cancel();
      disconnected.removeEventListener('abort', onGone);
    };
    const fetch: OpenFetch = {
      sequence,
      channels,
      groupKey: groupKeyOf(channels, terms, sequence),
      workerId,
      maxTasks,
      lockDurationMs,
      ...(terms === undefined ? {} : { terms }),
      state: isBehindOthers ? 'idle' : 'due',
      isExpired: false,
      isGone: false,
      isWoken: false,
      settle: (tasks) => {
        finish();
        resolve(tasks);
      },
      fail: (error) => {
        finish();
        reject(error);
      },
    };
    disconnected.addEventListener('abort', onGone, { once: true });
    this.#waiting.add(fetch);
    if (fetch.state === 'due') {
      this.#due.add(fetch);
      this.#work();
    }
  }

  #expire(fetch: OpenFetch): void {
    if (fetch.state === 'idle') {
      this.#answer(fetch, []);
    } else {
      fetch.isExpired = true;
    }
  }

  #hungUp(fetch: OpenFetch): void {
    if (fetch.state === 'claiming') {
      fetch.isGone = true;
      return;
    }
    const isWakeStanding = fetch.state === 'due' && fetch.isWoken;
    this.#answer(fetch, []);
    if (isWakeStanding) {
      this.#wake(new Map(fetch.channels.map((channel) => [channel, 1])), 'elsewhere');
    }
  }

  #answer(fetch: OpenFetch, tasks: readonly LockedTask[]): void {
    this.#due.delete(fetch);
    this.#waiting.move(fetch, 'answered');
    fetch.settle(tasks);
  }

  #wake(counts: ReadonlyMap<string, number>, origin: 'here' | 'elsewhere'): void {
    if (this.#isStopped || counts.size === 0) {
      return;
    }
    for (const [channel, count] of counts) {
      this.#wakes.add(channel, count, origin);
    }
    this.#work();
  }

  /** Starts claiming unless it is under way. What comes in the same turn of the event loop goes together. */
  #work(): void {
    this.#working ??= new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#claimAll())
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.#options.log.error('fetch-desk.failed', { error: message });
      })
      .finally(() => {
        this.#working = null;
        if (this.#due.size > 0 || this.#wakes.size > 0) {
          this.#work();
        }
      });
  }

  async #claimAll(): Promise<void> {
    for (let batch = this.#takeBatch(); batch.length > 0; batch = this.#takeBatch()) {
      await this.#claim(batch);
    }
  }

  /** The fetches to claim for: those that are due, oldest first, with those that the wakes are for. */
  #takeBatch(): OpenFetch[] {
    if (this.#isStopped) {
      this.#wakes.clear();
    }
    for (const { channel, total, here } of this.#wakes.all()) {
      const room = Math.max(MAX_BATCH - this.#due.size, 0);
      const woken = this.#waiting.wake(channel, Math.min(total, room));
      for (const fetch of woken) {
        fetch.isWoken = true;
        this.#due.add(fetch);
      }
      if (this.#waiting.idleCount(channel) > 0 && woken.length < total) {
        this.#wakes.spend(channel, woken.length);
        continue;
      }
      this.#wakes.drop(channel);
      const surplus = Math.min(here, total - woken.length);
      if (surplus > 0) {
        this.#doorbell.ring(channel, surplus);
      }
    }
    const batch = [...this.#due].sort((left, right) => left.sequence - right.sequence).slice(0, MAX_BATCH);
    for (const fetch of batch) {
      this.#due.delete(fetch);
      this.#waiting.move(fetch, 'claiming');
    }
    return batch;
  }

  async #claim(batch: readonly OpenFetch[]): Promise<void> {
    const arrivedBefore = this.#sequence;
    const isUnserved = (fetch: OpenFetch): boolean => fetch.state === 'claiming';
    let claimed: ClaimOutcome;
    try {
      claimed = await claimRounds(batch, this.#live, this.#claimOptions, (fetch, tasks) =>
        this.#hand(fetch, tasks),
      );
    } catch (error) {
      this.#failAll(batch.filter(isUnserved), error);
      return;
    }
    const { taskCount, leftover, isContended, firstExpiryMs } = claimed;
    const unserved = batch.filter(isUnserved);
    this.#fruitlessCount = taskCount > 0 ? 0 : this.#fruitlessCount + 1;
    this.#wakeForLeftover(leftover, batch.length - unserved.length);
    const hasMore = (fetch: OpenFetch): boolean =>
      taskCount > 0 && !isContended && fetch.channels.some((channel) => leftover.has(channel));
    this.#putBack(unserved, hasMore);
    if (firstExpiryMs !== null) {
      this.#clock.expect(firstExpiryMs);
    }
    if (isContended) {
      this.#clock.expect(CONTENTION_DELAY_MS * 2 ** Math.min(this.#fruitlessCount, 5));
    } else {
      this.#spare(
        new Set(unserved.filter((fetch) => !hasMore(fetch)).map(({ groupKey }) => groupKey)),
        arrivedBefore,
      );
    }
  }

  #hand(fetch: OpenFetch, tasks: readonly LockedTask[]): void {
    if (!fetch.isGone) {
      this.#answer(fetch, tasks);
      return;
    }
    this.#answer(fetch, []);
    void this.release(tasks);
  }

  /** Unserved fetches wait on, unless their time is up; those for which there is more look again at once. */
  #putBack(unserved: readonly OpenFetch[], hasMore: (fetch: OpenFetch) => boolean): void {
    for (const fetch of unserved) {
      fetch.isWoken = false;
      if (fetch.isGone || fetch.isExpired || this.#isStopped) {
        this.#answer(fetch, []);
      } else if (hasMore(fetch)) {
        this.#waiting.move(fetch, 'due');
        this.#due.add(fetch);
      } else {
        this.#goIdle(fetch);
      }
    }
  }

  #goIdle(fetch: OpenFetch): void {
    const isFirst = fetch.channels.some((channel) => this.#waiting.idleCount(channel) === 0);
    this.#waiting.move(fetch, 'idle');
    if (isFirst) {
      this.#clock.expect(FIRST_LOOK_DELAY_MS);
    }
  }

  /**
   * What the claim did not find for a fetch is not there for another of the same channels, if that one
   * had arrived before the claim: hundreds of newcomers cost one statement.
   */
  #spare(fruitlessKeys: ReadonlySet<string>, arrivedBefore: number): void {
    if (fruitlessKeys.size === 0) {
      return;
    }
    for (const fetch of [...this.#due]) {
      if (fetch.sequence > arrivedBefore || fetch.isWoken || !fruitlessKeys.has(fetch.groupKey)) {
        continue;
      }
      this.#due.delete(fetch);
      if (fetch.isExpired) {
        this.#answer(fetch, []);
      } else {
        this.#goIdle(fetch);
      }
    }
  }

  /** More tasks than were picked: wake twice as many as were served, so that a burst is met in few claims. */
  #wakeForLeftover(leftover: ReadonlyMap<string, number>, servedCount: number): void {
    for (const [channel, count] of leftover) {
      this.#wakes.add(channel, Math.max(count, 2 * servedCount), 'elsewhere');
    }
  }

  #failAll(fetches: readonly OpenFetch[], error: unknown): void {
    for (const fetch of fetches) {
      this.#waiting.move(fetch, 'answered');
      fetch.fail(error);
    }
    // Their wakes are spent; the look finds what they were for.
    this.#clock.expect(Infinity);
  }

  /** One statement for all idle fetches: wakes one on each channel that has a task to fetch. */
  async #look(): Promise<number | null> {
    const pairs = this.#live.pairsOf(this.#waiting.awaitedChannels());
    if (pairs.length === 0) {
      return null;
    }
    const delays = await nextVisibleAt(this.#options.database, pairs);
    this.#options.meter.add('sutra_fetch_looks_total', 1);
    const visible = [...delays].filter(([, delayMs]) => delayMs === 0).map(([channel]) => channel);
    this.#wake(new Map(visible.map((channel) => [channel, 1])), 'elsewhere');
    const ahead = [...delays.values()].filter((delayMs) => delayMs > 0);
    // What is visible hides what comes after it on the same channel: look again soon, but do not spin on a
    // task that stays visible because somebody holds its row.
    if (visible.length > 0) {
      ahead.push(FIRST_LOOK_DELAY_MS * 2 ** Math.min(this.#fruitlessCount, 5));
    }
    return ahead.length === 0 ? null : Math.min(...ahead);
  }
}
