/**
 * Two workers, under ids of their own or one that they share, do whatever comes to their minds with a few tasks. A model of
 * ten lines says what each call must answer; above all, that a lock is never held by two.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { testDatabases } from '../../support/database.ts';
import { TestEngine } from '../../support/engine.ts';
import { simpleOrder } from '../../support/packages.ts';
import { clearTasks, query, seedTasks } from './parked-tasks.ts';

const TASK_COUNT = 3;
const LONG = 'PT10M';

interface Held {
  readonly id: string;
  readonly lockToken: string;
}

/** What the model knows of a task: whose lock is current, or why there is none. */
interface Modelled {
  state: 'free' | 'locked' | 'terminal' | 'withdrawn' | 'completed';
  holder: number | null;
  token: string | null;
  attempts: number;
  retries: number;
}

type Verb = 'fetch' | 'extend-lock' | 'unlock' | 'failure' | 'progress' | 'complete' | 'expire' | 'discard';

interface Step {
  readonly verb: Verb;
  readonly worker: number;
  readonly task: number;
  /** Whether the call carries the token of the worker's latest lock of the task. */
  readonly hasToken: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    verb: fc.constantFrom<Verb>(
      ...([
        'fetch',
        'fetch',
        'extend-lock',
        'unlock',
        'failure',
        'progress',
        'complete',
        'expire',
        'discard',
      ] as const),
    ),
    worker: fc.integer({ min: 0, max: 1 }),
    task: fc.integer({ min: 0, max: TASK_COUNT - 1 }),
    hasToken: fc.boolean(),
  }),
  { minLength: 5, maxLength: 40 },
);

const bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'extend-lock': { lockDuration: LONG },
  unlock: {},
  failure: { errorMessage: 'x', retryTimeout: 'PT0S' },
  progress: { progress: 1 },
  complete: { result: {} },
};

for (const target of testDatabases()) {
  describe(`two workers on ${target.name}`, { timeout: 240_000 }, () => {
    let engine: TestEngine;
    let deploymentId: string;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      deploymentId = await engine.deploy(simpleOrder());
    });
    after(() => engine.stop());

    async function run(names: readonly string[], plan: readonly Step[]): Promise<void> {
      const { database } = engine.engine;
      await clearTasks(database);
      for (let count = 0; count < TASK_COUNT; count += 1) await engine.post('/channels/orders', {});
      const ids = (await engine.get('/sutra/external-tasks')).body.tasks.map(({ id }) => id);
      assert.equal(ids.length, TASK_COUNT);
      const model = new Map<string, Modelled>(
        ids.map((id) => [id, { state: 'free', holder: null, token: null, attempts: 0, retries: 3 }]),
      );
      const latest: readonly [Map<string, Held>, Map<string, Held>] = [
        new Map<string, Held>(),
        new Map<string, Held>(),
      ];

      const fetch = async (worker: number): Promise<void> => {
        const tasks = await engine.fetchTasks('work', {
          workerId: names[worker],
          maxTasks: 1,
          lockDuration: LONG,
          asyncResponseTimeout: 'PT0S',
        });
        const free = [...model.values()].filter(({ state }) => state === 'free');
        assert.equal(tasks.length, Math.min(free.length, 1), 'a free task is fetched, a locked one is not');
        for (const { id, lockToken, attempts } of tasks) {
          const task = model.get(id);
          assert.ok(task?.state === 'free', `${id} was ${String(task?.state)}`);
          Object.assign(task, { state: 'locked', holder: worker, token: lockToken });
          task.attempts += 1;
          assert.equal(attempts, task.attempts, 'every lock is an attempt of its own');
          latest[worker === 0 ? 0 : 1].set(id, { id, lockToken });
        }
      };

      const expected = (task: Modelled, worker: number, token: string | null, verb: Verb): string => {
        const isHolder = names[task.holder ?? 0] === names[worker];
        // Its own completion, repeated: the answer says so.
        if (task.state === 'completed') return verb === 'complete' && isHolder ? 'OK' : 'NOT_FOUND';
        if (task.state === 'withdrawn') return 'WITHDRAWN';
        if (task.state === 'terminal') return 'TERMINAL';
        if (task.state === 'free') return 'LOCK_LOST';
        if (!isHolder) return 'LOCK_HELD';
        return token !== null && token !== task.token ? 'LOCK_HELD' : 'OK';
      };

      const tell = async ({ verb, worker, hasToken }: Step, id: string, task: Modelled): Promise<void> => {
        const token = hasToken ? (latest[worker === 0 ? 0 : 1].get(id)?.lockToken ?? 'of no lock') : null;
        const wanted = expected(task, worker, token, verb);
        const answer = await engine.post(`/sutra/external-tasks/${id}/${verb}`, {
          workerId: names[worker],
          ...(token === null ? {} : { lockToken: token }),
          ...bodies[verb],
        });
        const said = answer.status === 200 ? 'OK' : answer.body.code.split('.').at(-1);
        assert.equal(said, wanted, `${verb} of ${JSON.stringify(task)}`);
        if (said !== 'OK') return;
        if (verb === 'failure') {
          task.retries -= 1;
          task.state = task.retries === 0 ? 'terminal' : 'free';
        } else if (verb === 'unlock') {
          task.state = 'free';
        } else if (verb === 'complete') {
          assert.equal(answer.body.outcome, task.state === 'completed' ? 'DUPLICATE' : 'ACCEPTED');
          task.state = 'completed';
        }
      };

      for (const step of plan) {
        const id = ids[step.task] ?? '';
        const task = model.get(id);
        assert.ok(task);
        if (step.verb === 'fetch') {
          await fetch(step.worker);
        } else if (step.verb === 'expire') {
          if (task.state !== 'locked') continue;
          await query(
            database,
            `UPDATE external_task SET visible_at = now() - interval '1 second' WHERE id = $1::uuid`,
            [id],
          );
          task.state = 'free';
        } else if (step.verb === 'discard') {
          const { status } = await engine.call('DELETE', `/admin/external-tasks/${id}`);
          const isGone = task.state === 'completed';
          assert.equal(status, isGone ? 404 : task.state === 'withdrawn' ? 409 : 200);
          if (!isGone) task.state = 'withdrawn';
        } else {
          await tell(step, id, task);
        }
        await agrees(ids, model);
      }
    }

    /** What operators see is what the model says. */
    async function agrees(ids: readonly string[], model: ReadonlyMap<string, Modelled>): Promise<void> {
      const { body } = await engine.get('/sutra/external-tasks');
      const rows = body.tasks as unknown as readonly {
        readonly id: string;
        readonly state: string;
        readonly lockOwner: string | null;
        readonly retries: number;
      }[];
      for (const id of ids) {
        const task = model.get(id);
        const row = rows.find((other) => other.id === id);
        if (task?.state === 'withdrawn' || task?.state === 'completed') assert.equal(row, undefined);
        else {
          assert.equal(row?.retries, task?.retries, 'an extension, an unlock and an expiry spend nothing');
          assert.equal(row?.state, task?.state === 'terminal' ? 'failed' : 'open');
          assert.equal(row?.lockOwner !== null, task?.state === 'locked');
        }
      }
    }

    it('of different ids do only what the model allows', async () => {
      await fc.assert(
        fc.asyncProperty(steps, (plan) => run(['one', 'two'], plan)),
        { numRuns: 25 },
      );
    });

    it('that share an id are told apart by their tokens', async () => {
      await fc.assert(
        fc.asyncProperty(steps, (plan) => run(['same', 'same'], plan)),
        { numRuns: 25 },
      );
    });

    it('at the same moment never both hold a task', async () => {
      const { database } = engine.engine;
      const moves = fc.array(fc.constantFrom('extend-lock', 'unlock', 'failure', 'progress'), {
        minLength: 2,
        maxLength: 6,
      });
      await fc.assert(
        fc.asyncProperty(moves, moves, async (...plans) => {
          await clearTasks(database);
          const [id = ''] = await seedTasks(database, { channel: 'work', deploymentId, retries: 1_000 });
          let holders = 0;
          const work = async (name: string, moves: readonly string[]): Promise<void> => {
            for (const verb of moves) {
              const [task] = await engine.fetchTasks('work', { workerId: name, lockDuration: LONG });
              assert.equal(task?.id, id);
              holders += 1;
              assert.equal(holders, 1, 'nobody else holds it');
              const proof = { workerId: name, lockToken: task.lockToken };
              const isOver = verb === 'unlock' || verb === 'failure';
              // Before the call: once it is done, the other may hold the task before this one hears of it.
              if (isOver) holders -= 1;
              const answer = await engine.post(`/sutra/external-tasks/${id}/${verb}`, {
                ...proof,
                ...bodies[verb],
              });
              assert.equal(answer.status, 200, JSON.stringify(answer.body));
              if (isOver) continue;
              holders -= 1;
              assert.equal((await engine.post(`/sutra/external-tasks/${id}/unlock`, proof)).status, 200);
            }
          };
          await Promise.all([work('one', plans[0]), work('two', plans[1])]);
        }),
        { numRuns: 10 },
      );
    });
  });
}
