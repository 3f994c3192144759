/** Each hot statement of the outbox and of the timers uses the index that it names in full tables. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database, Statement } from '../../engine/store/database.ts';
import { DELETE_OUTBOX_ROWS, LOCK_OUTBOX_ROWS, OUTBOX_ROWS_EXIST } from '../../engine/store/outbox.ts';
import {
  CLAIM_DELIVERIES,
  NEXT_OUTBOX_DUE,
  PEEK_DELIVERIES,
  POISON_DELIVERIES,
  RESCHEDULE_DELIVERIES,
} from '../../engine/store/outbox-delivery.ts';
import { DISCARD_DELIVERY, REQUEUE_DELIVERY } from '../../engine/store/outbox-repair.ts';
import {
  DELETE_TIMERS,
  DUE_TIMERS,
  LOCK_TIMERS,
  NEXT_TIMER_DUE,
  TIMERS_EXIST,
} from '../../engine/store/timers.ts';
import { testDatabases } from '../support/database.ts';
import { planOf, seededRows } from './plan-of.ts';

const seedOutbox = (rows: number): string => `
INSERT INTO outbox (id, transport, deployment_id, tenant, module, version, channel, process_id, instance_id,
  element_id, idempotency_key, headers, content_type, body, expects_answer, retries, priority, policy, visible_at)
SELECT gen_random_uuid(), (ARRAY['http', 'local', 'pull'])[1 + i % 3], 'dep', 'acme', 'scoring', '1', 'c' || i % 7,
  'p', gen_random_uuid(), 'e', 'k' || i, '{}', 'application/json', '\\x7b7d', true, 3, 0, '{}',
  now() + (i - ${rows / 2}) * interval '1 second'
FROM generate_series(1, ${rows}) AS i`;

const seedTimers = (rows: number): string => `
INSERT INTO timer (instance_id, wait_id, element_id, due_at, held)
SELECT gen_random_uuid(), i % 9, 'e', now() + (i - ${rows / 100}) * interval '1 second', i % 10 = 0
FROM generate_series(1, ${rows}) AS i`;

const seedIncidents = (rows: number): string => `
INSERT INTO incident (id, kind, tenant, module, instance_id, subject_id, code, message)
SELECT gen_random_uuid(), 'delivery-poisoned', 'acme', 'scoring', gen_random_uuid(), gen_random_uuid(), 'c', 'm'
FROM generate_series(1, ${rows / 5})`;

const IDS = `ARRAY[gen_random_uuid(), gen_random_uuid()]`;

/** Statement, its arguments as SQL, the indexes it names. */
const hot: readonly (readonly [Statement, string, readonly string[]])[] = [
  [LOCK_OUTBOX_ROWS, `(${IDS})`, ['outbox_pkey']],
  [OUTBOX_ROWS_EXIST, `(${IDS})`, ['outbox_pkey']],
  [DELETE_OUTBOX_ROWS, `(${IDS})`, ['outbox_pkey']],
  [CLAIM_DELIVERIES, `('http', 8, 45000, '{}')`, ['outbox_due', 'outbox_pkey']],
  [CLAIM_DELIVERIES, `('http', 8, 45000, '{acme/scoring/c1}')`, ['outbox_due', 'outbox_pkey']],
  [PEEK_DELIVERIES, `('local', 100, '{}')`, ['outbox_due']],
  [RESCHEDULE_DELIVERIES, `(${IDS}, '{1,1}', '{5,5}', '{x,x}')`, ['outbox_pkey']],
  [POISON_DELIVERIES, `(${IDS}, '{1,1}', '{x,x}', '{x,x}', ${IDS})`, ['outbox_pkey']],
  [REQUEUE_DELIVERY, `(gen_random_uuid())`, ['outbox_poisoned', 'incident_instance']],
  [DISCARD_DELIVERY, `(gen_random_uuid())`, ['outbox_poisoned', 'incident_instance']],
  [NEXT_OUTBOX_DUE, `('{http,local,pull}')`, ['outbox_due']],
  [DELETE_TIMERS, `(${IDS}, '{1,2}')`, ['timer_pkey']],
  [LOCK_TIMERS, `(${IDS}, '{1,2}')`, ['timer_pkey']],
  [TIMERS_EXIST, `(${IDS}, '{1,2}')`, ['timer_pkey']],
  [DUE_TIMERS, '(200)', ['timer_due']],
  [NEXT_TIMER_DUE, '', ['timer_due']],
];

for (const target of testDatabases()) {
  describe(`plans in full tables on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
      const rows = seededRows(target, 100_000);
      for (const seed of [seedOutbox, seedTimers, seedIncidents]) await database.knex.raw(seed(rows));
      await database.knex.raw('ANALYZE outbox, timer, incident');
    });
    after(() => database.close());

    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      for (const [statement, values, indexes] of hot) {
        test(`${statement.name}${values} uses its index with ${mode} (${target.name})`, async () => {
          await database.transaction(async (connection) => {
            await connection.run({ name: '', text: `SET LOCAL plan_cache_mode = ${mode}` }, []);
            const plan = await planOf(connection, statement, values);
            for (const index of indexes) assert.ok(plan.includes(index), `${index} is not in\n${plan}`);
            assert.doesNotMatch(plan, /Seq Scan|Sort/);
          });
        });
      }
    }
  });
}
