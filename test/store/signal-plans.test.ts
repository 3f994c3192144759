/** Each hot statement of signals and of start timers uses the index that it names in full tables. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database, Statement } from '../../engine/store/database.ts';
import {
  DELETE_SIGNAL_DELIVERIES,
  DELETE_SIGNAL_WAITS,
  DUE_SIGNAL_DELIVERIES,
  HOLD_SIGNAL_DELIVERIES,
  IS_SIGNAL_DUE,
  LOCK_SIGNAL_DELIVERIES,
  DROP_HELD_SIGNAL_DELIVERIES,
  RELEASE_SIGNAL_DELIVERIES,
  SIGNAL_DELIVERIES_EXIST,
  THROW_SIGNALS,
} from '../../engine/store/signals.ts';
import {
  DELETE_START_TIMERS,
  DUE_START_TIMERS,
  LOCK_START_TIMERS,
  MOVE_START_TIMERS,
  NEXT_START_TIMER_DUE,
  READ_START_TIMERS,
  START_TIMERS_DUE,
} from '../../engine/store/start-timers.ts';
import { testDatabases } from '../support/database.ts';
import { planOf, seededRows } from './plan-of.ts';

const seedsOf = (rows: number): readonly string[] => [
  `INSERT INTO deployment (id, tenant, module, version, state)
   SELECT 'dep-' || i, 'acme', 'm' || i, '1', 'active' FROM generate_series(1, 500) AS i`,
  `INSERT INTO signal_wait (tenant, name, instance_id)
   SELECT 'acme', 's' || i % ${rows / 10}, gen_random_uuid() FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO signal_start (tenant, name, deployment_id, process_id, start_event_id, trigger)
   SELECT 'acme', 's' || i, 'dep-' || 1 + i % 500, 'p', 'start', 0 FROM generate_series(1, ${rows / 10}) AS i`,
  `INSERT INTO signal_delivery (tenant, name, payload, instance_id, held)
   SELECT 'acme', 's', 'null', gen_random_uuid(), i % 10 = 0 FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO start_timer (deployment_id, process_id, start_event_id, trigger, due_at)
   SELECT 'dep-' || 1 + i % 500, 'p' || i, 'start', 0, now() + (i - 100) * interval '1 second'
   FROM generate_series(1, ${rows}) AS i`,
  'ANALYZE deployment, signal_wait, signal_start, signal_delivery, start_timer',
];

const UUIDS = `ARRAY[gen_random_uuid(), gen_random_uuid()]`;
const KEYS = `'{dep-1,dep-2}', '{p1,p2}', '{start,start}', '{0,0}'`;

/** Statement, its arguments as SQL, the indexes it names. */
const hot: readonly (readonly [Statement, string, readonly string[]])[] = [
  [
    THROW_SIGNALS,
    `('{acme,acme}', '{s1,s2}', '{null,null}', ${UUIDS})`,
    ['signal_wait_pkey', 'signal_start_pkey'],
  ],
  [DELETE_SIGNAL_WAITS, `('{acme,acme}', '{s1,s2}', ${UUIDS})`, ['signal_wait_pkey']],
  [LOCK_SIGNAL_DELIVERIES, `('{1,2}')`, ['signal_delivery_']],
  [SIGNAL_DELIVERIES_EXIST, `('{1,2}')`, ['signal_delivery_']],
  [DELETE_SIGNAL_DELIVERIES, `('{1,2}')`, ['signal_delivery_pkey']],
  [HOLD_SIGNAL_DELIVERIES, `('{1,2}')`, ['signal_delivery_pkey']],
  [RELEASE_SIGNAL_DELIVERIES, `(${UUIDS})`, ['signal_delivery_held']],
  [DROP_HELD_SIGNAL_DELIVERIES, `(${UUIDS})`, ['signal_delivery_held']],
  [DUE_SIGNAL_DELIVERIES, `('{1,2}', 200, 1000000)`, ['signal_delivery_due', 'deployment_pkey']],
  [IS_SIGNAL_DUE, '', ['signal_delivery_due']],
  [LOCK_START_TIMERS, `(${KEYS})`, ['start_timer_pkey']],
  [START_TIMERS_DUE, `(${KEYS})`, ['start_timer_pkey']],
  [MOVE_START_TIMERS, `(${KEYS}, '{1,2}', '{1,2}')`, ['start_timer_pkey']],
  [DELETE_START_TIMERS, `(${KEYS})`, ['start_timer_pkey']],
  [DUE_START_TIMERS, '(200)', ['start_timer_due', 'deployment_pkey']],
  [NEXT_START_TIMER_DUE, '', ['start_timer_due']],
  [READ_START_TIMERS, `('dep-1')`, ['start_timer_pkey']],
];

for (const target of testDatabases()) {
  describe(`plans of signals and start timers on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
      for (const text of seedsOf(seededRows(target, 50_000))) await database.knex.raw(text);
    });
    after(() => database.close());

    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      for (const [statement, values, indexes] of hot) {
        test(`${statement.name} uses its index with ${mode} (${target.name})`, async () => {
          await database.transaction(async (connection) => {
            await connection.run({ name: '', text: `SET LOCAL plan_cache_mode = ${mode}` }, []);
            const plan = await planOf(connection, statement, values);
            for (const index of indexes) assert.ok(plan.includes(index), `${index} is not in\n${plan}`);
            assert.doesNotMatch(plan, /Seq Scan/);
          });
        });
      }
    }
  });
}
