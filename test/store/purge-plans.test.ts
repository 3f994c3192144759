/** Each purge uses the index that it names, at 100,000 rows, whether it is planned for its values or for any. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Connection, Database, Statement } from '../../engine/store/database.ts';
import { REOPEN_DEPLOYMENTS, RETIRE_DEPLOYMENTS } from '../../engine/store/deployments.ts';
import {
  PURGE_HISTORY,
  PURGE_INBOX,
  PURGE_INCIDENTS,
  PURGE_INSTANCES,
  PURGE_RECEIPTS,
} from '../../engine/store/purge.ts';
import { testDatabases } from '../support/database.ts';

const seeds: readonly string[] = [
  `INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn, ended_at)
   SELECT gen_random_uuid(), 'dep-' || i % 50, 't', 'm', 'p', CASE WHEN i % 2 = 0 THEN 'running' ELSE 'completed' END,
     '{}', 1, CASE WHEN i % 2 = 1 THEN now() - i * interval '1 minute' END
   FROM generate_series(1, 100000) AS i`,
  `INSERT INTO history (instance_id, turn, entries) SELECT id, 1, '[]' FROM instance`,
  `INSERT INTO history_end (instance_id, ended_at) SELECT id, COALESCE(ended_at, now()) FROM instance`,
  `INSERT INTO inbox (tenant, module, channel, dedup_key, instance_id, received_at)
   SELECT 't', 'm', 'c', i::text, gen_random_uuid(), now() - (100000 - i) * interval '1 minute'
   FROM generate_series(1, 100000) AS i`,
  `INSERT INTO receipt (task_id, generation, outcome, channel, instance_id, created_at)
   SELECT gen_random_uuid(), 1, 'completed', 'c', gen_random_uuid(), now() - (100000 - i) * interval '1 minute'
   FROM generate_series(1, 100000) AS i`,
  `INSERT INTO incident (id, kind, tenant, module, instance_id, code, message)
   SELECT gen_random_uuid(), 'instance-failed', 't', 'm', id, 'c', 'm' FROM instance LIMIT 20000`,
  `INSERT INTO instance_part (instance_id, part_id, is_open, data) SELECT id, 1, false, '{}' FROM instance LIMIT 50000`,
  `INSERT INTO instance_value (instance_id, id, data) SELECT id, 'a', '1' FROM instance LIMIT 50000`,
  `INSERT INTO instance_call (deployment_id, instance_id)
   SELECT 'dep-' || i % 50, gen_random_uuid() FROM generate_series(1, 50000) AS i`,
  `INSERT INTO deployment (id, tenant, module, version, state, drained_at)
   SELECT 'dep-' || i, 't', 'm' || i, '1', CASE WHEN i % 10 = 0 THEN 'draining' ELSE 'retired' END, now()
   FROM generate_series(1, 50) AS i`,
  'ANALYZE instance, instance_part, instance_value, instance_call, history, history_end, inbox, receipt, incident, deployment',
];

/**
 * Few rows are due, as in a table that is swept regularly: where most are, reading it from its start is right.
 * Statement, its arguments as SQL, the indexes it names, and the tables it must not read whole.
 */
const plans: readonly (readonly [Statement, string, readonly string[], readonly string[]])[] = [
  [PURGE_INBOX, '(5970000000, 1000)', ['inbox_received'], ['inbox']],
  [PURGE_RECEIPTS, '(5970000000, 1000)', ['receipt_created'], ['receipt']],
  [
    PURGE_INSTANCES,
    '(5970000000, 200)',
    [
      ...['instance_ended', 'instance_pkey', 'incident_instance'],
      ...['instance_part_pkey', 'instance_value_pkey', 'instance_call_instance'],
    ],
    ['instance', 'incident', 'instance_part', 'instance_value', 'instance_call'],
  ],
  [
    PURGE_HISTORY,
    '(5970000000, 1000)',
    ['history_end_ended', 'history_end_pkey', 'history_pkey'],
    ['history', 'history_end'],
  ],
  [
    RETIRE_DEPLOYMENTS,
    '(1000)',
    ['instance_live', 'external_task_fetch', 'instance_call_pkey'],
    ['instance', 'external_task', 'instance_call'],
  ],
  [
    REOPEN_DEPLOYMENTS,
    '',
    ['instance_live', 'external_task_fetch', 'instance_call_pkey'],
    ['instance', 'external_task', 'instance_call'],
  ],
  [PURGE_INCIDENTS, '(5970000000, 1000)', ['instance_pkey'], ['instance']],
];

// Planning is the same on both; seeding takes the embedded one long, so it does it only when it is alone.
for (const target of testDatabases().slice(-1)) {
  describe(`the plans of the purge on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open({ poolMax: 1 });
      for (const sql of seeds) await database.knex.raw(sql);
    });
    after(() => database.close());

    const run = <Row>(connection: Connection, text: string): Promise<Row[]> =>
      connection.run<Row>({ name: '', text }, []);

    async function explain(statement: Statement, values: string, mode: string): Promise<string> {
      return database.transaction(async (connection) => {
        await run(connection, `SET LOCAL plan_cache_mode = ${mode}`);
        await run(connection, `PREPARE plan_${mode}_${statement.name} AS ${statement.text}`);
        const text = `EXPLAIN EXECUTE plan_${mode}_${statement.name}${values}`;
        const rows = await run<{ 'QUERY PLAN': string }>(connection, text);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
    }

    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      it(`use the indexes that they name under ${mode}`, async () => {
        for (const [statement, values, indexes, tables] of plans) {
          const plan = await explain(statement, values, mode);
          for (const index of indexes)
            assert.match(plan, new RegExp(`\\b${index}\\b`), `${statement.name}\n${plan}`);
          for (const table of tables) {
            assert.doesNotMatch(plan, new RegExp(`Seq Scan on ${table}\\b`), `${statement.name}\n${plan}`);
          }
        }
      });
    }
  });
}
