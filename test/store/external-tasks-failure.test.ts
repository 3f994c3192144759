import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import {
  reportFailure,
  reportFailures,
  type TaskFailure,
} from '../../engine/store/external-tasks-failure.ts';
import { clearTasks, query, seedTasks } from '../channels/pull/parked-tasks.ts';
import { testDatabases } from '../support/database.ts';

function failure(taskId: string, changes: Partial<TaskFailure> = {}): TaskFailure {
  return {
    taskId,
    workerId: 'w',
    tokenHash: null,
    retries: null,
    retryTimeoutMs: null,
    defaultRetryTimeoutMs: 10_000,
    errorMessage: 'x',
    errorDetails: null,
    incidentId: randomUUID(),
    ...changes,
  };
}

for (const target of testDatabases()) {
  describe(`failures of many tasks on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    afterEach(() => clearTasks(database));

    async function lockedTasks(count: number): Promise<string[]> {
      const ids = await seedTasks(database, { count });
      await query(
        database,
        `UPDATE external_task SET lock_owner = 'w', lock_token_hash = '\\x01', locked_at = now(), generation = 1,
           visible_at = now() + interval '1 minute'`,
      );
      return ids;
    }

    test('are kept in one statement, each with its own budget, delay and texts', async () => {
      const [first = '', second = '', third = ''] = await lockedTasks(3);
      const before = database.statementCount();
      const failed = await reportFailures(database, [
        failure(third, { retries: 0, errorMessage: 'third' }),
        failure(first, { retryTimeoutMs: 500, errorMessage: 'first', errorDetails: 'why' }),
        failure(second, { retries: 9, tokenHash: Buffer.from([1]), errorMessage: 'second' }),
      ]);
      assert.equal(database.statementCount() - before, 1);
      const shown = [first, second, third].map((id) => {
        const { taskId, retries, isTerminal, delayMs } = failed.get(id) ?? {};
        return [taskId, retries, isTerminal, delayMs];
      });
      assert.deepEqual(shown, [
        [first, 2, false, 500],
        [second, 9, false, 10_000],
        [third, 0, true, 10_000],
      ]);
      const rows = await query(
        database,
        `SELECT id, state, last_error AS error, last_error_details AS details, lock_owner AS owner,
           visible_at > now() + interval '1 second' AS late FROM external_task ORDER BY id`,
      );
      assert.deepEqual(rows, [
        { id: first, state: 'open', error: 'first', details: 'why', owner: null, late: false },
        { id: second, state: 'open', error: 'second', details: null, owner: null, late: true },
        { id: third, state: 'failed', error: 'third', details: null, owner: null, late: true },
      ]);
      const incidents = await query(database, 'SELECT subject_id AS id, message FROM incident');
      assert.deepEqual(incidents, [{ id: third, message: 'third' }]);
    });

    test('leave alone what their worker does not hold', async () => {
      const [held = '', stolen = '', expired = '', terminal = '', later = ''] = await lockedTasks(5);
      await query(database, `UPDATE external_task SET lock_owner = 'other' WHERE id = $1::uuid`, [stolen]);
      await query(database, 'UPDATE external_task SET visible_at = now() WHERE id = $1::uuid', [expired]);
      await reportFailure(database, failure(terminal, { retries: 0 }));
      const failed = await reportFailures(database, [
        failure(stolen),
        failure(held),
        failure(expired),
        failure(terminal),
        failure(later, { tokenHash: Buffer.from([2]) }),
        failure(randomUUID()),
      ]);
      assert.deepEqual([...failed.keys()], [held]);
    });

    if (target.name === 'postgresql') {
      test('leave alone what a turn has locked, and wait for nobody', async () => {
        const [locked = '', free = ''] = await lockedTasks(2);
        await database.transaction(async (turn) => {
          const text = 'SELECT id FROM external_task WHERE id = $1::uuid FOR UPDATE';
          await turn.run({ name: 'test_lock_task', text }, [locked]);
          const failed = await reportFailures(database, [failure(locked), failure(free)]);
          assert.deepEqual([...failed.keys()], [free]);
        });
        assert.equal((await reportFailure(database, failure(locked)))?.retries, 2);
      });
    }
  });
}
