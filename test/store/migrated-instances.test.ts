import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Database, Connection } from '../../engine/store/database.ts';
import { parkTasks } from '../../engine/store/external-tasks.ts';
import {
  findMigrationTargets,
  migrateOutboxRows,
  migrateTasks,
  moveDeliveryIncidents,
  type MigratedCall,
} from '../../engine/store/migrated-instances.ts';
import { clearTasks, query, seedOutbox, seedTasks } from '../channels/pull/parked-tasks.ts';
import { testDatabases } from '../support/database.ts';

interface Row {
  readonly deployment_id: string;
  readonly version: string;
  readonly process_id: string;
  readonly element_id: string;
  readonly policy: unknown;
}

const COLUMNS = 'deployment_id, version, process_id, element_id, policy';
const policy = { lockDurationMs: 5_000, retryTimeoutMs: null };
const old = { deployment_id: 'dep-1', version: '1.0.0', process_id: 'order', element_id: 'score', policy };
const renewed = { deployment_id: 'dep-2', version: '2.0.0', process_id: 'order', element_id: 'rate' };

function called(instanceId: string, idempotencyKey: string, terminalPolicy: object = {}): MigratedCall {
  const { deployment_id: deploymentId, version, process_id: processId, element_id: elementId } = renewed;
  return { instanceId, idempotencyKey, deploymentId, version, processId, elementId, terminalPolicy };
}

async function migrate(
  turn: Connection,
  calls: readonly MigratedCall[],
): Promise<ReadonlyMap<string, number>> {
  const [, fetchable] = await Promise.all([migrateOutboxRows(turn, calls), migrateTasks(turn, calls)]);
  return fetchable;
}

for (const target of testDatabases()) {
  describe(`migrated calls on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    afterEach(() => clearTasks(database));

    const rowsOf = (table: string): Promise<Row[]> =>
      query<Row>(database, `SELECT ${COLUMNS} FROM ${table} ORDER BY idempotency_key`);

    test('their rows get the new model, and those of others are left alone', async () => {
      const instanceId = randomUUID();
      const seed = { instanceId, policy: { ...policy, terminalWaitId: 3, terminalPartId: null } };
      for (const idempotencyKey of ['a', 'b', 'c']) await seedOutbox(database, { ...seed, idempotencyKey });
      for (const idempotencyKey of ['d', 'e', 'f']) await seedTasks(database, { ...seed, idempotencyKey });
      await seedTasks(database, { idempotencyKey: 'g', policy });
      const bound = { terminalWaitId: 7, terminalPartId: 2 };
      const calls = [
        ...[called(instanceId, 'a'), called(instanceId, 'b', bound)],
        ...[called(instanceId, 'd'), called(instanceId, 'e', bound), called(instanceId, 'gone')],
      ];
      const fetchable = await database.transaction((turn) => migrate(turn, calls));
      assert.deepEqual(fetchable, new Map([['score', 2]]));
      const own = { ...old, policy: seed.policy };
      const migrated = [
        { ...renewed, policy },
        { ...renewed, policy: { ...policy, ...bound } },
      ];
      assert.deepEqual(await rowsOf('outbox'), [...migrated, own]);
      assert.deepEqual(await rowsOf('external_task'), [...migrated, own, old]);
    });

    test('only tasks that can be fetched are counted, and a lock is kept', async () => {
      const instanceId = randomUUID();
      await seedTasks(database, { instanceId, idempotencyKey: 'held', isHeld: true });
      await seedTasks(database, { instanceId, idempotencyKey: 'later', visibleInMs: 60_000 });
      await seedTasks(database, { instanceId, idempotencyKey: 'free', channel: 'other' });
      const lock = `SELECT id, generation, lock_owner, visible_at, retries, held, state FROM external_task ORDER BY id`;
      const locks = await query(database, lock);
      const calls = ['held', 'later', 'free'].map((key) => called(instanceId, key));
      assert.deepEqual(await database.transaction((turn) => migrate(turn, calls)), new Map([['other', 1]]));
      assert.deepEqual(await query(database, lock), locks);
    });

    test('open incidents of their rows are about the new elements', async () => {
      const instanceId = randomUUID();
      const [task = ''] = await seedTasks(database, { instanceId, idempotencyKey: 'a' });
      const [row = ''] = await seedOutbox(database, { instanceId, idempotencyKey: 'b' });
      await query(database, `UPDATE external_task SET state = 'failed', failed_at = now()`);
      await query(database, `UPDATE outbox SET state = 'poisoned'`);
      const raise = (kind: string, subject: string | null, resolved: string): Promise<unknown> =>
        query(
          database,
          `INSERT INTO incident (id, kind, tenant, module, instance_id, element_id, subject_id, code, message, resolved_at)
           VALUES (gen_random_uuid(), $1, 't', 'm', $2::uuid, 'score', $3::uuid, 'c', 'm', $4::timestamptz)`,
          [kind, instanceId, subject, resolved === '' ? null : resolved],
        );
      await raise('task-terminal', task, '');
      await raise('task-terminal', task, '2026-01-01T00:00:00Z');
      await raise('delivery-poisoned', row, '');
      await raise('instance-failed', null, '');
      await database.transaction(async (turn) => {
        await migrate(turn, [called(instanceId, 'a'), called(instanceId, 'b')]);
        await moveDeliveryIncidents(turn, [instanceId]);
      });
      const found = await query<{ what: string }>(
        database,
        `SELECT kind || ' ' || element_id || CASE WHEN resolved_at IS NULL THEN '' ELSE ' resolved' END AS what
         FROM incident WHERE instance_id = $1::uuid ORDER BY 1`,
        [instanceId],
      );
      assert.deepEqual(
        found.map(({ what }) => what),
        [
          'delivery-poisoned rate',
          'instance-failed score',
          'task-terminal rate',
          'task-terminal score resolved',
        ],
      );
    });

    test('a deployment that has retired, or is not there, is no target', async () => {
      const states = { active: null, draining: 'now', retired: 'now' };
      for (const [state, drained] of Object.entries(states)) {
        await query(
          database,
          `INSERT INTO deployment (id, tenant, module, version, state, drained_at, retired_at)
           VALUES ($1, 't', $1, '1', $1, $2::timestamptz, $3::timestamptz)`,
          [state, drained, state === 'retired' ? 'now' : null],
        );
      }
      const found = await findMigrationTargets(database, [...Object.keys(states), 'unknown']);
      assert.deepEqual([...found].sort(), ['active', 'draining']);
    });

    // The embedded database has one connection: nothing runs beside a transaction there.
    if (target.name === 'postgresql') {
      test('a row that the relay is parking at this moment is migrated all the same', async () => {
        const instanceId = randomUUID();
        await seedOutbox(database, { instanceId, idempotencyKey: 'a', policy });
        const migrating: Promise<ReadonlyMap<string, number>>[] = [];
        await database.transaction(async (relay) => {
          await parkTasks(relay, 1);
          migrating.push(database.transaction((turn) => migrate(turn, [called(instanceId, 'a')])));
          const blocked = `SELECT count(*)::integer AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          while ((await query<{ count: number }>(database, blocked))[0]?.count !== 1);
        });
        assert.deepEqual(await Promise.all(migrating), [new Map([['score', 1]])]);
        assert.deepEqual(await rowsOf('external_task'), [{ ...renewed, policy }]);
      });
    }
  });
}
