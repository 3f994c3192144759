import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { becomes, fastPolling, orderPackage, sendOrder, statesByVersion } from './states.ts';

const one = orderPackage({ version: '1.0.0' });
const two = orderPackage({ version: '2.0.0' });

for (const target of testDatabases()) {
  describe(`versions of a module on ${target.name}`, () => {
    let engine: TestEngine;
    let oneId = '';
    let twoId = '';
    before(async () => {
      engine = await TestEngine.start({ database: await target.open(), env: fastPolling });
    });
    after(() => engine.stop());

    /** All that can be retired is by now: a version of another module, of which nothing is left, was. */
    const empties = async (first: number): Promise<void> => {
      const bystander = (version: number): Record<string, string> =>
        orderPackage({ module: 'bystander', path: 'bystander', version: `${String(version)}.0.0` });
      await engine.deploy(bystander(first));
      await engine.deploy(bystander(first + 1));
      await becomes(
        async () => (await statesByVersion(engine, 'bystander'))[`${String(first)}.0.0`],
        'retired',
      );
    };

    it('run side by side: the old one starts nothing, is worked on and resumed, and retires when empty', async () => {
      oneId = await engine.deploy(one);
      const oldOrder = await sendOrder(engine, 'old');
      twoId = await engine.deploy(two);
      assert.notEqual(oneId, twoId);
      const newOrder = await sendOrder(engine, 'new');
      assert.deepEqual(await statesByVersion(engine), { '1.0.0': 'draining', '2.0.0': 'active' });
      assert.equal((await engine.instance(oldOrder)).deploymentId, oneId);
      assert.equal((await engine.instance(newOrder)).deploymentId, twoId);

      const tasks = [await engine.fetchTask('work'), await engine.fetchTask('work')];
      assert.deepEqual(tasks.map((task) => task.body['version']).sort(), ['1.0.0', '2.0.0']);
      for (const task of tasks) assert.equal((await engine.complete(task, {})).status, 200);
      const paid = await engine.post('/channels/orders/paid', { orderId: 'old' });
      assert.equal(paid.body.instanceId, oldOrder);
      assert.equal((await engine.instance(oldOrder)).status, 'completed');
      await becomes(() => statesByVersion(engine), { '1.0.0': 'retired', '2.0.0': 'active' });

      assert.equal(
        (await engine.post('/channels/orders/paid', { orderId: 'new' })).body.instanceId,
        newOrder,
      );
    });

    it('are not changed by the same bytes again', async () => {
      const before = await engine.get(`/sutra/deployments/${twoId}`);
      const files = Object.entries(two).map(([path, text]) => ({ path, text }));
      const again = await engine.post('/admin/deployments', { files });
      assert.equal(again.status, 200);
      assert.equal(again.body.deploymentId, twoId);
      assert.deepEqual((await engine.get(`/sutra/deployments/${twoId}`)).body, before.body);
      assert.deepEqual(await statesByVersion(engine), { '1.0.0': 'retired', '2.0.0': 'active' });
    });

    it('go back to an older one when it is deployed again', async () => {
      assert.equal(await engine.deploy(one), oneId);
      const instanceId = await sendOrder(engine, 'back');
      assert.equal((await engine.instance(instanceId)).deploymentId, oneId);
      await becomes(() => statesByVersion(engine), { '1.0.0': 'active', '2.0.0': 'retired' });
      const task = await engine.fetchTask('work');
      assert.deepEqual(task.body, { version: '1.0.0' });
      await engine.complete(task, {});
      await engine.post('/channels/orders/paid', { orderId: 'back' });
    });

    it('are kept by a parked task and by an order that waits', async () => {
      await engine.deploy(two);
      const waiting = await sendOrder(engine, 'waits');
      await engine.deploy(one);
      await empties(1);
      assert.equal((await statesByVersion(engine))['2.0.0'], 'draining');
      await engine.complete(await engine.fetchTask('work'), {});
      await empties(3);
      assert.equal((await statesByVersion(engine))['2.0.0'], 'draining');
      await engine.post('/channels/orders/paid', { orderId: 'waits' });
      assert.equal((await engine.instance(waiting)).status, 'completed');
      await becomes(() => statesByVersion(engine), { '1.0.0': 'active', '2.0.0': 'retired' });
    });

    it('drain on request: the module starts nothing, finishes what it has, and its paths go with it', async () => {
      const instanceId = await sendOrder(engine, 'last');
      const drained = await engine.call('DELETE', `/admin/deployments/${oneId}`);
      assert.equal(drained.status, 200);
      assert.equal((drained.body as unknown as { state: string }).state, 'draining');
      const refused = await engine.post('/channels/orders', { orderId: 'too late' });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.code, 'SUTRA.INBOUND.NO_SUBSCRIBER');
      await engine.complete(await engine.fetchTask('work'), {});
      await engine.post('/channels/orders/paid', { orderId: 'last' });
      assert.equal((await engine.instance(instanceId)).status, 'completed');
      await becomes(() => statesByVersion(engine), { '1.0.0': 'retired', '2.0.0': 'retired' });
      await becomes(async () => (await engine.post('/channels/orders', {})).status, 404);
      const again = await engine.call('DELETE', `/admin/deployments/${oneId}`);
      assert.equal(again.status, 200);
      assert.equal((await statesByVersion(engine))['1.0.0'], 'retired');
    });

    it('say that there is no such deployment, and that an id is not one', async () => {
      const unknown = await engine.call('DELETE', '/admin/deployments/dep-0123456789abcdef01234567');
      assert.equal(unknown.status, 404);
      assert.equal(unknown.body.code, 'SUTRA.DEPLOYMENT.NOT_FOUND');
      const noId = await engine.call('DELETE', '/admin/deployments/main');
      assert.equal(noId.status, 400);
      assert.equal(noId.body.code, 'SUTRA.OPERATE.ID_INVALID');
    });
  });

  describe(`a retired version after a restart on ${target.name}`, () => {
    it('still answers for its instances, although nothing has loaded it', async () => {
      const store = await target.create();
      const running: TestEngine[] = [];
      const startEngine = async (): Promise<TestEngine> => {
        // One connection: whoever holds it and waits for another waits for ever.
        const database = await store.open({ poolMax: 1 });
        const engine = await TestEngine.start({ database, env: fastPolling });
        running.push(engine);
        return engine;
      };
      try {
        const first = await startEngine();
        const id = await first.deploy(one);
        const instanceId = await sendOrder(first, 'ended');
        await first.complete(await first.fetchTask('work'), {});
        await first.post('/channels/orders/paid', { orderId: 'ended' });
        await first.deploy(two);
        await becomes(() => statesByVersion(first), { '1.0.0': 'retired', '2.0.0': 'active' });
        await first.stop();

        const second = await startEngine();
        const cancelled = await second.post(`/sutra/instances/${instanceId}/cancel`, {});
        assert.equal(cancelled.body.code, 'SUTRA.CORE.INSTANCE_ENDED', JSON.stringify(cancelled.body));
        const late = await second.post(
          '/channels/orders/paid',
          { orderId: 'none' },
          { 'correlation-id': `${instanceId}:1` },
        );
        assert.equal(late.body.code, 'SUTRA.INBOUND.NOT_CORRELATED');
        assert.equal((await second.get(`/sutra/deployments/${id}`)).status, 200);
      } finally {
        for (const engine of running) await engine.stop();
        await store.drop();
      }
    });
  });
}
