/** Of many notes the latest is sent, one at a time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LatestProgress } from '../../cli/work/latest-progress.ts';

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** Resolves once it is sent; a note that never is fails by the time limit of tests. */
async function sentBy(sent: readonly unknown[], count: number): Promise<void> {
  while (sent.length < count) await turn();
}

describe('progress', () => {
  it('sends one note at a time, and of those that came meanwhile the last', async () => {
    const sent: unknown[] = [];
    const answers: (() => void)[] = [];
    const progress = new LatestProgress({
      gapMs: 0,
      onFault: (error) => assert.fail(String(error)),
      send: (value) => {
        sent.push(value);
        return new Promise<void>((resolve) => answers.push(resolve));
      },
    });
    for (const value of [1, 2, 3]) progress.offer(value);
    assert.deepEqual(sent, [1]);
    answers[0]?.();
    await sentBy(sent, 2);
    assert.deepEqual(sent, [1, 3]);
    answers[1]?.();
    await turn();
    assert.deepEqual(sent, [1, 3]);
    progress.offer(4);
    await sentBy(sent, 3);
    assert.deepEqual(sent, [1, 3, 4]);
    progress.stop();
  });

  it('goes on after a note that was refused, and says so', async () => {
    const faults: unknown[] = [];
    const sent: unknown[] = [];
    const progress = new LatestProgress({
      gapMs: 0,
      onFault: (error) => faults.push(error),
      send: async (value) => {
        sent.push(value);
        if (value === 1) throw new Error('no');
      },
    });
    progress.offer(1);
    progress.offer(2);
    await sentBy(sent, 2);
    progress.stop();
    assert.deepEqual(sent, [1, 2]);
    assert.equal(faults.length, 1);
  });

  it('sends nothing after its end', async () => {
    const sent: unknown[] = [];
    const send = async (value: unknown): Promise<void> => void sent.push(value);
    const progress = new LatestProgress({ gapMs: 0, onFault: () => undefined, send });
    progress.offer(1);
    progress.offer(2);
    progress.stop();
    progress.offer(3);
    await turn();
    assert.deepEqual(sent, [1]);
  });
});
