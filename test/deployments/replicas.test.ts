/** Only on PostgreSQL: the embedded database has one engine. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { compilePackage } from '../../definitions/package.ts';
import { insertDeployment } from '../../engine/store/deployments.ts';
import { postgresqlOnly, type TestDatabase } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { becomes, orderPackage, sendOrder, statesByVersion } from './states.ts';

for (const target of postgresqlOnly()) {
  describe(`deployments of two replicas on ${target.name}`, () => {
    let store: TestDatabase;
    let first: TestEngine;
    let second: TestEngine;
    before(async () => {
      store = await target.create();
      // The first one hears of changes by the doorbell only: nobody waits half an hour for its poll.
      first = await TestEngine.start({
        database: await store.open(),
        env: { SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT30M' },
      });
      second = await TestEngine.start({
        database: await store.open(),
        env: { SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT0.1S' },
      });
    });
    after(async () => {
      await first.stop();
      await second.stop();
      await store.drop();
    });

    const servedAs = async (engine: TestEngine, path: string): Promise<string> => {
      const answer = await engine.post(`/channels/${path}`, { orderId: path });
      return answer.status === 202
        ? (await engine.instance(answer.body.instanceId)).deploymentId
        : `${String(answer.status)} ${answer.body.code}`;
    };

    it('reach the other one at once, also that another version is active now', async () => {
      for (const version of ['1.0.0', '2.0.0']) {
        const id = await second.deploy(orderPackage({ version, path: 'rung', module: 'rung' }));
        await becomes(() => servedAs(first, 'rung'), id);
      }
    });

    it('reach a replica that heard no doorbell with its next poll', async () => {
      const files = Object.entries(orderPackage({ version: '1.0.0', path: 'polled', module: 'polled' }));
      const { model } = compilePackage(files.map(([path, text]) => ({ path, content: Buffer.from(text) })));
      assert.ok(model !== null);
      const database = await store.open({ poolMax: 1 });
      await insertDeployment(database, { ...model.identity, id: model.deploymentId, files: model.files });
      await database.close();
      await becomes(() => servedAs(second, 'polled'), model.deploymentId);
    });

    it('are drained at both, and retired only when neither has anything of them left', async () => {
      const id = await first.deploy(orderPackage({ version: '1.0.0', path: 'drained', module: 'drained' }));
      await becomes(() => servedAs(second, 'drained'), id);
      await first.call('DELETE', `/admin/deployments/${id}`);
      for (const engine of [first, second]) {
        await becomes(() => servedAs(engine, 'drained'), '422 SUTRA.INBOUND.NO_SUBSCRIBER');
      }
      const [task] = await second.fetchTasks('work', { maxTasks: 10 });
      assert.ok(task !== undefined);
      assert.equal((await statesByVersion(first, 'drained'))['1.0.0'], 'draining');
    });

    it('run an instance at the replica that does not have its version yet', async () => {
      const id = await second.deploy(orderPackage({ version: '1.0.0', path: 'spread', module: 'spread' }));
      const instanceId = await sendOrder(second, 'spread', 'spread');
      // Whether or not the doorbell has rung by now: a command loads what it needs.
      const cancelled = await first.post(`/sutra/instances/${instanceId}/cancel`, {});
      assert.equal(cancelled.body.status, 'terminated', JSON.stringify(cancelled.body));
      assert.equal((await first.instance(instanceId)).deploymentId, id);
    });
  });
}
