import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { explainRefusal } from '../../engine/store/external-tasks.ts';
import { fetchAndLock } from '../../engine/store/external-tasks-fetch.ts';
import type { FetchResult } from '../../engine/store/external-tasks-fetch.ts';
import {
  findReceipts,
  graceRejectedTasks,
  holdInstances,
  lockTasksForCompletion,
  taskExists,
} from '../../engine/store/external-tasks-settle.ts';
import type { Receipt } from '../../engine/store/external-tasks-settle.ts';
import { writeTurns } from '../../engine/store/turn-writes.ts';
import { clearTasks, query, seedTasks } from '../channels/pull/parked-tasks.ts';
import { testDatabases } from '../support/database.ts';
import { noWrites } from '../support/turn-writes.ts';

function fetchOne(database: Database, exceptIds: readonly string[] = []): Promise<FetchResult> {
  return fetchAndLock(database, {
    pairs: [{ channel: 'score', deploymentId: 'dep-1', wanted: 1 }],
    shares: [{ channel: 'score', group: 0, shareIndex: 0, shareCount: 1 }],
    slots: [{ group: 0, position: 1, workerId: 'w', tokenHash: Buffer.alloc(32, 1), lockDurationMs: 60_000 }],
    exceptIds,
    maxBodyBytes: 1e6,
    defaultLockDurationMs: 60_000,
    maxAttempts: null,
    incidentIds: [],
  });
}

function receipt(taskId: string, changes: Partial<Receipt> = {}): Receipt {
  return {
    taskId,
    generation: 1,
    completionId: 'c-1',
    outcome: 'completed',
    lockOwner: 'w',
    bodyHash: Buffer.alloc(32, 3),
    channel: 'score',
    instanceId: randomUUID(),
    ...changes,
  };
}

for (const target of testDatabases()) {
  describe(`settling external tasks on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    afterEach(() => clearTasks(database));

    test('a locked task is given with everything a completion judges, and goes with its receipt', async () => {
      const [id = ''] = await seedTasks(database);
      await fetchOne(database);
      await database.transaction(async (connection) => {
        const [task, ...others] = await lockTasksForCompletion(connection, [id, randomUUID()]);
        assert.equal(others.length, 0);
        assert.equal(task?.isLockCurrent, true);
        assert.equal(task?.lockOwner, 'w');
        assert.deepEqual(task?.lockTokenHash, Buffer.alloc(32, 1));
        assert.equal(task?.generation, 1);
        assert.equal(task?.idempotencyKey, id);
        assert.deepEqual(task?.body, Buffer.from('{"n":1}'));
        await writeTurns(connection, { ...noWrites, taskIds: [id], receipts: [receipt(id)] });
      });
      assert.deepEqual(await taskExists(database, [id]), new Set());
      assert.equal((await findReceipts(database, [id]))[0]?.outcome, 'completed');
    });

    test('a lock that expired is not current, nor is one that was never taken', async () => {
      const [free = ''] = await seedTasks(database, { visibleInMs: 60_000 });
      const [expired = ''] = await seedTasks(database);
      await fetchOne(database);
      await query(database, `UPDATE external_task SET visible_at = now() WHERE lock_owner IS NOT NULL`);
      await database.transaction(async (connection) => {
        const tasks = await lockTasksForCompletion(connection, [free, expired]);
        assert.deepEqual(
          tasks.map(({ isLockCurrent }) => isLockCurrent),
          [false, false],
        );
      });
    });

    test('what a rolled back turn settled is as it was', async () => {
      const [id = ''] = await seedTasks(database);
      await assert.rejects(
        database.transaction(async (connection) => {
          await writeTurns(connection, { ...noWrites, taskIds: [id] });
          throw new Error('the turn fails');
        }),
        /the turn fails/,
      );
      assert.deepEqual(await taskExists(database, [id]), new Set([id]));
    });

    test('the first receipt of an attempt stands, and the latest attempt comes first', async () => {
      const id = randomUUID();
      const receipts = [receipt(id), receipt(id, { generation: 2, outcome: 'rejected' })];
      await writeTurns(database, { ...noWrites, receipts });
      const later = receipt(id, { outcome: 'ignored', bodyHash: null });
      await writeTurns(database, { ...noWrites, receipts: [later] });
      const found = await findReceipts(database, [id, randomUUID()]);
      assert.deepEqual(
        found.map(({ generation, outcome }) => [generation, outcome]),
        [
          [2, 'rejected'],
          [1, 'completed'],
        ],
      );
      assert.deepEqual(found[1]?.bodyHash, Buffer.alloc(32, 3));
    });

    test('a grace lengthens a short lock, keeps a longer one, and locks nothing that is free', async () => {
      const [id = ''] = await seedTasks(database);
      const [free = ''] = await seedTasks(database, { channel: 'other' });
      await fetchOne(database);
      const left = async (): Promise<number> => {
        const [row] = await query<{ ms: number }>(
          database,
          `SELECT (EXTRACT(EPOCH FROM visible_at - now()) * 1000)::float8 AS ms FROM external_task WHERE id = $1::uuid`,
          [id],
        );
        return row?.ms ?? 0;
      };
      assert.equal(await graceRejectedTasks(database, [id, free], 1_000), 1);
      assert.ok((await left()) > 50_000);
      assert.equal(await graceRejectedTasks(database, [id], 120_000), 1);
      assert.ok((await left()) > 110_000);
      assert.equal(await explainRefusal(database, id, 'w', Buffer.alloc(32, 1)), 'HOLDS_LOCK');
    });

    test('a held instance is not fetched from, and what was let go is counted per channel', async () => {
      const instanceId = randomUUID();
      await seedTasks(database, { count: 2, instanceId });
      await query(
        database,
        `INSERT INTO timer (instance_id, wait_id, element_id, due_at) VALUES ($1::uuid, 1, 'e', now())`,
        [instanceId],
      );
      const held = () => query<{ held: boolean }>(database, 'SELECT held FROM timer');
      assert.deepEqual(await holdInstances(database, [instanceId], true), new Map([['score', 2]]));
      assert.deepEqual(await holdInstances(database, [instanceId], true), new Map());
      assert.deepEqual(await held(), [{ held: true }]);
      assert.deepEqual((await fetchOne(database)).tasks, []);
      assert.deepEqual(await holdInstances(database, [instanceId], false), new Map([['score', 2]]));
      assert.deepEqual(await held(), [{ held: false }]);
      assert.equal((await fetchOne(database)).tasks.length, 1);
    });

    // The embedded database has one connection: nothing runs beside a transaction there.
    if (target.name === 'postgresql') {
      test('a task that a turn holds is left out by another turn, and is contended for a fetch', async () => {
        const [held = ''] = await seedTasks(database, { visibleInMs: -1_000 });
        const [free = ''] = await seedTasks(database);
        await database.transaction(async (connection) => {
          assert.equal((await lockTasksForCompletion(connection, [held])).length, 1);
          await database.transaction(async (second) => {
            assert.deepEqual(await lockTasksForCompletion(second, [held]), []);
            assert.deepEqual(await taskExists(second, [held]), new Set([held]));
          });
          const first = await fetchOne(database);
          assert.deepEqual([first.tasks.length, first.contendedIds], [0, [held]]);
          const next = await fetchOne(database, first.contendedIds);
          assert.deepEqual(
            next.tasks.map(({ id }) => id),
            [free],
          );
        });
      });
    }
  });
}
