/** Wide parallel multi-instance activities, whose instances are stored as parts of the snapshot. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type TaskAnswer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const collect = '<q:loop collection="=payload.items" item="item" output="results" outputItem="outcome"/>';

/** Right behind the extension elements, as BPMN's schema has it. */
const each = (q = collect, inside = ''): string =>
  `<multiInstanceLoopCharacteristics><extensionElements>${q}</extensionElements>${inside}</multiInstanceLoopCharacteristics>`;

const looping = (id: string, channel: string, q: string, loop = each()): string =>
  call(id, channel, q).replace('</serviceTask>', `${loop}</serviceTask>`);

const forEach = (id: string, inside: string): string =>
  `<subProcess id="${id}">${each()}${inside}</subProcess>`;

const done = `<scriptTask id="done"><extensionElements><q:output variable="outcome"/></extensionElements><script>item * 2</script></scriptTask>`;
const answered = (id: string): string =>
  `<endEvent id="${id}"><extensionElements><q:reply body="results"/></extensionElements></endEvent>`;

const httpChannels = ['fan', 'timed', 'met', 'asked', 'some', 'faulty', 'tickets', 'answers'] as const;

const files = packageFiles({
  channels: [
    ...httpChannels.map(
      (name) =>
        `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`,
    ),
    '  - { name: work, transport: pull }',
  ].join('\n'),
  processes: {
    fan: `${start('fan')}${looping('ask', 'work', '<q:param name="item" expression="item"/><q:output variable="outcome"/>')}
      ${answered('end')}${flows('start -> ask', 'ask -> end')}`,
    some: `${start('some')}${looping(
      'ask',
      'work',
      '<q:param name="item" expression="item"/>',
      each(
        '<q:loop collection="=payload.items" item="item"/>',
        '<completionCondition>numberOfCompletedInstances >= 2</completionCondition>',
      ),
    )}<endEvent id="end"/>${flows('start -> ask', 'ask -> end')}`,
    asked: `${start('asked')}${looping('ask', 'work', '<q:source channel="answers" name="answer"/>')}<endEvent id="end"/>
      ${flows('start -> ask', 'ask -> end')}`,
    timed: `${start('timed')}${forEach(
      'each',
      `<startEvent id="in"/><intermediateCatchEvent id="pause"><timerEventDefinition id="t"><timeDuration>PT0.2S</timeDuration></timerEventDefinition></intermediateCatchEvent>
       ${done}<endEvent id="out"/>${flows('in -> pause', 'pause -> done', 'done -> out')}`,
    )}${answered('end')}${flows('start -> each', 'each -> end')}`,
    met: `${start('met')}${forEach(
      'each',
      `<startEvent id="in"/><receiveTask id="wait"><extensionElements><q:source channel="tickets" name="ticket"/><q:alias name="ticket" expression="if ticket = null then item else ticket.id"/></extensionElements></receiveTask>
       ${done}<endEvent id="out"/>${flows('in -> wait', 'wait -> done', 'done -> out')}`,
    )}${answered('end')}${flows('start -> each', 'each -> end')}`,
    faulty: `${start('faulty')}${forEach(
      'each',
      `<startEvent id="in"/>${call('ask', 'work', '<q:param name="item" expression="item"/><q:output variable="got"/>')}
       <exclusiveGateway id="check"/><sequenceFlow id="is-ok" sourceRef="check" targetRef="out"><conditionExpression>got.ok</conditionExpression></sequenceFlow>
       <endEvent id="out"/>${flows('in -> ask', 'ask -> check')}`,
    )}${answered('end')}${flows('start -> each', 'each -> end')}`,
  },
});

interface Shown {
  readonly parts: { readonly open: number; readonly listed: number };
  readonly tokens: readonly {
    readonly id: number;
    readonly elementId: string;
    readonly partId: number | null;
  }[];
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

for (const target of testDatabases()) {
  describe(`instances with parts on ${target.name}`, { timeout: 240_000 }, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    /** Column names to their values, of all parts. */
    const partRows = (
      instanceId: string,
    ): Promise<{ part_id: number; is_open: boolean; version: string }[]> =>
      engine.engine.database.run(
        {
          name: 'test_part_rows',
          text: `SELECT part_id, is_open, xmin::text || data AS version FROM instance_part WHERE instance_id = $1::uuid ORDER BY part_id`,
        },
        [instanceId],
      );

    const snapshotLength = async (instanceId: string): Promise<number> => {
      const rows = await engine.engine.database.run<{ length: number }>(
        {
          name: 'test_snapshot_length',
          text: 'SELECT length(snapshot) AS length FROM instance WHERE id = $1::uuid',
        },
        [instanceId],
      );
      return rows[0]?.length ?? -1;
    };

    const startOn = async (channel: (typeof httpChannels)[number], count: number): Promise<string> => {
      const { body } = await engine.post(`/channels/${channel}`, { items: numbers(count) });
      return body.instanceId;
    };

    const fetch = (count: number): Promise<readonly TaskAnswer[]> =>
      engine.fetchTasks('work', { maxTasks: count });
    const itemOf = (task: TaskAnswer): number => task.body['item'] as number;
    const shown = async (instanceId: string): Promise<Shown> =>
      (await engine.instance(instanceId)) as unknown as Shown;

    it('collect what 300 workers answer in any order, each completion touching its own part alone', async () => {
      const id = await startOn('fan', 300);
      const first = await partRows(id);
      assert.equal(first.length, 300);
      const length = await snapshotLength(id);
      const tasks = (await Promise.all([100, 100, 100].map(fetch))).flat();
      assert.equal(new Set(tasks.map(itemOf)).size, 300);
      const [one] = tasks;
      assert.ok(one !== undefined);
      await engine.complete(one, itemOf(one) * 10);
      const second = await partRows(id);
      const changed = second.filter((row, index) => row.version !== first[index]?.version);
      assert.deepEqual(
        changed.map((row) => row.is_open),
        [false],
      );
      assert.ok((await snapshotLength(id)) <= length + 20, 'the rest of the snapshot does not grow');
      const shuffled = tasks
        .slice(1)
        .sort((left, right) => ((itemOf(left) * 7) % 300) - ((itemOf(right) * 7) % 300));
      const answers = await Promise.all(shuffled.map((task) => engine.complete(task, itemOf(task) * 10)));
      assert.deepEqual([...new Set(answers.map(({ body }) => body.outcome))], ['ACCEPTED']);
      const ended = await engine.ended(id);
      assert.equal(ended.status, 'completed');
      assert.deepEqual(
        ended.variables['results'],
        numbers(300).map((item) => item * 10),
      );
      assert.deepEqual(await partRows(id), []);
    });

    it('repeat a completion as a duplicate when its part is closed', async () => {
      const id = await startOn('fan', 2);
      const [one, other] = await fetch(2);
      assert.ok(one !== undefined && other !== undefined);
      assert.equal((await engine.complete(one, 1)).body.outcome, 'ACCEPTED');
      assert.equal((await engine.complete(one, 1)).body.outcome, 'DUPLICATE');
      assert.equal((await engine.complete(other, 2)).body.outcome, 'ACCEPTED');
      assert.equal((await engine.instance(id)).status, 'completed');
    });

    it('end the rest when the completion condition holds, and withdraw its tasks', async () => {
      const id = await startOn('some', 5);
      const tasks = await fetch(5);
      for (const task of tasks.slice(0, 2)) await engine.complete(task, {});
      assert.equal((await engine.instance(id)).status, 'completed');
      assert.deepEqual(await partRows(id), []);
      const late = await engine.complete(tasks[4] ?? assert.fail(), {});
      assert.equal(late.body.code, 'SUTRA.EXTERNAL_TASK.WITHDRAWN');
    });

    it('fire each timer in its own part', async () => {
      const id = await startOn('timed', 25);
      const ended = await engine.ended(id);
      assert.equal(ended.status, 'completed');
      assert.deepEqual(
        ended.variables['results'],
        numbers(25).map((item) => item * 2),
      );
    });

    it('find the part that a message is for by its alias', async () => {
      const id = await startOn('met', 20);
      assert.equal((await shown(id)).parts.open, 20);
      for (const item of numbers(20).reverse()) {
        const answer = await engine.post('/channels/tickets', { id: item });
        assert.equal(answer.body.instanceId, id, JSON.stringify(answer.body));
      }
      const nobody = await engine.post('/channels/tickets', { id: 1 });
      assert.equal(nobody.body.code, 'SUTRA.INBOUND.NOT_CORRELATED');
      const { status, variables } = await engine.instance(id);
      assert.equal(status, 'completed');
      assert.deepEqual(
        variables['results'],
        numbers(20).map((item) => item * 2),
      );
    });

    it('take an answer by the key of its own call, and withdraw the parked request', async () => {
      const id = await startOn('asked', 3);
      const tasks = await fetch(3);
      for (const task of tasks) {
        const key = (task as unknown as { idempotencyKey: string }).idempotencyKey;
        assert.match(key, new RegExp(`^${id}:\\d+\\.call-\\d+$`));
        const answer = await engine.post('/channels/answers', { ok: true }, { 'correlation-id': key });
        assert.equal(answer.body.instanceId, id, JSON.stringify(answer.body));
        assert.equal((await engine.complete(task, {})).body.code, 'SUTRA.EXTERNAL_TASK.WITHDRAWN');
      }
      assert.equal((await engine.instance(id)).status, 'completed');
    });

    it('refuse keys that name no part there is, whatever number they hold', async () => {
      const id = await startOn('asked', 1);
      for (const part of ['999', '9999999999', '2147483648']) {
        const forged = { 'correlation-id': `${id}:${part}.call-3` };
        const answer = await engine.post('/channels/answers', {}, forged);
        assert.equal(answer.body.code, 'SUTRA.INBOUND.NOT_CORRELATED', part);
      }
      await engine.post(`/sutra/instances/${id}/cancel`, {});
      await fetchNothing();
    });

    const fetchNothing = async (): Promise<void> => {
      assert.deepEqual(await engine.fetchTasks('work', { asyncResponseTimeout: 'PT0S' }), []);
    };

    it('keep a part that failed with its instance, which takes nothing more until it is repaired', async () => {
      const id = await startOn('faulty', 3);
      const [bad, ...good] = await fetch(3);
      assert.ok(bad !== undefined);
      await engine.complete(bad, { ok: false });
      const failed = await engine.instance(id);
      assert.equal(failed.status, 'failed');
      assert.equal(failed.failure?.elementId, 'check');
      const inParts = (await shown(id)).tokens.filter(
        (token) => token.partId !== null && token.elementId === 'check',
      );
      assert.equal(inParts.length, 1);
      assert.equal((await engine.post(`/admin/instances/${id}/retry`, {})).body.status, 'failed');
      for (const task of good) {
        const refused = await engine.complete(task, { ok: true });
        assert.equal(
          refused.body.code,
          'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED',
          JSON.stringify(refused.body),
        );
      }
      assert.equal((await partRows(id)).length, 3);
      const cancelled = await engine.post(`/sutra/instances/${id}/cancel`, {});
      assert.equal(cancelled.body.status, 'terminated');
      assert.deepEqual(await partRows(id), []);
    });

    it('are cancelled whole: parts, timers and tasks go', async () => {
      const id = await startOn('fan', 40);
      await engine.post(`/sutra/instances/${id}/cancel`, {});
      assert.deepEqual(await partRows(id), []);
      await fetchNothing();
    });
  });

  describe(`instances with parts of which nothing is kept on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({
        database: await target.open(),
        env: { SUTRA_INSTANCE_RETENTION: 'PT0S' },
      });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    it('leave no part behind', async () => {
      const { body } = await engine.post('/channels/fan', { items: numbers(5) });
      for (const task of await engine.fetchTasks('work', { maxTasks: 5 })) await engine.complete(task, {});
      assert.equal((await engine.get(`/sutra/instances/${body.instanceId}`)).status, 404);
      const rows = await engine.engine.database.run<{ count: number }>(
        { name: 'test_count_parts', text: 'SELECT count(*)::integer AS count FROM instance_part' },
        [],
      );
      assert.equal(rows[0]?.count, 0);
    });
  });
}
