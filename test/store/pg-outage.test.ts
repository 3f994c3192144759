import assert from 'node:assert/strict';
import { once } from 'node:events';
import { EventEmitter } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Database, Statement } from '../../engine/store/database.ts';
import { defaultTimeouts, openPgDatabase } from '../../engine/store/pg-database.ts';
import type { TestDatabase } from '../support/database.ts';
import { testDatabases } from '../support/database.ts';
import { TcpProxy } from './tcp-proxy.ts';

const ONE: Statement = { name: 'test_one', text: 'SELECT 1 AS one' };
const SLEEP: Statement = { name: 'test_sleep', text: 'SELECT pg_sleep($1::float8)' };
const INSERT: Statement = {
  name: 'test_insert_history',
  text: `INSERT INTO history (instance_id, turn, entries) VALUES (gen_random_uuid(), $1::integer, '[]')`,
};
const COUNT: Statement = {
  name: 'test_count_history',
  text: 'SELECT count(*)::integer AS count FROM history WHERE turn = $1::integer',
};
const unavailable = { code: 'SUTRA.PERSISTENCE_UNAVAILABLE' };
const timeouts = {
  connectMs: 400,
  acquireMs: 600,
  statementMs: 500,
  idleInTransactionMs: 500,
  silenceMs: 800,
};

describe('a PostgreSQL server that cannot be reached', () => {
  it('makes calls reject as unavailable within the bound, and does not crash the process', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const database = await openPgDatabase({
      url: `postgres://nobody@127.0.0.1:${port}/none`,
      poolMax: 2,
      timeouts,
    });
    const startedAt = performance.now();
    const calls = Array.from({ length: 20 }, () => database.run(ONE, []));
    for (const result of await Promise.allSettled(calls)) {
      assert.equal(result.status, 'rejected');
      assert.equal((result.reason as { code: string }).code, unavailable.code);
    }
    assert.ok(performance.now() - startedAt < timeouts.acquireMs + 1_000);
    await assert.rejects(
      database.transaction(() => Promise.resolve()),
      unavailable,
    );
    const stop = await database.listen('bell', () => {});
    await stop();
    await database.close();
  });

  it('that accepts but never answers is given up too', async () => {
    const server = createServer((socket) => void socket.resume().on('error', () => {})).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const database = await openPgDatabase({
      url: `postgres://nobody@127.0.0.1:${port}/none`,
      poolMax: 2,
      timeouts,
    });
    await assert.rejects(database.run(ONE, []), unavailable);
    await database.close();
    server.close();
    await once(server, 'close');
  });

  it('is not even tried when its URL cannot be read, and the URL is not repeated', async () => {
    for (const url of [
      'nonsense secret',
      'mysql://user:secret@host/db',
      'postgres://h/db?pgbouncer=secret',
    ]) {
      await assert.rejects(openPgDatabase({ url, poolMax: 1 }), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'SUTRA.STORE.URL_INVALID');
        assert.doesNotMatch(error.message, /user|host/);
        return true;
      });
    }
  });

  it('has bounds in an order in which the error of the cause comes first', () => {
    assert.ok(defaultTimeouts.connectMs < defaultTimeouts.acquireMs);
    assert.ok(defaultTimeouts.statementMs < defaultTimeouts.silenceMs);
  });
});

for (const target of testDatabases().filter(({ name }) => name === 'postgresql')) {
  describe('an outage of PostgreSQL', () => {
    let created: TestDatabase;
    let direct: Database;
    let proxy: TcpProxy;
    let database: Database;

    before(async () => {
      created = await target.create();
      direct = await created.open();
      const started = await TcpProxy.start(created.url ?? '');
      proxy = started.proxy;
      database = await openPgDatabase({ url: started.url, poolMax: 3, timeouts });
    });
    beforeEach(() => {
      proxy.restore();
      proxy.intercept = () => true;
    });
    after(async () => {
      await database.close();
      await proxy.stop();
      await direct.close();
      await created.drop();
    });

    const count = async (turn: number): Promise<number> => {
      const rows = await direct.run<{ count: number }>(COUNT, [turn]);
      return rows[0]?.count ?? -1;
    };

    it('while connections are idle costs at most one refused call each', async () => {
      await Promise.all([1, 2, 3].map(() => database.run(SLEEP, [0.05])));
      proxy.cut();
      await new Promise((resolve) => setImmediate(resolve));
      const results = await Promise.allSettled([1, 2, 3, 4].map(() => database.run(ONE, [])));
      for (const result of results) {
        if (result.status === 'rejected')
          assert.equal((result.reason as { code: string }).code, unavailable.code);
      }
      assert.deepEqual(await database.run(ONE, []), [{ one: 1 }]);
    });

    it('in the middle of a transaction rolls it back, and work resumes without help', async () => {
      const work = database.transaction(async (connection) => {
        await connection.run(INSERT, [1]);
        proxy.takeDown();
        await connection.run(INSERT, [1]);
      });
      await assert.rejects(work, {
        ...unavailable,
        attributes: { outcome: 'not-done', causeCode: 'ECONNRESET' },
      });
      await assert.rejects(database.run(ONE, []), unavailable);
      proxy.restore();
      await database.transaction((connection) => connection.run(INSERT, [1]));
      assert.equal(await count(1), 1);
    });

    it('while a commit is under way says that its outcome is unknown', async () => {
      proxy.intercept = (bytes) => {
        if (!bytes.includes('COMMIT')) return true;
        proxy.cut();
        return false;
      };
      const work = database.transaction((connection) => connection.run(INSERT, [2]));
      await assert.rejects(work, (error: { code: string; attributes: Record<string, unknown> }) => {
        assert.equal(error.code, unavailable.code);
        assert.equal(error.attributes['outcome'], 'unknown');
        return true;
      });
      assert.equal(await count(2), 0);
    });

    it('that leaves connections open and silent is noticed', async () => {
      await database.run(ONE, []);
      proxy.freeze();
      await assert.rejects(database.run(ONE, []), unavailable);
      await assert.rejects(
        database.transaction((connection) => connection.run(ONE, [])),
        unavailable,
      );
      proxy.restore();
      proxy.cut();
      await until(async () => (await database.run<{ one: number }>(ONE, []))[0]?.one === 1);
    });

    it('is not what a statement is that takes too long: the connection lives on', async () => {
      await assert.rejects(database.run(SLEEP, [10]), {
        ...unavailable,
        attributes: { outcome: 'not-done', causeCode: '57014' },
      });
      await assert.rejects(
        database.transaction(async (connection) => {
          await connection.run(INSERT, [3]);
          await connection.run(SLEEP, [10]);
        }),
        unavailable,
      );
      assert.deepEqual(await database.run(ONE, []), [{ one: 1 }]);
      assert.equal(await count(3), 0);
    });

    it('by the server, which ends a transaction that sends nothing, is told as unavailable', async () => {
      const work = database.transaction(async (connection) => {
        await connection.run(INSERT, [4]);
        await new Promise((resolve) => setTimeout(resolve, timeouts.idleInTransactionMs + 300));
        await connection.run(INSERT, [4]);
      });
      await assert.rejects(work, unavailable);
      assert.equal(await count(4), 0);
      assert.deepEqual(await database.run(ONE, []), [{ one: 1 }]);
    });

    it('does not leave the pool short of connections', async () => {
      for (let round = 0; round < 5; round += 1) {
        const calls = Array.from({ length: 6 }, () =>
          database.transaction((connection) => connection.run(SLEEP, [0.2])),
        );
        await new Promise((resolve) => setTimeout(resolve, 60));
        proxy.cut();
        await Promise.allSettled(calls);
      }
      await until(async () => {
        const results = await Promise.allSettled([1, 2, 3].map(() => database.run(SLEEP, [0.1])));
        return results.every(({ status }) => status === 'fulfilled');
      });
    });

    it('leaves the doorbell silent only until it is over', async () => {
      const bell = new EventEmitter();
      const stop = await database.listen('bell', (payload) => bell.emit('rung', payload));
      let heard = once(bell, 'rung');
      await direct.notify('bell', 'before');
      assert.deepEqual(await heard, ['before']);
      proxy.cut();
      heard = once(bell, 'rung');
      let isHeard = false;
      void heard.then(() => (isHeard = true));
      await until(async () => {
        await direct.notify('bell', 'after');
        await new Promise((resolve) => setTimeout(resolve, 20));
        return isHeard;
      });
      await stop();
    });

    it('is survived by statements without names, as behind a pooler', async () => {
      const pooled = await openPgDatabase({ url: `${created.url ?? ''}?pgbouncer=true`, poolMax: 1 });
      await pooled.transaction((connection) => connection.run(INSERT, [5]));
      await pooled.transaction((connection) => connection.run(INSERT, [5]));
      const prepared = await pooled.run<{ count: number }>(
        { name: 'test_prepared', text: 'SELECT count(*)::integer AS count FROM pg_prepared_statements' },
        [],
      );
      assert.deepEqual(prepared, [{ count: 0 }]);
      assert.equal(await count(5), 2);
      await pooled.close();
    });
  });
}

/** Polls for what no event tells; fails after ten seconds. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    if (await holds().catch(() => false)) return;
    assert.ok(performance.now() < deadline, 'did not come true within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
