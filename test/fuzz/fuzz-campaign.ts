/** A long run, with what it says while it goes on and of what failed. */
import { addToGroup, type FailureGroups } from './failure-groups.ts';
import type { Judgement } from './judgement.ts';
import type { Done } from './protocol.ts';
import { runInputs, type RunOptions } from './run-inputs.ts';

const PROGRESS_EVERY_MS = 15_000;

/** What counts the inputs of a run. */
export interface Counter<Found extends Judgement> {
  readonly inputCount: number;
  readonly failures: FailureGroups;
  readonly add: (done: Done<Found>) => void;
  readonly addStall: (done: Done<Found>) => void;
  /** Lines for a reader. */
  readonly figures: (wallMs: number) => readonly string[];
}

/** @param onExample told of the inputs that are examples of what failed, each once */
export async function runWithProgress<Found extends Judgement>(
  run: RunOptions,
  counter: Counter<Found>,
  onExample: (index: number) => void,
): Promise<void> {
  const startedAt = performance.now();
  const examples = new Set<number>();
  const progress = setInterval(() => {
    const perSecond = counter.inputCount / ((performance.now() - startedAt) / 1000);
    console.log(
      `${counter.inputCount} of ${run.count}, ${perSecond.toFixed(0)} a second, ${counter.failures.size} ways to fail`,
    );
  }, PROGRESS_EVERY_MS);
  try {
    await runInputs<Found>(run, {
      onDone: (done) => counter.add(done),
      onStall: (done) => counter.addStall(done),
      onFailure(index, failure) {
        if (!addToGroup(counter.failures, index, failure) || examples.has(index)) return;
        examples.add(index);
        onExample(index);
      },
    });
  } finally {
    clearInterval(progress);
  }
  console.log(`\n${counter.figures(performance.now() - startedAt).join('\n')}`);
}

/**
 * Gives how many inputs failed.
 * @param linesOf what is said of an input: how to run it again, and where it comes from
 */
export function printFailures(groups: FailureGroups, linesOf: (index: number) => readonly string[]): number {
  let failureCount = 0;
  for (const [signature, group] of groups) {
    failureCount += group.count;
    console.log(`\nFAILED ${signature}: ${group.count} inputs`);
    for (const { index, failure } of group.examples) {
      for (const line of linesOf(index)) console.log(`  ${line}`);
      console.log(`    ${[failure.message, ...failure.stack.slice(0, 3)].join('\n      ')}`);
    }
    if (group.others.length > 0) console.log(`  also ${group.others.join(', ')}`);
  }
  return failureCount;
}
