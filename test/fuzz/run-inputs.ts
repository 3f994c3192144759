/**
 * Checks many inputs in child processes and judges what became of each.
 *
 * J1 A hang is an input that makes one call into the product take over the limit of the processor's time, and
 *    does so again by itself in a fresh process. Wall time would count what else the machine does: an input
 *    that is over the limit of that only is a stall. One that is silent for `SILENCE_FACTOR` limits is ended
 *    in any case, and run again.
 * J2 An input at which the process died, or had more memory than the bound, is a failure in any case: alone,
 *    or by what the inputs before it left behind.
 */
import type { Failure } from './fuzz-failure.ts';
import { FuzzChild, type ChildOptions, type Outcome } from './fuzz-child.ts';
import type { Verdict } from './check-input.ts';
import type { Judgement } from './judgement.ts';
import type { Done, Task } from './protocol.ts';

export interface RunOptions extends ChildOptions {
  readonly seed: number;
  /** Of the first input. */
  readonly from: number;
  readonly count: number;
  readonly processCount: number;
  /** The longest that a call may take, in milliseconds. */
  readonly limitMs: number;
  /** The most memory that a child may have resident. */
  readonly maxRssBytes: number;
  /** How much more a child may hold after a collection than after its first one. */
  readonly maxGrowthBytes: number;
}

export interface Listener<Found extends Judgement = Verdict> {
  readonly onDone: (done: Done<Found>) => void;
  readonly onFailure: (index: number, failure: Failure) => void;
  readonly onStall: (done: Done<Found>) => void;
}

const BATCH_SIZE = 100;
/** On a busy machine a second of the processor's time takes several. */
export const SILENCE_FACTOR = 5;
/** How often an input is run again, and how long it may take then: enough to tell slow from endless. */
const REPEAT_COUNT = 2;
const REPEAT_FACTOR = 10;

export async function runInputs<Found extends Judgement = Verdict>(
  options: RunOptions,
  listener: Listener<Found>,
): Promise<void> {
  const end = options.from + options.count;
  let next = options.from;
  const takeBatch = (): { from: number; to: number } | null => {
    const from = next;
    next = Math.min(end, from + BATCH_SIZE);
    return from < next ? { from, to: next } : null;
  };
  const runners = Array.from({ length: options.processCount }, () => new Runner(options, listener));
  await Promise.all(runners.map((runner) => runner.run(takeBatch)));
}

class Runner<Found extends Judgement> {
  readonly #options: RunOptions;
  readonly #listener: Listener<Found>;
  readonly #child: FuzzChild<Found>;
  /** Of the present child, after its first collection. */
  #firstFloorBytes: number | null = null;

  constructor(options: RunOptions, listener: Listener<Found>) {
    this.#options = options;
    this.#listener = listener;
    this.#child = new FuzzChild(options);
  }

  async run(takeBatch: () => { from: number; to: number } | null): Promise<void> {
    try {
      for (let batch = takeBatch(); batch !== null; batch = takeBatch()) {
        let { from } = batch;
        while (from < batch.to) from = await this.#runRange(from, batch.to);
      }
    } finally {
      this.#child.stop();
    }
  }

  /** Gives the index that comes next: `to`, or earlier when the child was ended. */
  async #runRange(from: number, to: number): Promise<number> {
    const { seed, limitMs } = this.#options;
    await this.#child.send({ kind: 'range', seed, from, to });
    for (let index = from; index < to; index += 1) {
      const outcome = await this.#child.next(limitMs * SILENCE_FACTOR);
      if (outcome.kind === 'done' && verdictOf([outcome], this.#options) === null) {
        this.#take(outcome);
        continue;
      }
      this.#restart();
      await this.#judge(index, outcome);
      return index + 1;
    }
    return to;
  }

  #take(done: Done<Found>): void {
    const { floorBytes, index, tookMs, verdict } = done;
    this.#listener.onDone(done);
    for (const failure of verdict.failures) this.#listener.onFailure(index, failure);
    const { limitMs } = this.#options;
    if (tookMs > limitMs && verdict.slowestCall.cpuMs <= limitMs) this.#listener.onStall(done);
    if (floorBytes === null) return;
    this.#firstFloorBytes ??= floorBytes;
    const growthBytes = floorBytes - this.#firstFloorBytes;
    if (growthBytes <= this.#options.maxGrowthBytes) return;
    const message = `the process holds ${megabytes(growthBytes)} more than at first, after input ${index}`;
    this.#listener.onFailure(index, { signature: 'memory grows', message, stack: [] });
    this.#firstFloorBytes = floorBytes;
  }

  #restart(): void {
    this.#child.stop();
    this.#firstFloorBytes = null;
  }

  async #judge(index: number, outcome: Outcome<Found>): Promise<void> {
    const task: Task = { kind: 'range', seed: this.#options.seed, from: index, to: index + 1 };
    const repeated = await repeat(this.#child, task, this.#options);
    this.#restart();
    const last = repeated.at(-1);
    if (last?.kind === 'done') this.#take(last);
    const failure = failureOf(outcome, repeated, this.#options);
    if (failure !== null) this.#listener.onFailure(index, failure);
  }
}

/** Runs one input again, each time in a fresh process; once more when it was slow, which may be chance. */
export async function repeat<Found extends Judgement>(
  child: FuzzChild<Found>,
  task: Task,
  { limitMs }: Pick<RunOptions, 'limitMs'>,
): Promise<readonly Outcome<Found>[]> {
  const outcomes: Outcome<Found>[] = [];
  while (outcomes.length < REPEAT_COUNT) {
    await child.send(task);
    const outcome = await child.next(limitMs * REPEAT_FACTOR);
    child.stop();
    outcomes.push(outcome);
    if (outcome.kind !== 'done' || outcome.verdict.slowestCall.cpuMs <= limitMs) break;
  }
  return outcomes;
}

/** Null: what happened the first time does not happen again, and may. */
function failureOf(
  first: Outcome<Judgement>,
  repeated: readonly Outcome<Judgement>[],
  options: RunOptions,
): Failure | null {
  const again = verdictOf(repeated, options);
  if (again !== null) return again;
  if (first.kind === 'died') {
    return { signature: 'died, not alone', message: `${first.reason} (not when run alone)`, stack: [] };
  }
  if (first.kind === 'done' && first.rssBytes > options.maxRssBytes) {
    const message = `the process had ${megabytes(first.rssBytes)} resident, not when it ran the input alone`;
    return { signature: 'memory, not alone', message, stack: [] };
  }
  return null;
}

/** What repeated runs of one input say: it died, hung or took too much memory; null: none of these. */
export function verdictOf(
  outcomes: readonly Outcome<Judgement>[],
  { limitMs, maxRssBytes }: Pick<RunOptions, 'limitMs' | 'maxRssBytes'>,
): Failure | null {
  const last = outcomes.at(-1);
  if (last === undefined) return null;
  if (last.kind === 'died') return { signature: 'died', message: last.reason, stack: [] };
  if (last.kind === 'overtime') {
    const signature = last.call === null ? 'hang' : `hang in ${last.call}`;
    return { signature, message: `still running after ${last.limitMs} ms`, stack: [] };
  }
  if (last.rssBytes > maxRssBytes) {
    return { signature: 'memory', message: `${megabytes(last.rssBytes)} resident`, stack: [] };
  }
  const { name, cpuMs } = last.verdict.slowestCall;
  if (cpuMs <= limitMs) return null;
  return { signature: `hang in ${name}`, message: `the call took ${cpuMs.toFixed(0)} ms`, stack: [] };
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(0)} MB`;
}
