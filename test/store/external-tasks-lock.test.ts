/** What the statements about one lock cost, and what they leave alone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Connection, Database } from '../../engine/store/database.ts';
import { extendLock, lockTask, noteProgress, unlockTask } from '../../engine/store/external-tasks-lock.ts';
import { testDatabases } from '../support/database.ts';
import { clearTasks, query, seedTasks } from '../channels/pull/parked-tasks.ts';

const tokenHash = Buffer.alloc(32, 1);

for (const target of testDatabases()) {
  describe(`the statements about a lock on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    /** How many rows `work` updated, and how many of them without writing an index. */
    async function updates(work: (connection: Connection) => Promise<unknown>): Promise<unknown> {
      return database.transaction(async (connection) => {
        // What this connection did before may still be counted with it.
        const before = await counts(connection);
        await work(connection);
        const after = await counts(connection);
        return after.map((count, index) => count - (before[index] ?? 0));
      });
    }

    async function counts(connection: Connection): Promise<readonly number[]> {
      const statement = {
        name: 'test_updates',
        text: `SELECT pg_stat_get_xact_tuples_updated('external_task'::regclass)::integer AS updated,
          pg_stat_get_xact_tuples_hot_updated('external_task'::regclass)::integer AS heap_only`,
      };
      const [row] = await connection.run<{ updated: number; heap_only: number }>(statement, []);
      return [row?.updated ?? 0, row?.heap_only ?? 0];
    }

    it('a note of progress writes no index, an extension does', async () => {
      const [id = ''] = await seedTasks(database);
      const claimant = { taskId: id, workerId: 'w', tokenHash };
      await lockTask(database, { taskId: id, workerId: 'w', tokenHash, lockDurationMs: 60_000 });
      assert.deepEqual(await updates((connection) => noteProgress(connection, claimant, '1')), [1, 1]);
      assert.deepEqual(await updates((connection) => extendLock(connection, claimant, 60_000)), [1, 0]);
      await clearTasks(database);
    });

    it('who does not hold the lock updates nothing', async () => {
      const [id = ''] = await seedTasks(database);
      await lockTask(database, { taskId: id, workerId: 'w', tokenHash, lockDurationMs: 60_000 });
      const strangers = [
        { taskId: id, workerId: 'other', tokenHash: null },
        { taskId: id, workerId: 'w', tokenHash: Buffer.alloc(32, 2) },
        { taskId: id, workerId: 'other', tokenHash },
      ];
      const before = await query(database, 'SELECT xmin::text AS version FROM external_task');
      for (const stranger of strangers) {
        assert.equal(await extendLock(database, stranger, 1_000), null);
        assert.equal(await noteProgress(database, stranger, '1'), null);
        assert.equal(await unlockTask(database, stranger), null);
      }
      assert.deepEqual(await query(database, 'SELECT xmin::text AS version FROM external_task'), before);
      await clearTasks(database);
    });

    it('a note is kept as it was written, whatever jsonb would make of it', async () => {
      const [id = ''] = await seedTasks(database);
      await lockTask(database, { taskId: id, workerId: 'w', tokenHash, lockDurationMs: 60_000 });
      const note = '{"b":1.50,"a":"\\u0000","b":12345678901234567890.0}';
      await noteProgress(database, { taskId: id, workerId: 'w', tokenHash: null }, note);
      assert.deepEqual(await query(database, 'SELECT progress FROM external_task'), [{ progress: note }]);
      await clearTasks(database);
    });
  });
}
