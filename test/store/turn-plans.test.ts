/** Each hot statement of a turn's commit uses the index that it names in full tables. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database, Statement } from '../../engine/store/database.ts';
import {
  DELETE_ALIASES,
  FIND_INSTANCES_BY_ALIAS,
  FIND_UNIQUE_CONFLICTS,
} from '../../engine/store/turn-aliases.ts';
import { FIND_INBOX_ROWS, READ_INBOX_REPLY, RECORD_REPLIES } from '../../engine/store/turn-inbox.ts';
import {
  DELETE_INSTANCES,
  INSTANCES_EXIST,
  LOCK_INSTANCES,
  LOCK_INSTANCES_OF_TASKS,
  READ_INSTANCE_STATES,
} from '../../engine/store/turn-instances.ts';
import { MOVE_INSTANCE_INCIDENTS } from '../../engine/store/migrated-instances.ts';
import { RESOLVE_INSTANCE_INCIDENTS } from '../../engine/store/turn-journal.ts';
import { WRITE_TURNS } from '../../engine/store/turn-writes.ts';
import { testDatabases } from '../support/database.ts';
import { planOf, seededRows } from './plan-of.ts';

const seedsOf = (rows: number): readonly string[] => [
  `INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn, ended_at)
   SELECT gen_random_uuid(), 'dep', 'acme', 'scoring', 'p', CASE WHEN i % 2 = 0 THEN 'running' ELSE 'completed' END,
     '{}', 1, CASE WHEN i % 2 = 0 THEN NULL ELSE now() END
   FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO inbox (tenant, module, channel, dedup_key, instance_id)
   SELECT 'acme', 'scoring', 'c' || i % 7, 'k' || i, gen_random_uuid() FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO alias (tenant, module, name, value, instance_id, is_unique)
   SELECT 'acme', 'scoring', 'orderId', 'v' || i, gen_random_uuid(), i % 2 = 0 FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO history (instance_id, turn, entries)
   SELECT gen_random_uuid(), 1, '[]' FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO incident (id, kind, tenant, module, instance_id, code, message)
   SELECT gen_random_uuid(), 'instance-failed', 'acme', 'scoring', gen_random_uuid(), 'c', 'm'
   FROM generate_series(1, ${rows})`,
  `INSERT INTO external_task (id, deployment_id, tenant, module, version, channel, process_id, instance_id, element_id,
     idempotency_key, headers, content_type, body, expects_answer, retries, policy, priority, visible_at, task_type)
   SELECT gen_random_uuid(), 'dep', 'acme', 'scoring', '1', 'c', 'p', gen_random_uuid(), 'e', 'k' || i, '{}', 'text/plain',
     '', true, 3, '{}', 0, now(), 'c'
   FROM generate_series(1, ${rows}) AS i`,
  'ANALYZE instance, inbox, alias, history, incident, external_task',
];

const ids = 'ARRAY[gen_random_uuid(), gen_random_uuid()]';
const keys = `'{acme,acme}', '{scoring,scoring}'`;

/** Two updates and two tasks that go; no insert. */
const writeTurnsCall = `(${[
  ...Array<string>(12).fill(`'{}'`),
  `${ids}, '{d,e}', '{running,running}', '{a,b}', '{2,2}', '{1,1}'`,
  ...Array<string>(4).fill(`'{NULL,NULL}'`),
  ...Array<string>(6).fill(`'{}'`),
  ids,
  ...Array<string>(11).fill(`'{}'`),
].join(', ')})`;

/** Statement, its arguments as SQL, the indexes it names. */
const hot: readonly (readonly [Statement, string, readonly string[]])[] = [
  [FIND_INBOX_ROWS, `(${keys}, '{c1,c2}', '{k1,k9}', ${ids})`, ['inbox_pkey', 'external_task_pkey']],
  [RECORD_REPLIES, `(${keys}, '{c1,c2}', '{k1,k9}', ARRAY['{}', '{}']::jsonb[])`, ['inbox_pkey']],
  [READ_INBOX_REPLY, `('acme', 'scoring', 'c1', 'k1')`, ['inbox_pkey']],
  [LOCK_INSTANCES, `(${ids})`, ['instance_pkey']],
  [INSTANCES_EXIST, `(${ids})`, ['instance_pkey']],
  [LOCK_INSTANCES_OF_TASKS, `(${ids})`, ['instance_pkey', 'external_task_pkey']],
  [WRITE_TURNS, writeTurnsCall, ['instance_pkey', 'external_task_pkey']],
  [DELETE_INSTANCES, `(${ids}, false)`, ['instance_pkey', 'history_pkey']],
  [READ_INSTANCE_STATES, `(${ids})`, ['instance_pkey']],
  [FIND_INSTANCES_BY_ALIAS, `(${keys}, '{orderId,orderId}', '{v1,v2}')`, ['alias_pkey']],
  [FIND_UNIQUE_CONFLICTS, `(${keys}, '{orderId,orderId}', '{v1,v2}')`, ['alias_unique']],
  [DELETE_ALIASES, `(${ids})`, ['alias_instance']],
  [RESOLVE_INSTANCE_INCIDENTS, `(${ids})`, ['incident_instance']],
  [MOVE_INSTANCE_INCIDENTS, `(${ids}, '{a,b}')`, ['incident_instance']],
];

for (const target of testDatabases()) {
  describe(`plans in full tables on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
      for (const text of seedsOf(seededRows(target, 100_000))) await database.knex.raw(text);
    });
    after(() => database.close());

    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      for (const [statement, values, indexes] of hot) {
        test(`${statement.name} uses its index with ${mode} (${target.name})`, async () => {
          await database.transaction(async (connection) => {
            await connection.run({ name: '', text: `SET LOCAL plan_cache_mode = ${mode}` }, []);
            const plan = await planOf(connection, statement, values);
            for (const index of indexes) assert.ok(plan.includes(index), `${index} is not in\n${plan}`);
            assert.doesNotMatch(plan, /Seq Scan on/);
          });
        });
      }
    }
  });
}
