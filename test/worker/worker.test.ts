/** The SDK against whole engines, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  BpmnError,
  NonRetryableError,
  RetryableError,
  TaskResult,
  Worker,
  type Handler,
  type WorkerOptions,
} from '../../worker/index.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';
import { eventsOf, nextEvent, pause } from './watching.ts';

const names = ['plain', 'declined', 'timed', 'text', 'bytes'];
const files = packageFiles({
  definitions: '<error id="e-DECLINED" errorCode="DECLINED"/>',
  channels: names
    .flatMap((name) => [
      `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`,
      `  - { name: ${name}-work, transport: pull${name === 'text' ? ', codec: text' : ''}${name === 'bytes' ? ', codec: bytes' : ''} }`,
    ])
    .join('\n'),
  processes: {
    plain: `${start('plain')}${call('work-it', 'plain-work')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`,
    declined: `${start('declined')}${call('work-it', 'declined-work')}<boundaryEvent id="caught" attachedToRef="work-it"><errorEventDefinition id="caught-error" errorRef="e-DECLINED"><extensionElements><q:caught code="code" message="why"/></extensionElements></errorEventDefinition></boundaryEvent><endEvent id="end"/><endEvent id="refused"/>${flows('start -> work-it', 'work-it -> end', 'caught -> refused')}`,
    timed: `${start('timed')}${call('work-it', 'timed-work', '<q:timeout duration="PT1.5S"/>')}<boundaryEvent id="late" attachedToRef="work-it"><timerEventDefinition id="late-t"><timeDuration>PT1H</timeDuration></timerEventDefinition></boundaryEvent><endEvent id="end"/>${flows('start -> work-it', 'work-it -> end', 'late -> end')}`,
    text: `${start('text')}${call('work-it', 'text-work')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`,
    bytes: `${start('bytes')}${call('work-it', 'bytes-work')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`,
  },
});

type Options = Partial<WorkerOptions>;

for (const target of testDatabases()) {
  describe(`a worker on ${target.name}`, { timeout: 120_000 }, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(files);
    });
    after(() => engine.stop());

    async function withWorker<Got>(
      channel: string,
      handler: Handler,
      act: (worker: Worker) => Promise<Got>,
      options: Options = {},
    ): Promise<Got> {
      const worker = new Worker({
        baseUrl: engine.url,
        channels: { [channel]: handler },
        drainTimeout: 'PT1S',
        log: () => undefined,
        ...options,
      });
      await worker.start();
      try {
        return await act(worker);
      } finally {
        await worker.stop();
      }
    }

    const begin = async (channel: string, body: unknown = {}): Promise<string> =>
      (await engine.post(`/channels/${channel}`, body)).body.instanceId;

    it('is ready without waiting for a task, and hands results over', async () => {
      await withWorker(
        'plain-work',
        (task) => ({ doubled: 2 * (task.body as { payload: { n: number } }).payload.n }),
        async (worker) => {
          await worker.ready();
          assert.equal(worker.health().healthy, true);
          const completed = nextEvent(worker, 'completed');
          const instance = await engine.ended(await begin('plain', { n: 21 }));
          assert.equal(instance.status, 'completed');
          assert.equal(instance.variables['doubled'], 42);
          const { task, status, outcome } = await completed;
          assert.deepEqual(
            [task.channel, task.attempts, status, outcome],
            ['plain-work', 1, 'COMPLETED', 'ACCEPTED'],
          );
        },
      );
    });

    it('claims no more than it can run, over all channels and on each', async () => {
      const running = { now: 0, most: 0 };
      const handler: Handler = async () => {
        running.now += 1;
        running.most = Math.max(running.most, running.now);
        await pause(20);
        running.now -= 1;
      };
      const instances = await Promise.all(Array.from({ length: 12 }, () => begin('plain')));
      await withWorker(
        'plain-work',
        handler,
        async () => {
          await Promise.all(instances.map((id) => engine.ended(id)));
        },
        { concurrency: 5, channels: { 'plain-work': { handler, maxTasks: 2 } } },
      );
      assert.equal(running.most, 2);
    });

    it('fails with a retry, and succeeds at the next attempt', async () => {
      const handler: Handler = (task) => {
        if (task.attempts === 1) throw new RetryableError('not yet', { retryAfter: 'PT0S' });
        return { attempts: task.attempts, retries: task.retries };
      };
      await withWorker('plain-work', handler, async (worker) => {
        const events = eventsOf(worker, ['failed', 'completed']);
        const { variables } = await engine.ended(await begin('plain'));
        assert.deepEqual([variables['attempts'], variables['retries']], [2, 2]);
        await events.until('completed');
        assert.deepEqual(events.names, ['failed', 'completed']);
      });
    });

    it('makes a task terminal with NonRetryableError', async () => {
      const handler: Handler = () => {
        throw new NonRetryableError('never');
      };
      await withWorker('plain-work', handler, async (worker) => {
        const failed = nextEvent(worker, 'failed');
        await begin('plain');
        const { status, retries } = await failed;
        assert.deepEqual([status, retries], ['TERMINAL', 0]);
      });
    });

    it('raises a BPMN error', async () => {
      const handler: Handler = () => {
        throw new BpmnError('DECLINED', { left: 3 }, 'no credit');
      };
      await withWorker('declined-work', handler, async (worker) => {
        const completed = nextEvent(worker, 'completed');
        const instance = await engine.ended(await begin('declined'));
        assert.equal(instance.status, 'completed');
        assert.deepEqual([instance.variables['code'], instance.variables['why']], ['DECLINED', 'no credit']);
        assert.equal((await completed).status, 'BPMN_ERROR');
      });
    });

    it('keeps a lock for as long as the work takes', async () => {
      await withWorker(
        'plain-work',
        async (_task, { signal }) => {
          await pause(2_500);
          assert.equal(signal.aborted, false);
          return { done: true };
        },
        async (worker) => {
          const completed = nextEvent(worker, 'completed');
          const id = await begin('plain');
          assert.equal((await completed).outcome, 'ACCEPTED');
          assert.equal((await engine.ended(id)).variables['done'], true);
        },
        { lockDuration: 'PT1S' },
      );
    });

    it('tells a handler that its task is withdrawn, through the extension of its lock', async () => {
      let reason: unknown;
      const handler: Handler = (_task, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason as Error);
          }),
        );
      await withWorker(
        'plain-work',
        handler,
        async (worker) => {
          const begun = nextEvent(worker, 'task');
          const lost = nextEvent(worker, 'lock-lost');
          const id = await begin('plain');
          await begun;
          await engine.post(`/sutra/instances/${id}/cancel`, { reason: 'test' });
          assert.equal((await lost).code, 'SUTRA.EXTERNAL_TASK.WITHDRAWN');
          assert.equal((reason as Error).name, 'WithdrawnError');
        },
        { lockDuration: 'PT1S' },
      );
    });

    it('carries progress and an extension', async () => {
      await withWorker(
        'plain-work',
        async (task, context) => {
          const before = context.lockExpiresAt.getTime();
          await context.extend('PT10M');
          assert.ok(context.lockExpiresAt.getTime() > before + 60_000);
          await context.progress({ done: 0.5 });
          const shown = (await engine.get(`/sutra/external-tasks/${task.id}`)).body as unknown as {
            progress: unknown;
          };
          return { shown: shown.progress };
        },
        async () => {
          const { variables } = await engine.ended(await begin('plain'));
          assert.deepEqual(variables['shown'], { done: 0.5 });
        },
      );
    });

    it('gives back at the end of its drain time what does not finish, with no retry spent', async () => {
      let reason: unknown;
      const handler: Handler = async (_task, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reason = signal.reason;
        throw new Error('interrupted');
      };
      const lost = await withWorker(
        'plain-work',
        handler,
        async (worker) => {
          const begun = nextEvent(worker, 'task');
          const ended = nextEvent(worker, 'lock-lost');
          await begin('plain');
          await begun;
          return { ended };
        },
        { drainTimeout: 'PT0.05S' },
      );
      const { reason: told } = await lost.ended;
      assert.deepEqual([(reason as Error).name, told.name], ['DrainError', 'DrainError']);
      const task = await engine.fetchTask('plain-work');
      assert.equal((task as unknown as { retries: number }).retries, 3);
      await engine.complete(task, {});
    });

    it('takes and gives text and bytes', async () => {
      const seen: unknown[] = [];
      const handler: Handler = (task) => {
        seen.push(task.body);
        return new TaskResult('ein Text', 'text/plain');
      };
      await withWorker('text-work', handler, async () => {
        await engine.ended(await begin('text', { a: 1 }));
      });
      const bytes: Handler = (task) => {
        seen.push(task.body);
        return new Uint8Array([0, 255, 1]);
      };
      await withWorker('bytes-work', bytes, async () => {
        const instance = await engine.ended(await begin('bytes', { a: 1 }));
        assert.equal(instance.status, 'completed', JSON.stringify(instance));
      });
      assert.equal(seen.length, 2);
    });
  });
}
