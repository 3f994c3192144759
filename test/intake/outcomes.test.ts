import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const post = (name: string, more = ''): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}"${more} }`;

function files(peerUrl: string): Record<string, string> {
  return packageFiles({
    channels: [
      post('quote'),
      post('slow'),
      post('noflow'),
      post('late'),
      post('remind'),
      post('notify', ', ack-mode: on-persist'),
      post('strict', ', ack-mode: on-persist'),
      post('ask'),
      post('relayed', ', ack-mode: on-persist'),
      post('human', ', ack-mode: on-persist'),
      post('compute'),
      post('talk'),
      post('more'),
      `  - { name: peer, transport: http, bind: "${peerUrl}" }`,
      '  - { name: inner, transport: local }',
      '  - { name: work, transport: pull }',
      '  - { name: notes, transport: pull }',
      '  - { name: checked, transport: pull, codec: "urn:result" }',
    ].join('\n'),
    files: {
      'schemas/result/default.json': JSON.stringify({
        type: 'object',
        required: ['ok'],
        properties: { ok: { type: 'boolean' } },
      }),
    },
    processes: {
      quote: `${start('quote', '', 'name="request"')}${call('price', 'work')}
        <endEvent id="end"><extensionElements><q:reply contentType="application/json" body="{ price: price, for: request.item }"/></extensionElements></endEvent>
        ${flows('start -> price', 'price -> end')}`,
      slow: `${start('slow')}${call('price', 'work')}<endEvent id="end"/>${flows('start -> price', 'price -> end')}`,
      noflow: `${start('noflow')}<exclusiveGateway id="choose"/>${call('a', 'work')}${call('b', 'work')}
        ${flows('start -> choose')}
        <sequenceFlow id="to-a" sourceRef="choose" targetRef="a"><conditionExpression>payload.way = "a"</conditionExpression></sequenceFlow>
        <sequenceFlow id="to-b" sourceRef="choose" targetRef="b"><conditionExpression>payload.way = "b"</conditionExpression></sequenceFlow>`,
      late: `${start('late')}${call('price', 'work', '<q:timeout duration="PT0.3S"/>')}
        <boundaryEvent id="too-late" attachedToRef="price"><errorEventDefinition id="e" errorRef="timeout-error"/></boundaryEvent>
        <endEvent id="end"/><endEvent id="gave-up"><extensionElements><q:reply body="&quot;too late&quot;" contentType="text/plain"/></extensionElements></endEvent>
        ${flows('start -> price', 'price -> end', 'too-late -> gave-up')}`,
      remind: `${start('remind')}${call('price', 'work')}
        <boundaryEvent id="reminder" attachedToRef="price" cancelActivity="false"><timerEventDefinition id="t"><timeDuration>PT0.2S</timeDuration></timerEventDefinition></boundaryEvent>
        ${call('nudge', 'notes')}<endEvent id="end"/><endEvent id="nudged"/>
        ${flows('start -> price', 'price -> end', 'reminder -> nudge', 'nudge -> nudged')}`,
      notify: `${start('notify')}<sendTask id="tell"><extensionElements><q:send channel="notes" body="payload"/></extensionElements></sendTask><endEvent id="end"/>
        ${flows('start -> tell', 'tell -> end')}`,
      strict: `${start('strict')}${call('check', 'checked')}<endEvent id="end"/>${flows('start -> check', 'check -> end')}`,
      ask: `${start('ask')}${call('peer-call', 'peer', '<q:output variable="answer"/><q:header name="x-order" value="payload.id"/>')}
        <endEvent id="end"><extensionElements><q:reply body="answer"/></extensionElements></endEvent>${flows('start -> peer-call', 'peer-call -> end')}`,
      outer: `${start('relayed')}<endEvent id="end"><extensionElements><q:send channel="inner" body="{ n: payload.n + 1 }"/></extensionElements><messageEventDefinition id="m"/></endEvent>${flows('start -> end')}`,
      innermost: `${start('inner')}${call('inner-work', 'work')}<endEvent id="end"/>${flows('start -> inner-work', 'inner-work -> end')}`,
      human: `${start('human')}<userTask id="approve"/><endEvent id="end"/>${flows('start -> approve', 'approve -> end')}`,
      talk: `${start('talk', '<q:alias name="talk" expression="payload.id"/>')}
        <task id="greet"><extensionElements><q:reply body="&quot;hello&quot;" continue="true"/></extensionElements></task>
        <receiveTask id="listen"><extensionElements><q:source channel="more" name="more"/><q:alias name="talk" expression="more.id"/></extensionElements></receiveTask>
        ${call('think', 'work')}<endEvent id="end"/>
        ${flows('start -> greet', 'greet -> listen', 'listen -> think', 'think -> end')}`,
      compute: `${start('compute')}<serviceTask id="double" implementation="registered:double"><extensionElements><q:param name="n" expression="payload.n"/></extensionElements></serviceTask>
        <endEvent id="end"><extensionElements><q:reply body="doubled"/></extensionElements></endEvent>${flows('start -> double', 'double -> end')}`,
    },
    definitions: '<error id="timeout-error" errorCode="SUTRA.CALL.TIMEOUT"/>',
  });
}

interface Peer {
  readonly server: Server;
  readonly url: string;
  readonly seen: { key: string | undefined; order: string | undefined }[];
  failures: number;
}

async function startPeer(): Promise<Peer> {
  const peer = { seen: [] as Peer['seen'], failures: 1 };
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      peer.seen.push({
        key: request.headers['idempotency-key'] as string | undefined,
        order: request.headers['x-order'] as string | undefined,
      });
      if (peer.failures > 0) {
        peer.failures -= 1;
        response.writeHead(503).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"price": 5}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(peer, { server, url: `http://127.0.0.1:${String(port)}/price` });
}

for (const target of testDatabases()) {
  describe(`what becomes of messages on ${target.name}`, () => {
    let engine: TestEngine;
    let peer: Peer;
    before(async () => {
      peer = await startPeer();
      engine = await TestEngine.start({
        database: await target.open(),
        env: { SUTRA_HTTP_MAX_HOLD: 'PT5S', SUTRA_OUTBOX_RETRY_BASE_DELAY: 'PT0.05S' },
        registered: {
          double: (input) => {
            const { n } = input as { n: number };
            if (n < 0) throw new Error('negative');
            return { doubled: n * 2 };
          },
        },
      });
      await engine.deploy(files(peer.url));
    });
    after(async () => {
      await engine.stop();
      peer.server.close();
    });

    it('holds the request until the reply, and gives a duplicate the same reply', async () => {
      const key = { 'idempotency-key': 'q-1' };
      const held = engine.post('/channels/quote', { item: 'tea' }, key);
      const heldToo = engine.post('/channels/quote', { item: 'tea' }, key);
      await engine.complete(await engine.fetchTask('work'), { price: 3 });
      const answer = await held;
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, { price: 3, for: 'tea' });
      assert.deepEqual((await heldToo).body, answer.body);
      const later = await engine.post('/channels/quote', { item: 'other' }, key);
      assert.deepEqual(later.body, { price: 3, for: 'tea' });
      assert.equal(later.headers.get('sutra-duplicate'), 'true');
    });

    it('gives the reply to every duplicate that comes while it is being committed', async () => {
      for (let round = 0; round < 10; round += 1) {
        const key = { 'idempotency-key': `racing-${String(round)}` };
        const first = engine.post('/channels/quote', { item: 'tea' }, key);
        const task = await engine.fetchTask('work');
        const racing = Array.from({ length: 8 }, () => engine.post('/channels/quote', { item: 'tea' }, key));
        const completed = engine.complete(task, { price: round });
        for (const answer of await Promise.all([first, ...racing])) {
          assert.deepEqual(answer.body, { price: round, for: 'tea' });
        }
        await completed;
      }
    });

    it('answers an instance that ends without a reply with its status', async () => {
      const held = engine.post('/channels/slow', {});
      await engine.complete(await engine.fetchTask('work'), {});
      const answer = await held;
      assert.equal(answer.status, 200);
      assert.equal(answer.body.status, 'completed');
    });

    it('keeps an instance that fails, tells the sender, and lets an operator retry or cancel it', async () => {
      const answer = await engine.post('/channels/noflow', { way: 'c' });
      assert.equal(answer.status, 422);
      assert.equal(answer.body.code, 'SUTRA.CORE.NO_FLOW_TAKEN');
      const id = answer.body.attributes['instanceId'] as string;
      const failed = await engine.instance(id);
      assert.equal(failed.status, 'failed');
      assert.equal(failed.failure?.elementId, 'choose');
      const incidents = await engine.get(`/sutra/incidents?instanceId=${id}`);
      assert.equal(incidents.body.incidents.length, 1);
      const retried = await engine.post(`/admin/instances/${id}/retry`, {});
      assert.equal(retried.body.status, 'failed');
      const cancelled = await engine.post(`/sutra/instances/${id}/cancel`, { reason: 'test' });
      assert.equal(cancelled.body.status, 'terminated');
      assert.equal((await engine.get(`/sutra/incidents?instanceId=${id}`)).body.incidents.length, 0);
    });

    it('withdraws the task of a call that timed out, and tells its worker so', async () => {
      const held = engine.post('/channels/late', {});
      const task = await engine.fetchTask('work');
      assert.equal((await held).body, 'too late');
      const late = await engine.complete(task, {});
      assert.equal(late.status, 409);
      assert.equal(late.body.code, 'SUTRA.EXTERNAL_TASK.WITHDRAWN');
      assert.equal((await engine.fetchTasks('work', { asyncResponseTimeout: 'PT0S' })).length, 0);
    });

    it('fires a non-interrupting timer beside the work it guards', async () => {
      const held = engine.post('/channels/remind', {});
      const work = await engine.fetchTask('work');
      const nudge = await engine.fetchTask('notes');
      assert.equal(nudge.instanceId, work.instanceId);
      await engine.complete(work, {});
      await engine.complete(nudge, {});
      assert.equal((await held).body.status, 'completed');
    });

    it('lets a worker complete a send that nobody waits for', async () => {
      const sent = await engine.post('/channels/notify', { text: 'hello' });
      const task = await engine.fetchTask('notes');
      assert.deepEqual(task.body, { text: 'hello' });
      assert.equal((await engine.instance(sent.body.instanceId)).status, 'completed');
      assert.equal((await engine.complete(task, { read: true })).body.outcome, 'ACCEPTED');
      assert.equal((await engine.complete(task, { read: true })).body.outcome, 'DUPLICATE');
    });

    it('refuses a result that its schema does not allow, keeps the task locked, and takes a good one after', async () => {
      await engine.post('/channels/strict', {});
      const task = await engine.fetchTask('checked');
      const refused = await engine.complete(task, { ok: 'yes' }, { completionId: 'try-1' });
      assert.equal(refused.status, 422);
      assert.equal(refused.body.code, 'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED');
      assert.equal(refused.body.attributes['causeCode'], 'SUTRA.INBOUND.VALIDATION_FAILED');
      assert.equal((await engine.fetchTasks('checked', { asyncResponseTimeout: 'PT0S' })).length, 0);
      const accepted = await engine.complete(task, { ok: true }, { completionId: 'try-1' });
      assert.equal(accepted.body.outcome, 'ACCEPTED');
    });

    it("dials a peer again after its failure under one idempotency key, and takes its answer as the call's", async () => {
      const answer = await engine.post('/channels/ask', { id: 'o-9' });
      assert.deepEqual(answer.body, { price: 5 });
      assert.equal(peer.seen.length, 2);
      assert.equal(peer.seen[0]?.key, peer.seen[1]?.key);
      assert.equal(peer.seen[0]?.order, 'o-9');
    });

    it('carries a message from process to process over a local channel', async () => {
      await engine.post('/channels/relayed', { n: 41 });
      const task = await engine.fetchTask('work');
      assert.equal(task.elementId, 'inner-work');
      assert.deepEqual(task.body, { payload: { n: 42 } });
      await engine.complete(task, {});
    });

    it('waits at a user task until it is completed over the operate route', async () => {
      const { body } = await engine.post('/channels/human', {});
      const instance = await engine.instance(body.instanceId);
      const [token] = instance.tokens;
      const path = `/sutra/instances/${body.instanceId}/user-tasks/${String(token?.id)}/complete`;
      assert.equal((await engine.post(path, { variables: { ok: true } })).status, 200);
      assert.equal((await engine.instance(body.instanceId)).status, 'completed');
    });

    it('does not answer a later message with the reply to an earlier one', async () => {
      assert.equal((await engine.post('/channels/talk', { id: 't' })).body, 'hello');
      const key = { 'idempotency-key': 'more-t' };
      const later = engine.post('/channels/more', { id: 't' }, key);
      const task = await engine.fetchTask('work');
      // Longer than the held request's look at the database.
      await new Promise((resolve) => setTimeout(resolve, 600));
      await engine.complete(task, {});
      assert.equal((await later).body.status, 'completed');
      assert.equal((await engine.post('/channels/more', { id: 't' }, key)).body.status, 'completed');
    });

    it('runs a registered function as a worker of its own', async () => {
      assert.equal((await engine.post('/channels/compute', { n: 21 })).body, 42);
    });

    it('says 404 for commands to an instance that does not exist', async () => {
      const answer = await engine.post('/sutra/instances/01a22a60-e956-7622-8e89-a9e125b7b5af/cancel', {});
      assert.equal(answer.status, 404);
      assert.equal(answer.body.code, 'SUTRA.INSTANCE.NOT_FOUND');
    });
  });
}
