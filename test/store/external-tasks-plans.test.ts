/** Each hot statement of the external tasks uses the index that it names in full tables. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database, Statement } from '../../engine/store/database.ts';
import {
  DISCARD_TASK,
  EXPLAIN_REFUSALS,
  PARK_TASKS,
  REARM_TASK,
  RELEASE_LOCKS,
} from '../../engine/store/external-tasks.ts';
import { REPORT_FAILURE, REPORT_FAILURES } from '../../engine/store/external-tasks-failure.ts';
import { ADJUST_TASK } from '../../engine/store/external-tasks-adjust.ts';
import {
  FETCH_AND_LOCK,
  FETCH_AND_LOCK_BY_CHANNEL,
  NEXT_VISIBLE_AT,
} from '../../engine/store/external-tasks-fetch.ts';
import {
  EXTEND_LOCK,
  LOCK_TASK,
  NOTE_PROGRESS,
  UNLOCK_TASK,
} from '../../engine/store/external-tasks-lock.ts';
import { COUNT_OPEN_TASKS, COUNT_TERMINAL_TASKS } from '../../engine/store/external-tasks-topics.ts';
import {
  FIND_RECEIPTS,
  GRACE_REJECTED_TASKS,
  HOLD_INSTANCES,
  LOCK_TASKS_FOR_COMPLETION,
  TASK_EXISTS,
} from '../../engine/store/external-tasks-settle.ts';
import {
  RESOLVE_WITHDRAWN_INCIDENTS,
  WITHDRAW_DELIVERIES,
  WITHDRAW_INSTANCES,
} from '../../engine/store/withdrawals.ts';
import {
  MIGRATE_OUTBOX_ROWS,
  MIGRATE_TASKS,
  MOVE_DELIVERY_INCIDENTS,
} from '../../engine/store/migrated-instances.ts';
import { testDatabases } from '../support/database.ts';
import { planOf, seededRows } from './plan-of.ts';

const COLUMNS = `id, deployment_id, tenant, module, version, channel, process_id, instance_id, element_id,
  idempotency_key, headers, content_type, body, expects_answer, retries, policy, priority, visible_at`;

const VALUES = `gen_random_uuid(), 'dep-' || i % 3, 'acme', 'scoring', '1', 'c' || i % 5, 'p', gen_random_uuid(), 'e',
  'k' || i, '{}', 'application/json', '\\x7b7d', true, 3, '{}', i % 4`;

const seedsOf = (rows: number): readonly string[] => [
  // Two thirds are locked or deferred, as in an engine under load.
  `INSERT INTO external_task (${COLUMNS}, task_type)
   SELECT ${VALUES}, now() + (i - ${rows / 3}) * interval '1 second', 'c' FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO outbox (${COLUMNS}, transport)
   SELECT ${VALUES}, now() + (i - ${rows / 2}) * interval '1 second', (ARRAY['http', 'local', 'pull'])[1 + i % 3]
   FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO receipt (task_id, generation, outcome, channel, instance_id)
   SELECT gen_random_uuid(), 1, 'completed', 'c', gen_random_uuid() FROM generate_series(1, ${rows / 5})`,
  `INSERT INTO incident (id, kind, tenant, module, instance_id, code, message)
   SELECT gen_random_uuid(), 'task-terminal', 't', 'm', gen_random_uuid(), 'c', 'm' FROM generate_series(1, ${rows / 20})`,
  `INSERT INTO timer (instance_id, wait_id, element_id, due_at)
   SELECT gen_random_uuid(), 1, 'e', now() FROM generate_series(1, ${rows / 5})`,
  'ANALYZE external_task, outbox, receipt, incident, timer',
];

const ID = 'gen_random_uuid()';
const IDS = `ARRAY[${ID}, ${ID}]`;
const FAILURES = `(${IDS}, '{w,w}', '{NULL,NULL}', '{NULL,1}', '{NULL,5}', '{1000,1000}', '{e,e}', '{NULL,NULL}', ${IDS})`;
const MIGRATED = `(${IDS}, '{a,b}', '{d,d}', '{1,1}', '{p,p}', '{e,e}', '{"{}","{}"}')`;
const CLAIM_VALUES = `'{c0,c1}', '{dep-0,dep-1}', '{5,5}', '{c0,c1}', '{0,0}', '{0,0}', '{1,1}', '{0,0}', '{1,2}', '{w,w}',
  '{"\\\\x01","\\\\x02"}', '{}', 1000000, 30000, '{NULL,NULL}', 3, ${IDS}`;
const CLAIM = `(${CLAIM_VALUES})`;
const CLAIM_BY_CHANNEL = `(${CLAIM_VALUES}, '{1000,NULL}', '{NULL,1}')`;

/** Statement, its arguments as SQL, the indexes it names. */
const hot: readonly (readonly [Statement, string, readonly string[]])[] = [
  [PARK_TASKS, '(100)', ['outbox_due', 'outbox_pkey']],
  [FETCH_AND_LOCK, CLAIM, ['external_task_fetch', 'external_task_pkey']],
  [FETCH_AND_LOCK_BY_CHANNEL, CLAIM_BY_CHANNEL, ['external_task_fetch', 'external_task_pkey']],
  [EXTEND_LOCK, `(${ID}, 'w', '\\x01', 1000)`, ['external_task_pkey']],
  [UNLOCK_TASK, `(${ID}, 'w', NULL)`, ['external_task_pkey']],
  [NOTE_PROGRESS, `(${ID}, 'w', '\\x01', '1')`, ['external_task_pkey']],
  [LOCK_TASK, `(${ID}, 'w', '\\x01', 1000)`, ['external_task_pkey']],
  [ADJUST_TASK, `(${ID}, 0, 1, NULL, ${ID})`, ['external_task_pkey', 'incident_instance']],
  [COUNT_OPEN_TASKS, `('{c0,c1}', '{dep-0,dep-1}', 100)`, ['external_task_fetch']],
  [COUNT_TERMINAL_TASKS, '(100)', ['external_task_terminal']],
  [NEXT_VISIBLE_AT, `('{c0,c1}', '{dep-0,dep-1}')`, ['external_task_fetch']],
  [RELEASE_LOCKS, `(${IDS}, '{"\\\\x01","\\\\x02"}')`, ['external_task_pkey']],
  [REPORT_FAILURE, FAILURES, ['external_task_pkey']],
  [REPORT_FAILURES, FAILURES, ['external_task_pkey']],
  [EXPLAIN_REFUSALS, `(${IDS})`, ['external_task_pkey', 'receipt_pkey']],
  [REARM_TASK, `(${ID}, 3)`, ['external_task_failed', 'incident_instance']],
  [DISCARD_TASK, `(${ID})`, ['external_task_pkey', 'incident_instance']],
  [LOCK_TASKS_FOR_COMPLETION, `(${IDS})`, ['external_task_pkey']],
  [TASK_EXISTS, `(${IDS})`, ['external_task_pkey']],
  [FIND_RECEIPTS, `(${IDS})`, ['receipt_pkey']],
  [GRACE_REJECTED_TASKS, `(${IDS}, 1000)`, ['external_task_pkey']],
  [WITHDRAW_DELIVERIES, `(${IDS}, '{a,b}')`, ['outbox_instance', 'external_task_instance']],
  [WITHDRAW_INSTANCES, `(${IDS})`, ['outbox_instance', 'external_task_instance']],
  [RESOLVE_WITHDRAWN_INCIDENTS, `(${IDS}, ${IDS})`, ['incident_instance']],
  [HOLD_INSTANCES, `(${IDS}, true)`, ['external_task_instance', 'timer_pkey']],
  [MIGRATE_OUTBOX_ROWS, MIGRATED, ['outbox_instance']],
  [MIGRATE_TASKS, MIGRATED, ['external_task_instance']],
  [MOVE_DELIVERY_INCIDENTS, `(${IDS})`, ['external_task_instance', 'outbox_instance', 'incident_instance']],
];

for (const target of testDatabases()) {
  describe(`plans of external tasks in full tables on ${target.name}`, { timeout: 180_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
      for (const text of seedsOf(seededRows(target, 100_000))) await database.knex.raw(text);
    });
    after(() => database.close());

    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      for (const [statement, values, indexes] of hot) {
        test(`${statement.name} uses its index with ${mode}`, async () => {
          await database.transaction(async (connection) => {
            await connection.run({ name: '', text: `SET LOCAL plan_cache_mode = ${mode}` }, []);
            const plan = await planOf(connection, statement, values);
            for (const index of indexes) assert.ok(plan.includes(index), `${index} is not in\n${plan}`);
            assert.doesNotMatch(plan, /Seq Scan/);
          });
        });
      }
    }

    test('the claim is planned once, and not for each values again', async () => {
      await database.transaction(async (connection) => {
        const sql = (text: string): Promise<Record<string, unknown>[]> =>
          connection.run({ name: '', text }, []);
        for (const [statement, values] of [
          [FETCH_AND_LOCK, CLAIM],
          [FETCH_AND_LOCK_BY_CHANNEL, CLAIM_BY_CHANNEL],
          [NEXT_VISIBLE_AT, `('{c0,c1}', '{dep-0,dep-1}')`],
        ] as const) {
          await sql(`PREPARE kept AS ${statement.text}`);
          for (let run = 0; run < 8; run += 1) await sql(`EXECUTE kept${values}`);
          const [row] = await sql(
            `SELECT generic_plans::integer AS generic FROM pg_prepared_statements WHERE name = 'kept'`,
          );
          await sql('DEALLOCATE kept');
          assert.equal(row?.['generic'], 8, statement.name);
        }
      });
    });
  });
}
