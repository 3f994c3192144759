/** The story that the JavaScript client tells of itself: upload, start, score, gateway, file, failure. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client, type File, Variables, type Handling } from 'camunda-external-task-client-js';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import {
  CamundaRest,
  camundaModel,
  externalTask,
  type CreatedDeployment,
  type RestError,
} from './camunda7-engine-rest.ts';

const SCRIPT = `<bpmn:extensionElements><camunda:inputOutput><camunda:inputParameter name="prepared"><camunda:script scriptFormat="javascript"><![CDATA[execution.setVariable("defaultScore", 0);]]></camunda:script></camunda:inputParameter></camunda:inputOutput></bpmn:extensionElements>`;

function flow(source: string, to: string, condition = ''): string {
  const inside =
    condition === ''
      ? ''
      : `<bpmn:conditionExpression xsi:type="bpmn:tFormalExpression"><![CDATA[${condition}]]></bpmn:conditionExpression>`;
  return `<bpmn:sequenceFlow id="${source}-to-${to}" sourceRef="${source}" targetRef="${to}">${inside}</bpmn:sequenceFlow>`;
}

/** A credit check: the score decides whether the loan is granted. */
const loans = (preparation: string): string =>
  camundaModel({
    loans: [
      '<bpmn:startEvent id="start"/>',
      externalTask('check', 'creditScoreChecker', preparation),
      '<bpmn:exclusiveGateway id="enough"/><bpmn:task id="reject"/>',
      externalTask('grant', 'loanGranter'),
      '<bpmn:endEvent id="rejected"/><bpmn:endEvent id="granted"/>',
      flow('start', 'check'),
      flow('check', 'enough'),
      flow('enough', 'reject', '${score <= 0}'),
      flow('enough', 'grant', '${score > 0}'),
      flow('reject', 'rejected'),
      flow('grant', 'granted'),
    ].join(''),
  });

/** How clients write the upload of one file, byte by byte. */
const uploads: Readonly<Record<string, (model: string) => readonly [contentType: string, body: string]>> = {
  'form-data of Node': (model) => [
    'multipart/form-data; boundary=--------------------------015398233246254182231957',
    [
      '----------------------------015398233246254182231957',
      'Content-Disposition: form-data; name="deployment-name"',
      '',
      'loansDeployment',
      '----------------------------015398233246254182231957',
      'Content-Disposition: form-data; name="process"; filename="loans.bpmn"',
      'Content-Type: application/octet-stream',
      '',
      model,
      '----------------------------015398233246254182231957--',
      '',
    ].join('\r\n'),
  ],
  curl: (model) => [
    'multipart/form-data; boundary=------------------------d74496d66958873e',
    [
      '--------------------------d74496d66958873e',
      'Content-Disposition: form-data; name="deployment-name"',
      '',
      'loans',
      '--------------------------d74496d66958873e',
      'Content-Disposition: form-data; name="enable-duplicate-filtering"',
      '',
      'true',
      '--------------------------d74496d66958873e',
      'Content-Disposition: form-data; name="loans.bpmn"; filename="loans.bpmn"',
      'Content-Type: application/octet-stream',
      '',
      model,
      '--------------------------d74496d66958873e--',
      '',
    ].join('\r\n'),
  ],
  'requests of Python': (model) => [
    'multipart/form-data; boundary=b0d51cd3c6b4ad1a3b1cf9b3a5a1b3c1',
    [
      '--b0d51cd3c6b4ad1a3b1cf9b3a5a1b3c1',
      'Content-Disposition: form-data; name="deployment-name"',
      '',
      'loans',
      '--b0d51cd3c6b4ad1a3b1cf9b3a5a1b3c1',
      `Content-Disposition: form-data; name="data"; filename*=utf-8''l%C3%B6ans.bpmn`,
      '',
      model,
      '--b0d51cd3c6b4ad1a3b1cf9b3a5a1b3c1--',
      '',
    ].join('\r\n'),
  ],
  'the HTTP client of Apache': (model) => [
    'multipart/form-data; boundary=Mz9RMpvHkmDTaSVw-5PVjHTmt4dLxYV; charset=ISO-8859-1',
    [
      '--Mz9RMpvHkmDTaSVw-5PVjHTmt4dLxYV',
      'Content-Disposition: form-data; name="deployment-name"',
      'Content-Type: text/plain; charset=ISO-8859-1',
      'Content-Transfer-Encoding: 8bit',
      '',
      'loans',
      '--Mz9RMpvHkmDTaSVw-5PVjHTmt4dLxYV',
      'Content-Disposition: form-data; name="upload"; filename="loans.bpmn20.xml"',
      'Content-Type: application/octet-stream',
      'Content-Transfer-Encoding: binary',
      '',
      model,
      '--Mz9RMpvHkmDTaSVw-5PVjHTmt4dLxYV--',
      '',
    ].join('\r\n'),
  ],
};

for (const target of testDatabases()) {
  describe(`a client of Camunda 7 from upload to end on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    let engine: TestEngine;
    let rest: CamundaRest;
    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' } });
      rest = new CamundaRest(engine);
    });
    after(async () => {
      await engine.stop();
      await database.close();
    });

    for (const [client, upload] of Object.entries(uploads)) {
      it(`takes the upload of ${client}`, async () => {
        const [contentType, body] = upload(loans(''));
        const { status, json } = await rest.call('POST', 'deployment/create', {
          headers: { 'content-type': contentType },
          body,
        });
        assert.equal(status, 200, JSON.stringify(json));
        const { id } = json as CreatedDeployment;
        const definition = await rest.get<{ deploymentId: string }>('process-definition/key/loans');
        assert.equal(definition.deploymentId, id);
      });
    }

    it('refuses the script of an input parameter where it stands', async () => {
      const { status, json } = await rest.upload({ 'loans.bpmn': loans(SCRIPT) });
      const { type, message, details } = json as RestError;
      assert.deepEqual([status, type], [400, 'ParseException']);
      assert.match(message, /script.* is not run: write the value as an expression/);
      assert.deepEqual(Object.keys(details ?? {}), ['loans.bpmn']);
    });

    it('plays the loan to its end in the published client', async () => {
      await rest.deploy({ 'loans.bpmn': loans('') });
      const contract = Buffer.from('the contract: \u20ac 5\n');
      const file = {
        type: 'File',
        value: contract.toString('base64'),
        valueInfo: { filename: 'contract.txt', mimetype: 'text/plain', encoding: 'utf-8' },
      };
      const granted = await rest.start('loans', { businessKey: 'loan-1', variables: { contract: file } });
      const rejected = await rest.start('loans', { businessKey: 'loan-2' });
      const worker = new Client({
        baseUrl: `${engine.url}/engine-rest`,
        workerId: 'acceptance',
        interval: 20,
        asyncResponseTimeout: 2_000,
      });
      const loaded: string[] = [];
      try {
        const score = async ({ task, taskService }: Handling): Promise<void> => {
          const value = task.businessKey === 'loan-1' ? 6 : 0;
          await taskService.complete(task, new Variables().set('score', value));
        };
        const grant = async ({ task, taskService }: Handling): Promise<void> => {
          assert.equal(task.variables.get('score'), 6);
          if (task.errorMessage === null) {
            await taskService.handleFailure(task, {
              errorMessage: 'something failed',
              retries: 1,
              retryTimeout: 10,
            });
            return;
          }
          const { content } = await (task.variables.get('contract') as File).load();
          loaded.push(content.toString('utf8'));
          await taskService.complete(task);
        };
        worker.subscribe('creditScoreChecker', score);
        worker.subscribe('loanGranter', grant);
        for (const { id } of [granted, rejected]) assert.equal((await engine.ended(id)).status, 'completed');
      } finally {
        worker.stop();
      }
      assert.deepEqual(loaded, [contract.toString('utf8')]);
    });
  });
}
