/** The lists of the facades use the indexes that they name, in full tables; and find what they say. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  anyLiveInstance,
  countLiveInstances,
  LIST_INVOLVED_INSTANCES,
  listInvolvedInstances,
  listLiveInstances,
  READ_BUSINESS_KEYS,
  READ_INSTANCES,
  type LiveInstanceFilter,
} from '../../engine/store/compat-instances.ts';
import type { Database, Statement } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { planOf, seededRows } from './plan-of.ts';

const seedsOf = (rows: number): readonly string[] => [
  `INSERT INTO deployment (id, tenant, module, version, state)
   SELECT 'dep-' || i, 'acme', 'm' || i, '1', 'active' FROM generate_series(1, 100) AS i`,
  `INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn, ended_at)
   SELECT ('00000000-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'dep-' || 1 + i % 100, 'acme',
     'm' || 1 + i % 100, 'p', CASE WHEN i % 2 = 0 THEN 'running' ELSE 'completed' END, '{}', 1,
     CASE WHEN i % 2 = 0 THEN NULL ELSE now() END
   FROM generate_series(1, ${rows}) AS i`,
  `INSERT INTO alias (tenant, module, name, value, instance_id, is_unique)
   SELECT tenant, module, 'businessKey', 'k' || substr(id::text, 25)::bigint, id, false
   FROM instance WHERE ended_at IS NULL`,
  `INSERT INTO instance_call (deployment_id, instance_id)
   SELECT 'dep-' || 1 + (i + 7) % 100, ('00000000-0000-7000-8000-' || lpad((2 * i)::text, 12, '0'))::uuid
   FROM generate_series(1, ${rows / 4}) AS i`,
  'ANALYZE deployment, instance, alias, instance_call',
];

const id = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const UUIDS = `'{${id(2)},${id(4)}}'`;

const hot: readonly (readonly [Statement, string, readonly string[]])[] = [
  [READ_BUSINESS_KEYS, `(${UUIDS})`, ['alias_instance']],
  [READ_INSTANCES, `(${UUIDS})`, ['instance_pkey', 'instance_value_pkey']],
  [LIST_INVOLVED_INSTANCES, `('{dep-1,dep-2}', 501)`, ['instance_live', 'instance_call_pkey']],
];

/** Filters, and the indexes by which their instances are found. */
const filters: readonly (readonly [Partial<LiveInstanceFilter>, readonly string[]])[] = [
  [{ ids: [id(2), id(4)] }, ['instance_pkey']],
  [{ businessKey: 'k2' }, ['alias_pkey', 'instance_pkey']],
  [{ businessKey: 'k2', tenants: ['acme'] }, ['alias_pkey', 'instance_pkey']],
  [{ deploymentIds: ['dep-1'] }, ['instance_live']],
];

for (const target of testDatabases()) {
  describe(`live instances for facades on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open({ poolMax: 1 });
      for (const text of seedsOf(seededRows(target, 20_000))) await database.run({ name: '', text }, []);
    });
    after(() => database.close());

    for (const [statement, values, indexes] of hot) {
      test(`${statement.name} uses ${indexes.join(' and ')}`, async () => {
        const plan = await database.transaction((connection) => planOf(connection, statement, values));
        for (const index of indexes) assert.ok(plan.includes(index), plan);
      });
    }

    for (const [filter, indexes] of filters) {
      test(`a list by ${Object.keys(filter).join(' and ')} uses ${indexes.join(' and ')}`, async () => {
        const plan = await planOfList(database, { ...anyLiveInstance, ...filter });
        for (const index of indexes) assert.ok(plan.includes(index), plan);
      });
    }

    test('what has ended is in no list, and is counted in none', async () => {
      const list = await listLiveInstances(
        database,
        { ...anyLiveInstance, ids: [id(1), id(2), id(3), id(4)] },
        { orders: [{ by: 'instanceId', direction: 'desc' }], offset: 0, limit: 10 },
      );
      assert.deepEqual(
        list.map((instance) => instance.id),
        [id(4), id(2)],
      );
      const found = await countLiveInstances(database, { ...anyLiveInstance, businessKey: 'k2' });
      assert.equal(found, 1);
      assert.equal(await countLiveInstances(database, { ...anyLiveInstance, businessKey: 'k1' }), 0);
      assert.equal(await countLiveInstances(database, { ...anyLiveInstance, ids: [] }), 0);
    });

    test('instances that are involved are those of the deployment and those that have called it', async () => {
      const own = await listLiveInstances(
        database,
        { ...anyLiveInstance, deploymentIds: ['dep-1'] },
        { orders: [], offset: 0, limit: 100_000 },
      );
      const { length } = await listInvolvedInstances(database, ['dep-1'], 100_000);
      assert.ok(length > own.length, 'callers, too');
      assert.equal((await listInvolvedInstances(database, ['dep-1'], 7)).length, 7);
    });
  });
}

/** Of the statement that the list runs, with its own values. */
async function planOfList(database: Database, filter: LiveInstanceFilter): Promise<string> {
  let plan = '';
  const explaining: Database = {
    ...database,
    knex: database.knex,
    run: async <Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
      const explained = { name: '', text: `EXPLAIN ${statement.text}` };
      const rows = await database.run<Record<string, string>>(explained, values);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return [];
    },
  };
  await listLiveInstances(explaining, filter, { orders: [], offset: 0, limit: 501 });
  return plan;
}
