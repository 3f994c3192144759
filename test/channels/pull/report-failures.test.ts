import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { failMany } from '../../../channels/pull/report-failures.ts';
import { EngineError } from '../../../config/engine-error.ts';
import type { Database } from '../../../engine/store/database.ts';
import type { TaskFailed, TaskFailure } from '../../../engine/store/external-tasks-failure.ts';
import { testDatabases } from '../../support/database.ts';
import { clearTasks, counted, query, seedTasks, type CountedDatabase } from './parked-tasks.ts';

function failure(taskId: string): TaskFailure {
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
  };
}

/** The budget left, or the last part of the code of the refusal. */
function shown(outcome: PromiseSettledResult<TaskFailed>): unknown {
  if (outcome.status === 'fulfilled') return outcome.value.retries;
  return outcome.reason instanceof EngineError ? outcome.reason.code.split('.').at(-1) : outcome.reason;
}

for (const target of testDatabases()) {
  describe(`failures of many tasks, reported together on ${target.name}`, { timeout: 120_000 }, () => {
    let real: Database;
    let view: CountedDatabase;
    before(async () => {
      real = await target.open();
      view = counted(real);
    });
    after(() => real.close());
    afterEach(async () => {
      view.failure = null;
      view.before = null;
      view.counts.clear();
      await clearTasks(real);
    });

    async function lockedTasks(count: number): Promise<string[]> {
      const ids = await seedTasks(real, { count });
      await query(
        real,
        `UPDATE external_task SET lock_owner = 'w', lock_token_hash = '\\x01', locked_at = now(), generation = 1,
           visible_at = now() + interval '1 minute'`,
      );
      return ids;
    }

    const report = async (ids: readonly string[]): Promise<unknown[]> =>
      (await failMany(view.database, ids.map(failure))).map(shown);
    const budgets = async (): Promise<number[]> => {
      const rows = await query<{ retries: number }>(real, 'SELECT retries FROM external_task ORDER BY id');
      return rows.map(({ retries }) => retries);
    };

    test('cost one statement, and one more when some are refused', async () => {
      const ids = await lockedTasks(3);
      assert.deepEqual(await report(ids), [2, 2, 2]);
      assert.deepEqual([...view.counts], [['report_failures', 1]]);
      assert.deepEqual(await report([...ids, randomUUID()]), [
        ...Array<string>(3).fill('LOCK_LOST'),
        'NOT_FOUND',
      ]);
      assert.deepEqual(view.counts.get('explain_refusals'), 1);
    });

    test('are reported one by one when the database refuses the statement for them all', async () => {
      const [first = '', second = ''] = await lockedTasks(2);
      view.failure = { name: 'report_failures', error: new Error('deadlock detected') };
      assert.deepEqual(await report([first, randomUUID(), second]), [2, 'NOT_FOUND', 2]);
      assert.deepEqual(await budgets(), [2, 2]);
    });

    test('are all refused while the database is away, and nothing is spent', async () => {
      const ids = await lockedTasks(2);
      view.failure = {
        name: 'report_failures',
        error: new EngineError('SUTRA.PERSISTENCE_UNAVAILABLE', 'away'),
      };
      assert.deepEqual(await report(ids), ['PERSISTENCE_UNAVAILABLE', 'PERSISTENCE_UNAVAILABLE']);
      assert.deepEqual(await budgets(), [3, 3]);
    });

    test('that are kept are answered so, also when the database goes away before the others are explained', async () => {
      const [first = ''] = await lockedTasks(1);
      view.failure = {
        name: 'explain_refusals',
        error: new EngineError('SUTRA.PERSISTENCE_UNAVAILABLE', 'away'),
      };
      assert.deepEqual(await report([randomUUID(), first]), ['PERSISTENCE_UNAVAILABLE', 2]);
    });

    if (target.name === 'postgresql') {
      test('wait for a turn that has one of them, after the others are kept', async () => {
        const [taken = '', kept = '', free = ''] = await lockedTasks(3);
        const text = 'SELECT id FROM external_task WHERE id = ANY ($1::uuid[]) FOR UPDATE';
        let reported: Promise<unknown[]> = Promise.resolve([]);
        await real.transaction(async (turn) => {
          await turn.run({ name: 'test_lock_tasks', text }, [[taken, kept]]);
          const isAsked = view.next('explain_refusals');
          reported = report([taken, kept, free]);
          await isAsked;
          assert.deepEqual((await budgets()).sort(), [2, 3, 3]);
          await turn.run({ name: 'test_end_task', text: 'DELETE FROM external_task WHERE id = $1::uuid' }, [
            taken,
          ]);
        });
        assert.deepEqual(await reported, ['NOT_FOUND', 2, 2]);
      });
    }
  });
}
