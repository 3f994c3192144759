import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { simpleOrder } from '../support/packages.ts';

for (const target of testDatabases()) {
  describe(`the main path on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(simpleOrder());
    });
    after(() => engine.stop());

    it("takes an order in, parks its call, and ends with the worker's result", async () => {
      const sent = await engine.post('/channels/orders', { orderId: 'A', amount: 12.5 });
      assert.equal(sent.status, 202);
      assert.equal(sent.body.duplicate, false);
      const task = await engine.fetchTask('work');
      assert.equal(task.instanceId, sent.body.instanceId);
      assert.deepEqual(task.body, { payload: { orderId: 'A', amount: 12.5 } });
      assert.equal(task.attempts, 1);
      const completed = await engine.complete(task, { score: 7 });
      assert.deepEqual(completed.body, {
        taskId: task.id,
        channel: 'work',
        instanceId: sent.body.instanceId,
        status: 'COMPLETED',
        outcome: 'ACCEPTED',
      });
      const instance = await engine.instance(sent.body.instanceId);
      assert.equal(instance.status, 'completed');
      assert.equal((await engine.get(`/sutra/external-tasks/${task.id}`)).status, 404);
    });

    it('answers a message that comes again as a duplicate of the first and runs nothing', async () => {
      const key = { 'idempotency-key': 'again' };
      const first = await engine.post('/channels/orders', { n: 1 }, key);
      const second = await engine.post('/channels/orders', { n: 2 }, key);
      assert.deepEqual(second.body, { instanceId: first.body.instanceId, duplicate: true });
      const [task] = await engine.fetchTasks('work', { maxTasks: 10 });
      assert.equal(task?.instanceId, first.body.instanceId);
      assert.deepEqual(task.body['payload'], { n: 1 });
      assert.equal((await engine.fetchTasks('work', { asyncResponseTimeout: 'PT0S' })).length, 0);
      await engine.complete(task, {});
    });

    it('starts one instance for thirty copies of a message that come at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => engine.post('/channels/orders', {}, { 'idempotency-key': 'herd' })),
      );
      assert.equal(new Set(answers.map((answer) => answer.body.instanceId)).size, 1);
      assert.equal(answers.filter((answer) => !answer.body.duplicate).length, 1);
      await engine.complete(await engine.fetchTask('work'), {});
    });

    it('replays the answer to a completion that is repeated under its id, and refuses another result', async () => {
      await engine.post('/channels/orders', {});
      const task = await engine.fetchTask('work');
      const first = await engine.complete(task, { a: 1 }, { completionId: 'c-1' });
      const again = await engine.complete(task, { a: 1 }, { completionId: 'c-1' });
      assert.equal(first.body.outcome, 'ACCEPTED');
      assert.deepEqual(again.body, first.body);
      const other = await engine.complete(task, { a: 2 }, { completionId: 'c-1' });
      assert.equal(other.status, 409);
      assert.equal(other.body.code, 'SUTRA.EXTERNAL_TASK.COMPLETION_CONFLICT');
    });

    it("answers a repeated completion without an id as a duplicate, and a stranger's with 404", async () => {
      await engine.post('/channels/orders', {});
      const task = await engine.fetchTask('work');
      await engine.complete(task, { a: 1 });
      assert.equal((await engine.complete(task, { a: 1 })).body.outcome, 'DUPLICATE');
      const stranger = await engine.complete(task, { a: 1 }, { workerId: 'worker-2' });
      assert.equal(stranger.body.code, 'SUTRA.EXTERNAL_TASK.NOT_FOUND');
    });

    it('accepts one of two completions that race, whatever they carry', async () => {
      await engine.post('/channels/orders', {});
      const task = await engine.fetchTask('work');
      const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => engine.complete(task, { n })));
      assert.equal(answers.filter((answer) => answer.body.outcome === 'ACCEPTED').length, 1);
      for (const answer of answers) {
        if (answer.status === 200) continue;
        assert.equal(answer.body.code, 'SUTRA.EXTERNAL_TASK.COMPLETION_CONFLICT');
      }
    });

    it('leaves nothing in the inbox of a message that it refuses', async () => {
      const refused = await engine.post('/channels/orders', '{"n": 1e6145}', {
        'idempotency-key': 'inexact',
      });
      assert.equal(refused.status, 400);
      assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/);
      const rows = await engine.engine.database.run<{ count: number }>(
        {
          name: 'test_count_inbox',
          text: "SELECT count(*)::integer AS count FROM inbox WHERE dedup_key = 'inexact'",
        },
        [],
      );
      assert.equal(rows[0]?.count, 0);
      const accepted = await engine.post('/channels/orders', { n: 1 }, { 'idempotency-key': 'inexact' });
      assert.equal(accepted.body.duplicate, false);
      await engine.complete(await engine.fetchTask('work'), {});
    });

    it('carries keys like __proto__ as data', async () => {
      await engine.post('/channels/orders', '{"__proto__": {"polluted": true}, "constructor": 1}');
      const task = await engine.fetchTask('work');
      assert.deepEqual(Object.keys(task.body['payload'] as object).sort(), ['__proto__', 'constructor']);
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
      await engine.complete(task, {});
    });
  });
}
