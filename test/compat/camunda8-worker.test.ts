/** The job worker of `@camunda8/orchestration-cluster-api` against a whole engine, over HTTP. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CamundaClient } from '@camunda8/orchestration-cluster-api';
import type { TestEngine } from '../support/engine.ts';
import { testDatabases } from '../support/database.ts';
import {
  clientFor,
  deploy,
  eventually,
  oneJob,
  order,
  record,
  refusalOf,
  startCamunda8,
} from './camunda8-fixture.ts';

type WorkerConfig = Parameters<CamundaClient['createJobWorker']>[0];
type Handler = WorkerConfig['jobHandler'];

async function start(
  client: CamundaClient,
  processId: string,
  variables: Record<string, unknown> = {},
): Promise<string> {
  const started = await client.createProcessInstance({ processDefinitionId: processId as never, variables });
  return started.processInstanceKey;
}

async function stateOf(client: CamundaClient, processInstanceKey: string): Promise<string> {
  const found = await client.getProcessInstance(
    { processInstanceKey: processInstanceKey as never },
    { consistency: { waitUpToMs: 0 } },
  );
  return found.hasIncident ? `${found.state} with an incident` : found.state;
}

async function allComplete(client: CamundaClient, keys: readonly string[]): Promise<boolean> {
  for (const key of keys) if ((await stateOf(client, key)) !== 'COMPLETED') return false;
  return true;
}

for (const target of testDatabases()) {
  describe(`the job worker of Camunda 8 on ${target.name}`, () => {
    let engine: TestEngine;
    let client: CamundaClient;

    before(async () => {
      engine = await startCamunda8(await target.open());
      client = clientFor(engine.url);
    });
    afterEach(() => client.stopAllWorkers());
    after(() => engine.stop());

    const work = (
      jobType: string,
      jobHandler: Handler,
      more: Partial<WorkerConfig> = {},
    ): ReturnType<CamundaClient['createJobWorker']> =>
      client.createJobWorker({
        jobType,
        jobHandler,
        jobTimeoutMs: 30_000,
        maxParallelJobs: 10,
        ...more,
      });

    test('does 200 jobs, each once, and never more at once than it may', async () => {
      await deploy(client, oneJob('many', 'many-jobs'));
      const seen: unknown[] = [];
      let running = 0;
      let most = 0;
      work(
        'many-jobs',
        async (job) => {
          running += 1;
          most = Math.max(most, running);
          const { n } = job.variables as { n: number };
          seen.push(n);
          await new Promise((resolve) => setTimeout(resolve, 1));
          running -= 1;
          return job.complete({ doubled: n * 2 });
        },
        { maxParallelJobs: 20 },
      );
      const numbers = Array.from({ length: 200 }, (_, n) => n);
      const keys = await Promise.all(numbers.map((n) => start(client, 'many', { n })));
      await eventually(() => allComplete(client, keys), 'all have completed');
      assert.deepEqual(
        seen.toSorted((one, other) => Number(one) - Number(other)),
        numbers,
      );
      assert.ok(most <= 20, `at most 20 at once, ${most} were`);
    });

    test('a handler that throws spends a retry, until none is left', async () => {
      await deploy(client, oneJob('throwing', 'throws'));
      const retries: number[] = [];
      work('throws', (job) => {
        retries.push(job.retries);
        throw new Error('no luck');
      });
      const key = await start(client, 'throwing');
      await eventually(
        async () => (await stateOf(client, key)) === 'ACTIVE with an incident',
        'it is given up',
      );
      assert.deepEqual(retries, [3, 2, 1]);
    });

    test('a failure with a back-off is tried again later, and can succeed', async () => {
      await deploy(client, oneJob('flaky', 'is-flaky'));
      const retries: number[] = [];
      work('is-flaky', (job) => {
        retries.push(job.retries);
        if (retries.length > 1) return job.complete();
        return job.fail({ errorMessage: 'busy', retries: 7, retryBackOff: 30 });
      });
      const key = await start(client, 'flaky');
      await eventually(() => allComplete(client, [key]), 'it has completed');
      assert.deepEqual(retries, [3, 7]);
    });

    test('a BPMN error of a handler is caught by the model', async () => {
      await deploy(client, order);
      let apology: unknown;
      work('reserve-stock', (job) =>
        job.error({ errorCode: 'OUT_OF_STOCK', errorMessage: 'none', variables: { missing: 1 } }),
      );
      work('apologise', (job) => {
        apology = job.variables;
        return job.complete();
      });
      const key = await start(client, 'order', { orderId: 'w-1' });
      await eventually(() => allComplete(client, [key]), 'it has completed');
      assert.deepEqual(apology, { orderId: 'w-1', missing: 1 });
    });

    test('a job whose time is over goes to another worker, and the late answer of the first changes nothing', async () => {
      await deploy(client, oneJob('contested', 'is-contested'));
      const events = new EventTarget();
      const secondDone = once(events, 'done');
      let late: Promise<unknown> = Promise.resolve();
      const first = work(
        'is-contested',
        async (job) => {
          first.stop();
          await secondDone;
          late = refusalOf(client.completeJob({ jobKey: job.jobKey, variables: { by: 'first' } }));
          await late;
          return job.ignore();
        },
        { jobTimeoutMs: 200, workerName: 'first', maxParallelJobs: 1 },
      );
      const key = await start(client, 'contested');
      await eventually(() => first.stopped, 'the first has it');
      work(
        'is-contested',
        async (job) => {
          const receipt = await job.complete({ by: 'second' });
          events.dispatchEvent(new Event('done'));
          return receipt;
        },
        { workerName: 'second' },
      );
      await eventually(() => allComplete(client, [key]), 'it has completed');
      await secondDone;
      await eventually(() => first.activeJobs === 0, 'the first is done');
      assert.equal(((await late) as { status: number }).status, 409);
    });

    test('a completion whose answer is lost is sent again by the client, and is one completion', async () => {
      const lost = new Set<string>();
      const proxy = await record(engine.url, ({ path }) => {
        if (!path.endsWith('/completion') || lost.has(path)) return false;
        lost.add(path);
        return true;
      });
      const cut = clientFor(proxy.url);
      try {
        await deploy(client, oneJob('lossy', 'is-lossy'));
        const receipts: unknown[] = [];
        const worker = cut.createJobWorker({
          ...{ jobType: 'is-lossy', jobTimeoutMs: 30_000, maxParallelJobs: 5 },
          jobHandler: async (job) => {
            const receipt = await job.complete({ by: job.jobKey });
            receipts.push(receipt);
            return receipt;
          },
        });
        const keys = await Promise.all(Array.from({ length: 10 }, () => start(client, 'lossy')));
        await eventually(() => receipts.length >= 10, 'all answers came in the end');
        worker.stop();
        assert.ok(await allComplete(client, keys));
        assert.deepEqual([lost.size, receipts.length], [10, 10]);
      } finally {
        cut.stopAllWorkers();
        await proxy.close();
      }
    });

    test('stop aborts the poll: what comes later is for others', async () => {
      await deploy(client, oneJob('stopped', 'is-stopped'));
      const taken: string[] = [];
      const stopped = work('is-stopped', (job) => {
        taken.push(job.jobKey);
        return job.ignore();
      });
      await eventually(async () => (await waitingFetches(engine)) > 0, 'it waits for a job');
      stopped.stop();
      await eventually(async () => (await waitingFetches(engine)) === 0, 'the wait is over');
      await start(client, 'stopped');
      const { jobs } = await client.activateJobs({
        ...{
          type: 'is-stopped',
          worker: 'other',
          maxJobsToActivate: 1,
          timeout: 30_000,
        },
      });
      assert.deepEqual([jobs.length, taken], [1, []]);
    });

    test('stopGracefully lets a handler finish', async () => {
      await deploy(client, oneJob('drained', 'is-drained'));
      const events = new EventTarget();
      const go = once(events, 'go');
      let hasBegun = false;
      const worker = work(
        'is-drained',
        async (job) => {
          hasBegun = true;
          await go;
          return job.complete();
        },
        { pollTimeoutMs: 100, maxParallelJobs: 1 },
      );
      const key = await start(client, 'drained');
      await eventually(() => hasBegun, 'it has begun');
      const draining = worker.stopGracefully({ waitUpToMs: 20_000 });
      events.dispatchEvent(new Event('go'));
      assert.deepEqual(await draining, { remainingJobs: 0, timedOut: false });
      assert.equal(await stateOf(client, key), 'COMPLETED');
    });
  });

  test(`a restart of the server in the middle loses no job of the worker, on ${target.name}`, async () => {
    const database = await target.create();
    const settings = { SUTRA_EXTERNAL_TASK_RETRIES: '100' };
    let engine = await startCamunda8(await database.open(), settings);
    const port = new URL(engine.url).port;
    const client = clientFor(engine.url);
    try {
      await deploy(client, oneJob('surviving', 'survives'));
      const keys = await Promise.all(Array.from({ length: 60 }, () => start(client, 'surviving')));
      let done = 0;
      client.createJobWorker({
        ...{ jobType: 'survives', jobTimeoutMs: 2_000, maxParallelJobs: 5, pollIntervalMs: 50 },
        jobHandler: async (job) => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          done += 1;
          return job.complete();
        },
      });
      await eventually(() => done >= 15, 'some are done');
      await engine.stop();
      engine = await startCamunda8(await database.open(), { ...settings, SUTRA_HTTP_PORT: port });
      await eventually(() => allComplete(client, keys), 'all have completed');
    } finally {
      client.stopAllWorkers();
      await engine.stop();
      await database.drop();
    }
  });
}

/** Fetches that wait on this replica. */
async function waitingFetches(engine: TestEngine): Promise<number> {
  const text = await (await fetch(`${engine.url}/metrics`)).text();
  const line = /^sutra_fetches_waiting(?:\{[^}]*\})? (\d+)/m.exec(text);
  assert.ok(line !== null, 'the metric of waiting fetches');
  return Number(line[1]);
}
