/** The client object of `@camunda8/orchestration-cluster-api` against a whole engine, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CamundaClient } from '@camunda8/orchestration-cluster-api';
import type { TestEngine } from '../support/engine.ts';
import { testDatabases } from '../support/database.ts';
import { claim, clientFor, deploy, oneJob, order, refusalOf, startCamunda8 } from './camunda8-fixture.ts';

type Job = Awaited<ReturnType<CamundaClient['activateJobs']>>['jobs'][number];

for (const target of testDatabases()) {
  describe(`the client of Camunda 8 on ${target.name}`, () => {
    let engine: TestEngine;
    let client: CamundaClient;

    before(async () => {
      engine = await startCamunda8(await target.open());
      client = clientFor(engine.url);
    });
    after(() => engine.stop());

    const activate = async (type: string, more: object = {}): Promise<Job> => {
      const { jobs } = await client.activateJobs({
        ...{ type, worker: 'tester', timeout: 30_000, maxJobsToActivate: 1 },
        ...more,
      });
      const [job] = jobs;
      assert.ok(job !== undefined && jobs.length === 1, `a job of type ${type}`);
      return job;
    };
    const activateNone = async (type: string): Promise<void> => {
      const { jobs } = await client.activateJobs({
        ...{ type, worker: 'tester', timeout: 30_000, maxJobsToActivate: 1 },
        requestTimeout: -1,
      });
      assert.deepEqual(jobs, []);
    };

    test('an order goes its way: deploy, start, job, message, job', async () => {
      const deployed = await deploy(client, order);
      const [process] = deployed.processes;
      assert.ok(process !== undefined);
      assert.match(deployed.deploymentKey, /^\d+$/);
      assert.deepEqual(
        { ...process, processDefinitionKey: null },
        {
          processDefinitionId: 'order',
          processDefinitionVersion: 1,
          processDefinitionKey: null,
          resourceName: 'order.bpmn',
          tenantId: '<default>',
        },
      );

      const instance = await client.createProcessInstance({
        processDefinitionId: process.processDefinitionId,
        variables: { orderId: 'o-1', items: [1, 2], gift: null },
      });
      assert.equal(instance.processDefinitionKey, process.processDefinitionKey);
      assert.equal(instance.tenantId, '<default>');

      const reserve = await activate('reserve-stock');
      assert.deepEqual(reserve.variables, { orderId: 'o-1', items: [1, 2], gift: null });
      assert.deepEqual(
        { ...reserve, deadline: null, log: null, jobKey: null, elementInstanceKey: null, variables: null },
        {
          ...reserve,
          ...{ type: 'reserve-stock', worker: 'tester', elementId: 'reserve', kind: 'BPMN_ELEMENT' },
          ...{ processDefinitionId: 'order', processDefinitionVersion: 1, retries: 3, tags: [] },
          ...{ processInstanceKey: instance.processInstanceKey, tenantId: '<default>' },
          ...{ processDefinitionKey: process.processDefinitionKey, customHeaders: { warehouse: 'north' } },
          ...{ deadline: null, log: null, jobKey: null, elementInstanceKey: null, variables: null },
        },
      );
      const restMs = reserve.deadline - Date.now();
      assert.ok(restMs > 0 && restMs <= 31_000, `a deadline in milliseconds, ${restMs} ahead`);
      await client.completeJob({ jobKey: reserve.jobKey, variables: { reserved: true } });

      const message = await client.publishMessage({
        ...{ name: 'payment received', correlationKey: 'o-1', timeToLive: 60_000 },
        ...{ messageId: 'payment-1', variables: { paid: 12.5 } },
      });
      assert.equal(message.tenantId, '<default>');
      assert.match(message.messageKey ?? '', /^\d+$/);

      const ship = await activate('ship');
      assert.deepEqual(ship.variables, {
        ...{ orderId: 'o-1', items: [1, 2], gift: null, reserved: true, paid: 12.5 },
      });
      await client.completeJob({ jobKey: ship.jobKey });
      const ended = await client.getProcessInstance(
        { processInstanceKey: instance.processInstanceKey },
        { consistency: { waitUpToMs: 0 } },
      );
      assert.deepEqual(
        [ended.state, ended.hasIncident, ended.processDefinitionName, ended.processDefinitionVersion],
        ['COMPLETED', false, 'Order', 1],
      );
    });

    test('a BPMN error goes to the boundary event', async () => {
      await deploy(client, order);
      await client.createProcessInstance({
        processDefinitionId: order.name.split('.')[0] as never,
        variables: { orderId: 'o-2' },
      });
      const { jobKey } = await activate('reserve-stock');
      await client.throwJobError({
        ...{ jobKey, errorCode: 'OUT_OF_STOCK', errorMessage: 'none left', variables: { missing: 3 } },
      });
      const apologise = await activate('apologise');
      assert.deepEqual(apologise.variables, { orderId: 'o-2', missing: 3 });
      await client.completeJob({ jobKey: apologise.jobKey });
    });

    test('a failure keeps the retries that it names, and none is an incident', async () => {
      await deploy(client, oneJob('failing', 'fails'));
      const { processInstanceKey } = await client.createProcessInstance({
        processDefinitionId: 'failing' as never,
      });
      const { jobKey } = await activate('fails');
      await client.failJob({ jobKey, retries: 2, errorMessage: 'not yet' });
      const again = await activate('fails');
      assert.deepEqual([again.jobKey, again.retries], [jobKey, 2]);
      await client.failJob({
        jobKey,
        retries: 1,
        errorMessage: 'wait',
        retryBackOff: 60_000,
      });
      await activateNone('fails');
      await client.updateJob({ jobKey, changeset: { retries: 5 } });
      const state = async (): Promise<boolean> =>
        (await client.getProcessInstance({ processInstanceKey }, { consistency: { waitUpToMs: 0 } }))
          .hasIncident;
      assert.equal(await state(), false);
    });

    test('a failure without retries gives the job up', async () => {
      await deploy(client, oneJob('given-up', 'gives-up'));
      const { processInstanceKey } = await client.createProcessInstance({
        processDefinitionId: 'given-up' as never,
      });
      const { jobKey } = await activate('gives-up');
      await client.failJob({ jobKey });
      await activateNone('gives-up');
      const state = async (): Promise<readonly unknown[]> => {
        const found = await client.getProcessInstance(
          { processInstanceKey },
          { consistency: { waitUpToMs: 0 } },
        );
        return [found.state, found.hasIncident];
      };
      assert.deepEqual(await state(), ['ACTIVE', true]);
      assert.equal((await refusalOf(client.completeJob({ jobKey }))).status, 409);
      await client.updateJob({ jobKey, changeset: { retries: 1 } });
      const again = await activate('gives-up');
      assert.deepEqual([again.jobKey, again.retries], [jobKey, 1]);
      await client.completeJob({ jobKey });
      assert.deepEqual(await state(), ['COMPLETED', false]);
    });

    test('the timeout of a job can be changed while somebody holds it', async () => {
      await deploy(client, oneJob('slow', 'is-slow'));
      await client.createProcessInstance({ processDefinitionId: 'slow' as never });
      const job = await activate('is-slow', { timeout: 60_000 });
      await client.updateJob({ jobKey: job.jobKey, changeset: { timeout: 1 } });
      const again = await activate('is-slow');
      assert.equal(again.jobKey, job.jobKey);
      await client.completeJob({ jobKey: job.jobKey });
      const gone = await refusalOf(client.updateJob({ jobKey: job.jobKey, changeset: { timeout: 1_000 } }));
      assert.deepEqual([gone.status, gone.title], [404, 'NOT_FOUND']);
    });

    test('a message starts a process', async () => {
      await deploy(client, claim);
      const { processInstanceKey } = await client.correlateMessage({
        ...{ name: 'claim filed', correlationKey: 'c-1', variables: { amount: 3 } },
      });
      const job = await activate('check-claim');
      assert.deepEqual([job.processInstanceKey, job.variables], [processInstanceKey, { amount: 3 }]);
      await client.completeJob({ jobKey: job.jobKey });
    });

    test('a message that nobody waits for is lost, or refused when it was to be kept', async () => {
      await deploy(client, order);
      const message = { name: 'payment received', correlationKey: 'nobody', variables: {} };
      await client.publishMessage({ ...message });
      const kept = await refusalOf(client.publishMessage({ ...message, timeToLive: 1 }));
      assert.deepEqual([kept.status, kept.title], [404, 'NOT_FOUND']);
      const correlated = await refusalOf(client.correlateMessage({ ...message }));
      assert.deepEqual([correlated.status, correlated.title], [404, 'NOT_FOUND']);
      assert.match(correlated.detail, /"nobody"/);
    });

    test('a message id is taken once', async () => {
      await deploy(client, claim);
      const message = { name: 'claim filed', correlationKey: 'c-2', messageId: 'only-once' };
      await client.publishMessage({ ...message });
      const again = await refusalOf(client.publishMessage({ ...message }));
      assert.deepEqual([again.status, again.title], [409, 'ALREADY_EXISTS']);
      await client.completeJob({ jobKey: (await activate('check-claim')).jobKey });
      await activateNone('check-claim');
    });

    test('awaitCompletion answers the variables of the end', async () => {
      await deploy(client, oneJob('awaited', 'is-awaited'));
      const call = client.createProcessInstance({
        ...{ processDefinitionId: 'awaited' as never, awaitCompletion: true, variables: { a: 1, b: 2 } },
        fetchVariables: ['a', 'c'],
      });
      await client.completeJob({ jobKey: (await activate('is-awaited')).jobKey, variables: { c: 3 } });
      assert.deepEqual((await call).variables, { a: 1, c: 3 });
    });

    test('awaitCompletion ends with its time, and the instance goes on', async () => {
      await deploy(client, oneJob('endless', 'is-endless'));
      const late = await refusalOf(
        client.createProcessInstance({
          ...{ processDefinitionId: 'endless' as never, awaitCompletion: true },
          requestTimeout: 50,
        }),
      );
      assert.equal(late.status, 504);
      await client.completeJob({ jobKey: (await activate('is-endless')).jobKey });
    });

    test('cancels an instance, and its job is gone', async () => {
      await deploy(client, oneJob('cancelled', 'is-cancelled'));
      const { processInstanceKey } = await client.createProcessInstance({
        processDefinitionId: 'cancelled' as never,
      });
      const job = await activate('is-cancelled');
      await job.cancelWorkflow();
      const { state } = await client.getProcessInstance(
        { processInstanceKey },
        { consistency: { waitUpToMs: 0 } },
      );
      assert.equal(state, 'TERMINATED');
      assert.equal((await refusalOf(client.completeJob({ jobKey: job.jobKey }))).status, 404);
      assert.equal((await refusalOf(client.cancelProcessInstance({ processInstanceKey }))).status, 404);
    });

    test('a newer deployment is the next version, and only it starts instances', async () => {
      const first = await deploy(client, oneJob('versioned', 'version-1'));
      const second = await deploy(client, oneJob('versioned', 'version-2'));
      const keyOf = (deployed: typeof first): string => deployed.processes[0]?.processDefinitionKey ?? '';
      assert.deepEqual(
        [first, second].map(({ processes }) => processes[0]?.processDefinitionVersion),
        [1, 2],
      );
      const old = await refusalOf(
        client.createProcessInstance({ processDefinitionKey: keyOf(first) as never }),
      );
      assert.deepEqual([old.status, old.title], [400, 'INVALID_ARGUMENT']);
      const started = await client.createProcessInstance({ processDefinitionKey: keyOf(second) as never });
      assert.equal(started.processDefinitionVersion, 2);
      await client.completeJob({ jobKey: (await activate('version-2')).jobKey });
    });

    test('topology', async () => {
      const topology = await client.getTopology();
      assert.deepEqual([topology.clusterSize, topology.brokers.length], [1, 1]);
    });

    test('what there is not', async () => {
      const process = await refusalOf(
        client.createProcessInstance({ processDefinitionId: 'nobody-has-it' as never }),
      );
      assert.deepEqual([process.status, process.title], [404, 'NOT_FOUND']);
      const job = await refusalOf(client.completeJob({ jobKey: '1' as never }));
      assert.deepEqual([job.status, job.title], [404, 'NOT_FOUND']);
      const route = await refusalOf(client.getLicense());
      assert.deepEqual([route.status, route.title], [404, 'NOT_FOUND']);
    });
  });
}
