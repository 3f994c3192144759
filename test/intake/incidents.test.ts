/** Where each sort of incident is raised, it knows its process; the summary counts what the list shows. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const PACKAGE = packageFiles({
  channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: work, transport: pull }
  - { name: hook, transport: http, direction: outbound, bind: "http://127.0.0.1:9/hook" }`,
  processes: {
    order: `${start('orders')}<exclusiveGateway id="choose"/>${call('pick', 'work')}<callActivity id="ship-it" calledElement="ship"/>
      <endEvent id="end"/>${flows('start -> choose', 'pick -> end', 'ship-it -> end')}
      <sequenceFlow id="to-pick" sourceRef="choose" targetRef="pick"><conditionExpression>payload.way = "pick"</conditionExpression></sequenceFlow>
      <sequenceFlow id="to-ship" sourceRef="choose" targetRef="ship-it"><conditionExpression>payload.way = "ship"</conditionExpression></sequenceFlow>`,
    ship: `<startEvent id="ship-start"/><sendTask id="send"><extensionElements><q:send channel="hook" body="payload"/></extensionElements></sendTask>
      ${flows('ship-start -> send')}`,
  },
});

interface Incident {
  readonly kind: string;
  readonly processId: string;
  readonly elementId: string;
  readonly instanceId: string;
  readonly createdAt: string;
}

for (const target of testDatabases()) {
  describe(`incidents on ${target.name}`, () => {
    let database: Database;
    let engine: TestEngine;
    let terminalTaskId: string;
    const incidents = async (query = ''): Promise<readonly Incident[]> => {
      const answer = await engine.get(`/sutra/incidents${query}`);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.incidents as readonly Incident[];
    };
    const order = async (way: string): Promise<string> =>
      (await engine.post('/channels/orders', { way })).body.instanceId;

    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({
        database,
        env: { SUTRA_EXTERNAL_TASK_MAX_ATTEMPTS: '1', SUTRA_OUTBOX_RETRY_MAX_ATTEMPTS: '1' },
      });
      await engine.deploy(PACKAGE);
      for (const way of ['nowhere', 'nowhere', 'ship']) await order(way);
      await order('pick');
      const reported = await engine.fetchTask('work');
      terminalTaskId = reported.id;
      const failure = { workerId: 'worker-1', errorMessage: 'no stock', retries: 0 };
      await engine.post(`/sutra/external-tasks/${reported.id}/failure`, failure);
      await order('pick');
      const lost = await engine.fetchTask('work', { lockDuration: 'PT1S' });
      // The claim that finds the lock expired makes the task terminal, so nothing is handed out.
      const expire = `UPDATE external_task SET visible_at = now() - interval '1 second' WHERE id = $1::uuid`;
      await database.run({ name: 'test_expire_lock', text: expire }, [lost.id]);
      assert.deepEqual(await engine.fetchTasks('work', { asyncResponseTimeout: 'PT0.1S' }), []);
      while ((await incidents()).length < 5) await new Promise((resolve) => setTimeout(resolve, 20));
    });
    after(() => engine.stop());

    it('know their process and element, that of a called one when it has sent', async () => {
      const places = (await incidents()).map(({ kind, processId, elementId }) =>
        [kind, processId, elementId].join(' '),
      );
      assert.deepEqual(places.sort(), [
        'delivery-poisoned ship send',
        'instance-failed order choose',
        'instance-failed order choose',
        'task-terminal order pick',
        'task-terminal order pick',
      ]);
    });

    it('are found by process, element and time, each alone and together', async () => {
      const all = await incidents();
      const [third] = all.slice(2);
      assert.ok(third !== undefined);
      const at = encodeURIComponent(third.createdAt);
      const counts: readonly (readonly [query: string, count: number])[] = [
        ['processId=order', 4],
        ['processId=other', 0],
        ['elementId=pick', 2],
        ['processId=ship&elementId=send', 1],
        ['processId=ship&elementId=pick', 0],
        ['kind=task-terminal&processId=order', 2],
        ['createdAfter=2000-01-01T00:00:00Z', 5],
        ['createdBefore=2000-01-01T00:00:00Z', 0],
        [`createdBefore=${at}`, all.filter(({ createdAt }) => createdAt < third.createdAt).length],
      ];
      for (const [query, count] of counts) {
        assert.equal((await incidents(`?${query}`)).length, count, query);
        const { body } = await engine.get(`/sutra/incidents/summary?${query}`);
        assert.equal((body as unknown as { incidentCount: number }).incidentCount, count, query);
      }
    });

    it('are counted by kind, code, process and element, the largest group first', async () => {
      const answer = await engine.get('/sutra/incidents/summary');
      const code = 'SUTRA.EXTERNAL_TASK.TERMINAL';
      assert.deepEqual(answer.body, {
        groups: [
          ...[
            {
              kind: 'instance-failed',
              code: 'SUTRA.CORE.NO_FLOW_TAKEN',
              processId: 'order',
              elementId: 'choose',
              count: 2,
            },
          ],
          ...[{ kind: 'task-terminal', code, processId: 'order', elementId: 'pick', count: 2 }],
          ...[
            {
              kind: 'delivery-poisoned',
              code: 'SUTRA.OUTBOX.ATTEMPTS_EXHAUSTED',
              processId: 'ship',
              elementId: 'send',
              count: 1,
            },
          ],
        ],
        incidentCount: 5,
        isCut: false,
      });
    });

    it('are not counted any more once they are closed', async () => {
      await engine.post(`/admin/external-tasks/${terminalTaskId}/retries`, {});
      const { body } = await engine.get('/sutra/incidents/summary?kind=task-terminal');
      const { groups } = body as unknown as { groups: readonly { count: number }[] };
      assert.deepEqual(
        groups.map(({ count }) => count),
        [1],
      );
    });

    it('refuse what is no filter of theirs', async () => {
      for (const query of ['limit=5', 'cursor=x', 'createdAfter=yesterday', 'processId=']) {
        assert.equal(
          (await engine.get(`/sutra/incidents/summary?${query}`)).body.code,
          'SUTRA.HTTP.QUERY_INVALID',
        );
      }
    });
  });
}
