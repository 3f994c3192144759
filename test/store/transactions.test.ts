import assert from 'node:assert/strict';
import { once } from 'node:events';
import { EventEmitter } from 'node:events';
import { after, before, describe, it } from 'node:test';
import type { Connection, Database, Statement } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';

const INSERT: Statement = {
  name: 'test_insert',
  text: `INSERT INTO alias (tenant, module, name, value, instance_id, is_unique)
         VALUES ('t', $1::text, 'n', $2::text, '0190c0de-0000-7000-8000-000000000001', true)`,
};
const COUNT: Statement = {
  name: 'test_count',
  text: 'SELECT count(*)::integer AS count FROM alias WHERE module = $1::text',
};
const FAIL: Statement = { name: 'test_fail', text: 'SELECT 1 / $1::integer AS never' };

for (const target of testDatabases()) {
  describe(`transactions on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    const count = async (module: string, runner: Pick<Database, 'run'> = database): Promise<number> => {
      const rows = await runner.run<{ count: number }>(COUNT, [module]);
      return rows[0]?.count ?? -1;
    };

    it('commit when the work resolves (D1)', async () => {
      const result = await database.transaction(async (connection) => {
        await connection.run(INSERT, ['commit', 'a']);
        await connection.run(INSERT, ['commit', 'b']);
        return count('commit', connection);
      });
      assert.equal(result, 2);
      assert.equal(await count('commit'), 2);
    });

    it('roll back when the work rejects, with its own error (D1)', async () => {
      const own = new Error('mine');
      const work = database.transaction(async (connection) => {
        await connection.run(INSERT, ['reject', 'a']);
        throw own;
      });
      await assert.rejects(work, (error) => error === own);
      assert.equal(await count('reject'), 0);
    });

    it('roll back when a statement fails, and pass its SQLSTATE and constraint on', async () => {
      const work = database.transaction(async (connection) => {
        await connection.run(INSERT, ['unique', 'a']);
        await connection.run(INSERT, ['unique', 'a']);
      });
      await assert.rejects(work, { code: '23505', constraint: 'alias_pkey' });
      assert.equal(await count('unique'), 0);
      assert.equal(await database.transaction((connection) => count('unique', connection)), 0);
    });

    it('are never reported as committed when a failed statement was passed over (K2)', async () => {
      const work = database.transaction(async (connection) => {
        await connection.run(INSERT, ['aborted', 'a']);
        await connection.run(FAIL, [0]).catch(() => {});
      });
      await assert.rejects(work, { code: 'SUTRA.STORE.TRANSACTION_ABORTED' });
      assert.equal(await count('aborted'), 0);
    });

    it('refuse statements after they have settled (K3)', async () => {
      const kept = await database.transaction(async (connection): Promise<Connection> => {
        await connection.run(INSERT, ['settled', 'a']);
        return connection;
      });
      await assert.rejects(kept.run(INSERT, ['settled', 'b']), /had settled/);
      assert.equal(await count('settled'), 1);
    });

    it('see their own writes, and others see them only after the commit', async () => {
      const gate = new EventEmitter();
      const open = once(gate, 'open');
      const inside = database.transaction(async (connection) => {
        await connection.run(INSERT, ['isolated', 'a']);
        await open;
        return count('isolated', connection);
      });
      const outside = count('isolated');
      // On one session the outside count waits for the commit; on several it runs before it.
      if (database.poolSize > 1) assert.equal(await outside, 0);
      gate.emit('open');
      assert.equal(await inside, 1);
      assert.equal(await outside, database.poolSize > 1 ? 0 : 1);
    });

    it('on more callers than connections, wait their turn', async () => {
      const calls = Array.from({ length: 50 }, (_, index) =>
        database.transaction(async (connection) => {
          await connection.run(INSERT, ['many', String(index)]);
          await connection.run(INSERT, ['many', `${index}-second`]);
        }),
      );
      await Promise.all(calls);
      assert.equal(await count('many'), 100);
    });

    it('cost two control statements, and none when nothing was run', async () => {
      const [statementsBefore, commitsBefore] = [database.statementCount(), database.commitCount()];
      await database.transaction(async (connection) => {
        await connection.run(INSERT, ['counted', 'a']);
      });
      await database.transaction(() => Promise.resolve());
      assert.equal(database.statementCount() - statementsBefore, 3);
      assert.equal(database.commitCount() - commitsBefore, 1);
    });

    it('let statements be sent together without waiting for each answer', async () => {
      const [first, second] = await database.transaction((connection) =>
        Promise.all([count('together', connection), connection.run(INSERT, ['together', 'a'])]),
      );
      assert.deepEqual([first, second], [0, []]);
      assert.equal(await count('together'), 1);
    });

    it('with a failure among statements that were sent together roll back all of them', async () => {
      const work = database.transaction((connection) =>
        Promise.all([
          connection.run(INSERT, ['mixed', 'a']),
          connection.run(FAIL, [0]),
          connection.run(INSERT, ['mixed', 'b']),
        ]),
      );
      await assert.rejects(work, { code: '22012' });
      assert.equal(await count('mixed'), 0);
    });

    it('commit behind the statements under way, and take nothing more', async () => {
      await database.transaction(async (transaction) => {
        const inserted = transaction.run(INSERT, ['behind', 'a']);
        transaction.commitBehind();
        await assert.rejects(transaction.run(INSERT, ['behind', 'b']), /had settled/);
        await inserted;
      });
      assert.equal(await count('behind'), 1);
    });

    it('are rolled back by the server when a statement fails before the commit that is behind it', async () => {
      const commitsBefore = database.commitCount();
      const work = database.transaction((transaction) => {
        const all = [
          transaction.run(INSERT, ['behind-failure', 'a']),
          transaction.run(FAIL, [0]),
          transaction.run(INSERT, ['behind-failure', 'b']),
        ];
        transaction.commitBehind();
        return Promise.all(all);
      });
      await assert.rejects(work, { code: '22012' });
      assert.equal(await count('behind-failure'), 0);
      assert.equal(database.commitCount(), commitsBefore);
    });

    it('send no commit behind when a statement could not even be sent', async () => {
      const work = database.transaction((transaction) => {
        const all = [
          transaction.run(INSERT, ['unsent', 'a']),
          transaction.run(INSERT, ['unsent', undefined]),
        ];
        transaction.commitBehind();
        return Promise.all(all);
      });
      await assert.rejects(work, TypeError);
      assert.equal(await count('unsent'), 0);
    });

    it('are never reported as committed when the failure before a commit behind was passed over (K2)', async () => {
      const work = database.transaction(async (transaction) => {
        const failed = transaction.run(FAIL, [0]);
        transaction.commitBehind();
        await failed.catch(() => {});
      });
      await assert.rejects(work, { code: 'SUTRA.STORE.TRANSACTION_ABORTED' });
    });

    it('outlive a statement that failed before it was prepared', async () => {
      const broken: Statement = { name: 'test_broken', text: 'SELECT nothing FROM nowhere' };
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await assert.rejects(database.run(broken, []), { code: '42P01' });
        await assert.rejects(
          database.transaction((connection) => connection.run(broken, [])),
          { code: '42P01' },
        );
      }
      assert.equal(await count('nobody'), 0);
    });

    it('reject as unavailable after the close', async () => {
      const other = await target.open();
      await other.close();
      await other.close();
      await assert.rejects(other.run(COUNT, ['x']), { code: 'SUTRA.PERSISTENCE_UNAVAILABLE' });
      await assert.rejects(
        other.transaction(() => Promise.resolve()),
        { code: 'SUTRA.PERSISTENCE_UNAVAILABLE' },
      );
    });
  });

  describe(`the doorbell on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    it('rings each listener of the channel, and no other', async () => {
      const rung: string[] = [];
      const bell = new EventEmitter();
      const stopFirst = await database.listen('odd "Channel"?', (payload) => rung.push(`first ${payload}`));
      const stopSecond = await database.listen('odd "Channel"?', (payload) => {
        rung.push(`second ${payload}`);
        bell.emit('rung');
      });
      const stopOther = await database.listen('other', (payload) => rung.push(`other ${payload}`));
      let heard = once(bell, 'rung');
      await database.notify('odd "Channel"?', 'a');
      await heard;
      await stopFirst();
      heard = once(bell, 'rung');
      await database.notify('odd "Channel"?', '');
      await heard;
      assert.deepEqual(rung, ['first a', 'second a', 'second ']);
      await stopSecond();
      await stopSecond();
      await stopOther();
    });

    it('refuses a payload that PostgreSQL would refuse', async () => {
      await database.notify('long', 'x'.repeat(7_900));
      await assert.rejects(database.notify('long', 'x'.repeat(7_901)), RangeError);
      await assert.rejects(database.notify('long', 'ä'.repeat(3_951)), RangeError);
    });
  });
}
