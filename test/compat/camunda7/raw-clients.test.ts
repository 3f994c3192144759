/** What the clients of Camunda 7 for Python and Java write to the socket, byte by byte, and what they need of the answer. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../../engine/store/database.ts';
import { anyDatabase } from '../../support/database.ts';
import { TestEngine } from '../../support/engine.ts';
import {
  CamundaRest,
  camundaModel,
  externalTask,
  inARow,
  type FetchedTask,
} from '../camunda7-engine-rest.ts';

interface SocketAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One request on a connection of its own; the answer is all that comes until the server closes it. */
function exchange(url: string, head: readonly string[], body: string): Promise<SocketAnswer> {
  const { port, host } = new URL(url);
  const bytes = Buffer.from(
    [...head.slice(0, 1), `Host: ${host}`, 'Connection: close', ...head.slice(1), '', body].join('\r\n'),
  );
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.once('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('error', reject);
    socket.once('end', () => {
      socket.destroy();
      resolve(parse(Buffer.concat(chunks).toString('utf8')));
    });
  });
}

function parse(text: string): SocketAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4) };
}

/** `requests` of Python: its JSON has a space after each comma and colon. */
function python(url: string, path: string, body: string): Promise<SocketAnswer> {
  return exchange(
    url,
    [
      `POST /engine-rest/${path} HTTP/1.1`,
      'User-Agent: python-requests/2.31.0',
      'Accept-Encoding: gzip, deflate',
      'Accept: */*',
      'Content-Type: application/json',
      `Content-Length: ${String(Buffer.byteLength(body))}`,
    ],
    body,
  );
}

/** Apache's HTTP client, with what Jackson writes. */
function java(url: string, path: string, body: string): Promise<SocketAnswer> {
  return exchange(
    url,
    [
      `POST /engine-rest/${path} HTTP/1.1`,
      'User-Agent: Camunda External Task Client',
      'Content-Type: application/json; charset=UTF-8',
      'Accept-Encoding: gzip, x-gzip, deflate',
      `Content-Length: ${String(Buffer.byteLength(body))}`,
    ],
    body,
  );
}

function tasksOf({
  status,
  headers,
  body,
}: SocketAnswer): readonly (FetchedTask & Readonly<Record<string, unknown>>)[] {
  assert.deepEqual([status, headers['content-type']], [200, 'application/json'], body);
  return JSON.parse(body) as readonly (FetchedTask & Readonly<Record<string, unknown>>)[];
}

/** 204 and nothing else: the client for Python takes no other status for success. */
function assertDone({ status, headers, body }: SocketAnswer): void {
  assert.deepEqual([status, body, headers['content-type']], [204, '', undefined]);
}

function errorOf({ status, headers, body }: SocketAnswer): readonly unknown[] {
  assert.equal(headers['content-type'], 'application/json', body);
  const error = JSON.parse(body) as Readonly<Record<string, unknown>>;
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'type']);
  assert.equal(typeof error['message'], 'string');
  return [status, error['type'], error['code']];
}

const models = Object.fromEntries(
  ['py', 'jv'].map((key) => [
    `${key}.bpmn`,
    camundaModel(
      {
        [key]: `${inARow({ [`${key}-work`]: externalTask(`${key}-work`, key) })}<bpmn:boundaryEvent id="b" attachedToRef="${key}-work"><bpmn:errorEventDefinition id="d" errorRef="e"/></bpmn:boundaryEvent><bpmn:endEvent id="x"/><bpmn:sequenceFlow id="f" sourceRef="b" targetRef="x"/>`,
      },
      '<bpmn:error id="e" name="e" errorCode="bpmn-error"/>',
    ),
  ]),
);

for (const target of anyDatabase()) {
  describe(`requests of other clients of Camunda 7 on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    let engine: TestEngine;
    let rest: CamundaRest;

    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' } });
      rest = new CamundaRest(engine);
      await rest.deploy(models);
    });
    after(async () => {
      await engine.stop();
      await database.close();
    });

    const pythonFetch = (timeoutMs: number): Promise<SocketAnswer> =>
      python(
        engine.url,
        'external-task/fetchAndLock',
        `{"workerId": "1", "maxTasks": 1, "topics": [{"topicName": "py", "lockDuration": 300000, "processVariables": {}, "includeExtensionProperties": true, "deserializeValues": true, "variables": null}], "asyncResponseTimeout": ${String(timeoutMs)}, "usePriority": false, "sorting": null}`,
      );

    const javaFetch = (): Promise<SocketAnswer> =>
      java(
        engine.url,
        'external-task/fetchAndLock',
        '{"workerId":"host4f1c","maxTasks":10,"usePriority":true,"asyncResponseTimeout":5000,"topics":[{"topicName":"jv","lockDuration":20000,"variables":null,"businessKey":null,"processDefinitionId":null,"processDefinitionIdIn":null,"processDefinitionKey":null,"processDefinitionKeyIn":null,"processDefinitionVersionTag":null,"processVariables":{},"withoutTenantId":false,"tenantIdIn":null,"localVariables":false,"includeExtensionProperties":false}],"sorting":[]}',
      );

    test('Python: a poll that finds nothing, and one that does', async () => {
      assert.deepEqual(tasksOf(await pythonFetch(10)), []);
      const waiting = pythonFetch(30_000);
      const { id } = await rest.start('py', { variables: { n: { value: 1 }, list: { value: [1] } } });
      const [task] = tasksOf(await waiting);
      assert.ok(task !== undefined);
      for (const key of ['workerId', 'id', 'topicName', 'activityId', 'processInstanceId']) {
        assert.equal(typeof task[key], 'string', key);
      }
      assert.deepEqual(task.variables, {
        n: { type: 'Integer', value: 1, valueInfo: {} },
        list: { type: 'Json', value: '[1]', valueInfo: {} },
      });
      assertDone(
        await python(
          engine.url,
          `external-task/${task.id}/failure`,
          '{"workerId": "1", "errorMessage": "no", "retries": 2, "retryTimeout": 0, "errorDetails": "details"}',
        ),
      );
      const [again] = tasksOf(await pythonFetch(30_000));
      assert.deepEqual(
        [again?.id, again?.['retries'], again?.['errorMessage'], again?.['errorDetails']],
        [task.id, 2, 'no', 'details'],
      );
      assertDone(
        await python(
          engine.url,
          `external-task/${task.id}/complete`,
          '{"workerId": "1", "variables": {"x": {"value": 1}, "d": {"value": {"a": null}}, "n": {"value": null}}, "localVariables": {}}',
        ),
      );
      const { status, variables } = await engine.ended(id);
      assert.deepEqual([status, variables], ['completed', { n: null, list: [1], x: 1, d: { a: null } }]);
    });

    test('Python: a BPMN error; what is refused has the fields that it reads', async () => {
      const { id } = await rest.start('py');
      const [task] = tasksOf(await pythonFetch(30_000));
      const path = `external-task/${task?.id ?? ''}`;
      const late = await python(
        engine.url,
        `${path}/complete`,
        '{"workerId": "2", "variables": {}, "localVariables": {}}',
      );
      assert.deepEqual(errorOf(late), [400, 'RestException', 0]);
      assertDone(
        await python(
          engine.url,
          `${path}/bpmnError`,
          '{"workerId": "1", "errorCode": "bpmn-error", "errorMessage": null, "variables": {"why": {"value": "w"}}}',
        ),
      );
      const { status, variables } = await engine.ended(id);
      assert.deepEqual([status, variables], ['completed', { why: 'w' }]);
    });

    test('Java: fetch, extend, unlock with the body null, lock, complete with types', async () => {
      const { id } = await rest.start('jv', {
        variables: {
          l: { type: 'Long', value: 5 },
          f: { type: 'File', value: 'aGk=', valueInfo: { filename: 'a.txt' } },
        },
      });
      const [task] = tasksOf(await javaFetch());
      assert.ok(task !== undefined);
      assert.match(String(task['lockExpirationTime']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
      assert.deepEqual(task.variables, {
        l: { type: 'Long', value: 5, valueInfo: {} },
        f: { type: 'File', value: null, valueInfo: { filename: 'a.txt' } },
      });
      const file = await rest.call('GET', `process-instance/${task.executionId}/variables/f/data`);
      assert.equal(file.bytes.toString(), 'hi');
      const path = `external-task/${task.id}`;
      assertDone(await java(engine.url, `${path}/extendLock`, '{"workerId":"host4f1c","newDuration":60000}'));
      assertDone(await java(engine.url, `${path}/unlock`, 'null'));
      assertDone(await java(engine.url, `${path}/unlock`, 'null'));
      assertDone(await java(engine.url, `${path}/lock`, '{"workerId":"host4f1c","lockDuration":20000}'));
      assertDone(
        await java(
          engine.url,
          `${path}/complete`,
          '{"workerId":"host4f1c","variables":{"big":{"value":9007199254740993,"type":"Long","valueInfo":{}},"s":{"value":null,"type":"Null","valueInfo":{}},"d":{"value":"2026-03-01T11:00:00.000+0100","type":"Date","valueInfo":{}}},"localVariables":null}',
        ),
      );
      await engine.ended(id);
      const { rows } = { rows: await (await fetch(`${engine.url}/sutra/instances/${id}`)).text() };
      assert.match(rows, /"big":9007199254740993[,}]/, 'no digit is lost');
    });

    test('Java: a failure as it is by default, with nulls; errors are JSON whatever the status', async () => {
      const { id } = await rest.start('jv');
      const [task] = tasksOf(await javaFetch());
      const path = `external-task/${task?.id ?? ''}`;
      const refused = await java(
        engine.url,
        `${path}/failure`,
        '{"workerId":"host4f1c","errorMessage":"m","errorDetails":null,"retries":1,"retryTimeout":0,"variables":{"a":{"value":1,"type":"Integer","valueInfo":{}}},"localVariables":null}',
      );
      assert.deepEqual(errorOf(refused), [400, 'InvalidRequestException', null]);
      assertDone(
        await java(
          engine.url,
          `${path}/failure`,
          '{"workerId":"host4f1c","errorMessage":"m","errorDetails":null,"retries":0,"retryTimeout":0,"variables":{},"localVariables":{}}',
        ),
      );
      assert.deepEqual(errorOf(await java(engine.url, `${path}/complete`, '{"workerId":"host4f1c"}')), [
        400,
        'RestException',
        0,
      ]);
      assert.deepEqual(errorOf(await java(engine.url, 'external-task/none/complete', '{"workerId":"w"}')), [
        404,
        'RestException',
        0,
      ]);
      assert.deepEqual(errorOf(await java(engine.url, 'external-task//complete', '{}')), [
        404,
        'NotFoundException',
        null,
      ]);
      assert.deepEqual(errorOf(await java(engine.url, `${path}/priority`, '{}')), [
        405,
        'NotAllowedException',
        null,
      ]);
      assert.deepEqual(errorOf(await java(engine.url, `${path}/complete`, '{"workerId":')), [
        400,
        'InvalidRequestException',
        null,
      ]);
      await rest.call('DELETE', `process-instance/${id}`);
      assert.deepEqual(errorOf(await java(engine.url, `${path}/complete`, '{"workerId":"host4f1c"}')), [
        404,
        'RestException',
        0,
      ]);
    });
  });
}
