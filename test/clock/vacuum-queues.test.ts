/** The vacuum of the queues on a server. That one runs without autovacuum, or these tests would see its work, too. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { VacuumLoop } from '../../engine/clock/vacuum-loop.ts';
import { silentLog } from '../../engine/observe.ts';
import type { Database } from '../../engine/store/database.ts';
import { postgresqlOnly } from '../support/database.ts';

const insertTimers = (count: number): string =>
  `INSERT INTO timer (instance_id, wait_id, element_id, due_at)
   SELECT gen_random_uuid(), 1, 'e', now() FROM generate_series(1, ${String(count)})`;

const insertTasks = (count: number): string =>
  `INSERT INTO external_task (id, deployment_id, tenant, module, version, channel, process_id, instance_id, element_id,
     idempotency_key, headers, content_type, body, expects_answer, retries, policy, priority, task_type)
   SELECT gen_random_uuid(), 'dep', 'acme', 'scoring', '1', 'c', 'p', gen_random_uuid(), 'e', 'k', '{}',
     'application/json', '\\x7b7d', true, 3, '{}', 0, 'c' FROM generate_series(1, ${String(count)})`;

interface Counts {
  readonly vacuums: number;
  readonly dead: number;
}

for (const target of postgresqlOnly()) {
  describe(`the vacuum of the queues on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    let vacuum: VacuumLoop | null = null;
    const sql = <Row>(text: string): Promise<Row[]> => database.run<Row>({ name: '', text }, []);
    before(async () => {
      database = await target.open();
    });
    beforeEach(async () => {
      await sql('TRUNCATE external_task, timer');
      await sql('SELECT pg_stat_reset()');
    });
    afterEach(async () => {
      await vacuum?.stop();
    });
    after(() => database.close());

    const start = async (): Promise<void> => {
      vacuum = new VacuumLoop({ database, log: silentLog, intervalMs: 10 });
      await vacuum.start();
    };

    /** Rows that came and went. A session tells its counts at once only when asked to, so all is done in one. */
    const churn = (...texts: readonly string[]): Promise<void> =>
      database.transaction(async (transaction) => {
        for (const text of [...texts, 'SELECT pg_stat_force_next_flush()'])
          await transaction.run({ name: '', text }, []);
      });

    const countsOf = async (table: string): Promise<Counts> => {
      const [row] = await sql<Counts>(
        `SELECT vacuum_count AS vacuums, n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = '${table}'`,
      );
      assert.ok(row !== undefined);
      return row;
    };

    const becomes = async (isTrue: () => Promise<boolean>): Promise<void> => {
      while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
    };

    /** Many looks of the loop have come and gone. */
    const looksPass = async (): Promise<void> => {
      let statements = database.statementCount();
      for (let look = 0; look < 10; look += 1) {
        await becomes(() => Promise.resolve(database.statementCount() > statements));
        statements = database.statementCount();
      }
    };

    it('is of those with many dead rows, and of no other (V1)', async () => {
      await churn(insertTimers(12_000), 'DELETE FROM timer', insertTasks(3_000), 'DELETE FROM external_task');
      assert.deepEqual(await countsOf('timer'), { vacuums: 0, dead: 12_000 });
      await start();
      await becomes(async () => (await countsOf('timer')).vacuums === 1);
      assert.equal((await countsOf('timer')).dead, 0);
      await looksPass();
      assert.deepEqual(await countsOf('timer'), { vacuums: 1, dead: 0 });
      assert.deepEqual(await countsOf('external_task'), { vacuums: 0, dead: 3_000 });
    });

    it('waits for a 20th of the rows, so that a long queue is not read whole for few (V1)', async () => {
      const deleteSome = (count: number): string =>
        `DELETE FROM timer WHERE ctid = ANY (ARRAY(SELECT ctid FROM timer LIMIT ${String(count)}))`;
      await churn(insertTimers(260_000), deleteSome(12_000));
      await start();
      await looksPass();
      assert.deepEqual(await countsOf('timer'), { vacuums: 0, dead: 12_000 });
      await churn(deleteSome(2_000));
      await becomes(async () => (await countsOf('timer')).vacuums === 1);
    });

    it('takes dead entries out of the indexes also where few of the pages have any', async () => {
      // Pages that a longer queue has left behind, empty: 12,000 rows are in less than 2 % of them.
      await churn(
        `INSERT INTO timer (instance_id, wait_id, element_id, due_at)
         SELECT gen_random_uuid(), 1, repeat('x', 1900), now() FROM generate_series(1, 20000)`,
        'DELETE FROM timer',
      );
      await sql('VACUUM (TRUNCATE false) timer');
      await churn(insertTimers(12_000), 'DELETE FROM timer');
      await start();
      await becomes(async () => (await countsOf('timer')).vacuums === 2);
      await churn(
        `SELECT 1 AS "one" FROM timer WHERE NOT held AND due_at > '-infinity' ORDER BY due_at LIMIT 1`,
      );
      const [index] = await sql<{ scans: number; entries: number }>(
        `SELECT idx_scan AS scans, idx_tup_read AS entries FROM pg_stat_user_indexes WHERE indexrelname = 'timer_due'`,
      );
      assert.deepEqual(index, { scans: 1, entries: 0 });
    });

    it('passes over a table that another session is at, and comes back to it', async () => {
      await churn(
        insertTimers(12_000),
        'DELETE FROM timer',
        insertTasks(12_000),
        'DELETE FROM external_task',
      );
      await database.transaction(async (transaction) => {
        await transaction.run(
          { name: '', text: 'LOCK TABLE external_task IN SHARE UPDATE EXCLUSIVE MODE' },
          [],
        );
        await start();
        // Comes after the locked one.
        await becomes(async () => (await countsOf('timer')).vacuums === 1);
        await looksPass();
        assert.equal((await countsOf('external_task')).vacuums, 0);
      });
      await becomes(async () => (await countsOf('external_task')).vacuums === 1);
    });
  });
}
