import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import type { Migration } from '../../engine/store/migrate.ts';
import { checksumOf, migrate, migrations } from '../../engine/store/migrate.ts';
import type { TestDatabase } from '../support/database.ts';
import { testDatabases } from '../support/database.ts';
import { programArguments } from '../support/program.ts';
import { describeSchema } from './catalogue.ts';

const CHILD = programArguments(new URL('./migrate-child.ts', import.meta.url));

const first: Migration = {
  version: 1,
  name: 'first',
  sql: 'CREATE TABLE one (id integer); -- is this a value?',
};
const second: Migration = {
  version: 2,
  name: 'second',
  sql: `INSERT INTO one VALUES (1); SELECT '{"a":1}'::jsonb ? 'a'`,
};

const clear = async (database: Database): Promise<void> => {
  await database.knex.raw('DROP SCHEMA public CASCADE');
  await database.knex.raw('CREATE SCHEMA public');
};

const ledger = (database: Database): Promise<{ version: number; checksum: string }[]> =>
  database.run({ name: '', text: 'SELECT version, checksum FROM schema_migration ORDER BY version' }, []);

const entry = (migration: Migration): { version: number; checksum: string } => ({
  version: migration.version,
  checksum: checksumOf(migration),
});

describe('the migrations', () => {
  it('count up from 1 without gaps', () => {
    assert.deepEqual(
      migrations.map(({ version }) => version),
      migrations.map((_, index) => index + 1),
    );
  });
});

for (const target of testDatabases()) {
  describe(`migrating on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    beforeEach(() => clear(database));
    after(() => database.close());

    it('makes the schema once, and records what it applied', async () => {
      await migrate(database);
      const schema = await describeSchema(database);
      await migrate(database);
      assert.equal(await describeSchema(database), schema);
      assert.deepEqual(await ledger(database), migrations.map(entry));
    });

    it('applies only what is missing', async () => {
      await migrate(database, { migrations: [first] });
      await migrate(database, { migrations: [first, second] });
      await migrate(database, { migrations: [first, second] });
      assert.deepEqual(await ledger(database), [first, second].map(entry));
      assert.deepEqual(await database.run({ name: '', text: 'SELECT id FROM one' }, []), [{ id: 1 }]);
    });

    it('happens once when asked for many times at once', async () => {
      await Promise.all([1, 2, 3, 4].map(() => migrate(database)));
      assert.deepEqual(await ledger(database), migrations.map(entry));
    });

    it('refuses a database that has another text of a migration, and changes nothing', async () => {
      await migrate(database, { migrations: [first] });
      const edited = { ...first, sql: `${first.sql} edited` };
      await assert.rejects(migrate(database, { migrations: [edited, second] }), {
        code: 'SUTRA.STORE.MIGRATION_CHANGED',
        message: /migration 1 \(first\)/,
      });
      assert.deepEqual(await ledger(database), [entry(first)]);
    });

    it('refuses a database of a newer engine, and changes nothing', async () => {
      await migrate(database, { migrations: [first, second] });
      await assert.rejects(migrate(database, { migrations: [first] }), {
        code: 'SUTRA.STORE.MIGRATION_UNKNOWN',
      });
      assert.deepEqual(await ledger(database), [first, second].map(entry));
    });

    it('leaves nothing behind when one fails, and succeeds once it is mended', async () => {
      const broken = { ...second, sql: 'CREATE TABLE two (id integer); SELECT 1 / 0' };
      await assert.rejects(migrate(database, { migrations: [first, broken] }), { code: '22012' });
      assert.equal(await describeSchema(database), '\n');
      await migrate(database, { migrations: [first, second] });
      assert.deepEqual(await ledger(database), [first, second].map(entry));
    });
  });
}

for (const target of testDatabases().filter(({ name }) => name === 'postgresql')) {
  describe('migrating by several processes', () => {
    let created: TestDatabase;
    let database: Database;
    before(async () => {
      created = await target.create();
      database = await created.open();
    });
    beforeEach(() => clear(database));
    after(async () => {
      await database.close();
      await created.drop();
    });

    const startChild = (...more: string[]) =>
      spawn(process.execPath, [...CHILD, created.url ?? '', ...more], { stdio: 'inherit' });

    it('that boot at the same time happens once', async () => {
      const exits = await Promise.all([1, 2, 3].map(() => once(startChild(), 'exit')));
      assert.deepEqual(exits, [
        [0, null],
        [0, null],
        [0, null],
      ]);
      assert.deepEqual(await ledger(database), migrations.map(entry));
    });

    it('of which one is killed in the middle is done by the next', async () => {
      const slow = { ...second, sql: `CREATE TABLE two (id integer); SELECT pg_sleep(600)` };
      const child = startChild(JSON.stringify([first, slow]));
      const exited = once(child, 'exit');
      const sleeping = {
        name: 'test_sleeping',
        text: `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      };
      while ((await database.run(sleeping, [])).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 20));
      await assert.rejects(migrate(database, { migrations: [first], lockWaitMs: 50 }), {
        code: 'SUTRA.STORE.MIGRATION_BUSY',
      });
      child.kill('SIGKILL');
      await exited;
      // The server notices that its client is gone when it next sends something; an operator would end the session.
      await database.run(
        {
          name: '',
          text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`,
        },
        [],
      );
      await migrate(database, { migrations: [first, second] });
      assert.deepEqual(await ledger(database), [first, second].map(entry));
    });
  });
}
