/** The facade of Camunda 8 over packages that were not made for it: tenants, modules, bodies that are no objects, the admin key. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { CamundaClient } from '@camunda8/orchestration-cluster-api';
import { testDatabases } from '../support/database.ts';
import type { TestEngine } from '../support/engine.ts';
import {
  claim,
  clientFor,
  deploy,
  oneJob,
  order,
  refusalOf,
  startCamunda8,
  type ModelFile,
} from './camunda8-fixture.ts';

/** A package of the file, as `POST /admin/deployments` takes it. */
const packageOf = (tenant: string, module: string, { name, xml }: ModelFile): Record<string, string> => ({
  'package.yaml': `labels: { tenant: ${tenant}, module: ${module}, version: '2026.1' }\n`,
  [`bpmn/${name}`]: xml,
});

/** Sends a text to whoever works on the channel `notes`. */
const noteSender = {
  'package.yaml': "labels: { tenant: default, module: notes, version: '1' }\n",
  'channels.yaml': 'channels:\n  - name: notes\n    transport: pull\n',
  'bpmn/notes.bpmn': `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:q="urn:sutra:q:1.0" id="d" targetNamespace="t">
<process id="notes" isExecutable="true"><startEvent id="start"/>
<sendTask id="asText"><extensionElements><q:send channel="notes" contentType="text/plain" body="&quot;grüße&quot;"/></extensionElements></sendTask>
<sendTask id="asNumber"><extensionElements><q:send channel="notes" contentType="application/json" body="12345678901234567890"/></extensionElements></sendTask>
<sendTask id="asList"><extensionElements><q:send channel="notes" contentType="application/json" body="[1,2]"/></extensionElements></sendTask>
<endEvent id="end"/>
<sequenceFlow id="f1" sourceRef="start" targetRef="asText"/><sequenceFlow id="f2" sourceRef="asText" targetRef="asNumber"/>
<sequenceFlow id="f3" sourceRef="asNumber" targetRef="asList"/><sequenceFlow id="f4" sourceRef="asList" targetRef="end"/>
</process></definitions>`,
};

for (const target of testDatabases()) {
  describe(`packages of all kinds for clients of Camunda 8 on ${target.name}`, () => {
    let engine: TestEngine;
    let client: CamundaClient;

    beforeEach(async () => {
      engine = await startCamunda8(await target.open());
      client = clientFor(engine.url);
    });
    afterEach(() => engine.stop());

    const activation = (
      type: string,
      tenantIds?: readonly string[],
    ): ReturnType<CamundaClient['activateJobs']> =>
      client.activateJobs({
        ...{ type, worker: 'tester', timeout: 30_000, maxJobsToActivate: 10 },
        ...(tenantIds === undefined ? {} : { tenantIds: tenantIds as never }),
      });

    test('a tenant is its name there too, and what is started belongs to it', async () => {
      await engine.deploy(packageOf('acme', 'shop', oneJob('one', 'acme-job')));
      const missing = await refusalOf(client.createProcessInstance({ processDefinitionId: 'one' as never }));
      assert.deepEqual([missing.status, missing.title], [404, 'NOT_FOUND']);
      const ofAcme = clientFor(engine.url, { CAMUNDA_DEFAULT_TENANT_ID: 'acme' });
      const started = await ofAcme.createProcessInstance({ processDefinitionId: 'one' as never });
      assert.deepEqual([started.tenantId, started.processDefinitionVersion], ['acme', 1]);
      const [job] = (await activation('acme-job')).jobs;
      assert.equal(job?.tenantId, 'acme');
    });

    test('tenantIds are taken when the jobs are of no other tenant, and refused otherwise', async () => {
      await engine.deploy(packageOf('acme', 'shop', oneJob('one', 'acme-job')));
      await engine.deploy(packageOf('beta', 'shop', oneJob('two', 'beta-job')));
      await clientFor(engine.url, { CAMUNDA_DEFAULT_TENANT_ID: 'acme' }).createProcessInstance({
        processDefinitionId: 'one' as never,
      });
      const { jobs } = await activation('acme-job', ['acme']);
      assert.equal(jobs.length, 1);
      assert.equal((await refusalOf(activation('acme-job', ['beta']))).status, 400);
      assert.equal((await refusalOf(activation('acme-job', ['<default>']))).status, 400);
    });

    test('another tenant that comes while a fetch waits for named ones ends it, and its job stays free', async () => {
      await deploy(client, oneJob('one', 'shared-job'));
      const waiting = refusalOf(activation('shared-job', ['<default>']));
      await engine.deploy(packageOf('acme', 'shop', oneJob('one', 'shared-job')));
      const start = await engine.post('/sutra/processes/one/start?tenant=acme', {});
      assert.equal(start.status, 201);
      assert.equal((await waiting).status, 400);
      const task = await engine.fetchTask('shared-job');
      assert.equal(task.instanceId, start.body.instanceId);
    });

    test('of two modules with a process of that id, the one that was deployed last is started', async () => {
      await engine.deploy(packageOf('default', 'older', oneJob('twice', 'older-job')));
      await engine.deploy(packageOf('default', 'newer', oneJob('twice', 'newer-job')));
      await client.createProcessInstance({ processDefinitionId: 'twice' as never });
      assert.equal((await activation('newer-job')).jobs.length, 1);
      const versioned = await client.createProcessInstance({
        processDefinitionId: 'twice' as never,
        processDefinitionVersion: 1,
      });
      const [job] = (await activation('newer-job')).jobs;
      assert.equal(job?.processInstanceKey, versioned.processInstanceKey);
    });

    test('a body that is no object is the variable payload', async () => {
      await engine.deploy(noteSender);
      await client.createProcessInstance({ processDefinitionId: 'notes' as never });
      const answer = await engine.call('POST', '/v2/jobs/activation', {
        type: 'notes',
        timeout: 1_000,
        maxJobsToActivate: 3,
      });
      const { jobs } = answer.body as unknown as {
        jobs: readonly { elementId: string; jobKey: string; variables: unknown }[];
      };
      const byElement = Object.fromEntries(jobs.map(({ elementId, variables }) => [elementId, variables]));
      assert.deepEqual(byElement, {
        asText: { payload: 'grüße' },
        // The test reads JSON as any client does; the digits on the wire are looked at in camunda8-requests.test.ts.
        asNumber: { payload: 12345678901234567000 },
        asList: { payload: [1, 2] },
      });
      for (const { jobKey } of jobs) await client.completeJob({ jobKey: jobKey as never });
    });

    test('a message reaches every module of the tenant that waits for it, and no other tenant', async () => {
      await engine.deploy(packageOf('default', 'claims', claim));
      await engine.deploy(
        packageOf('default', 'audits', {
          ...claim,
          xml: claim.xml.replaceAll('"claim"', '"audit"').replace('check-claim', 'audit-claim'),
        }),
      );
      await engine.deploy(
        packageOf('acme', 'claims', { ...claim, xml: claim.xml.replace('check-claim', 'acme-claim') }),
      );
      await client.publishMessage({ name: 'claim filed', correlationKey: '', variables: { n: 1 } });
      for (const type of ['check-claim', 'audit-claim']) {
        assert.deepEqual(
          (await activation(type)).jobs.map(({ variables }) => variables),
          [{ n: 1 }],
        );
      }
      const none = await client.activateJobs({
        type: 'acme-claim',
        timeout: 1_000,
        maxJobsToActivate: 1,
        requestTimeout: -1,
      });
      assert.deepEqual(none.jobs, []);
    });

    test('a correlation key that is a number in the model is its digits', async () => {
      await deploy(client, order);
      const started = await client.createProcessInstance({
        processDefinitionId: 'order' as never,
        variables: { orderId: 42 },
      });
      const [job] = (await activation('reserve-stock')).jobs;
      await job?.complete();
      const { processInstanceKey } = await client.correlateMessage({
        name: 'payment received',
        correlationKey: '42',
      });
      assert.equal(processInstanceKey, started.processInstanceKey);
    });

    test('forms are left out of a deployment', async () => {
      const { xml } = oneJob('with-form', 'with-form');
      const deployed = await client.createDeployment({
        resources: [new File([xml], 'with-form.bpmn'), new File(['{"components":[]}'], 'ask.form')],
      });
      assert.deepEqual([deployed.processes.length, deployed.forms.length], [1, 0]);
    });

    test('deploying the same again is the same deployment', async () => {
      const first = await deploy(client, order);
      const again = await deploy(client, order);
      assert.equal(again.deploymentKey, first.deploymentKey);
      assert.deepEqual(again.deployments, first.deployments);
    });
  });

  describe(`the admin key over the facade of Camunda 8 on ${target.name}`, () => {
    let engine: TestEngine;
    const withKey = (): CamundaClient =>
      clientFor(engine.url, {
        CAMUNDA_AUTH_STRATEGY: 'BASIC',
        CAMUNDA_BASIC_AUTH_USERNAME: 'any',
        CAMUNDA_BASIC_AUTH_PASSWORD: 'any',
      });

    before(async () => {
      engine = await startCamunda8(await target.open(), {
        SUTRA_ADMIN_OPEN: 'false',
        SUTRA_ADMIN_API_KEY: 'env:TEST_ADMIN_KEY',
        TEST_ADMIN_KEY: 'the-admin-key',
      });
    });
    after(() => engine.stop());

    test('a deployment needs it, and so does bringing back a job that was given up', async () => {
      const client = clientFor(engine.url);
      assert.equal((await refusalOf(deploy(client, oneJob('one', 'one-job')))).status, 401);
      const admin = withKey();
      admin.onAuthHeaders((headers) => ({ ...headers, Authorization: 'Bearer the-admin-key' }));
      await deploy(admin, oneJob('one', 'one-job'));
      await client.createProcessInstance({ processDefinitionId: 'one' as never });
      const { jobs } = await client.activateJobs({ type: 'one-job', timeout: 30_000, maxJobsToActivate: 1 });
      const [job] = jobs;
      assert.ok(job !== undefined);
      await job.modifyRetries({ retries: 5 });
      await job.fail({ errorMessage: 'for good', retries: 0 });
      assert.equal((await refusalOf(job.modifyRetries({ retries: 1 }))).status, 401);
      await admin.updateJob({ jobKey: job.jobKey, changeset: { retries: 1 } });
      assert.equal(
        (await client.activateJobs({ type: 'one-job', timeout: 30_000, maxJobsToActivate: 1 })).jobs.length,
        1,
      );
    });
  });
}
