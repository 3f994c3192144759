/**
 * A short fuzz run, and every input that once failed. The long run is `run-fuzz.ts`.
 *
 * The corpus is used when it is there: SUTRA_TEST_CORPUS, or `shared/corpus` beside the repository.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { recordEvidence } from '../support/evidence.ts';
import { FuzzChild } from './fuzz-child.ts';
import { builtRegressions, readRegressions } from './regressions.ts';
import { runInputs } from './run-inputs.ts';
import { corpusFolder } from './sources.ts';
import { Tally } from './tally.ts';
import { LIMITS, tryInput } from './try-input.ts';

const SEED = 20_100;
const INPUT_COUNT = 400;
const MAX_GROWTH_BYTES = 64 * 1_048_576;
/** Other tests run beside this one, which costs time of the processor, too: what hangs takes far more. */
const limits = { ...LIMITS, limitMs: LIMITS.limitMs * 3 };

test('mutated files neither crash nor hang, and every promise holds', async () => {
  const tally = new Tally();
  const run = { ...limits, seed: SEED, from: 0, count: INPUT_COUNT, processCount: 1 };
  await runInputs(
    { ...run, maxGrowthBytes: MAX_GROWTH_BYTES },
    {
      onDone: (done) => tally.add(done),
      onFailure: (index, failure) => tally.addFailure(index, failure),
      onStall: (done) => tally.addStall(done),
    },
  );
  const failures = [...tally.failures].map(([signature, { count, examples }]) => {
    const [example] = examples;
    const replay = `npx tsx test/fuzz/run-fuzz.ts --seed ${SEED} --replay ${example?.index ?? 0}`;
    return `${signature}, ${count} inputs: ${example?.failure.message ?? ''}; ${replay}`;
  });
  assert.deepEqual(failures, []);
  assert.equal(tally.inputCount, INPUT_COUNT);
  assert.ok(tally.compiledCount > 10 && tally.turnCount > 30, tally.figures(0).join('\n'));
  if (corpusFolder() !== null) recordEvidence('corpus');
});

describe('an input that once failed', () => {
  const child = new FuzzChild(limits);
  after(() => child.stop());
  for (const { name, seed, index, bytes } of [...readRegressions(), ...builtRegressions()]) {
    test(name, async () => {
      const { failures } = await tryInput(child, bytes, seed, index, limits);
      assert.deepEqual(failures, []);
    });
  }
});
