import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const channels = `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: unique, transport: http, bind: "POST /channels/unique", ack-mode: on-persist }
  - { name: joined, transport: http, bind: "POST /channels/joined", ack-mode: on-persist }
  - { name: batch, transport: http, bind: "POST /channels/batch", ack-mode: on-persist }
  - { name: paid, transport: http, bind: "POST /channels/paid", ack-mode: on-persist }
  - { name: closed, transport: http, bind: "POST /channels/closed", ack-mode: on-persist }
  - { name: typed, transport: http, bind: "POST /channels/typed", ack-mode: on-persist }
  - { name: nobody, transport: http, bind: "POST /channels/nobody", ack-mode: on-persist }
  - { name: everyone, transport: http, bind: "POST /channels/everyone", ack-mode: on-persist, broadcast: true }
  - { name: work, transport: pull }`;

function waiting(channel: string, alias: string, waitAlias = alias): string {
  const receive = `<receiveTask id="wait"><extensionElements><q:source channel="paid" name="payment"/>${waitAlias.replaceAll('payload.', 'payment.')}</extensionElements></receiveTask>`;
  return `${start(channel, alias)}${receive}<endEvent id="end"/>${flows('start -> wait', 'wait -> end')}`;
}

const byOrder = '<q:alias name="orderId" expression="payload.orderId"/>';
const multi = '<q:alias name="batchId" expression="payload.batchId" multi="true"/>';

const files = packageFiles({
  channels,
  processes: {
    order: waiting('orders', byOrder),
    unique: waiting('unique', '<q:alias name="ticket" expression="payload.ticket" unique="true"/>'),
    joined: `${start('joined', '<q:alias name="joinKey" expression="payload.key" unique="true" onConflict="correlate"/>')}
      <receiveTask id="more"><extensionElements><q:source channel="joined" name="second"/><q:alias name="joinKey" expression="second.key"/></extensionElements></receiveTask>
      <endEvent id="end"/>${flows('start -> more', 'more -> end')}`,
    batch: waiting('batch', multi),
    typed: `${start('typed', '', 'messageTypeValue="order.created"')}${call('a', 'work')}<endEvent id="end"/>${flows('start -> a', 'a -> end')}`,
    everyoneA: `${start('everyone')}<endEvent id="end"/>${flows('start -> end')}`,
    everyoneB: `${start('everyone')}<endEvent id="end"/>${flows('start -> end')}`,
    closing: `${start('closed', byOrder)}<endEvent id="end"/>${flows('start -> end')}`,
  },
});

for (const target of testDatabases()) {
  describe(`correlation on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    const send = async (channel: string, body: unknown, headers = {}): Promise<string> => {
      const answer = await engine.post(`/channels/${channel}`, body, headers);
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      return answer.body.instanceId;
    };

    it('finds the waiting instance by the value that it registered at its start', async () => {
      const first = await send('orders', { orderId: 'one' });
      const second = await send('orders', { orderId: 2 });
      assert.equal(await send('paid', { orderId: 2 }), second);
      assert.equal((await engine.instance(second)).status, 'completed');
      assert.equal((await engine.instance(first)).status, 'running');
      assert.equal(await send('paid', { orderId: 'one' }), first);
    });

    it('refuses a message that nobody waits for, and takes it once somebody does', async () => {
      const early = await engine.post(
        '/channels/paid',
        { orderId: 'later' },
        { 'idempotency-key': 'pay-later' },
      );
      assert.equal(early.status, 422);
      assert.equal(early.body.code, 'SUTRA.INBOUND.NOT_CORRELATED');
      const instanceId = await send('orders', { orderId: 'later' });
      assert.equal(await send('paid', { orderId: 'later' }, { 'idempotency-key': 'pay-later' }), instanceId);
    });

    it('refuses a value that two waiting instances registered, and changes neither', async () => {
      const ids = [await send('orders', { orderId: 'twin' }), await send('orders', { orderId: 'twin' })];
      const answer = await engine.post('/channels/paid', { orderId: 'twin' });
      assert.equal(answer.body.code, 'SUTRA.INBOUND.AMBIGUOUS');
      for (const id of ids) assert.equal((await engine.instance(id)).status, 'running');
    });

    it('reaches every instance of a multi alias with one message', async () => {
      const ids = [
        await send('batch', { batchId: 'b' }),
        await send('batch', { batchId: 'b' }),
        await send('batch', { batchId: 'b' }),
      ];
      await send('paid', { batchId: 'b' });
      for (const id of ids) assert.equal((await engine.instance(id)).status, 'completed');
    });

    it('refuses a start whose unique value is taken, and frees the value when its holder ends', async () => {
      const holder = await send('unique', { ticket: 't-1' });
      const refused = await engine.post('/channels/unique', { ticket: 't-1' });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.code, 'SUTRA.INBOUND.ALIAS_TAKEN');
      assert.equal(refused.body.attributes['instanceId'], holder);
      await send('paid', { ticket: 't-1' });
      assert.notEqual(await send('unique', { ticket: 't-1' }), holder);
    });

    it('starts one instance for twenty starts that race for one unique value, and fails no neighbour', async () => {
      const racing = Array.from({ length: 20 }, () => engine.post('/channels/unique', { ticket: 'race' }));
      const neighbours = Array.from({ length: 20 }, (_, n) =>
        engine.post('/channels/unique', { ticket: `own-${String(n)}` }),
      );
      const raced = await Promise.all(racing);
      assert.equal(raced.filter((answer) => answer.status === 202).length, 1);
      for (const answer of raced.filter((other) => other.status !== 202)) {
        assert.equal(answer.body.code, 'SUTRA.INBOUND.ALIAS_TAKEN');
      }
      for (const answer of await Promise.all(neighbours)) assert.equal(answer.status, 202);
    });

    it('sends the second start of a unique value to its holder when the alias says correlate', async () => {
      const holder = await send('joined', { key: 'k' });
      assert.equal(await send('joined', { key: 'k', second: true }), holder);
      assert.equal((await engine.instance(holder)).status, 'completed');
    });

    it('starts by exact message type, and names the type that nobody takes', async () => {
      await send('typed', {}, { 'ce-type': 'order.created', 'ce-id': '1', 'ce-source': 'test' });
      const other = await engine.post('/channels/typed', {}, { 'message-type': 'order.deleted' });
      assert.equal(other.body.code, 'SUTRA.INBOUND.NO_SUBSCRIBER');
      assert.match(other.body.detail, /order\.deleted/);
      await engine.complete(await engine.fetchTask('work'), {});
    });

    it('starts every process of a broadcast channel in one commit', async () => {
      await send('everyone', {});
      const { body } = await engine.get('/sutra/instances?processId=everyoneA');
      const other = await engine.get('/sutra/instances?processId=everyoneB');
      assert.equal(body.instances.length, 1);
      assert.equal(other.body.instances[0]?.createdAt, body.instances[0]?.createdAt);
    });

    it('says that a channel has no subscriber at all', async () => {
      const answer = await engine.post('/channels/nobody', {});
      assert.equal(answer.status, 422);
      assert.equal(answer.body.code, 'SUTRA.INBOUND.NO_SUBSCRIBER');
    });

    it('keeps no alias of an instance that ended in its first step', async () => {
      await send('closed', { orderId: 'gone' });
      const answer = await engine.post('/channels/paid', { orderId: 'gone' });
      assert.equal(answer.body.code, 'SUTRA.INBOUND.NOT_CORRELATED');
    });
  });
}
