/** The published client of Camunda 7 for JavaScript, unchanged, against a whole engine over HTTP. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { Client, File, Variables, type EngineError, type Handling } from 'camunda-external-task-client-js';
import type { Database } from '../../../engine/store/database.ts';
import { testDatabases } from '../../support/database.ts';
import { TestEngine } from '../../support/engine.ts';
import { CamundaRest, camundaModel, externalTask, inARow } from '../camunda7-engine-rest.ts';
import { deferred } from './deferred.ts';

const rescue = `<bpmn:boundaryEvent id="caught" attachedToRef="try"><bpmn:errorEventDefinition id="caught-definition" errorRef="declined"/></bpmn:boundaryEvent>
${externalTask('rescue', 'rescue')}<bpmn:endEvent id="rescued"/>
<bpmn:sequenceFlow id="f1" sourceRef="caught" targetRef="rescue"/><bpmn:sequenceFlow id="f2" sourceRef="rescue" targetRef="rescued"/>`;

const when = (expression: string): string =>
  `<bpmn:conditionExpression xsi:type="bpmn:tFormalExpression"><![CDATA[\${${expression}}]]></bpmn:conditionExpression>`;
const inputs = `<bpmn:extensionElements><camunda:inputOutput>
  <camunda:inputParameter name="due">\${at}</camunda:inputParameter><camunda:inputParameter name="limit">\${score * 2}</camunda:inputParameter>
  <camunda:outputParameter name="granted">\${limit}</camunda:outputParameter>
</camunda:inputOutput></bpmn:extensionElements>`;
const loan = `<bpmn:startEvent id="start"/>${externalTask('check', 'score-check')}<bpmn:exclusiveGateway id="value"/>
${externalTask('grant', 'loan-grant', inputs)}<bpmn:task id="reject"/><bpmn:endEvent id="granted"/><bpmn:endEvent id="rejected"/>
<bpmn:sequenceFlow id="f1" sourceRef="start" targetRef="check"/><bpmn:sequenceFlow id="f2" sourceRef="check" targetRef="value"/>
<bpmn:sequenceFlow id="f3" sourceRef="value" targetRef="reject">${when('score <= 0')}</bpmn:sequenceFlow>
<bpmn:sequenceFlow id="f4" sourceRef="value" targetRef="grant">${when('score > 0')}</bpmn:sequenceFlow>
<bpmn:sequenceFlow id="f5" sourceRef="grant" targetRef="granted"/><bpmn:sequenceFlow id="f6" sourceRef="reject" targetRef="rejected"/>`;

const models = {
  'loan.bpmn': camundaModel({ loan }),
  'chain.bpmn': camundaModel({
    chain: inARow({ first: externalTask('first', 'first'), second: externalTask('second', 'second') }),
  }),
  'single.bpmn': camundaModel({ single: inARow({ work: externalTask('work', 'single') }) }),
  'many.bpmn': camundaModel({ many: inARow({ work: externalTask('work', 'many') }) }),
  'risky.bpmn': camundaModel(
    { risky: `${inARow({ try: externalTask('try', 'risky') })}${rescue}` },
    '<bpmn:error id="declined" name="declined" errorCode="DECLINED"/>',
  ),
};

async function refusal(call: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await call.then(
    () => assert.fail('the call is refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error && 'httpStatusCode' in error, String(error));
  return error as EngineError;
}

for (const target of testDatabases()) {
  describe(`camunda-external-task-client-js on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    let engine: TestEngine;
    let rest: CamundaRest;
    const clients: Client[] = [];
    /** What went wrong in any client, and was not awaited. */
    const faults: unknown[] = [];

    function client(options: Readonly<Record<string, unknown>> = {}): Client {
      const made = new Client({
        baseUrl: `${engine.url}/engine-rest/`,
        workerId: 'js',
        interval: 20,
        asyncResponseTimeout: 5_000,
        ...options,
      });
      made.on('poll:error', (error) => faults.push(error)).on('handler:error', (error) => faults.push(error));
      clients.push(made);
      return made;
    }

    /** The next task of the topic, handled by `handle`; its answer. */
    async function handled<Value>(
      worker: Client,
      topic: string,
      handle: (handling: Handling) => Promise<Value>,
      options: Readonly<Record<string, unknown>> = {},
    ): Promise<Value> {
      const { promise, resolve } = deferred<Value>();
      const subscription = worker.subscribe(topic, options, (handling) => {
        subscription.unsubscribe();
        resolve(handle(handling));
      });
      return await promise;
    }

    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' } });
      rest = new CamundaRest(engine);
      await rest.deploy(models);
    });
    afterEach(() => {
      for (const worker of clients.splice(0)) worker.stop();
      assert.deepEqual(faults.splice(0), []);
    });
    after(async () => {
      await engine.stop();
      await database.close();
    });

    test('subscribe, long poll, complete: the task says what it is', async () => {
      const worker = client();
      const polled = new Promise((resolve) => worker.on('poll:start', resolve));
      const task = handled(worker, 'single', async ({ task: got, taskService }) => {
        await taskService.complete(got);
        return got;
      });
      await polled;
      const { id, definitionId } = await rest.start('single', {
        businessKey: 'order-1',
        variables: { a: { value: 1 } },
      });
      const { variables, ...rest0 } = await task;
      const view = rest0 as unknown as Record<string, unknown>;
      assert.deepEqual(variables.getAll(), { a: 1, businessKey: 'order-1' });
      assert.match(String(view['lockExpirationTime']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
      assert.match(String(view['createTime']), /\+0000$/);
      assert.deepEqual(
        { ...view, id: '', lockExpirationTime: '', createTime: '' },
        {
          id: '',
          lockExpirationTime: '',
          createTime: '',
          topicName: 'single',
          workerId: 'js',
          processInstanceId: id,
          executionId: id,
          activityId: 'work',
          activityInstanceId: `work:${String(view['id'])}`,
          processDefinitionId: definitionId,
          processDefinitionKey: 'single',
          processDefinitionVersionTag: definitionId.split(':')[1],
          tenantId: null,
          businessKey: 'order-1',
          retries: 3,
          priority: 0,
          suspended: false,
          errorMessage: null,
          errorDetails: null,
          extensionProperties: {},
        },
      );
      assert.equal((await engine.ended(id)).status, 'completed');
    });

    test('variables of every type go from one handler to the next', async () => {
      const worker = client();
      const { id } = await rest.start('chain', { variables: { kept: { type: 'String', value: 'k' } } });
      const at = new Date('2026-03-01T10:00:00.123Z');
      await handled(worker, 'first', async ({ task, taskService }) => {
        const variables = new Variables()
          .setAll({ text: 'ä', whole: 42, large: 2 ** 40, real: 0.5, yes: true, nothing: null, at })
          .set('json', { a: [1, { b: null }] })
          .setTransient('passing', 'by')
          .set(
            'file',
            await new File({
              localPath: import.meta.filename,
              mimetype: 'text/plain',
              encoding: 'UTF-8',
            }).load(),
          )
          .setTyped('longOfJava', { type: 'long', value: 7, valueInfo: {} })
          .setTyped('short', { type: 'short', value: 3, valueInfo: {} })
          .setTyped('doubleOfJava', { type: 'double', value: 1, valueInfo: {} })
          .setTyped('xml', { type: 'xml', value: '<a/>', valueInfo: {} })
          .setTyped('bytes', { type: 'bytes', value: 'AAEC', valueInfo: {} })
          .setTyped('object', {
            type: 'object',
            value: '[1]',
            valueInfo: { objectTypeName: 'java.util.ArrayList', serializationDataFormat: 'application/json' },
          })
          .setTyped('mine', { type: 'mine', value: 'own', valueInfo: { a: 1 } });
        await taskService.complete(task, variables, new Variables().set('local', 'l'));
      });
      const got = await handled(worker, 'second', async ({ task, taskService }) => {
        const file = (task.variables.get('file') as File | null) ?? assert.fail('the file');
        await file.load();
        await taskService.complete(task);
        return { all: task.variables.getAllTyped(), file };
      });
      const types = Object.fromEntries(Object.entries(got.all).map(([name, { type }]) => [name, type]));
      assert.deepEqual(types, {
        ...{
          kept: 'string',
          text: 'string',
          whole: 'integer',
          large: 'long',
          real: 'double',
          yes: 'boolean',
        },
        ...{ nothing: 'null', at: 'date', json: 'json', passing: 'string', file: 'file', longOfJava: 'long' },
        ...{
          short: 'short',
          doubleOfJava: 'double',
          xml: 'xml',
          bytes: 'bytes',
          object: 'object',
          mine: 'mine',
        },
        local: 'string',
      });
      const {
        at: gotAt,
        file: _file,
        ...values
      } = Object.fromEntries(Object.entries(got.all).map(([name, { value }]) => [name, value]));
      assert.equal((gotAt as Date).getTime(), at.getTime());
      assert.deepEqual(values, {
        ...{
          kept: 'k',
          text: 'ä',
          whole: 42,
          large: 2 ** 40,
          real: 0.5,
          yes: true,
          nothing: null,
          passing: 'by',
        },
        ...{
          json: { a: [1, { b: null }] },
          longOfJava: 7,
          short: 3,
          doubleOfJava: 1,
          xml: '<a/>',
          bytes: 'AAEC',
        },
        ...{ object: '[1]', mine: 'own', local: 'l' },
      });
      assert.deepEqual(got.all['mine']?.valueInfo, { a: 1 });
      assert.equal(got.all['object']?.valueInfo?.['objectTypeName'], 'java.util.ArrayList');
      assert.deepEqual(
        [got.file.filename, got.file.mimetype, got.file.encoding],
        [basename(import.meta.filename), 'text/plain', 'UTF-8'],
      );
      const sent = await new File({ localPath: import.meta.filename }).load();
      assert.ok(Buffer.from(got.file.content).equals(sent.content), 'the file is that which was sent');
      assert.equal((await engine.ended(id)).status, 'completed');
    });

    test('typed values decide at a gateway, and go through mappings', async () => {
      const worker = client({ maxTasks: 1 });
      const [granted, rejected] = [await rest.start('loan'), await rest.start('loan')];
      const check = async ({ task, taskService }: Handling): Promise<void> => {
        const score = task.processInstanceId === granted.id ? 6 : 0;
        const variables = new Variables().setTyped('score', { type: 'long', value: score });
        await taskService.complete(task, variables.set('at', new Date('2026-03-01T10:00:00.000Z')));
      };
      await handled(worker, 'score-check', check);
      await handled(worker, 'score-check', check);
      const variables = await handled(worker, 'loan-grant', async ({ task, taskService }) => {
        assert.equal(task.processInstanceId, granted.id);
        await taskService.complete(task, new Variables().set('limit', 20));
        return task.variables.getAllTyped();
      });
      assert.deepEqual(
        ['score', 'limit', 'due', 'at'].map((name) => variables[name]?.type),
        ['long', 'integer', 'date', 'date'],
      );
      assert.deepEqual(variables['due']?.value, new Date('2026-03-01T10:00:00.000Z'));
      assert.equal(variables['limit']?.value, 12);
      const ended = await engine.ended(granted.id);
      assert.deepEqual([ended.status, ended.variables['granted']], ['completed', 20]);
      assert.equal((await engine.ended(rejected.id)).status, 'completed');
    });

    test('only the variables that a subscription names', async () => {
      await rest.start('single', {
        variables: { a: { value: 1 }, b: { type: 'Long', value: 2 }, c: { value: 3 } },
      });
      const variables = await handled(
        client(),
        'single',
        async ({ task, taskService }) => {
          await taskService.complete(task);
          return task.variables.getAllTyped();
        },
        { variables: ['b', 'x'] },
      );
      assert.deepEqual(variables, { b: { type: 'long', value: 2, valueInfo: {} } });
    });

    test('a failure with retries comes again with what was said; without retries it is an incident', async () => {
      const worker = client();
      const { id } = await rest.start('single');
      const first = await handled(worker, 'single', async ({ task, taskService }) => {
        await taskService.handleFailure(task, {
          errorMessage: 'no luck',
          errorDetails: 'stack',
          retries: 2,
          retryTimeout: 10,
        });
        return task;
      });
      const second = await handled(worker, 'single', async ({ task, taskService }) => {
        const details = await rest.call('GET', `external-task/${task.id}/errorDetails`);
        assert.deepEqual([details.status, details.bytes.toString()], [200, 'stack']);
        // As little as it can say. In Camunda that is: no retries left.
        await taskService.handleFailure(task);
        return task;
      });
      assert.equal(second.id, first.id);
      assert.deepEqual([second.retries, second.errorMessage], [2, 'no luck']);
      const listed = await rest.get<{ readonly retries: number }>(`external-task/${first.id}`);
      assert.equal(listed.retries, 0);
      const { incidents } = (await engine.get(`/sutra/incidents?instanceId=${id}`)).body;
      assert.equal(incidents.length, 1);
      await rest.send('PUT', `external-task/${first.id}/retries`, { retries: 1 });
      await handled(worker, 'single', ({ task, taskService }) => taskService.complete(task));
      assert.equal((await engine.ended(id)).status, 'completed');
    });

    test('a BPMN error goes to the boundary event, with its variables', async () => {
      const worker = client();
      const { id } = await rest.start('risky');
      await handled(worker, 'risky', ({ task, taskService }) =>
        taskService.handleBpmnError(task, 'DECLINED', 'not today', new Variables().set('reason', 'r')),
      );
      const reason = await handled(worker, 'rescue', async ({ task, taskService }) => {
        await taskService.complete(task);
        return task.variables.get('reason');
      });
      assert.equal(reason, 'r');
      assert.equal((await engine.ended(id)).status, 'completed');
    });

    test('an uncaught BPMN error fails the instance, with its code', async () => {
      const { id } = await rest.start('single');
      await handled(client(), 'single', ({ task, taskService }) =>
        taskService.handleBpmnError(task, 'NOBODY'),
      );
      const { status, failure } = await engine.ended(id);
      assert.deepEqual([status, failure?.code], ['failed', 'SUTRA.BPMN_ERROR.UNCAUGHT']);
    });

    test('locks: extended, given back, taken by id; whoever has lost one is told', async () => {
      const [one, other] = [client(), client({ workerId: 'other', autoPoll: false })];
      const { id } = await rest.start('single');
      const task = await handled(one, 'single', ({ task: got }) => Promise.resolve(got), {
        lockDuration: 60_000,
      });
      const expiry = async (): Promise<string> =>
        (await rest.get<{ readonly lockExpirationTime: string }>(`external-task/${task.id}`))
          .lockExpirationTime;
      const before = await expiry();
      await one.taskService.extendLock(task, 600_000);
      assert.ok((await expiry()) > before);

      const foreign = await refusal(other.taskService.complete(task));
      assert.deepEqual([foreign.httpStatusCode, foreign.type, foreign.code], [400, 'RestException', 0]);
      assert.match(foreign.engineMsg, /\S/);
      assert.equal((await refusal(other.taskService.lock(task, 1_000))).httpStatusCode, 400);

      await other.taskService.unlock(task);
      assert.equal((await refusal(one.taskService.complete(task))).httpStatusCode, 400);
      await other.taskService.lock(task, 60_000);
      await other.taskService.complete(task);
      const gone = await refusal(one.taskService.complete(task));
      assert.deepEqual([gone.httpStatusCode, gone.type], [404, 'RestException']);
      const unknown = await refusal(one.taskService.complete('not-existing-id'));
      assert.deepEqual(
        [unknown.httpStatusCode, unknown.type, unknown.code, unknown.engineMsg],
        [404, 'RestException', 0, 'External task with id "not-existing-id" does not exist'],
      );
      assert.equal((await engine.ended(id)).status, 'completed');
    });

    test('an expired lock: the task comes again, and the late completion is refused', async () => {
      const [slow, quick] = [client({ workerId: 'slow' }), client({ workerId: 'quick' })];
      const { id } = await rest.start('single');
      const task = await handled(slow, 'single', ({ task: got }) => Promise.resolve(got), {
        lockDuration: 50,
      });
      slow.stop();
      const late = await handled(quick, 'single', async ({ task: got, taskService }) => {
        assert.equal(got.id, task.id);
        const error = await refusal(slow.taskService.complete(task));
        await taskService.complete(got);
        return error;
      });
      assert.deepEqual([late.httpStatusCode, late.type], [400, 'RestException']);
      assert.equal((await engine.ended(id)).status, 'completed');
    });

    test('200 tasks with maxParallelExecutions: each once, and never more at a time', async () => {
      const COUNT = 200;
      const instances = await Promise.all(
        Array.from({ length: COUNT }, (_, n) => rest.start('many', { variables: { n: { value: n } } })),
      );
      const worker = client({ maxTasks: 50, maxParallelExecutions: 7 });
      const seen: unknown[] = [];
      let running = 0;
      let most = 0;
      const { promise, resolve } = deferred<undefined>();
      worker.subscribe('many', async ({ task, taskService }) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((done) => setImmediate(done));
        await taskService.complete(task, new Variables().set('done', true));
        running -= 1;
        seen.push(task.variables.get('n'));
        if (seen.length === COUNT) resolve(undefined);
      });
      await promise;
      assert.ok(most <= 7, `${String(most)} at a time`);
      assert.equal(new Set(seen).size, COUNT);
      for (const { id } of instances) assert.equal((await engine.ended(id)).status, 'completed');
    });
  });
}
