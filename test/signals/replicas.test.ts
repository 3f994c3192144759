/** Only on PostgreSQL: the embedded database has one engine. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { postgresqlOnly, type TestDatabase } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { begin, nothingOn, signalPackage, toldOn } from './signal-package.ts';

for (const target of postgresqlOnly()) {
  describe(`signals of two replicas on ${target.name}`, () => {
    let store: TestDatabase;
    let one: TestEngine;
    let other: TestEngine;
    before(async () => {
      store = await target.create();
      const boot = async (): Promise<TestEngine> =>
        TestEngine.start({
          database: await store.open(),
          env: { SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT0.1S' },
        });
      [one, other] = await Promise.all([boot(), boot()]);
      await one.deploy(signalPackage());
      while ((await other.post('/channels/signals-count', {})).status === 404) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    after(async () => {
      await Promise.all([one.stop(), other.stop()]);
      await store.drop();
    });

    const either = (n: number): TestEngine => (n % 2 === 0 ? one : other);

    it('reach every instance exactly once for each throw, wherever it is thrown', async () => {
      const instances = await Promise.all(Array.from({ length: 12 }, (_, n) => begin(either(n), 'count')));
      const numbers = Array.from({ length: 10 }, (_, n) => n + 1);
      await Promise.all(
        numbers.map(async (n) => {
          // Every other one is thrown by an instance, the rest from outside.
          if (n % 4 < 2) await begin(either(n), 'throw', { n });
          else await either(n).post('/sutra/signals/alarm', { n });
        }),
      );
      for (const instanceId of instances) {
        const seenAll = ({ variables }: { variables: Readonly<Record<string, unknown>> }): boolean =>
          ((variables['seen'] as unknown[] | undefined)?.length ?? 0) >= numbers.length;
        await one.until(instanceId, seenAll);
      }
      const started = await toldOn(other, 'started', numbers.length);
      assert.deepEqual(
        [...started.values()].map((body) => (body['cause'] as { n: number }).n).sort((a, b) => a - b),
        numbers,
      );
      assert.ok(await nothingOn(one, 'started'));
      for (const instanceId of instances) {
        const { variables } = await other.instance(instanceId);
        assert.deepEqual(
          [...(variables['seen'] as number[])].sort((a, b) => a - b),
          numbers,
        );
      }
    });

    it('take one of two requests with the same key that come to both at once', async () => {
      const throwOnce = (n: number): Promise<{ body: unknown }> =>
        either(n).post('/sutra/signals/calm', {}, { 'idempotency-key': 'once' });
      const waiting = await begin(one, 'calm');
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => throwOnce(n)));
      const bodies = answers.map(({ body }) => body as { instances: number; duplicate: boolean });
      assert.equal(bodies.filter(({ duplicate }) => !duplicate).length, 1);
      assert.ok(bodies.every(({ instances }) => instances === 1));
      assert.ok((await toldOn(other, 'heard', 1)).has(waiting));
    });
  });
}
