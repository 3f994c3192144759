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

  describe(`a retention of zero for instances and of a day for history on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({
        database: await target.open(),
        env: { SUTRA_INSTANCE_RETENTION: 'PT0S', SUTRA_HISTORY_RETENTION: 'P1D' },
      });
      await engine.deploy(simpleOrder());
    });
    after(() => engine.stop());

    it('keeps the history of an instance that ended, to be read without it', async () => {
      const { body } = await engine.post('/channels/orders', {});
      await engine.complete(await engine.fetchTask('work'), {});
      assert.equal((await engine.get(`/sutra/instances/${body.instanceId}`)).status, 404);
      const history = await engine.get(`/sutra/instances/${body.instanceId}/history`);
      assert.equal(history.status, 200);
      const events = history.body.entries.map(({ event }) => event);
      assert.deepEqual([events[0], events.at(-1)], ['started', 'ended']);
      const ends = await engine.engine.database.run<{ count: number }>(
        {
          name: 'test_count_ends',
          text: 'SELECT count(*)::integer AS count FROM history_end WHERE instance_id = $1::uuid',
        },
        [body.instanceId],
      );
      assert.equal(ends[0]?.count, 1);
    });
  });
}
