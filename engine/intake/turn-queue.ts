/**
 * Turns on their way into batches: group commit.
 *
 * Q1 While a shard's batch commits, its next one collects; an idle shard commits at once.
 * Q2 Turns of one shard key go through one shard, in order, so that a replica never contends with itself.
 * Q3 At most `maxInFlight` turns are accepted and not yet answered; the next is refused.
 * Q4 A turn that finds its instance locked elsewhere comes again after a growing, jittered delay, a
 *    bounded number of times, then answers `busy`.
 * Q5 `stop` refuses what comes, and resolves when every accepted turn is answered.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { Service } from '../transport.ts';
import type { TurnAnswer, TurnRequest } from './turn.ts';

export interface TurnQueueOptions {
  readonly shardCount: number;
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
  readonly #shards: Shard[];
  #inFlight = 0;
  #isStopping = false;
  #idle: (() => void)[] = [];

  constructor(options: TurnQueueOptions) {
    this.#options = options;
    this.#shards = Array.from({ length: options.shardCount }, () => new Shard(options));
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
    const shard = this.#shards[hash(request.shardKey) % this.#shards.length];
    return new Promise<TurnAnswer>((resolve, reject) => {
      shard?.push({ request, answer: resolve, fail: reject, busyCount: 0 });
    }).finally(() => {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) for (const wake of this.#idle.splice(0)) wake();
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}

class Shard {
  readonly #options: TurnQueueOptions;
  #queue: PendingTurn[] = [];
  #isRunning = false;

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  push(turn: PendingTurn): void {
    this.#queue.push(turn);
    if (this.#isRunning) return;
    this.#isRunning = true;
    // After the current round of I/O events, so that what arrived together commits together.
    setImmediate(() => void this.#drain());
  }

  /** Never rejects: `run` answers every turn, and a rejection of it is every turn's own failure. */
  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#options.maxBatch);
      try {
        const answers = await this.#options.run(batch.map((turn) => turn.request));
        batch.forEach((turn, index) => {
          this.#answer(turn, answers[index]);
        });
      } catch (error) {
        for (const turn of batch) turn.fail(error);
      }
    }
    this.#isRunning = false;
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
      this.push(turn);
    }, delayMs);
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
