/** `q:timeout` as the deadline of the task, for every way in which a call is made: whole engines, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type TaskAnswer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const LONG = '<q:timeout duration="PT1H"/>';
const HOUR_MS = 3_600_000;
const each =
  '<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>';
const sequential = each.replace('Characteristics>', 'Characteristics isSequential="true">');

const work = (id: string, channel: string, inside: string, loop = ''): string =>
  call(id, channel, inside).replace('</serviceTask>', `${loop}</serviceTask>`);

/** Begins on the channel of its own name, and does one thing. */
const around = (name: string, id: string, inside: string): string =>
  `${start(name)}${inside}<endEvent id="end"/>${flows(`start -> ${id}`, `${id} -> end`)}`;

const ways = {
  plain: work('c', 'plain-work', LONG),
  parallel: work('c', 'parallel-work', LONG, each),
  sequential: work('c', 'sequential-work', LONG, sequential),
  nested: `<subProcess id="c">${each}<startEvent id="in"/>${work('deep', 'nested-work', LONG)}${flows('in -> deep')}</subProcess>`,
  called: '<callActivity id="c" calledElement="inner"/>',
  retried: work(
    'c',
    'retried-work',
    '<q:timeout duration="PT1.5S"/><q:retry maxAttempts="2" initialDelay="PT0.01S"/>',
  ),
  short: work('c', 'short-work', '<q:timeout duration="PT1S"/>'),
  open: work('c', 'open-work', ''),
} as const;
const late = `<boundaryEvent id="late" attachedToRef="c"><errorEventDefinition id="late-error" errorRef="e-late"/></boundaryEvent><userTask id="review"/>${flows('late -> review', 'review -> end')}`;

const files = packageFiles({
  definitions: '<error id="e-late" errorCode="SUTRA.CALL.TIMEOUT"/>',
  channels: Object.keys(ways)
    .flatMap((name) => [
      `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`,
      `  - { name: ${name}-work, transport: pull }`,
    ])
    .join('\n'),
  processes: {
    ...Object.fromEntries(
      Object.entries(ways).map(([name, inside]) => [
        name,
        around(name, 'c', name === 'short' ? inside + late : inside),
      ]),
    ),
    inner: `<startEvent id="begin"/>${work('deep', 'called-work', LONG)}<endEvent id="done"/>${flows('begin -> deep', 'deep -> done')}`,
  },
});

interface Shown {
  readonly id: string;
  readonly deadline: string | null;
  readonly createdAt: string;
}

for (const target of testDatabases()) {
  describe(`deadlines of tasks on ${target.name}`, { timeout: 120_000 }, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    const begin = async (name: string): Promise<string> => {
      const { status, body } = await engine.post(`/channels/${name}`, {});
      assert.equal(status, 202, JSON.stringify(body));
      return body.instanceId;
    };
    const shown = async (instanceId: string): Promise<readonly Shown[]> => {
      const { body } = await engine.get(`/sutra/external-tasks?instanceId=${instanceId}`);
      return body.tasks as unknown as readonly Shown[];
    };
    const report = (task: TaskAnswer, path: string, more: object): ReturnType<TestEngine['post']> =>
      engine.post(`/sutra/external-tasks/${task.id}/${path}`, {
        ...{ workerId: 'worker-1', lockToken: task.lockToken },
        ...more,
      });
    /** That much after the turn that made the call: the commit that parked the task has the turn's own time. */
    const assertDeadline = ({ deadline, createdAt }: Shown, afterMs: number): void => {
      assert.ok(deadline !== null);
      const distance = Date.parse(deadline) - Date.parse(createdAt);
      assert.ok(Math.abs(distance - afterMs) < 50, `${String(distance)} ms after it was parked`);
    };

    for (const [name, count] of [
      ['plain', 1],
      ['parallel', 2],
      ['sequential', 1],
      ['nested', 2],
      ['called', 1],
    ] as const) {
      it(`have the timeout of the call: ${name}`, async () => {
        const tasks = await shown(await begin(name));
        assert.equal(tasks.length, count);
        for (const task of tasks) assertDeadline(task, HOUR_MS);
      });
    }

    it('are those of each run of a sequential loop', async () => {
      const id = await begin('sequential');
      const [first] = await shown(id);
      let task = await engine.fetchTask('sequential-work');
      while (task.instanceId !== id) task = await engine.fetchTask('sequential-work');
      assert.equal((await report(task, 'complete', { result: {} })).status, 200);
      const [second] = await shown(id);
      assert.ok(first && second && second.id !== first.id);
      assertDeadline(second, HOUR_MS);
    });

    it('are none without a timeout', async () => {
      const [task] = await shown(await begin('open'));
      assert.equal(task?.deadline, null);
    });

    it('when one passes, the task is withdrawn by the commit that leads on', async () => {
      const id = await begin('short');
      const task = await engine.fetchTask('short-work');
      const { status } = await engine.until(id, ({ tokens }) =>
        tokens.some(({ elementId }) => elementId === 'review'),
      );
      assert.equal(status, 'running');
      assert.deepEqual(await shown(id), []);
      for (const [path, more] of [
        ['complete', { result: {} }],
        ['failure', { errorMessage: 'm' }],
        ['bpmn-error', { errorCode: 'E' }],
      ] as const) {
        const answer = await report(task, path, more);
        assert.deepEqual([answer.status, answer.body.code], [409, 'SUTRA.EXTERNAL_TASK.WITHDRAWN'], path);
      }
    });

    it('of a task that nobody has fetched: it is withdrawn as well, and never handed out', async () => {
      const id = await begin('short');
      await engine.until(id, ({ tokens }) => tokens.some(({ elementId }) => elementId === 'review'));
      assert.deepEqual(await shown(id), []);
      assert.deepEqual(await engine.fetchTasks('short-work', { asyncResponseTimeout: 'PT0S' }), []);
    });

    it('each attempt of q:retry has a task of its own, with a deadline of its own', async () => {
      const id = await begin('retried');
      const first = await engine.fetchTask('retried-work');
      const [before] = await shown(id);
      assert.equal(before?.id, first.id);
      assertDeadline(before, 1_500);
      const second = await engine.fetchTask('retried-work');
      assert.notEqual(second.id, first.id);
      const [again] = await shown(id);
      assert.equal(again?.id, second.id);
      assertDeadline(again, 1_500);
      const stale = await report(first, 'complete', { result: {} });
      assert.deepEqual([stale.status, stale.body.code], [409, 'SUTRA.EXTERNAL_TASK.WITHDRAWN']);
      const failed = await engine.ended(id);
      assert.deepEqual([failed.status, failed.failure?.code], ['failed', 'SUTRA.CALL.TIMEOUT']);
      assert.deepEqual(await shown(id), []);
    });
  });
}
