/**
 * Turns on their way into batches: group commit.
 *
 * Q1 While a batch commits, the next one collects; an idle queue commits at once. A second batch begins beside the
 *    first only when it is large: two small ones cost twice the statements of one, and save nobody any time.
 * Q2 Turns of one shard key are never in two batches at the same time, and go in order, so that a replica never
 *    contends with itself.
 * Q3 At most `maxInFlight` turns are accepted and not yet answered; the next is refused.
 * Q4 A turn that finds its instance locked elsewhere comes again after a growing, jittered delay, a
 *    bounded number of times, then answers `busy`.
 * Q5 `stop` refuses what comes, and resolves when every accepted turn is answered.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { Service } from '../transport.ts';
import type { TurnAnswer, TurnRequest } from './turn.ts';

export interface TurnQueueOptions {
  /** Batches that commit at the same time. */
  readonly maxConcurrent: number;
  /** A batch begins beside another one only when so many turns wait; smaller ones wait for the commit under way. */
  readonly minBeside: number;
  /** Turns a batch: past a few hundred a larger batch only adds latency. */
  readonly maxBatch: number;
  readonly maxInFlight: number;
  readonly run: (turns: readonly TurnRequest[]) => Promise<readonly TurnAnswer[]>;
}

interface PendingTurn {
  readonly request: TurnRequest;
  readonly answer: (answer: TurnAnswer) => void;
  readonly fail: (error: unknown) => void;
  busyCount: number;
}

/** 20 tries with delays of 2 ms doubling to 250 ms: about 4 s in all. */
const maxBusy = 20;
const maxBusyDelayMs = 250;

export class TurnQueue implements Service {
  readonly #options: TurnQueueOptions;
  #queue: PendingTurn[] = [];
  /** Keys of the turns in batches under way: at most one batch has a key. */
  readonly #keysUnderWay = new Set<string>();
  #batchCount = 0;
  #isScheduled = false;
  #inFlight = 0;
  #isStopping = false;
  #idle: (() => void)[] = [];

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  start(): Promise<void> {
    this.#isStopping = false;
    return Promise.resolve();
  }

  /**
   * Resolves when the commit that carries the turn is durable, or the turn is refused.
   * @throws EngineError SUTRA.INTAKE.CAPACITY, SUTRA.INTAKE.STOPPING: the turn was not taken.
   */
  submit(request: TurnRequest): Promise<TurnAnswer> {
    if (this.#isStopping) {
      return Promise.reject(
        new EngineError(
          'SUTRA.INTAKE.STOPPING',
          'The server is shutting down; send again to another replica.',
        ),
      );
    }
    if (this.#inFlight >= this.#options.maxInFlight) {
      return Promise.reject(
        new EngineError(
          'SUTRA.INTAKE.CAPACITY',
          `${String(this.#inFlight)} messages are under way, as many as sutra.intake.max-in-flight allows.`,
          { attributes: { limit: this.#options.maxInFlight } },
        ),
      );
    }
    this.#inFlight += 1;
    return new Promise<TurnAnswer>((resolve, reject) => {
      this.#push({
        request,
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

  #settled(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const wake of this.#idle.splice(0)) wake();
  }

  #push(turn: PendingTurn): void {
    this.#queue.push(turn);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After the current round of I/O events, so that what arrived together commits together.
    setImmediate(() => {
      this.#isScheduled = false;
      this.#begin();
    });
  }

  #begin(): void {
    const { maxConcurrent, minBeside } = this.#options;
    while (this.#batchCount < maxConcurrent) {
      if (this.#queue.length < (this.#batchCount === 0 ? 1 : minBeside)) return;
      const batch = this.#take();
      if (batch.length === 0) return;
      void this.#run(batch);
    }
  }

  /** The oldest turns whose keys are in no batch under way; the others keep their places. */
  #take(): PendingTurn[] {
    const { maxBatch } = this.#options;
    if (this.#batchCount === 0) return this.#queue.splice(0, maxBatch);
    const batch: PendingTurn[] = [];
    const left: PendingTurn[] = [];
    for (const turn of this.#queue) {
      const isFree = batch.length < maxBatch && !this.#keysUnderWay.has(turn.request.shardKey);
      (isFree ? batch : left).push(turn);
    }
    this.#queue = left;
    return batch;
  }

  /** Never rejects: `run` answers every turn, and a rejection of it is every turn's own failure. */
  async #run(batch: readonly PendingTurn[]): Promise<void> {
    const keys = new Set(batch.map(({ request }) => request.shardKey));
    for (const key of keys) this.#keysUnderWay.add(key);
    this.#batchCount += 1;
    try {
      const answers = await this.#options.run(batch.map(({ request }) => request));
      batch.forEach((turn, index) => {
        this.#answer(turn, answers[index]);
      });
    } catch (error) {
      for (const turn of batch) turn.fail(error);
    } finally {
      this.#batchCount -= 1;
      for (const key of keys) this.#keysUnderWay.delete(key);
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
