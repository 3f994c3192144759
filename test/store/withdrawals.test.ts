/** Withdrawals, also of what changes at the same moment (engine/store/withdrawals.ts, W1 to W3). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Connection, Database } from '../../engine/store/database.ts';
import { explainRefusal, parkTasks } from '../../engine/store/external-tasks.ts';
import { fetchAndLock } from '../../engine/store/external-tasks-fetch.ts';
import { reportFailure } from '../../engine/store/external-tasks-failure.ts';
import { findReceipts } from '../../engine/store/external-tasks-settle.ts';
import { poisonDeliveries } from '../../engine/store/outbox-delivery.ts';
import { withdrawDeliveries, withdrawInstances } from '../../engine/store/withdrawals.ts';
import { clearTasks, query, seedOutbox, seedTasks } from '../channels/pull/parked-tasks.ts';
import { testDatabases } from '../support/database.ts';

async function lockOne(database: Database): Promise<void> {
  await fetchAndLock(database, {
    pairs: [{ channel: 'score', deploymentId: 'dep-1', wanted: 1 }],
    shares: [{ channel: 'score', group: 0, shareIndex: 0, shareCount: 1 }],
    slots: [{ group: 0, position: 1, workerId: 'w', tokenHash: Buffer.alloc(32, 1), lockDurationMs: 60_000 }],
    exceptIds: [],
    maxBodyBytes: 1e6,
    defaultLockDurationMs: 60_000,
    maxAttempts: null,
    incidentIds: [],
  });
}

for (const target of testDatabases()) {
  describe(`withdrawing on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    afterEach(() => clearTasks(database));

    const rows = (table: string): Promise<string[]> =>
      query<{ id: string }>(database, `SELECT id FROM ${table} ORDER BY id`).then((found) =>
        found.map(({ id }) => id),
      );
    const openIncidents = (): Promise<{ kind: string }[]> =>
      query(database, 'SELECT kind FROM incident WHERE resolved_at IS NULL');

    test('withdrawing takes a delivery wherever it is, leaves receipts for tasks, and closes their incidents', async () => {
      const instanceId = randomUUID();
      await seedOutbox(database, { instanceId, idempotencyKey: 'a' });
      const [task = ''] = await seedTasks(database, { instanceId, idempotencyKey: 'b' });
      const [terminal = ''] = await seedTasks(database, { instanceId, idempotencyKey: 'c' });
      const [kept] = await seedTasks(database, { instanceId, idempotencyKey: 'd' });
      const [other] = await seedTasks(database, { idempotencyKey: 'b' });
      await query(
        database,
        `UPDATE external_task SET state = 'failed', failed_at = now() WHERE id = $1::uuid`,
        [terminal],
      );
      await query(
        database,
        `INSERT INTO incident (id, kind, tenant, module, instance_id, subject_id, code, message)
         VALUES (gen_random_uuid(), 'task-terminal', 'acme', 'scoring', $1::uuid, $2::uuid, 'X', 'y')`,
        [instanceId, terminal],
      );
      const gone = ['a', 'b', 'c', 'z'].map((idempotencyKey) => ({ instanceId, idempotencyKey }));
      const withdrawn = await database.transaction((connection) => withdrawDeliveries(connection, gone));
      assert.deepEqual([...withdrawn].sort(), [task, terminal].sort());
      assert.deepEqual(await query(database, 'SELECT id FROM outbox'), []);
      assert.deepEqual(
        (await query<{ id: string }>(database, 'SELECT id FROM external_task')).map(({ id }) => id).sort(),
        [kept, other].sort(),
      );
      assert.deepEqual(await query(database, 'SELECT id FROM incident WHERE resolved_at IS NULL'), []);
      assert.equal(await explainRefusal(database, task, 'w', null), 'WITHDRAWN');
    });

    test('withdrawing a poisoned delivery closes its incident, and no other', async () => {
      const instanceId = randomUUID();
      const keys = ['a', 'b'];
      for (const idempotencyKey of keys) await seedOutbox(database, { instanceId, idempotencyKey });
      await query(database, `UPDATE outbox SET state = 'poisoned'`);
      await query(
        database,
        `INSERT INTO incident (id, kind, tenant, module, instance_id, subject_id, code, message)
         SELECT gen_random_uuid(), kind, 'acme', 'scoring', instance_id, outbox.id, 'X', idempotency_key
         FROM outbox CROSS JOIN unnest('{delivery-poisoned,instance-failed}'::text[]) AS k (kind)`,
      );
      await withdrawDeliveries(database, [{ instanceId, idempotencyKey: 'a' }]);
      assert.deepEqual(
        await query(
          database,
          'SELECT kind, message FROM incident WHERE resolved_at IS NULL ORDER BY kind, message',
        ),
        [
          { kind: 'delivery-poisoned', message: 'b' },
          { kind: 'instance-failed', message: 'a' },
          { kind: 'instance-failed', message: 'b' },
        ],
      );
      await query(database, 'DELETE FROM incident');
    });

    test('a receipt of a withdrawal names the attempt and who held it', async () => {
      const instanceId = randomUUID();
      const [id = ''] = await seedTasks(database, { instanceId, idempotencyKey: 'a' });
      await lockOne(database);
      await withdrawDeliveries(database, [{ instanceId, idempotencyKey: 'a' }]);
      const [found] = await findReceipts(database, [id]);
      assert.deepEqual(
        [found?.generation, found?.lockOwner, found?.outcome, found?.bodyHash],
        [1, 'w', 'withdrawn', null],
      );
    });

    test('withdrawing instances takes all that is theirs, whatever its state, and nothing of others', async () => {
      const [one, two] = [randomUUID(), randomUUID()];
      const [locked = ''] = await seedTasks(database, { instanceId: one, visibleInMs: -1_000 });
      await lockOne(database);
      const [task = ''] = await seedTasks(database, { instanceId: two });
      await seedOutbox(database, { instanceId: one, count: 2 });
      const [poisoned = ''] = await seedOutbox(database, { instanceId: two });
      const [keptTask, keptRow] = [...(await seedTasks(database)), ...(await seedOutbox(database))];
      const raised = { attempt: 5, error: 'no', code: 'X' };
      const poisonings = [poisoned, keptRow ?? ''].map((id) => ({ id, incidentId: randomUUID(), ...raised }));
      await poisonDeliveries(database, poisonings);
      const withdrawn = await database.transaction((turn) => withdrawInstances(turn, [one, two]));
      assert.deepEqual([...withdrawn].sort(), [locked, task].sort());
      assert.deepEqual(await rows('external_task'), [keptTask]);
      assert.deepEqual(await rows('outbox'), [keptRow]);
      assert.deepEqual(await openIncidents(), [{ kind: 'delivery-poisoned' }]);
      assert.equal(await explainRefusal(database, locked, 'w', null), 'WITHDRAWN');
      assert.deepEqual(await withdrawInstances(database, [one, two]), []);
    });

    // The embedded database has one connection: nothing runs beside a transaction there.
    if (target.name === 'postgresql') {
      /** Lets the turn withdraw while a commit is under way that it has to wait for. */
      const during = async (
        committing: (connection: Connection) => Promise<unknown>,
        withdrawing: (turn: Connection) => Promise<string[]>,
      ): Promise<string[]> => {
        let withdrawn: Promise<string[]> | undefined;
        await database.transaction(async (connection) => {
          await committing(connection);
          withdrawn = database.transaction(withdrawing);
          const blocked = `SELECT count(*)::integer AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          while ((await query<{ count: number }>(database, blocked))[0]?.count !== 1);
        });
        assert.ok(withdrawn !== undefined);
        return withdrawn;
      };

      const ways = ['a delivery', 'an instance'] as const;
      for (const way of ways) {
        const withdraw =
          (instanceId: string) =>
          (turn: Connection): Promise<string[]> =>
            way === 'an instance'
              ? withdrawInstances(turn, [instanceId])
              : withdrawDeliveries(turn, [{ instanceId, idempotencyKey: 'a' }]);

        test(`withdrawing ${way} takes what the relay is moving at this moment (W3)`, async () => {
          const instanceId = randomUUID();
          const [id = ''] = await seedOutbox(database, { instanceId, idempotencyKey: 'a' });
          assert.deepEqual(await during((relay) => parkTasks(relay, 1), withdraw(instanceId)), [id]);
          assert.deepEqual(await rows('external_task'), []);
          assert.equal(await explainRefusal(database, id, 'w', null), 'WITHDRAWN');
        });

        test(`withdrawing ${way} closes the incident of a row that is being poisoned (W2)`, async () => {
          const instanceId = randomUUID();
          const [id = ''] = await seedOutbox(database, { instanceId, idempotencyKey: 'a' });
          const poisoning = { id, attempt: 5, error: 'no', code: 'X', incidentId: randomUUID() };
          await during((relay) => poisonDeliveries(relay, [poisoning]), withdraw(instanceId));
          assert.deepEqual(await rows('outbox'), []);
          assert.deepEqual(await openIncidents(), []);
          assert.equal((await rows('incident')).length, 1);
        });

        test(`withdrawing ${way} closes the incident of a task that is turning terminal (W2)`, async () => {
          const instanceId = randomUUID();
          const [taskId = ''] = await seedTasks(database, { instanceId, idempotencyKey: 'a' });
          await lockOne(database);
          const failure = {
            ...{ taskId, workerId: 'w', tokenHash: null, retries: 0, retryTimeoutMs: null },
            ...{ defaultRetryTimeoutMs: 1, errorMessage: 'no', errorDetails: null, incidentId: randomUUID() },
          };
          await during((worker) => reportFailure(worker, failure), withdraw(instanceId));
          assert.deepEqual(await rows('external_task'), []);
          assert.deepEqual(await openIncidents(), []);
          assert.equal((await rows('incident')).length, 1);
        });
      }
    }
  });
}
