/** Ten thousand open incidents, and as many times ten that are closed, are listed and grouped by the index of open ones. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Connection, Database, Statement } from '../../engine/store/database.ts';
import {
  countOpenIncidents,
  listOpenIncidents,
  summarizeOpenIncidents,
  type IncidentFilter,
} from '../../engine/store/operate-incidents.ts';
import { testDatabases } from '../support/database.ts';
import { seededRows } from './plan-of.ts';

const none: IncidentFilter = {
  kind: null,
  tenant: null,
  module: null,
  instanceId: null,
  code: null,
  processId: null,
  elementId: null,
  createdAfter: null,
  createdBefore: null,
};

/** As a fault leaves them: what came before has been closed, then many at once. Ids are in the order of time. */
const seed = (openCount: number): string => `
INSERT INTO incident (id, kind, tenant, module, process_id, instance_id, element_id, code, message, created_at, resolved_at)
SELECT ('018f0003-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid, 'instance-failed', 't', 'm', 'p' || i % 3,
  gen_random_uuid(), 'e' || i % 7, 'c' || i % 300, 'm', now() - (${openCount * 11} - i) * interval '1 second',
  CASE WHEN i <= ${openCount * 10} THEN now() END
FROM generate_series(1, ${openCount * 11}) AS i`;

/** The filters of each question, and what must not be read whole. */
const filters: readonly Partial<IncidentFilter>[] = [
  {},
  { processId: 'p1' },
  { processId: 'p1', elementId: 'e3' },
  { kind: 'instance-failed', code: 'c7' },
  { createdAfter: new Date('2000-01-01T00:00:00Z'), createdBefore: new Date('2100-01-01T00:00:00Z') },
];

for (const target of testDatabases()) {
  describe(`many incidents on ${target.name}`, () => {
    let database: Database;
    let openCount: number;
    before(async () => {
      openCount = seededRows(target, 10_000);
      database = await target.open({ poolMax: 1 });
      await database.knex.raw(seed(openCount));
      await database.knex.raw('ANALYZE incident');
    });
    after(() => database.close());

    /** What a question runs. */
    async function statementOf(
      ask: (recording: Database) => Promise<unknown>,
    ): Promise<readonly [Statement, readonly unknown[]]> {
      const asked: (readonly [Statement, readonly unknown[]])[] = [];
      const recording: Database = Object.create(database, {
        run: {
          value: (statement: Statement, values: readonly unknown[]) => {
            asked.push([statement, values]);
            return database.run(statement, values);
          },
        },
      }) as Database;
      await ask(recording);
      const [only] = asked;
      assert.ok(only !== undefined && asked.length === 1);
      return only;
    }

    const explain = (
      connection: Connection,
      [statement, values]: readonly [Statement, readonly unknown[]],
    ): Promise<string> =>
      connection
        .run<Record<string, string>>({ name: '', text: `EXPLAIN ${statement.text}` }, values)
        .then((rows) => rows.map((row) => row['QUERY PLAN']).join('\n'));

    for (const filter of filters) {
      it(`are listed and grouped by ${JSON.stringify(filter)} without reading the closed ones`, async () => {
        const questions = [
          await statementOf((recording) =>
            listOpenIncidents(recording, { ...none, ...filter }, { limit: 50, cursor: null }),
          ),
          await statementOf((recording) => summarizeOpenIncidents(recording, { ...none, ...filter })),
        ];
        for (const mode of ['force_generic_plan', 'force_custom_plan']) {
          await database.transaction(async (connection) => {
            await connection.run({ name: '', text: `SET LOCAL plan_cache_mode = ${mode}` }, []);
            for (const question of questions) {
              const plan = await explain(connection, question);
              assert.match(plan, /incident_open/, plan);
            }
          });
        }
      });
    }

    it('are grouped, at most 200 groups of them, with the count of all', async () => {
      const { groups, incidentCount, isCut } = await summarizeOpenIncidents(database, none);
      assert.equal(groups.length, 200);
      assert.equal(incidentCount, openCount);
      assert.ok(isCut);
      const [counted] = await countOpenIncidents(database);
      assert.deepEqual(counted, { kind: 'instance-failed', count: openCount });
      const counts = groups.map(({ count }) => count);
      assert.deepEqual(
        counts,
        [...counts].sort((left, right) => right - left),
      );
    });
  });
}
