/** A short fuzz run of FEEL, and every input that once failed. The long run is `run-feel-fuzz.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FuzzChild } from '../fuzz-child.ts';
import { runInputs } from '../run-inputs.ts';
import { tryInput } from '../try-input.ts';
import type { FeelVerdict } from './check-feel.ts';
import { FEEL_CHILD, SHORT } from './feel-limits.ts';
import { builtFeelRegressions, readFeelRegressions } from './feel-regressions.ts';
import { FeelTally } from './feel-tally.ts';

const SEED = 20_100;
const INPUT_COUNT = 200;
const options = { ...FEEL_CHILD, programArguments: [SHORT] };

test('expressions of all kinds are refused or evaluated, and every promise holds', async () => {
  const tally = new FeelTally();
  await runInputs<FeelVerdict>(
    { ...options, seed: SEED, from: 0, count: INPUT_COUNT, processCount: 1, maxGrowthBytes: 64 * 1_048_576 },
    {
      onDone: (done) => tally.add(done),
      onFailure: (index, failure) => tally.addFailure(index, failure),
      onStall: (done) => tally.addStall(done),
    },
  );
  const failures = [...tally.failures].map(([signature, { examples }]) => {
    const [example] = examples;
    return `${signature}, such as input ${example?.index ?? 0} of seed ${SEED}: ${example?.failure.message ?? ''}`;
  });
  assert.deepEqual(failures, []);
  const figures = tally.figures(0).join('\n');
  assert.equal(tally.inputCount, INPUT_COUNT);
  assert.ok(tally.comparedCount > INPUT_COUNT, figures);
  assert.ok(
    (tally.ends.get('a value') ?? 0) > INPUT_COUNT / 2 && (tally.ends.get('refused') ?? 0) > 20,
    figures,
  );
  assert.ok(tally.warnings.size >= 8, figures);
});

test('inputs that once failed do so no more', async () => {
  const child = new FuzzChild<FeelVerdict>(options);
  try {
    const regressions = [...readFeelRegressions(), ...builtFeelRegressions()];
    for (const { name, bytes } of regressions) {
      const { failures } = await tryInput(child, bytes, 0, 0, options);
      assert.deepEqual(failures, [], name);
    }
    assert.ok(regressions.length > 10);
  } finally {
    child.stop();
  }
});
