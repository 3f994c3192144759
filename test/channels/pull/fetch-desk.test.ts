import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineError } from '../../../config/engine-error.ts';
import { FetchDesk } from '../../../channels/pull/fetch-desk.ts';
import type { FetchDemand } from '../../../channels/pull/fetch-desk.ts';
import type { LockedTask } from '../../../channels/pull/claim-plan.ts';
import { silentLog, silentMeter } from '../../../engine/observe.ts';
import type { Database } from '../../../engine/store/database.ts';
import { parkTasks } from '../../../engine/store/external-tasks.ts';
import { reportFailure } from '../../../engine/store/external-tasks-failure.ts';
import { testDatabases } from '../../support/database.ts';
import { clearTasks, counted, query, seedOutbox, seedTasks } from './parked-tasks.ts';
import type { CountedDatabase } from './parked-tasks.ts';

const LONG_MS = 60_000;
const never = new AbortController().signal;
setMaxListeners(0, never);

for (const target of testDatabases()) {
  describe(`fetch desk on ${target.name}`, { timeout: 120_000 }, () => {
    let real: Database;
    let view: CountedDatabase;
    let desk: FetchDesk;

    before(async () => {
      real = await target.open();
    });
    after(() => real.close());
    afterEach(async () => {
      await desk.stop();
      await clearTasks(real);
    });

    function open(
      options: {
        tickMs?: number;
        maxWaiting?: number;
        maxBodyBytes?: number;
        channels?: readonly string[];
      } = {},
    ): void {
      const { channels = ['score'], ...rest } = options;
      view = counted(real);
      desk = new FetchDesk({
        database: view.database,
        defaultLockDurationMs: LONG_MS,
        maxAttempts: null,
        replicaId: 'here',
        meter: silentMeter,
        log: silentLog,
        tickMs: LONG_MS,
        ...rest,
      });
      desk.bind(channels.map((name) => ({ name, deploymentId: 'dep-1' })));
    }

    function fetch(demand: Partial<FetchDemand> = {}, signal = never): Promise<readonly LockedTask[]> {
      const whole = {
        workerId: 'w',
        channels: ['score'],
        maxTasks: 1,
        lockDurationMs: null,
        waitMs: LONG_MS,
        ...demand,
      };
      return desk.fetch(whole, signal);
    }

    /** As the relay does: park what is in the outbox, then tell the desk. */
    async function park(count: number, channel = 'score'): Promise<string[]> {
      const ids = await seedOutbox(real, { count, channel });
      desk.parked(await parkTasks(real, count));
      return ids;
    }

    const claims = (): number => view.counts.get('fetch_and_lock') ?? 0;

    test('a fetch takes what is there at once, and no more than maxTasks', async () => {
      open();
      const ids = await seedTasks(real, { count: 3 });
      const tasks = await fetch({ maxTasks: 2 });
      assert.deepEqual(
        tasks.map(({ id }) => id),
        ids.slice(0, 2),
      );
      assert.deepEqual(
        tasks.map(({ generation }) => generation),
        [1, 1],
      );
      assert.notEqual(tasks[0]?.lockToken, tasks[1]?.lockToken);
      assert.match(tasks[0]?.lockToken ?? '', /^[A-Za-z0-9_-]{43}$/);
    });

    test('a fetch with no time to wait looks once and answers nothing', async () => {
      open();
      assert.deepEqual(await fetch({ waitMs: 0 }), []);
      assert.equal(claims(), 1);
    });

    test('a fetch with no time to wait gets a task although an older fetch waits idle', async () => {
      open();
      const controller = new AbortController();
      const waiting = fetch({}, controller.signal);
      await view.next('fetch_and_lock');
      await seedTasks(real);
      assert.equal((await fetch({ waitMs: 0 })).length, 1);
      controller.abort();
      assert.deepEqual(await waiting, []);
    });

    test('the wait ends with nothing when its time is up', async () => {
      open();
      assert.deepEqual(await fetch({ waitMs: 30 }), []);
    });

    test('a channel that no live deployment has costs no statement until one does', async () => {
      open({ channels: [] });
      const waiting = fetch();
      await delay(20);
      assert.equal(claims(), 0);
      await seedTasks(real);
      desk.bind([{ name: 'score', deploymentId: 'dep-1' }]);
      assert.equal((await waiting).length, 1);
    });

    test('k parked tasks go to the k longest waiting fetches, in their order, and the others stay', async () => {
      open();
      const answers = new Map<number, string[]>();
      const waits = Array.from({ length: 10 }, (_, index) =>
        fetch({ workerId: `w${index}`, waitMs: LONG_MS }).then((tasks) => {
          if (tasks.length > 0)
            answers.set(
              index,
              tasks.map(({ id }) => id),
            );
        }),
      );
      // The first look may find what is parked before the desk is told of it.
      await view.next('next_visible_at');
      const before = claims();
      const ids = await park(3);
      await Promise.all(waits.slice(0, 3));
      await delay(20);
      assert.deepEqual(
        [...answers].sort(([left], [right]) => left - right),
        [0, 1, 2].map((index) => [index, [ids[index]]]),
      );
      assert.equal(desk.waitingCount, 7);
      assert.equal(claims() - before, 1);
      await desk.stop();
      await Promise.all(waits);
    });

    test('one thousand idle fetches and one parked task cause at most two claims', async () => {
      open();
      const waits = Array.from({ length: 1_000 }, (_, index) => fetch({ workerId: `w${index}` }));
      await view.next('next_visible_at');
      assert.ok(claims() <= 2, `${claims()} claims while going idle`);
      const before = claims();
      await park(1);
      assert.equal((await waits[0])?.length, 1);
      await delay(50);
      assert.ok(claims() - before <= 2, `${claims() - before} claims`);
      assert.equal(desk.waitingCount, 999);
      await desk.stop();
      const rest = await Promise.all(waits.slice(1));
      assert.ok(rest.every((tasks) => tasks.length === 0));
    });

    test('a claim that leaves tasks behind wakes further fetches', async () => {
      open();
      const waits = Array.from({ length: 20 }, () => fetch());
      await view.next('fetch_and_lock');
      // As when a doorbell was lost: twenty tasks, and one wake.
      await seedTasks(real, { count: 20 });
      desk.parked(new Map([['score', 1]]));
      const answers = await Promise.all(waits);
      assert.equal(new Set(answers.flat().map(({ id }) => id)).size, 20);
      assert.ok(claims() <= 8, `${claims()} claims`);
    });

    test('a fetch served on one of its channels leaves the wake of the other to the next', async () => {
      open({ channels: ['score', 'mail'] });
      const both = fetch({ channels: ['score', 'mail'] });
      await view.next('fetch_and_lock');
      const score = fetch({ channels: ['score'] });
      const mail = fetch({ channels: ['mail'] });
      await delay(20);
      await seedTasks(real, { channel: 'score', visibleInMs: -10 });
      await seedTasks(real, { channel: 'mail' });
      desk.parked(
        new Map([
          ['score', 1],
          ['mail', 1],
        ]),
      );
      const first = await both;
      assert.equal(first.length, 1);
      assert.equal((await (first[0]?.channel === 'score' ? mail : score)).length, 1);
    });

    test('priority goes before age', async () => {
      open();
      const [low] = await seedTasks(real, { priority: 1, visibleInMs: -1_000 });
      const [high] = await seedTasks(real, { priority: 5 });
      const tasks = await fetch({ maxTasks: 2 });
      assert.deepEqual(
        tasks.map(({ id }) => id),
        [high, low],
      );
    });

    test('a deployment with a thousand tasks does not starve one with a single task', async () => {
      open();
      desk.bind(['dep-1', 'dep-2'].map((deploymentId) => ({ name: 'score', deploymentId })));
      await seedTasks(real, { count: 1_000, visibleInMs: -10_000 });
      const [single] = await seedTasks(real, { deploymentId: 'dep-2' });
      const tasks = await fetch({ maxTasks: 2 });
      assert.ok(tasks.some(({ id }) => id === single));
    });

    test('fetches of one moment are claimed in one statement and shared out in turn', async () => {
      open();
      await seedTasks(real, { count: 6 });
      const answers = await Promise.all([
        fetch({ maxTasks: 5 }),
        fetch({ maxTasks: 1 }),
        fetch({ maxTasks: 5 }),
      ]);
      assert.deepEqual(
        answers.map(({ length }) => length),
        [3, 1, 2],
      );
      assert.equal(claims(), 1);
    });

    test('fetches with overlapping channels never share a task and leave none behind', async () => {
      const channels = ['a', 'b', 'c'];
      open({ channels });
      for (const channel of channels) await seedTasks(real, { count: 10, channel });
      const sets = [['a'], ['a', 'b'], ['b', 'c'], ['c', 'a'], ['a', 'b', 'c'], ['b']];
      const ids: string[] = [];
      while (ids.length < 30) {
        const rounds = await Promise.all(sets.map((set) => fetch({ channels: set, maxTasks: 2, waitMs: 0 })));
        for (const [index, tasks] of rounds.entries()) {
          for (const task of tasks) assert.ok(sets[index]?.includes(task.channel));
        }
        const taken = rounds.flat().map(({ id }) => id);
        assert.ok(taken.length > 0, 'a round took nothing although tasks were left');
        ids.push(...taken);
      }
      assert.equal(new Set(ids).size, 30);
    });

    test('an expired lock wakes a waiting fetch, without polling', async () => {
      open();
      await seedTasks(real);
      assert.equal((await fetch({ lockDurationMs: 300 })).length, 1);
      const startedAt = performance.now();
      const [again] = await fetch();
      assert.equal(again?.generation, 2);
      assert.ok(performance.now() - startedAt < 5_000, `${performance.now() - startedAt} ms`);
      assert.ok(claims() <= 3, `${claims()} claims`);
      assert.ok((view.counts.get('next_visible_at') ?? 0) <= 4);
    });

    test('an elapsed retry time wakes a waiting fetch, also when another replica set it', async () => {
      open();
      await seedTasks(real);
      const [task] = await fetch();
      assert.ok(task);
      await reportFailure(real, {
        taskId: task.id,
        workerId: 'w',
        tokenHash: task.tokenHash,
        retries: null,
        retryTimeoutMs: 200,
        defaultRetryTimeoutMs: 1,
        errorMessage: 'x',
        errorDetails: null,
        incidentId: task.id,
      });
      const startedAt = performance.now();
      const [again] = await fetch();
      assert.equal(again?.retries, 2);
      assert.ok(performance.now() - startedAt < 5_000, `${performance.now() - startedAt} ms`);
    });

    test('a lost doorbell costs at most a tick', async () => {
      open({ tickMs: 100 });
      const waiting = fetch();
      await view.next('fetch_and_lock');
      await view.next('next_visible_at');
      await seedTasks(real);
      assert.equal((await waiting).length, 1);
    });

    test('a client that hangs up while it waits is dropped, and its wake goes to the next', async () => {
      open();
      const controller = new AbortController();
      const first = fetch({}, controller.signal);
      await view.next('fetch_and_lock');
      const second = fetch();
      controller.abort();
      assert.deepEqual(await first, []);
      const [id] = await park(1);
      assert.deepEqual(
        (await second).map((task) => task.id),
        [id],
      );
      const rows = await query<{ generation: number }>(real, 'SELECT generation FROM external_task');
      assert.deepEqual(rows, [{ generation: 1 }]);
    });

    test('a client that hangs up between lock and answer has its lock released at once', async () => {
      open();
      const [id] = await seedTasks(real);
      const controller = new AbortController();
      view.before = async (name) => {
        if (name === 'fetch_and_lock') controller.abort();
      };
      assert.deepEqual(await fetch({}, controller.signal), []);
      view.before = null;
      const [task] = await fetch();
      assert.equal(task?.id, id);
      assert.equal(task?.generation, 2);
    });

    test('tasks that could not be written are released and wake another fetch', async () => {
      open();
      const [id] = await seedTasks(real);
      const tasks = await fetch();
      const waiting = fetch({ workerId: 'other' });
      await view.next('fetch_and_lock');
      await desk.release(tasks);
      assert.deepEqual(
        (await waiting).map((task) => task.id),
        [id],
      );
    });

    test('stopping answers every waiting fetch with nothing, and fetches after it too', async () => {
      open();
      const waits = [fetch(), fetch({ channels: ['other'] }), fetch()];
      await view.next('fetch_and_lock');
      await desk.stop();
      assert.deepEqual(await Promise.all([...waits, fetch()]), [[], [], [], []]);
      assert.equal(desk.waitingCount, 0);
    });

    test('a fetch that is being claimed for while the desk stops keeps its tasks', async () => {
      open();
      await seedTasks(real);
      const stops: Promise<void>[] = [];
      view.before = async () => {
        stops.push(desk.stop());
      };
      assert.equal((await fetch()).length, 1);
      await Promise.all(stops);
    });

    test('one fetch more than the desk holds is refused with its limit', async () => {
      open({ maxWaiting: 2 });
      const waits = [fetch(), fetch()];
      await assert.rejects(fetch(), (error: unknown) => {
        assert.ok(error instanceof EngineError);
        assert.equal(error.code, 'SUTRA.EXTERNAL_TASK.CAPACITY');
        assert.equal(error.attributes['limit'], 2);
        return true;
      });
      await desk.stop();
      await Promise.all(waits);
    });

    test('a failing claim fails its own fetches only, twice, and the next fetch works', async () => {
      open({ tickMs: 200 });
      const idle = fetch({ workerId: 'idle' });
      await view.next('fetch_and_lock');
      await seedTasks(real, { count: 2 });
      const outage = new EngineError('SUTRA.PERSISTENCE_UNAVAILABLE', 'gone');
      view.failure = { name: 'fetch_and_lock', error: outage };
      await assert.rejects(fetch({ waitMs: 0 }), outage);
      await assert.rejects(fetch({ waitMs: 0 }), outage);
      view.failure = null;
      assert.equal((await fetch({ waitMs: 0 })).length, 1);
      assert.equal((await idle).length, 1);
    });

    test('failing looks do not end the ticking', async () => {
      open({ tickMs: 50 });
      const idle = fetch();
      await view.next('fetch_and_lock');
      view.failure = { name: 'next_visible_at', error: new Error('gone') };
      while ((view.counts.get('next_visible_at') ?? 0) < 2) await delay(5);
      view.failure = null;
      await seedTasks(real);
      assert.equal((await idle).length, 1);
    });

    test('a lock lost in a crashed claim is a lock that expires', async () => {
      open();
      await seedTasks(real);
      const crash = new Error('the answer was lost');
      view.before = async (name) => {
        if (name !== 'fetch_and_lock') return;
        view.before = null;
        await query(
          real,
          `UPDATE external_task SET lock_owner = 'w', lock_token_hash = '\\x00', generation = 1,
          visible_at = now() + interval '200 milliseconds'`,
        );
        view.failure = { name: 'fetch_and_lock', error: crash };
      };
      await assert.rejects(fetch(), crash);
      view.failure = null;
      assert.equal((await fetch())[0]?.generation, 2);
    });

    test('a claim takes no more bodies than its bound, and the rest is served next', async () => {
      open({ maxBodyBytes: 2_000 });
      await seedTasks(real, { count: 5, body: JSON.stringify('x'.repeat(1_000)) });
      const answers = await Promise.all(Array.from({ length: 5 }, () => fetch()));
      assert.equal(new Set(answers.flat().map(({ id }) => id)).size, 5);
      assert.ok(claims() >= 2);
    });
  });
}
