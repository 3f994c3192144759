/** One input by itself: what a replay, a regression and each step of a minimisation run. */
import type { Failure } from './fuzz-failure.ts';
import type { FuzzChild } from './fuzz-child.ts';
import type { Verdict } from './check-input.ts';
import type { Judgement } from './judgement.ts';
import type { Done } from './protocol.ts';
import { repeat, SILENCE_FACTOR, verdictOf, type RunOptions } from './run-inputs.ts';

export type Limits = Pick<RunOptions, 'limitMs' | 'maxRssBytes' | 'heapMb'>;

/** The bounds of every run. An input takes milliseconds, and the process some 200 MB. */
export const LIMITS = { limitMs: 1_000, maxRssBytes: 768 * 1_048_576, heapMb: 384 } as const satisfies Limits;

export interface Trial<Found extends Judgement = Verdict> {
  /** Null: the process died or had to be ended. */
  readonly done: Done<Found> | null;
  readonly failures: readonly Failure[];
}

export async function tryInput<Found extends Judgement>(
  child: FuzzChild<Found>,
  bytes: Uint8Array,
  seed: number,
  index: number,
  limits: Limits = LIMITS,
): Promise<Trial<Found>> {
  const task = { kind: 'bytes', seed, index, base64: Buffer.from(bytes).toString('base64') } as const;
  await child.send(task);
  const first = await child.next(limits.limitMs * SILENCE_FACTOR);
  if (first.kind === 'done' && verdictOf([first], limits) === null) {
    return { done: first, failures: first.verdict.failures };
  }
  child.stop();
  const outcomes = await repeat(child, task, limits);
  const last = outcomes.at(-1);
  const done = last?.kind === 'done' ? last : null;
  const failure = verdictOf(outcomes, limits);
  return { done, failures: [...(done?.verdict.failures ?? []), ...(failure === null ? [] : [failure])] };
}
