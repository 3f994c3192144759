/** The runner itself: what fails is reported, and what comes after it is still checked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CANARIES } from './canaries.ts';
import { runInputs } from './run-inputs.ts';
import { Tally } from './tally.ts';

describe('the runner', () => {
  test('reports each way to fail once, with its input, and checks what comes after it', async () => {
    const tally = new Tally();
    const file = new URL('canary-child.ts', import.meta.url);
    const bounds = { heapMb: 64, limitMs: 100, maxRssBytes: 2 ** 30, maxGrowthBytes: 5 * 2 ** 20 };
    await runInputs(
      { ...bounds, file, seed: 1, from: 0, count: CANARIES.grows + 2, processCount: 1 },
      {
        onDone: (done) => tally.add(done),
        onFailure: (index, failure) => tally.addFailure(index, failure),
        onStall: (done) => tally.addStall(done),
      },
    );
    const reported = [...tally.failures].flatMap(([signature, { examples }]) =>
      examples.map(({ index }): readonly [number, string] => [index, signature]),
    );
    assert.deepEqual(
      reported.sort(([one], [other]) => one - other),
      [
        [CANARIES.throws, 'threw'],
        [CANARIES.hangs, 'hang'],
        [CANARIES.exits, 'died'],
        [CANARIES.hoards, 'memory'],
        [CANARIES.slow, 'hang in compile'],
        [CANARIES.grows, 'memory grows'],
      ],
    );
    // All but the two that never answer.
    assert.equal(tally.inputCount, CANARIES.grows);
  });
});
