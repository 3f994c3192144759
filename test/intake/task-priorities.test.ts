/** Priorities of tasks, from channels.yaml and from files of other engines: whole engines, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type TaskAnswer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

type Prioritised = TaskAnswer & {
  readonly priority: number;
  readonly headers: Readonly<Record<string, string>>;
};

const http = (name: string): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`;

const ours = packageFiles({
  channels: [
    ...['calls', 'sends'].map(http),
    '  - name: jobs\n    transport: pull\n    task: { priority: "payload.rank" }',
    '  - name: letters\n    transport: pull\n    task: { priority: "number(header.rank, null, null)" }',
  ].join('\n'),
  processes: {
    calls: `${start('calls', '', 'merge="true"')}${call('work-it', 'jobs', '<q:param name="rank" expression="rank"/>')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`,
    sends: `${start('sends', '', 'merge="true"')}<sendTask id="tell"><extensionElements><q:send channel="letters"><q:header name="rank" value="rank"/></q:send></extensionElements></sendTask><endEvent id="end"/>${flows('start -> tell', 'tell -> end')}`,
  },
});

/** As the modelers of other engines write it: nothing of ours is in it. */
const vendorFile = (id: string, ofProcess: string, tasks: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
  xmlns:camunda="http://camunda.org/schema/1.0/bpmn" id="d" targetNamespace="urn:test">
  <bpmn:process id="${id}" isExecutable="true" ${ofProcess}<bpmn:startEvent id="s"/><bpmn:parallelGateway id="g"/>
  <bpmn:sequenceFlow id="s-g" sourceRef="s" targetRef="g"/>${tasks}</bpmn:process></bpmn:definitions>`;

const task = (id: string, attributes: string, extensions = ''): string =>
  `<bpmn:serviceTask id="${id}" ${attributes}>${extensions === '' ? '' : `<bpmn:extensionElements>${extensions}</bpmn:extensionElements>`}</bpmn:serviceTask><bpmn:sequenceFlow id="g-${id}" sourceRef="g" targetRef="${id}"/>`;
const external = (id: string, topic: string, more = ''): string =>
  task(id, `camunda:type="external" camunda:topic="${topic}" ${more}`);
const job = (id: string, priority: string | null): string =>
  task(
    id,
    '',
    `<zeebe:taskDefinition type="ship"/>${priority === null ? '' : `<zeebe:jobPriorityDefinition priority="${priority}"/>`}`,
  );

const foreign = {
  'package.yaml': 'labels: { tenant: test, module: foreign, version: 1.0.0 }\n',
  'channels.yaml': `channels:
  - { name: kept, transport: pull, task: { retries: 7 } }
  - { name: own, transport: pull, task: { priority: 1 } }\n`,
  'bpmn/seven.bpmn': vendorFile(
    'seven',
    'camunda:taskPriority="3">',
    external('low', 'pay', 'camunda:taskPriority="-1"') +
      external('of-process', 'pay') +
      external('high', 'pay', 'camunda:taskPriority="${rank}"') +
      external('declared', 'kept', 'camunda:taskPriority="5"') +
      external('overruled', 'own', 'camunda:taskPriority="5"'),
  ),
  'bpmn/eight.bpmn': vendorFile(
    'eight',
    '><bpmn:extensionElements><zeebe:jobPriorityDefinition priority="42"/></bpmn:extensionElements>',
    job('low', '-5') + job('of-process', null) + job('high', '= rank * 10'),
  ).replace(/\s*xmlns:camunda="[^"]*"/, ''),
};

for (const target of testDatabases()) {
  describe(`priorities of tasks on ${target.name}`, { timeout: 120_000 }, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(ours);
      await engine.deploy(foreign);
    });
    after(() => engine.stop());

    const begin = async (channel: string, payload: unknown): Promise<string> => {
      const { status, body } = await engine.post(`/channels/${channel}`, payload);
      assert.equal(status, 202, JSON.stringify(body));
      return body.instanceId;
    };
    /** One after the other, as a worker with one slot gets them. */
    const fetchAll = async (channel: string, count: number): Promise<readonly Prioritised[]> => {
      const tasks: Prioritised[] = [];
      while (tasks.length < count) tasks.push((await engine.fetchTask(channel)) as Prioritised);
      return tasks;
    };
    const startById = async (processId: string, variables: unknown): Promise<string> => {
      const { status, body } = await engine.post(`/sutra/processes/${processId}/start`, { variables });
      assert.equal(status, 201, JSON.stringify(body));
      return body.instanceId;
    };

    it('of calls decide who is fetched first, and among equals the age', async () => {
      for (const rank of [0, 5, -3, 5, 2_147_483_647]) await begin('calls', { rank });
      const tasks = await fetchAll('jobs', 5);
      assert.deepEqual(
        tasks.map(({ priority }) => priority),
        [2_147_483_647, 5, 5, 0, -3],
      );
      const [, first, second] = tasks;
      assert.ok(first && second && first.id < second.id, 'ids are in the order in which they were made');
    });

    it('of messages that are sent do so as well, by their headers', async () => {
      for (const rank of [1, 9]) await begin('sends', { rank });
      assert.deepEqual(
        (await fetchAll('letters', 2)).map(({ priority }) => priority),
        [9, 1],
      );
    });

    it('that are none keep the instance at the element, which a repair lets go on', async () => {
      for (const [channel, element, work] of [
        ['calls', 'work-it', 'jobs'],
        ['sends', 'tell', 'letters'],
      ] as const) {
        for (const rank of ['high', null, 1.5, 2_147_483_648]) {
          const id = await begin(channel, { rank });
          const { status, failure } = await engine.instance(id);
          assert.deepEqual(
            [status, failure?.code, failure?.elementId],
            ['failed', 'SUTRA.CORE.TASK_PRIORITY_INVALID', element],
          );
          assert.deepEqual((await engine.get(`/sutra/external-tasks?instanceId=${id}`)).body.tasks, []);
          await engine.post(`/sutra/instances/${id}/variables`, { variables: { rank: 4 } });
          assert.equal((await engine.post(`/admin/instances/${id}/retry`, {})).status, 200);
          assert.equal(((await engine.fetchTask(work)) as Prioritised).priority, 4);
        }
      }
    });

    it('of Camunda 7 are those of the task, else of the process, also where the channel is declared', async () => {
      await startById('seven', { rank: 8 });
      const tasks = await fetchAll('pay', 3);
      assert.deepEqual(
        tasks.map(({ elementId, priority, headers }) => [elementId, priority, headers['priority']]),
        [
          ['high', 8, '8'],
          ['of-process', 3, '3'],
          ['low', -1, '-1'],
        ],
      );
      const declared = (await engine.fetchTask('kept')) as Prioritised & { readonly retries: number };
      assert.deepEqual([declared.priority, declared.retries], [5, 7]);
      assert.equal(((await engine.fetchTask('own')) as Prioritised).priority, 1, "the channel's own wins");
    });

    it('of Camunda 8 are those of the job, else of the process', async () => {
      await startById('eight', { rank: 5 });
      assert.deepEqual(
        (await fetchAll('ship', 3)).map(({ elementId, priority }) => [elementId, priority]),
        [
          ['high', 50],
          ['of-process', 42],
          ['low', -5],
        ],
      );
    });

    it('of another engine that are none keep the instance at the element', async () => {
      for (const [process, variables] of [
        ['seven', {}],
        ['seven', { rank: 'high' }],
        ['eight', {}],
        ['eight', { rank: 0.25 }],
      ] as const) {
        const { status, failure } = await engine.instance(await startById(process, variables));
        assert.deepEqual(
          [status, failure?.code, failure?.elementId],
          ['failed', 'SUTRA.CORE.TASK_PRIORITY_INVALID', 'high'],
          JSON.stringify(variables),
        );
      }
    });
  });
}
