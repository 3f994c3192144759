/** Two desks over one database, each with its own connections where the database allows more than one. */
import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { after, afterEach, before, describe, test } from 'node:test';
import type { LockedTask } from '../../../channels/pull/claim-plan.ts';
import { FetchDesk } from '../../../channels/pull/fetch-desk.ts';
import type { FetchDemand } from '../../../channels/pull/fetch-desk.ts';
import { LockOperations } from '../../../channels/pull/lock-operations.ts';
import { silentLog, silentMeter } from '../../../engine/observe.ts';
import type { Database } from '../../../engine/store/database.ts';
import { parkTasks } from '../../../engine/store/external-tasks.ts';
import { writeTurns } from '../../../engine/store/turn-writes.ts';
import { testDatabases } from '../../support/database.ts';
import type { TestDatabase } from '../../support/database.ts';
import { testSettings } from '../../server/fixture.ts';
import { noWrites } from '../../support/turn-writes.ts';
import { clearTasks, query, seedOutbox, seedTasks } from './parked-tasks.ts';

const LONG_MS = 60_000;
const never = new AbortController().signal;
setMaxListeners(0, never);

/** A small generator with a printed seed: the same seed gives the same race, as far as races go. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

for (const target of testDatabases()) {
  describe(`two replicas on ${target.name}`, { timeout: 180_000 }, () => {
    let created: TestDatabase;
    let databases: readonly Database[];
    let desks: readonly FetchDesk[];

    before(async () => {
      created = await target.create();
      const first = await created.open();
      databases = [first, target.name === 'postgresql' ? await created.open() : first];
    });
    after(async () => {
      for (const database of new Set(databases)) await database.close();
      await created.drop();
    });
    afterEach(async () => {
      await Promise.all(desks.map((desk) => desk.stop()));
      await clearTasks(first());
    });

    const first = (): Database => {
      const [database] = databases;
      assert.ok(database);
      return database;
    };

    async function openDesks(tickMs: number, channels: readonly string[] = ['a', 'b']): Promise<void> {
      desks = databases.map(
        (database, index) =>
          new FetchDesk({
            database,
            defaultLockDurationMs: LONG_MS,
            maxAttempts: null,
            replicaId: `replica-${index}`,
            meter: silentMeter,
            log: silentLog,
            tickMs,
          }),
      );
      for (const desk of desks) {
        desk.bind(
          channels.flatMap((name) => ['dep-1', 'dep-2'].map((deploymentId) => ({ name, deploymentId }))),
        );
        await desk.start();
      }
    }

    function fetch(replica: number, demand: Partial<FetchDemand>): Promise<readonly LockedTask[]> {
      const desk = desks[replica];
      assert.ok(desk);
      return desk.fetch(
        { workerId: 'w', channels: ['a'], maxTasks: 1, lockDurationMs: null, waitMs: LONG_MS, ...demand },
        never,
      );
    }

    test('a task that its worker gives back goes to a fetch that waits on the other replica', async () => {
      await openDesks(LONG_MS);
      const [desk] = desks;
      assert.ok(desk);
      const [id = ''] = await seedTasks(first(), { channel: 'a' });
      const [mine] = await fetch(0, { workerId: 'one' });
      assert.equal(mine?.id, id);
      // The embedded database has one replica, which rings no doorbell.
      const waiting = fetch(target.name === 'postgresql' ? 1 : 0, { workerId: 'two' });
      // Its first look has found nothing, or it looks while the task is given back; in both cases it gets the task.
      await new Promise((resolve) => setTimeout(resolve, 200));
      const locks = new LockOperations({
        database: first(),
        settings: testSettings.externalTask,
        desk,
        writeJson: JSON.stringify,
        meter: silentMeter,
        log: silentLog,
      });
      const answer = await locks.unlock(id, { workerId: 'one', lockToken: mine.lockToken });
      assert.equal(answer.status, 'PENDING');
      assert.deepEqual(
        (await waiting).map((task) => [task.id, task.generation]),
        [[id, 2]],
      );
    });

    const taskCount = 600;
    for (const seed of [1, 2, 3]) {
      test(`no task goes to two fetches and none is lost, seed ${seed}`, async () => {
        await openDesks(200);
        const random = randomOf(seed);
        const handed = new Map<string, number>();
        let isDone = false;
        const worker = async (index: number): Promise<void> => {
          const sets = [['a'], ['b'], ['a', 'b']];
          while (!isDone) {
            const channels = sets[Math.floor(random() * sets.length)] ?? ['a'];
            const demand = {
              workerId: `w${index}`,
              channels,
              maxTasks: 1 + Math.floor(random() * 5),
              waitMs: 300,
            };
            const tasks = await fetch(index % 2, demand);
            for (const { id, channel } of tasks) {
              assert.ok(channels.includes(channel));
              handed.set(id, (handed.get(id) ?? 0) + 1);
            }
            if (random() < 0.1) {
              // Hung up before the answer was written: these come back, and only these.
              for (const { id } of tasks) handed.set(id, (handed.get(id) ?? 0) - 1);
              await desks[index % 2]?.release(tasks);
            } else {
              const ids = tasks.map(({ id }) => id);
              await writeTurns(first(), { ...noWrites, taskIds: ids });
            }
            isDone ||= [...handed.values()].filter((count) => count > 0).length === taskCount;
          }
        };
        const workers = Array.from({ length: 12 }, (_, index) => worker(index));
        const parker = async (): Promise<void> => {
          for (let parked = 0; parked < taskCount; parked += 30) {
            const deploymentId = random() < 0.3 ? 'dep-2' : 'dep-1';
            await seedOutbox(first(), { count: 20, channel: 'a', deploymentId });
            await seedOutbox(first(), { count: 10, channel: 'b', priority: Math.floor(random() * 3) });
            const replica = random() < 0.5 ? 0 : 1;
            desks[replica]?.parked(await parkTasks(databases[replica] ?? first(), 100));
          }
        };
        await Promise.all([parker(), ...workers]);
        assert.ok(
          [...handed.values()].every((count) => count === 1),
          'a task was handed out twice at a time',
        );
        assert.deepEqual(await query(first(), 'SELECT id FROM external_task'), []);
      });
    }

    // On the embedded database there is one replica, and no doorbell.
    if (target.name === 'postgresql') {
      test('a task parked on one replica wakes a fetch that waits on the other, long before the tick', async () => {
        await openDesks(LONG_MS);
        const waiting = fetch(1, {});
        while (desks[1]?.waitingCount !== 1) await new Promise(setImmediate);
        await fetch(1, { waitMs: 0, channels: ['b'] });
        await seedOutbox(first());
        await query(first(), `UPDATE outbox SET channel = 'a'`);
        desks[0]?.parked(await parkTasks(first(), 1));
        assert.equal((await waiting).length, 1);
      });

      test('what the waiting fetches of its own replica take is not rung on', async () => {
        await openDesks(LONG_MS);
        const rings: string[] = [];
        const silence = await databases[1]?.listen('sutra_tasks_parked', (payload) => rings.push(payload));
        const waits = [fetch(0, {}), fetch(0, {})];
        await fetch(0, { channels: ['b'], waitMs: 0 });
        const park = async (count: number): Promise<void> => {
          await seedOutbox(first(), { count, channel: 'a' });
          desks[0]?.parked(await parkTasks(first(), count));
        };
        await park(2);
        await Promise.all(waits);
        await park(3);
        while (rings.length === 0) await new Promise(setImmediate);
        await silence?.();
        assert.deepEqual(
          rings.map((text) => JSON.parse(text) as unknown),
          [{ replica: 'replica-0', counts: [['a', 3]] }],
        );
      });

      test('noise on the doorbell is ignored', async () => {
        await openDesks(LONG_MS);
        const waiting = fetch(0, {});
        await fetch(0, { channels: ['b'], waitMs: 0 });
        for (const noise of [
          '',
          'x',
          '[]',
          '{"replica":1,"counts":[]}',
          '{"replica":"x","counts":[["a",-1]]}',
          '{"replica":"x","counts":[3]}',
        ]) {
          await first().notify('sutra_tasks_parked', noise);
        }
        await seedTasks(first(), { channel: 'a' });
        await first().notify('sutra_tasks_parked', '{"replica":"x","counts":[["a",1]]}');
        assert.equal((await waiting).length, 1);
      });

      test('a row that another transaction holds is passed over, not waited for', async () => {
        await openDesks(50);
        await seedTasks(first(), { channel: 'a', visibleInMs: -10 });
        await seedTasks(first(), { channel: 'a' });
        await first().transaction(async (connection) => {
          await connection.run(
            { name: '', text: 'SELECT id FROM external_task ORDER BY visible_at LIMIT 1 FOR UPDATE' },
            [],
          );
          assert.equal((await fetch(1, { maxTasks: 2, waitMs: 0 })).length, 1);
          assert.deepEqual(await fetch(1, { waitMs: 0 }), []);
        });
        assert.equal((await fetch(1, {})).length, 1, 'and taken when it is let go');
      });
    }
  });
}
