import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { simpleOrder } from '../support/packages.ts';

for (const target of testDatabases()) {
  describe(`a retention of zero on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({
        database: await target.open(),
        env: { SUTRA_INSTANCE_RETENTION: 'PT0S' },
      });
      await engine.deploy(simpleOrder());
    });
    after(() => engine.stop());

    it('keeps nothing of an instance that ended, and still knows its message', async () => {
      const key = { 'idempotency-key': 'once' };
      const { body } = await engine.post('/channels/orders', {}, key);
      const task = await engine.fetchTask('work');
      assert.equal((await engine.complete(task, {})).body.outcome, 'ACCEPTED');
      assert.equal((await engine.get(`/sutra/instances/${body.instanceId}`)).status, 404);
      const rows = await engine.engine.database.run<{ count: number }>(
        { name: 'test_count_history', text: 'SELECT count(*)::integer AS count FROM history' },
        [],
      );
      assert.equal(rows[0]?.count, 0);
      const again = await engine.post('/channels/orders', {}, key);
      assert.deepEqual(again.body, { instanceId: body.instanceId, duplicate: true });
      assert.equal((await engine.complete(task, {})).body.outcome, 'DUPLICATE');
    });
  });
}
