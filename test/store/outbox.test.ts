import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import {
  deleteOutboxRows,
  insertOutboxRows,
  lockOutboxRows,
  outboxRowsExist,
} from '../../engine/store/outbox.ts';
import { clearTables, insertRows, outboxRow, storedRows } from '../relay/fixtures.ts';
import { testDatabases } from '../support/database.ts';

interface Columns {
  readonly id: string;
  readonly headers: unknown;
  readonly body: Uint8Array;
  readonly expects_answer: boolean;
  readonly policy: unknown;
  readonly deadline: Date | null;
  readonly attempts: number;
  readonly state: string;
}

for (const target of testDatabases()) {
  describe(`the outbox rows of a turn on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    beforeEach(() => clearTables(database));

    test(`insert keeps every byte, type and null (${target.name})`, async () => {
      const everyByte = Uint8Array.from({ length: 256 }, (_, index) => index);
      const rows = [
        outboxRow({
          body: everyByte,
          headers: { quote: 'a"b\\c{},\'NULL', __proto__x: 'ünïcode 😀' },
          deadlineMs: 1_900_000_000_123,
          expectsAnswer: true,
          policy: { retryTimeoutMs: 10_000, nested: { list: [1, null] } },
        }),
        outboxRow({ body: new Uint8Array(0), headers: {} }),
        outboxRow({ contentType: 'NULL', channel: 'a,b}', elementId: '"' }),
      ];
      await insertOutboxRows(database, rows);
      const stored = await database.run<Columns>(
        {
          name: 'test_columns',
          text: 'SELECT id, headers, body, expects_answer, policy, deadline, attempts, state FROM outbox',
        },
        [],
      );
      const byId = new Map(stored.map((row) => [row.id, row]));
      assert.equal(byId.size, 3);
      const [first, second] = rows.map((row) => byId.get(row.id));
      assert.ok(first !== undefined && second !== undefined);
      assert.deepEqual(Buffer.from(first.body), Buffer.from(everyByte));
      assert.deepEqual(first.headers, rows[0]?.headers);
      assert.deepEqual(first.policy, rows[0]?.policy);
      assert.equal(first.deadline?.getTime(), 1_900_000_000_123);
      assert.equal(first.expects_answer, true);
      assert.equal(first.attempts, 0);
      assert.equal(first.state, 'open');
      assert.equal(second.body.length, 0);
      assert.equal(second.deadline, null);
    });

    test(`a locked row is taken once, and a settled one is gone (${target.name})`, async () => {
      const rows = await insertRows(database, 2);
      const ids = rows.map((row) => row.id);
      const unknown = randomUUID();
      await database.transaction(async (connection) => {
        assert.deepEqual(await lockOutboxRows(connection, [...ids, unknown]), new Set(ids));
        assert.equal(await deleteOutboxRows(connection, [...ids, unknown]), 2);
      });
      assert.deepEqual(await outboxRowsExist(database, ids), new Set());
      assert.equal(await deleteOutboxRows(database, ids), 0);
    });

    test(`a poisoned row is not there for a turn (${target.name})`, async () => {
      const [row] = await insertRows(database, 1);
      const ids = [row?.id ?? ''];
      await database.run({ name: 'test_poison', text: `UPDATE outbox SET state = 'poisoned'` }, []);
      assert.equal((await lockOutboxRows(database, ids)).size, 0);
      assert.equal((await outboxRowsExist(database, ids)).size, 0);
      assert.equal((await storedRows(database)).length, 1);
    });

    test(`a row that another transaction holds is skipped, but exists (${target.name})`, async (t) => {
      if (database.poolSize === 1) {
        t.diagnostic('one connection: no other transaction can hold a row');
        return;
      }
      const rows = await insertRows(database, 2);
      const ids = rows.map((row) => row.id);
      await database.transaction(async (connection) => {
        await lockOutboxRows(connection, ids.slice(0, 1));
        assert.deepEqual(await lockOutboxRows(database, ids), new Set(ids.slice(1)));
        assert.deepEqual(await outboxRowsExist(database, ids), new Set(ids));
      });
    });
  });
}
