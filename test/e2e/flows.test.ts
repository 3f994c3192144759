/** The example in both notations, run to each of its ends over HTTP. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'node:test';
import { readPackageFolder } from '../../definitions/package-folder.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';

interface HistoryEntry {
  readonly event: string;
  readonly elementId: string | null;
}

async function packageTexts(folder: string): Promise<Readonly<Record<string, string>>> {
  const files = await readPackageFolder(fileURLToPath(new URL(`../../examples/${folder}`, import.meta.url)));
  return Object.fromEntries(files.map(({ path, content }) => [path, new TextDecoder().decode(content)]));
}

/** Another version, in which nobody has time for a review. */
function hurried(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(texts).map(([path, text]) => [
      path,
      text.replaceAll('1.0.0', '1.0.1').replace('PT3S', 'PT0.05S'),
    ]),
  );
}

for (const target of testDatabases()) {
  for (const folder of ['order-scoring', 'order-scoring-flow']) {
    describe(`${folder} on ${target.name}`, () => {
      let engine: TestEngine;
      before(async () => {
        engine = await TestEngine.start({ database: await target.open() });
        await engine.deploy(await packageTexts(folder));
      });
      after(() => engine.stop());

      /** An order that a worker has scored. */
      const scored = async (orderId: string, score: number): Promise<string> => {
        const { status, body } = await engine.post('/channels/orders', { orderId, amount: 5, country: 'DE' });
        assert.equal(status, 202, JSON.stringify(body));
        const task = await engine.fetchTask('score-request');
        assert.deepEqual(task.body, { orderId, amount: 5, country: 'DE' });
        assert.equal(task.elementId, 'score');
        await engine.complete(task, { score });
        return body.instanceId;
      };

      const endOf = async (instanceId: string): Promise<string | null | undefined> => {
        const { status } = await engine.ended(instanceId);
        assert.equal(status, 'completed');
        const { body } = await engine.get(`/sutra/instances/${instanceId}/history`);
        const { entries } = body as unknown as { readonly entries: readonly HistoryEntry[] };
        return entries.findLast(({ event }) => event === 'entered')?.elementId;
      };

      it('approves what scores high', async () => {
        assert.equal(await endOf(await scored('A-1', 50)), 'approved');
      });

      for (const [orderId, approve, end] of [
        ['B-2', true, 'approved'],
        ['C-3', false, 'rejected'],
      ] as const) {
        it(`leaves the rest to a person: ${end}`, async () => {
          const instanceId = await scored(orderId, 49);
          await engine.until(instanceId, ({ tokens }) =>
            tokens.some(({ elementId }) => elementId === 'await-review'),
          );
          const { status, body } = await engine.post('/channels/reviews', { orderId, approve });
          assert.deepEqual([status, body.instanceId], [202, instanceId]);
          assert.equal(await endOf(instanceId), end);
        });
      }

      it('gives up when nobody has reviewed in time', async () => {
        await engine.deploy(hurried(await packageTexts(folder)));
        assert.equal(await endOf(await scored('D-4', 49)), 'expired');
      });
    });
  }
}
