import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const files = packageFiles({
  channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: tickets, transport: http, bind: "POST /channels/tickets", ack-mode: on-persist }
  - { name: answers, transport: http, bind: "POST /channels/answers", ack-mode: on-persist }
  - { name: work, transport: pull }`,
  processes: {
    order: `${start('orders')}${call('ask', 'work', '<q:source channel="answers" name="answer"/>')}<endEvent id="end"/>
      ${flows('start -> ask', 'ask -> end')}`,
    ticket: `${start('tickets')}
      <intermediateCatchEvent id="pause"><timerEventDefinition id="t"><timeDuration>PT0.1S</timeDuration></timerEventDefinition></intermediateCatchEvent>
      <receiveTask id="wait"><extensionElements><q:source channel="answers" name="answer"/><q:alias name="ticket" expression="payload.ticket" unique="true"/></extensionElements></receiveTask>
      <endEvent id="end"/>${flows('start -> pause', 'pause -> wait', 'wait -> end')}`,
  },
});

for (const target of testDatabases()) {
  describe(`what a turn settles on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    it('withdraws the parked request of a call whose answer came through another channel', async () => {
      const { body } = await engine.post('/channels/orders', {});
      const task = await engine.fetchTask('work');
      const answer = await engine.post(
        '/channels/answers',
        { ok: true },
        { 'correlation-id': (task as unknown as { idempotencyKey: string }).idempotencyKey },
      );
      assert.equal(answer.body.instanceId, body.instanceId);
      assert.equal((await engine.instance(body.instanceId)).status, 'completed');
      const late = await engine.complete(task, { ok: false });
      assert.equal(late.body.code, 'SUTRA.EXTERNAL_TASK.WITHDRAWN');
    });

    it('fails the instance, not the timer, when a unique value is taken after a timer, and repairs by retry', async () => {
      const first = await engine.post('/channels/tickets', { ticket: 't' });
      const waiting = (id: string): Promise<unknown> =>
        engine.until(id, (instance) => instance.tokens.some((token) => token.elementId === 'wait'));
      await waiting(first.body.instanceId);
      const second = await engine.post('/channels/tickets', { ticket: 't' });
      const failed = await engine.ended(second.body.instanceId);
      assert.equal(failed.status, 'failed');
      assert.equal(failed.failure?.code, 'SUTRA.CORE.ALIAS_TAKEN');
      assert.equal(failed.failure.elementId, 'wait');
      const early = await engine.post(`/admin/instances/${second.body.instanceId}/retry`, {});
      assert.equal(early.body.status, 'failed');
      await engine.post('/channels/answers', { ticket: 't' });
      assert.equal((await engine.instance(first.body.instanceId)).status, 'completed');
      const retried = await engine.post(`/admin/instances/${second.body.instanceId}/retry`, {});
      assert.equal(retried.body.status, 'running');
      await engine.post('/channels/answers', { ticket: 't' });
      assert.equal((await engine.instance(second.body.instanceId)).status, 'completed');
    });

    it('never lets a late answer to a dead call satisfy another wait of its instance', async () => {
      const { body } = await engine.post('/channels/tickets', { ticket: 'late' });
      await engine.until(body.instanceId, (instance) =>
        instance.tokens.some((token) => token.elementId === 'wait'),
      );
      const forged = await engine.post(
        '/channels/answers',
        {},
        { 'correlation-id': `${body.instanceId}:call-1` },
      );
      assert.equal(forged.body.code, 'SUTRA.INBOUND.NOT_CORRELATED');
    });
  });
}
