/** The clock of an embedded database can be stopped and moved, and its tables emptied: what scenarios run on. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { EmbeddedDatabase } from '../../engine/store/embedded-database.ts';
import { emptyDatabase } from '../../engine/store/empty-database.ts';
import { migrate } from '../../engine/store/migrate.ts';
import { openScenarioDatabase } from '../../server/scenarios/run-scenarios.ts';

const CLOCKS = {
  name: 'test_clocks',
  text: `SELECT now() AS now, clock_timestamp() AS clock, statement_timestamp() AS statement`,
};

describe('an embedded database for scenarios', () => {
  let database: EmbeddedDatabase;
  before(async () => {
    database = await openScenarioDatabase();
  });
  after(() => database.close());

  const clocks = async (): Promise<readonly string[]> => {
    const [row] = await database.run<Readonly<Record<string, Date>>>(CLOCKS, []);
    return Object.values(row ?? {}).map((at) => at.toISOString());
  };

  it('has the clock of the machine until it is set', async () => {
    const [now] = await clocks();
    assert.ok(Math.abs(Date.parse(now ?? '') - Date.now()) < 60_000);
  });

  it('stands where it was set, by every name that SQL has for it, and can be moved', async () => {
    for (const at of ['2030-01-07T09:00:00.000Z', '2030-01-07T09:05:00.123Z', '1999-12-31T23:59:59.999Z']) {
      await database.setClock(Date.parse(at));
      assert.deepEqual(await clocks(), [at, at, at]);
    }
    assert.ok(
      Math.abs(Date.now() - Date.parse('1999-12-31T23:59:59.999Z')) > 86_400_000,
      'ours is not moved',
    );
  });

  it('is emptied, and stays migrated', async () => {
    await database.knex('incident').insert({
      id: '00000000-0000-7000-8000-000000000001',
      kind: 'instance-failed',
      instance_id: '00000000-0000-7000-8000-000000000002',
      element_id: 'e',
      tenant: 't',
      module: 'm',
      code: 'C',
      message: 'M',
    });
    assert.equal((await database.knex('incident').select('id')).length, 1);
    await emptyDatabase(database);
    assert.equal((await database.knex('incident').select('id')).length, 0);
    assert.ok((await database.knex('schema_migration').select('*')).length > 0);
    await migrate(database);
  });
});
