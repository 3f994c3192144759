/** Whatever is sent to the facade for Camunda 7 is answered in its shape, and is nobody's bug. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../../engine/store/database.ts';
import { anyDatabase } from '../../support/database.ts';
import { collectingLog, TestEngine } from '../../support/engine.ts';
import { CamundaRest, camundaModel, externalTask, inARow } from '../camunda7-engine-rest.ts';

const [target = assert.fail('a database')] = anyDatabase();

const routes = [
  ['POST', 'external-task/fetchAndLock'],
  ['POST', 'external-task/{id}/complete'],
  ['POST', 'external-task/{id}/failure'],
  ['POST', 'external-task/{id}/bpmnError'],
  ['POST', 'external-task/{id}/lock'],
  ['POST', 'external-task/{id}/extendLock'],
  ['POST', 'external-task/{id}/unlock'],
  ['PUT', 'external-task/{id}/retries'],
  ['PUT', 'external-task/retries'],
  ['PUT', 'external-task/{id}/priority'],
  ['POST', 'external-task'],
  ['POST', 'external-task/count'],
] as const;

/** Names and values that the routes know, and that they do not. */
const fieldName = fc.constantFrom(
  ...[
    'workerId',
    'maxTasks',
    'topics',
    'topicName',
    'lockDuration',
    'newDuration',
    'variables',
    'localVariables',
  ],
  ...[
    'errorCode',
    'errorMessage',
    'errorDetails',
    'retries',
    'retryTimeout',
    'priority',
    'externalTaskIds',
    'sorting',
  ],
  ...[
    'sortBy',
    'type',
    'value',
    'valueInfo',
    'processInstanceId',
    'lockExpirationAfter',
    'tenantIdIn',
    'unknown',
  ],
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      1e300,
      2 ** 53,
      '',
      ' ',
      'w',
      '\u0000',
      '\ud800',
      'Long',
      'File',
      '__proto__',
    ),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fieldName, tie('any'), { maxKeys: 5 }),
  ),
})).any;

describe('bad requests to the facade for Camunda 7', { timeout: 120_000 }, () => {
  let database: Database;
  let engine: TestEngine;
  let rest: CamundaRest;
  const log = collectingLog();

  before(async () => {
    database = await target.open();
    engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' }, log });
    rest = new CamundaRest(engine);
    await rest.deploy({ 'a.bpmn': camundaModel({ a: inARow({ work: externalTask('work', 'a') }) }) });
  });
  after(async () => {
    await engine.stop();
    await database.close();
  });

  test('any JSON as a body', async () => {
    await rest.start('a');
    const [task] = await rest.get<readonly { readonly id: string }[]>('external-task');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...routes), value, async ([method, path], body) => {
        const { status } = await rest.send(method, path.replace('{id}', task?.id ?? ''), body);
        assert.ok([200, 204, 400, 404].includes(status), `${method} ${path}: ${String(status)}`);
      }),
      { numRuns: 400 },
    );
    assert.deepEqual(
      log.lines.filter((line) => line.startsWith('error')),
      [],
    );
  });

  test('any path, query and bytes', async () => {
    const paths = [
      ...[
        '',
        '/',
        'external-task/',
        'external-task/%00',
        'external-task/%zz',
        'external-task/%2e%2e',
        'external-task//',
      ],
      ...[
        'external-task/count/x',
        'external-task/fetchAndLock',
        'nothing',
        'external-task?a=1&a=2',
        'external-task?%zz=1',
      ],
      ...[
        'external-task?firstResult=1e3',
        'external-task?maxResults=-1',
        'external-task?topicName=',
        'external-task?topicName=%00',
      ],
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status } = await rest.call(method, path);
        assert.ok([200, 400, 404, 405].includes(status), `${method} ${path}: ${String(status)}`);
      }
    }
    const bodies = [
      '',
      '{',
      '[',
      'null',
      '"x"',
      '1',
      '{"workerId":"w","workerId":"v"}',
      '\uffff',
      '[]'.repeat(3),
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    ];
    for (const body of bodies) {
      for (const type of [
        'application/json',
        'application/json; charset=utf-8',
        'text/plain',
        'multipart/form-data',
      ]) {
        const { status } = await rest.call('POST', 'external-task/fetchAndLock', {
          body,
          headers: { 'content-type': type },
        });
        assert.ok([400, 415].includes(status), `${type} ${body.slice(0, 20)}: ${String(status)}`);
      }
    }
    assert.deepEqual(
      log.lines.filter((line) => line.startsWith('error')),
      [],
    );
  });
});
