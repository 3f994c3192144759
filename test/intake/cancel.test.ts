/** One commit ends a cancelled instance and all that is left of it; who holds a task of it is told. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type Answer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const send = (id: string, channel: string): string =>
  `<sendTask id="${id}"><extensionElements><q:send channel="${channel}"/></extensionElements></sendTask>`;
const signal =
  '<intermediateCatchEvent id="signalled"><signalEventDefinition signalRef="s"/></intermediateCatchEvent>';
const timer =
  '<intermediateCatchEvent id="later"><timerEventDefinition id="t"><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent>';
const receive =
  '<receiveTask id="told"><extensionElements><q:source channel="notes"/><q:alias name="note" expression="id"/></extensionElements></receiveTask>';
const runs =
  '<multiInstanceLoopCharacteristics><extensionElements><q:loop collection="=[1, 2]" item="item"/></extensionElements></multiInstanceLoopCharacteristics>';

const branches = ['signalled', 'later', 'told', 'work-it', 'each', 'dial', 'tell', 'hand-over', 'gate'];

const packageOf = (url: string): Record<string, string> =>
  packageFiles({
    definitions: '<signal id="s" name="stop"/>',
    channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: notes, transport: http, bind: "POST /channels/notes", ack-mode: on-persist }
  - { name: work, transport: pull }
  - { name: sent-work, transport: pull }
  - { name: refusing, transport: http, direction: outbound, bind: "${url}/refuse" }
  - { name: dead, transport: http, direction: outbound, bind: "${url}/fail" }
  - { name: peer, transport: http, bind: "${url}/refuse" }`,
    processes: {
      // Everything that an instance can leave behind, and with way = "fail" a failure beside it.
      all: `<startEvent id="begin"/><parallelGateway id="fork"/>${signal}${timer}${receive}${call('work-it', 'work')}
        ${call('each', 'work').replace('</serviceTask>', `${runs}</serviceTask>`)}${call('dial', 'peer')}
        ${send('tell', 'dead')}${send('hand-over', 'sent-work')}${send('tell-refusing', 'refusing')}<exclusiveGateway id="gate"/>
        <userTask id="wait"/>
        ${flows('begin -> fork', ...branches.map((id) => `fork -> ${id}`), 'tell -> tell-refusing')}
        <sequenceFlow id="ok" sourceRef="gate" targetRef="wait"><conditionExpression>way = "wait"</conditionExpression></sequenceFlow>`,
      order: `${start('orders')}${call('work-it', 'work')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`,
      // What it sends and then ends by itself has been sent.
      quitting: `<startEvent id="begin"/>${send('tell', 'dead')}${send('hand-over', 'sent-work')}<endEvent id="stop"><terminateEventDefinition id="term"/></endEvent>
        ${flows('begin -> tell', 'tell -> hand-over', 'hand-over -> stop')}`,
    },
  });

/** Tables with rows of an instance that are of use to a live one only. */
const LIVE_TABLES = [
  ...['timer', 'alias', 'outbox', 'external_task', 'signal_wait', 'signal_delivery'],
  ...['instance_part', 'instance_call'],
] as const;

for (const target of testDatabases()) {
  describe(`a cancelled instance on ${target.name}`, { timeout: 120_000 }, () => {
    let peer: Server;
    let database: Database;
    let engine: TestEngine;
    before(async () => {
      peer = createServer((request, response) => {
        request.resume().on('end', () => {
          response.writeHead(request.url === '/refuse' ? 400 : 503).end();
        });
      });
      await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
      database = await target.open();
      engine = await TestEngine.start({ database });
      await engine.deploy(packageOf(`http://127.0.0.1:${String((peer.address() as AddressInfo).port)}`));
    });
    after(async () => {
      await engine.stop();
      peer.closeAllConnections();
      await new Promise((resolve) => peer.close(resolve));
    });

    const begin = async (processId: string, variables: unknown): Promise<string> =>
      (await engine.post(`/sutra/processes/${processId}/start`, { variables })).body.instanceId;
    const cancel = (id: string): Promise<Answer> =>
      engine.post(`/sutra/instances/${id}/cancel`, { reason: 'test' });
    const countOf = async (table: string, id: string): Promise<number> => {
      const text = `SELECT count(*)::integer AS count FROM ${table} WHERE instance_id = $1::uuid`;
      const [row] = await database.run<{ count: number }>({ name: `test_count_${table}`, text }, [id]);
      return row?.count ?? 0;
    };
    const leftOf = async (id: string): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {};
      for (const table of LIVE_TABLES) {
        const count = await countOf(table, id);
        if (count > 0) counts[table] = count;
      }
      return counts;
    };
    const incidentKinds = async (id: string): Promise<string[]> =>
      (await engine.get(`/sutra/incidents?instanceId=${id}`)).body.incidents
        .map((incident) => (incident as { kind: string }).kind)
        .sort();
    const until = async (isReached: () => Promise<boolean>): Promise<void> => {
      while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const fetchAll = async (id: string): Promise<readonly Task[]> => {
      const tasks = await engine.fetchTasks('work', { maxTasks: 10, asyncResponseTimeout: 'PT0S' });
      return tasks.filter(({ instanceId }) => instanceId === id);
    };
    type Task = Awaited<ReturnType<TestEngine['fetchTasks']>>[number];
    const failed = (task: Task): Promise<Answer> =>
      engine.post(`/sutra/external-tasks/${task.id}/failure`, { workerId: 'worker-1', errorMessage: 'no' });

    it('leaves no wait, timer, alias, delivery, task or signal, and no incident', async () => {
      const id = await begin('all', { id: 'A-1', way: 'wait' });
      await until(
        async () => (await incidentKinds(id)).length === 2 && (await countOf('external_task', id)) === 4,
      );
      assert.deepEqual(await incidentKinds(id), ['delivery-poisoned', 'delivery-poisoned']);
      const held = await fetchAll(id);
      assert.equal(held.length, 3);
      const before = await leftOf(id);
      assert.deepEqual(before, {
        ...{ timer: 1, alias: 1, outbox: 3, external_task: 4, signal_wait: 1, instance_part: 2 },
      });
      assert.equal((await cancel(id)).body.status, 'terminated');
      assert.deepEqual(await leftOf(id), {});
      assert.deepEqual(await incidentKinds(id), []);
      const [first, second] = held;
      assert.ok(first !== undefined && second !== undefined);
      for (const answer of [await engine.complete(first, {}), await failed(second)]) {
        assert.deepEqual([answer.status, answer.body.code], [409, 'SUTRA.EXTERNAL_TASK.WITHDRAWN']);
      }
      const twice = await cancel(id);
      assert.deepEqual([twice.status, twice.body.code], [409, 'SUTRA.CORE.INSTANCE_ENDED']);
    });

    it('leaves nothing when it had failed, not even a signal that was held for its repair', async () => {
      const id = await begin('all', { id: 'A-2', way: 'fail' });
      assert.equal((await engine.instance(id)).status, 'failed');
      await engine.post('/sutra/signals/stop', {});
      await until(async () => {
        const text =
          'SELECT count(*)::integer AS count FROM signal_delivery WHERE held AND instance_id = $1::uuid';
        const [row] = await database.run<{ count: number }>({ name: 'test_count_held', text }, [id]);
        return row?.count === 1;
      });
      assert.equal((await cancel(id)).body.status, 'terminated');
      assert.deepEqual(await leftOf(id), {});
      assert.deepEqual(await incidentKinds(id), []);
    });

    it('had sent what it sent when it ends by itself', async () => {
      const id = await begin('quitting', {});
      assert.equal((await engine.instance(id)).status, 'terminated');
      await until(async () => (await countOf('external_task', id)) === 1);
      assert.deepEqual(await leftOf(id), { outbox: 1, external_task: 1 });
    });

    it('is cancelled or completed, and never half of each, when both come at once', async () => {
      const outcomes = new Set<string>();
      for (let round = 0; round < 20; round += 1) {
        const { instanceId } = (await engine.post('/channels/orders', {})).body;
        const task = await engine.fetchTask('work');
        assert.equal(task.instanceId, instanceId);
        const commands = [() => cancel(instanceId), () => engine.complete(task, { done: true })];
        if (round % 2 === 1) commands.reverse();
        const answers = await Promise.all(commands.map((command) => command()));
        const [cancelled, completed] = round % 2 === 1 ? answers.reverse() : answers;
        const { status } = await engine.instance(instanceId);
        outcomes.add(status);
        assert.deepEqual(
          [cancelled?.body.code ?? cancelled?.body.status, completed?.body.code ?? completed?.body.outcome],
          status === 'completed'
            ? ['SUTRA.CORE.INSTANCE_ENDED', 'ACCEPTED']
            : ['terminated', 'SUTRA.EXTERNAL_TASK.WITHDRAWN'],
        );
        assert.deepEqual(await leftOf(instanceId), {});
      }
      assert.deepEqual([...outcomes].sort(), ['completed', 'terminated'], 'each of them came first once');
    });
  });
}
