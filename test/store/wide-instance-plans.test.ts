/**
 * What a turn reads and writes of an instance with 10,000 parts and timers is found by the whole key, never by
 * going through all that the instance has: also with a plan that was made while the tables were empty.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  LOCK_RECORDS,
  READ_RECORDS,
  UPDATE_RECORDS,
  DELETE_RECORDS,
} from '../../engine/store/data-records.ts';
import type { Database, Statement } from '../../engine/store/database.ts';
import { DELETE_CALLS } from '../../engine/store/instance-calls.ts';
import { DELETE_PARTS, READ_PARTS, UPDATE_PARTS } from '../../engine/store/instance-parts.ts';
import { DELETE_VALUES, READ_VALUES } from '../../engine/store/instance-values.ts';
import { DELETE_TIMERS, LOCK_TIMERS } from '../../engine/store/timers.ts';
import { testDatabases } from '../support/database.ts';
import { planOf } from './plan-of.ts';

const seeds = [
  `INSERT INTO instance_part (instance_id, part_id, is_open, data)
   SELECT i, p, true, '{}'
   FROM (SELECT gen_random_uuid() FROM generate_series(1, 5)) AS instances (i), generate_series(1, 10000) AS p`,
  `INSERT INTO instance_value (instance_id, id, data)
   SELECT i, v::text, '1'
   FROM (SELECT gen_random_uuid() FROM generate_series(1, 500)) AS instances (i), generate_series(1, 20) AS v`,
  `INSERT INTO timer (instance_id, wait_id, element_id, due_at, part_id)
   SELECT instance_id, part_id, 'e', now(), part_id FROM instance_part`,
  `INSERT INTO data_record (tenant, store, key, value)
   SELECT 't', 's', i::text, '1' FROM generate_series(1, 50000) AS i`,
  `INSERT INTO instance_call (deployment_id, instance_id)
   SELECT 'dep-' || i % 3, gen_random_uuid() FROM generate_series(1, 50000) AS i`,
  'ANALYZE instance_part, instance_value, timer, data_record, instance_call',
];

const ids = 'ARRAY[gen_random_uuid(), gen_random_uuid()]';
const names = `'{t,t}', '{s,s}', '{1,2}'`;

/** Statement, its arguments as SQL, and what the index must be asked by. */
const statements: readonly (readonly [Statement, string, string, readonly string[]])[] = [
  [READ_PARTS, `(${ids}, '{1,2}')`, 'instance_part_pkey', ['instance_id', 'part_id']],
  [UPDATE_PARTS, `(${ids}, '{1,2}', '{t,t}', '{a,b}')`, 'instance_part_pkey', ['instance_id', 'part_id']],
  [DELETE_PARTS, `(${ids}, '{1,2}')`, 'instance_part_pkey', ['instance_id', 'part_id']],
  [READ_VALUES, `(${ids}, '{1,2}')`, 'instance_value_pkey', ['instance_id', 'id']],
  [DELETE_VALUES, `(${ids}, '{1,2}')`, 'instance_value_pkey', ['instance_id', 'id']],
  [LOCK_TIMERS, `(${ids}, '{1,2}')`, 'timer_pkey', ['instance_id', 'wait_id']],
  [DELETE_TIMERS, `(${ids}, '{1,2}')`, 'timer_pkey', ['instance_id', 'wait_id']],
  [READ_RECORDS, `(${names})`, 'data_record_pkey', ['tenant', 'store', 'key']],
  [LOCK_RECORDS, `(${names})`, 'data_record_pkey', ['tenant', 'store', 'key']],
  [UPDATE_RECORDS, `(${names}, '{1,2}')`, 'data_record_pkey', ['tenant', 'store', 'key']],
  [DELETE_RECORDS, `(${names})`, 'data_record_pkey', ['tenant', 'store', 'key']],
  [DELETE_CALLS, `(${ids})`, 'instance_call_instance', ['instance_id']],
];

for (const target of testDatabases()) {
  describe(`plans for a wide instance on ${target.name}`, { timeout: 120_000 }, () => {
    let database: Database;
    before(async () => {
      database = await target.open({ poolMax: 1 });
      for (const table of ['instance_part', 'instance_value', 'timer', 'data_record', 'instance_call']) {
        await database.knex.raw(`VACUUM (ANALYZE) ${table}`);
      }
    });
    after(() => database.close());

    async function check(): Promise<void> {
      for (const mode of ['force_generic_plan', 'force_custom_plan']) {
        for (const [statement, values, index, columns] of statements) {
          await database.transaction(async (connection) => {
            await connection.run({ name: '', text: `SET LOCAL plan_cache_mode = ${mode}` }, []);
            const plan = await planOf(connection, statement, values);
            assert.doesNotMatch(plan, /Seq Scan on/, plan);
            assert.ok(plan.includes(index), `${index} is not in\n${plan}`);
            const conditions = plan.split('\n').filter((line) => line.includes('Index Cond: '));
            assert.equal(conditions.length, 1, plan);
            for (const column of columns)
              assert.match(conditions[0] ?? '', new RegExp(`\\b${column} = `), plan);
          });
        }
      }
    }

    it('look for each row by its whole key when the tables are empty', check);

    it('look for each row by its whole key when the tables are full', async () => {
      for (const text of seeds) await database.knex.raw(text);
      await check();
    });
  });
}
