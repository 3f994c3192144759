import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Connection, Database } from '../../engine/store/database.ts';
import {
  readRecords,
  recordText,
  writeRecords,
  type RecordName,
  type RecordState,
} from '../../engine/store/data-records.ts';
import {
  listDataRecords,
  putDataRecord,
  readDataRecord,
  removeDataRecord,
} from '../../engine/store/operate-records.ts';
import { testDatabases } from '../support/database.ts';

const record = (store: string, key: string, tenant = 'acme'): RecordName => ({ tenant, store, key });

async function readOne(connection: Connection, name: RecordName, isForUpdate: boolean): Promise<RecordState> {
  const [state] = await readRecords(connection, [{ ...name, isForUpdate }]);
  assert.ok(state !== undefined);
  return state;
}

const seen = async (database: Database, name: RecordName): Promise<string | null> =>
  (await readOne(database, name, false)).value;

for (const target of testDatabases()) {
  describe(`records of data stores on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    it('are written and read under their whole name', async () => {
      const names = [record('stock', 'tea'), record('stock', 'tea', 'other'), record('prices', 'tea')];
      const writes = names.map((name, index) => ({ ...name, value: String(index), exists: false }));
      assert.equal(await writeRecords(database, writes), true);
      const states = await readRecords(
        database,
        [...names, record('prices', 'none')].map((name) => ({ ...name, isForUpdate: false })),
      );
      assert.deepEqual(
        states.map(({ value, access }) => [value, access]),
        [
          ['0', 'read'],
          ['1', 'read'],
          ['2', 'read'],
          [null, 'read'],
        ],
      );
      assert.equal(new Set(names.map(recordText)).size, 3);
    });

    it('R2, R3: are changed, made and deleted as they were read for update', async () => {
      const [changed, gone, made] = [record('r2', 'changed'), record('r2', 'gone'), record('r2', 'made')];
      for (const name of [changed, gone]) await putDataRecord(database, name, '1');
      await database.transaction(async (connection) => {
        const states = await readRecords(
          connection,
          [changed, gone, made].map((name) => ({ ...name, isForUpdate: true })),
        );
        assert.deepEqual(
          states.map(({ value, access }) => [value, access]),
          [
            ['1', 'locked'],
            ['1', 'locked'],
            [null, 'locked'],
          ],
        );
        const isWhole = await writeRecords(connection, [
          { ...changed, value: '2', exists: true },
          { ...gone, value: null, exists: true },
          { ...made, value: '3', exists: false },
          { ...record('r2', 'never'), value: null, exists: false },
        ]);
        assert.equal(isWhole, true);
      });
      assert.equal(await seen(database, changed), '2');
      assert.equal(await seen(database, gone), null);
      assert.equal(await seen(database, made), '3');
    });

    it('R2: a write of one that somebody has made meanwhile is not whole, and changes nothing of it', async () => {
      const name = record('r2', 'raced');
      await putDataRecord(database, name, '1');
      assert.equal(await writeRecords(database, [{ ...name, value: '2', exists: false }]), false);
      assert.equal(await seen(database, name), '1');
    });

    it('R1: one that somebody has locked is not waited for, whether for update or not', async (t) => {
      if (database.poolSize === 1) {
        t.diagnostic('one connection: nobody else can lock a record');
        return;
      }
      const [held, free] = [record('r1', 'held'), record('r1', 'free')];
      for (const name of [held, free]) await putDataRecord(database, name, '1');
      await database.transaction(async (connection) => {
        await readOne(connection, held, true);
        await writeRecords(connection, [{ ...held, value: '2', exists: true }]);
        const states = await readRecords(
          database,
          [held, free].map((name) => ({ ...name, isForUpdate: true })),
        );
        assert.deepEqual(
          states.map(({ access }) => access),
          ['locked-elsewhere', 'locked'],
        );
        assert.deepEqual(await readOne(database, held, false), { ...held, value: '1', access: 'read' });
      });
      assert.deepEqual(await readOne(database, held, true), { ...held, value: '2', access: 'locked' });
    });

    it('R1: two commits that make the same records in either order both end, and the later one makes none', async (t) => {
      if (database.poolSize === 1) {
        t.diagnostic('one connection: no two commits at a time');
        return;
      }
      const names = [record('race', 'a'), record('race', 'b')];
      const make = (order: readonly RecordName[]): Promise<boolean> =>
        database.transaction(async (connection) => {
          await readRecords(
            connection,
            order.map((name) => ({ ...name, isForUpdate: true })),
          );
          return writeRecords(
            connection,
            order.map((name) => ({ ...name, value: '1', exists: false })),
          );
        });
      for (let round = 0; round < 20; round += 1) {
        const outcomes = await Promise.all([make(names), make([...names].reverse())]);
        assert.equal(outcomes.filter((isWhole) => isWhole).length, 1);
        for (const name of names) await removeDataRecord(database, name);
      }
    });

    it('are put, read, listed and removed by operators', async () => {
      const name = record('operated', 'a/b "c" \u{1f600}');
      const put = await putDataRecord(database, name, '{"n":1}');
      const again = await putDataRecord(database, name, '{"n":2}');
      assert.deepEqual(again.createdAt, put.createdAt);
      assert.deepEqual(await readDataRecord(database, name), again);
      assert.equal(await readDataRecord(database, record('operated', 'none')), null);
      await putDataRecord(database, record('operated', 'b'), '1');
      await putDataRecord(database, record('operated', 'c'), '1');
      await putDataRecord(database, record('operated', 'a', 'other'), '1');
      const store = { tenant: 'acme', store: 'operated' };
      const first = await listDataRecords(database, store, { limit: 2, cursor: null });
      const second = await listDataRecords(database, store, { limit: 2, cursor: first.nextCursor });
      assert.equal(second.nextCursor, null);
      assert.deepEqual(
        [...first.rows, ...second.rows].map(({ key, sizeBytes }) => [key, sizeBytes]),
        [
          ['a/b "c" \u{1f600}', 7],
          ['b', 1],
          ['c', 1],
        ],
      );
      assert.equal(await removeDataRecord(database, name), true);
      assert.equal(await removeDataRecord(database, name), false);
    });

    it('are paged past the longest key that there can be', async () => {
      const longest = '\u0001'.repeat(512);
      await putDataRecord(database, record('long', longest), '1');
      await putDataRecord(database, record('long', `\u0002`), '1');
      const store = { tenant: 'acme', store: 'long' };
      const first = await listDataRecords(database, store, { limit: 1, cursor: null });
      const second = await listDataRecords(database, store, { limit: 1, cursor: first.nextCursor });
      assert.equal([...first.rows, ...second.rows].length, 2);
    });
  });
}
