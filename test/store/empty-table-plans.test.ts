/**
 * Plans that were made while the tables were empty are good when they are full. PostgreSQL keeps a plan until
 * the next ANALYZE, and to a planner that sees an empty table one way of reading it is as good as another:
 * the whole table, or the whole of an index that has nothing to do with the question.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database, Statement } from '../../engine/store/database.ts';
import { LOCK_OUTBOX_ROWS } from '../../engine/store/outbox.ts';
import { testDatabases } from '../support/database.ts';
import { findStatements } from './store-statements.ts';

const HOT_TABLES = [
  ...['external_task', 'outbox', 'instance', 'inbox', 'timer', 'alias', 'history', 'receipt'],
  ...['signal_wait', 'signal_delivery'],
  ...['instance_part', 'instance_value', 'instance_call', 'data_record'],
];

/** They ask what is left of a deployment, once a poll at most; the outbox has no index for that. */
const MAY_READ_THE_OUTBOX = ['retire_deployments', 'reopen_deployments', 'read_deployment_load'];

/** What only inserts reads none of these; run six times, most of it would violate a key. */
const ONLY_INSERTS = /^(?:insert_|append_|raise_)/;

const COLUMNS = `id, deployment_id, tenant, module, version, channel, process_id, instance_id, element_id,
  idempotency_key, headers, content_type, body, expects_answer, retries, policy, priority, visible_at`;

const VALUES = `gen_random_uuid(), 'dep-' || i % 3, 'acme', 'scoring', '1', 'c' || i % 5, 'p', gen_random_uuid(), 'e',
  'k' || i, '{}', 'application/json', '\\x7b7d', true, 3, '{}', 0, now()`;

const fill = (count: number): readonly string[] => {
  const rows = `FROM generate_series(1, ${String(count)}) AS i`;
  return [
    `INSERT INTO external_task (${COLUMNS}, task_type) SELECT ${VALUES}, 'c' ${rows}`,
    `INSERT INTO outbox (${COLUMNS}, transport) SELECT ${VALUES}, 'pull' ${rows}`,
    `INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn)
     SELECT gen_random_uuid(), 'dep-' || i % 3, 't', 'm', 'p', 'running', '{}', 1 ${rows}`,
    `INSERT INTO inbox (tenant, module, channel, dedup_key, instance_id)
     SELECT 't', 'm', 'c', i::text, gen_random_uuid() ${rows}`,
    `INSERT INTO timer (instance_id, wait_id, element_id, due_at)
     SELECT gen_random_uuid(), 1, 'e', now() ${rows}`,
    `INSERT INTO alias (tenant, module, name, value, instance_id, is_unique)
     SELECT 't', 'm', 'n', i::text, gen_random_uuid(), i % 2 = 0 ${rows}`,
    `INSERT INTO signal_wait (tenant, name, instance_id) SELECT 't', i::text, gen_random_uuid() ${rows}`,
    `INSERT INTO signal_delivery (tenant, name, payload, instance_id, held)
     SELECT 't', 'n', 'null', gen_random_uuid(), i % 9 = 0 ${rows}`,
    `INSERT INTO instance_part (instance_id, part_id, is_open, data)
     SELECT gen_random_uuid(), i, true, '{}' ${rows}`,
    `INSERT INTO instance_value (instance_id, id, data) SELECT gen_random_uuid(), i::text, '1' ${rows}`,
    `INSERT INTO instance_call (deployment_id, instance_id) SELECT 'dep-' || i % 3, gen_random_uuid() ${rows}`,
    `INSERT INTO data_record (tenant, store, key, value) SELECT 't', 's', i::text, '1' ${rows}`,
  ];
};

/** Two elements a list, so that nothing is planned for one row by accident. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  'uuid[]': 'ARRAY[gen_random_uuid(), gen_random_uuid()]',
  text: `'a'`,
  'text[]': `'{a,b}'`,
  integer: '1',
  'integer[]': `'{1,2}'`,
  'bigint[]': `'{1,2}'`,
  'double precision': '1000',
  'double precision[]': `'{1,2}'`,
  boolean: 'true',
  'boolean[]': `'{t,f}'`,
  bytea: `'\\x01'`,
  'bytea[]': `'{"\\\\x01","\\\\x02"}'`,
  'jsonb[]': `'{"{}","{}"}'`,
  'timestamp with time zone[]': `'{now,now}'`,
};

/** With rows that are not there it would fail, as it must. */
const WRITES_NOTHING = 'write_turns';

/** One access to a hot table. `column`: the first one of the index, null when there is none. */
interface Access {
  readonly line: string;
  readonly table: string;
  readonly index: string | null;
  readonly condition: string;
}

/**
 * The scans of hot tables in a plan. A bitmap index scan names its index alone; the heap scan above it
 * names the table, and is no access of its own.
 */
function accessesOf(plan: string, tableOf: ReadonlyMap<string, string>): Access[] {
  const lines = plan.split('\n');
  return lines.flatMap((line, number): Access[] => {
    const next = lines[number + 1] ?? '';
    const condition = next.includes('Index Cond: ') ? next : '';
    const sequential = / Seq Scan on (\w+)/.exec(` ${line}`)?.[1];
    if (sequential !== undefined) return [{ line, table: sequential, index: null, condition }];
    const index = /Index (?:Only )?Scan (?:Backward )?using (\w+)|Bitmap Index Scan on (\w+)/.exec(line);
    const name = index?.[1] ?? index?.[2];
    const table = name === undefined ? undefined : tableOf.get(name);
    return name === undefined || table === undefined ? [] : [{ line, table, index: name, condition }];
  });
}

for (const target of testDatabases()) {
  describe(`plans made on empty tables on ${target.name}`, { timeout: 180_000 }, () => {
    let database: Database;
    const sql = <Row = Record<string, string>>(text: string): Promise<Row[]> =>
      database.run<Row>({ name: '', text }, []);

    /** The arguments of each statement, as SQL. */
    const callOf = new Map<Statement, string>();
    const tableOf = new Map<string, string>();
    const firstColumnOf = new Map<string, string>();

    before(async () => {
      // One connection: a prepared statement and its plan belong to a session.
      database = await target.open({ poolMax: 1 });
      for (const table of HOT_TABLES) {
        await sql(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
        await sql(`VACUUM (ANALYZE) ${table}`);
      }
      for (const { statement } of await findStatements()) {
        await sql(`PREPARE "kept_${statement.name}" AS ${statement.text}`);
        callOf.set(statement, await callText(statement));
      }
      // After five runs PostgreSQL plans for any values, and keeps that plan.
      for (const [{ name }, call] of callOf) {
        for (let run = 0; run < 6 && !ONLY_INSERTS.test(name); run += 1) await sql(`EXECUTE ${call}`);
      }
      for (const text of fill(target.name === 'embedded' ? 10_000 : 50_000)) await sql(text);
      const indexes = await sql<{ name: string; table: string; column: string }>(`
SELECT c.relname::text AS name, x.indrelid::regclass::text AS table, a.attname::text AS column
FROM pg_index AS x
JOIN pg_class AS c ON c.oid = x.indexrelid
JOIN pg_attribute AS a ON a.attrelid = x.indexrelid AND a.attnum = 1`);
      for (const { name, table, column } of indexes.filter(({ table }) => HOT_TABLES.includes(table))) {
        tableOf.set(name, table);
        firstColumnOf.set(name, column);
      }
    });
    after(async () => {
      for (const table of HOT_TABLES) await sql(`ALTER TABLE ${table} RESET (autovacuum_enabled)`);
      await database.close();
    });

    async function callText({ name }: Statement): Promise<string> {
      const [row] = await sql<{ types: string[] }>(
        `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'kept_${name}'`,
      );
      const values = (row?.types ?? []).map((type) =>
        name === WRITES_NOTHING
          ? `'{}'`
          : (ARGUMENTS[type] ?? assert.fail(`${name} has a parameter of type ${type}`)),
      );
      return values.length === 0 ? `"kept_${name}"` : `"kept_${name}" (${values.join(', ')})`;
    }

    async function planOf(call: string): Promise<string> {
      const rows = await sql(`EXPLAIN EXECUTE ${call}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }

    for (const mode of ['auto', 'force_generic_plan']) {
      it(`begin at the first column of an index when the tables are full, with ${mode}`, async () => {
        await sql(`SET plan_cache_mode = ${mode}`);
        let count = 0;
        for (const [{ name }, call] of callOf) {
          const plan = await planOf(call);
          for (const { line, table, index, condition } of accessesOf(plan, tableOf)) {
            if (!HOT_TABLES.includes(table)) continue;
            count += 1;
            if (table === 'outbox' && MAY_READ_THE_OUTBOX.includes(name)) continue;
            assert.ok(index !== null, `${name} reads ${table} whole:\n${plan}`);
            const column = firstColumnOf.get(index) ?? '';
            const isBounded = new RegExp(`[ (]${column} [=<>]`).test(condition);
            assert.ok(isBounded, `${name} reads all of ${index} (${line.trim()}):\n${plan}`);
          }
        }
        assert.ok(count > 60, `only ${String(count)} accesses were found`);
      });
    }

    it('would read whole tables without the setting, so that the check above can fail', async () => {
      await sql('SET enable_seqscan = on');
      const call = callOf.get(LOCK_OUTBOX_ROWS) ?? '';
      await sql('TRUNCATE outbox');
      await sql('VACUUM (ANALYZE) outbox');
      assert.match(await planOf(call), /Seq Scan on outbox/);
      await sql('SET enable_seqscan = off');
    });
  });
}
