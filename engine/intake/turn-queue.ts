/**
 * Turns on their way into batches: group commit.
 *
 * Q1 While a batch commits, the next one collects; an idle queue commits at once. A second batch begins beside the
 *    first only when it is large: two small ones cost twice the statements of one, and save nobody any time. Unless the
 *    first has been under way for `besideAfterMs` and the thread had little to do meanwhile: then it is the database that
 *    takes its time, and waiting is what costs. A flood of requests cannot hold a batch up.
 * Q2 Turns of one shard key are never in two batches at the same time, and go in order, so that a replica never
 *    contends with itself. Of different keys, those that go on with begun work go first: see `WaitingTurns`.
 * Q3 With `maxInFlight` turns accepted and not yet answered, a message from outside is refused; a turn that goes on
 *    with begun work only with twice as many. These are bounded by what the callers have under way, and refused they
 *    would wait behind the very messages that they make room for.
 * Q4 A turn that finds its instance locked elsewhere comes again after a growing, jittered delay, a
 *    bounded number of times, then answers `busy`.
 * Q5 `stop` refuses what comes, and resolves when every accepted turn is answered.
 * Q6 A message that would wait for its place longer than `maxWaitMs` is refused: by how long the oldest has waited, and by
 *    how many wait and how fast they leave. So latency is bounded on a slow machine, and when a database stands still.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { Service } from '../transport.ts';
import type { TurnAnswer, TurnRequest } from './turn.ts';
import { WaitingTurns, type Batch } from './waiting-turns.ts';

export interface TurnQueueOptions {
  /** Batches that commit at the same time. */
  readonly maxConcurrent: number;
  /** A batch begins beside another one at once only when so many turns wait. */
  readonly minBeside: number;
  /** Turns a batch: past a few hundred a larger batch only adds latency. */
  readonly maxBatch: number;
  readonly maxInFlight: number;
  readonly maxWaitMs: number;
  readonly run: (turns: readonly TurnRequest[]) => Promise<readonly TurnAnswer[]>;
  /** Called for each turn that Q3 or Q6 refuses. Default: nobody. */
  readonly refused?: (refusal: TurnRefusal) => void;
  /** Default: this process's monotonic clock. */
  readonly nowMs?: () => number;
  /** Of the time since it was asked last, how much the thread was busy: 0 to 1. Default: as Node tells. */
  readonly busyShare?: () => number;
}

export interface TurnRefusal {
  readonly kind: 'new' | 'continuing';
  readonly reason: 'max-in-flight' | 'max-wait';
}

interface PendingTurn {
  readonly request: TurnRequest;
  readonly shardKey: string;
  readonly isContinuing: boolean;
  readonly answer: (answer: TurnAnswer) => void;
  readonly fail: (error: unknown) => void;
  busyCount: number;
}

/** 20 tries with delays of 2 ms doubling to 250 ms: about 4 s in all. */
const maxBusy = 20;
const maxBusyDelayMs = 250;

/**
 * The longest wait for the end of a round of I/O events. While requests come faster than they are refused, a round does
 * not end for up to 48 times 1,024 events (libuv asks for more before anything else has its turn): seconds. A guess.
 */
const maxRoundMs = 5;

/** Guesses: a commit on a local disk takes less than the first; above the second, statements are what is short, not time. */
const besideAfterMs = 5;
const maxBusyShare = 0.5;

function eventLoopShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

export class TurnQueue implements Service {
  readonly #options: TurnQueueOptions;
  readonly #nowMs: () => number;
  readonly #busyShare: () => number;
  readonly #waiting = new WaitingTurns<PendingTurn>();
  #batchCount = 0;
  #finishedCount = 0;
  /** What was refused since a batch last began or ended: thousands a second for the same reason cost one error. */
  readonly #refusals = new Map<string, EngineError>();
  /** When the next look for a batch was put off to the end of the round of I/O events; null: it is not. */
  #scheduledAt: number | null = null;
  /** Looks whether a small batch is to begin beside the one under way. */
  #besideTimer: NodeJS.Timeout | null = null;
  #inFlight = 0;
  #isStopping = false;
  #idle: (() => void)[] = [];

  constructor(options: TurnQueueOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#busyShare = options.busyShare ?? eventLoopShare();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** How long the oldest message has waited for its place in a batch; 0: none does. */
  get newWaitMs(): number {
    return this.#waiting.newWaitMs(this.#nowMs());
  }

  start(): Promise<void> {
    this.#isStopping = false;
    return Promise.resolve();
  }

  /**
   * Asks, before anything is spent on a message, whether it would be taken now.
   * @throws EngineError as `submit`
   */
  admitNew(): void {
    this.#beginOverdue();
    this.#admit(false);
  }

  /**
   * Resolves when the commit that carries the turn is durable, or the turn is refused.
   * @throws EngineError SUTRA.INTAKE.CAPACITY, SUTRA.INTAKE.STOPPING: the turn was not taken.
   */
  async submit(request: TurnRequest): Promise<TurnAnswer> {
    const isContinuing = isOfBegunWork(request);
    this.#admit(isContinuing);
    this.#inFlight += 1;
    return new Promise<TurnAnswer>((resolve, reject) => {
      this.#push({
        ...{ request, shardKey: request.shardKey, isContinuing },
        answer: (answer) => {
          this.#settled();
          resolve(answer);
        },
        fail: (error) => {
          this.#settled();
          reject(error instanceof Error ? error : new Error(String(error)));
        },
        busyCount: 0,
      });
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #admit(isContinuing: boolean): void {
    if (this.#isStopping) {
      throw new EngineError(
        'SUTRA.INTAKE.STOPPING',
        'The server is shutting down; send again to another replica.',
      );
    }
    const { maxInFlight, maxWaitMs } = this.#options;
    const limit = isContinuing ? 2 * maxInFlight : maxInFlight;
    if (this.#inFlight >= limit) {
      const many = isContinuing ? 'twice as many as' : 'as many messages as';
      throw this.#refusal({ kind: isContinuing ? 'continuing' : 'new', reason: 'max-in-flight' }, () => [
        `${String(this.#inFlight)} turns are under way, ${many} sutra.intake.max-in-flight allows.`,
        { ceiling: 'sutra.intake.max-in-flight', limit },
      ]);
    }
    const waitMs = isContinuing ? 0 : this.#waiting.nextNewWaitMs(this.#nowMs());
    if (waitMs > maxWaitMs) {
      throw this.#refusal({ kind: 'new', reason: 'max-wait' }, () => [
        `The message would wait for ${waitMs.toFixed(0)} ms, longer than sutra.intake.max-wait allows.`,
        { ceiling: 'sutra.intake.max-wait', limitMs: maxWaitMs },
      ]);
    }
  }

  #refusal(
    refusal: TurnRefusal,
    explain: () => readonly [message: string, attributes: Readonly<Record<string, unknown>>],
  ): EngineError {
    this.#options.refused?.(refusal);
    const key = `${refusal.kind} ${refusal.reason}`;
    const known = this.#refusals.get(key);
    if (known !== undefined) return known;
    const [message, attributes] = explain();
    const error = new EngineError('SUTRA.INTAKE.CAPACITY', message, { attributes });
    this.#refusals.set(key, error);
    return error;
  }

  #settled(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const wake of this.#idle.splice(0)) wake();
  }

  #push(turn: PendingTurn): void {
    const nowMs = this.#nowMs();
    this.#waiting.push(turn, nowMs);
    if (this.#scheduledAt !== null) return;
    this.#scheduledAt = nowMs;
    // After the current round of I/O events, so that what arrived together commits together.
    setImmediate(() => {
      this.#scheduledAt = null;
      this.#begin();
    });
  }

  /** Called by each message that comes, so that a flood of them drives the queue that it would otherwise hold up. */
  #beginOverdue(): void {
    if (this.#scheduledAt !== null && this.#nowMs() - this.#scheduledAt > maxRoundMs) this.#begin();
  }

  #begin(): void {
    const { maxConcurrent, minBeside, maxBatch } = this.#options;
    while (this.#batchCount < maxConcurrent) {
      if (this.#waiting.count < (this.#batchCount === 0 ? 1 : minBeside)) {
        this.#considerBeside();
        return;
      }
      const batch = this.#waiting.take(maxBatch, this.#nowMs());
      if (batch.turns.length === 0) return;
      void this.#run(batch);
    }
  }

  /** Begins a small batch beside the one under way, should that one still be under way then and the thread idle. */
  #considerBeside(): void {
    if (this.#besideTimer !== null || this.#batchCount === 0 || this.#waiting.count === 0) return;
    const besides = this.#finishedCount;
    this.#busyShare();
    this.#besideTimer = setTimeout(() => {
      this.#besideTimer = null;
      if (this.#finishedCount !== besides) {
        this.#begin();
        return;
      }
      if (this.#batchCount >= this.#options.maxConcurrent || this.#busyShare() > maxBusyShare) return;
      const batch = this.#waiting.take(this.#options.maxBatch, this.#nowMs());
      if (batch.turns.length > 0) void this.#run(batch);
    }, besideAfterMs);
    this.#besideTimer.unref();
  }

  /** Never rejects: `run` answers every turn, and a rejection of it is every turn's own failure. */
  async #run(batch: Batch<PendingTurn>): Promise<void> {
    const { turns } = batch;
    this.#batchCount += 1;
    this.#refusals.clear();
    try {
      const answers = await this.#options.run(turns.map(({ request }) => request));
      turns.forEach((turn, index) => {
        this.#answer(turn, answers[index]);
      });
    } catch (error) {
      for (const turn of turns) turn.fail(error);
    } finally {
      this.#batchCount -= 1;
      this.#finishedCount += 1;
      this.#refusals.clear();
      this.#waiting.release(batch);
      this.#begin();
    }
  }

  #answer(turn: PendingTurn, answer: TurnAnswer | undefined): void {
    if (answer === undefined) {
      turn.fail(new Error('a batch answered fewer turns than it was given'));
      return;
    }
    if (answer.kind !== 'busy' || turn.busyCount >= maxBusy) {
      turn.answer(answer);
      return;
    }
    turn.busyCount += 1;
    const delayMs = Math.min(2 ** turn.busyCount, maxBusyDelayMs) * (0.5 + Math.random() / 2);
    // Not unref'd: it ends within a second, and someone waits for the answer.
    setTimeout(() => {
      this.#push(turn);
    }, delayMs);
  }
}

/** A turn that settles something, or an operator's command to an instance: whatever a message from outside is not. */
function isOfBegunWork({ settles, targets }: TurnRequest): boolean {
  if (settles !== null) return true;
  const [first] = targets;
  return first?.kind === 'instance' && first.scope === null;
}
