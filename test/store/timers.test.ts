import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import {
  deleteTimers,
  dueTimers,
  insertTimers,
  lockTimers,
  nextTimerDue,
  timersExist,
} from '../../engine/store/timers.ts';
import type { TimerKey, TimerRow } from '../../engine/store/timers.ts';
import { clearTables } from '../relay/fixtures.ts';
import { testDatabases } from '../support/database.ts';

function keys(found: readonly TimerKey[]): ReadonlySet<string> {
  return new Set(found.map((key) => `${key.instanceId} ${String(key.waitId)}`));
}

for (const target of testDatabases()) {
  describe(`timers on ${target.name}`, () => {
    let database: Database;
    let nowMs: number;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    beforeEach(async () => {
      await clearTables(database);
      nowMs = (await nextTimerDue(database)).nowMs;
    });

    function timer(waitId: number, inMs: number, instanceId: string = randomUUID()): TimerRow {
      return { instanceId, waitId, elementId: 'Timer_1', dueAtMs: nowMs + inMs, partId: null };
    }

    test(`R2: due times are kept to the millisecond (${target.name})`, async () => {
      const dueAtMs = 4_102_444_800_123;
      await insertTimers(database, [{ ...timer(0, 0), dueAtMs }]);
      assert.deepEqual((await nextTimerDue(database)).nextDueAtMs, dueAtMs);
      const [stored] = await database.run<{ due_at: Date }>(
        { name: 'test_due_at', text: 'SELECT due_at FROM timer' },
        [],
      );
      assert.equal(stored?.due_at.getTime(), dueAtMs);
    });

    test(`due timers come longest due first, and none that is not due or is held (${target.name})`, async () => {
      const rows = [timer(1, -1_000), timer(2, -3_000), timer(3, 60_000), timer(4, -2_000), timer(5, -9_000)];
      await insertTimers(database, rows);
      await database.run({ name: 'test_hold', text: 'UPDATE timer SET held = true WHERE wait_id = 5' }, []);
      const due = await dueTimers(database, 10);
      assert.deepEqual(
        due.map((found) => found.waitId),
        [2, 4, 1],
      );
      assert.ok((due[0]?.lateMs ?? 0) >= 3_000);
      assert.equal((await dueTimers(database, 2)).length, 2);
    });

    test(`only due timers that are not held are locked; both are there (${target.name})`, async () => {
      const instanceId = randomUUID();
      const rows = [timer(1, -1_000, instanceId), timer(2, 60_000, instanceId), timer(3, -1_000, instanceId)];
      await insertTimers(database, rows);
      await database.run({ name: 'test_hold_3', text: 'UPDATE timer SET held = true WHERE wait_id = 3' }, []);
      const unknown = { instanceId, waitId: 9 };
      await database.transaction(async (connection) => {
        assert.deepEqual(keys(await lockTimers(connection, [...rows, unknown])), keys(rows.slice(0, 1)));
        assert.deepEqual(keys(await timersExist(connection, [...rows, unknown])), keys(rows));
      });
    });

    test(`a locked timer comes with the part that holds its wait (${target.name})`, async () => {
      const instanceId = randomUUID();
      const rows = [
        { ...timer(1, -1_000, instanceId), partId: 7 },
        { ...timer(2, -1_000, instanceId), partId: null },
      ];
      await insertTimers(database, rows);
      await database.transaction(async (connection) => {
        const locked = await lockTimers(connection, rows);
        assert.deepEqual(
          [...locked].sort((left, right) => left.waitId - right.waitId),
          rows.map(({ waitId, partId }) => ({ instanceId, waitId, partId })),
        );
      });
    });

    test(`deleting counts what went, pair by pair (${target.name})`, async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      const rows = [timer(1, 0, one), timer(2, 0, one), timer(1, 0, other), timer(2, 0, other)];
      await insertTimers(database, rows);
      const asked = [
        { instanceId: one, waitId: 1 },
        { instanceId: other, waitId: 2 },
        { instanceId: other, waitId: 3 },
      ];
      assert.equal(await deleteTimers(database, asked), 2);
      assert.deepEqual(
        keys(await timersExist(database, rows)),
        keys([rows[1], rows[2]].filter((row) => row !== undefined)),
      );
      assert.equal(await deleteTimers(database, asked), 0);
    });

    test(`the next due time is that of the earliest timer still to come (${target.name})`, async () => {
      assert.deepEqual(
        { ...(await nextTimerDue(database)), nowMs: 0 },
        { nowMs: 0, isOneDue: false, nextDueAtMs: null },
      );
      const rows = [timer(1, -1_000), timer(2, 90_000), timer(3, 60_000), timer(4, 30_000)];
      await insertTimers(database, rows);
      await database.run({ name: 'test_hold_4', text: 'UPDATE timer SET held = true WHERE wait_id = 4' }, []);
      const next = await nextTimerDue(database);
      assert.equal(next.isOneDue, true);
      assert.ok(Math.abs((next.nextDueAtMs ?? 0) - (nowMs + 60_000)) < 1);
    });

    test(`a timer that another transaction holds is skipped, but exists (${target.name})`, async (t) => {
      if (database.poolSize === 1) {
        t.diagnostic('one connection: no other transaction can hold a timer');
        return;
      }
      const rows = [timer(1, -1_000), timer(2, -1_000)];
      await insertTimers(database, rows);
      await database.transaction(async (connection) => {
        await lockTimers(connection, rows.slice(0, 1));
        assert.deepEqual(keys(await lockTimers(database, rows)), keys(rows.slice(1)));
        assert.deepEqual(keys(await dueTimers(database, 10)), keys(rows.slice(1)));
        assert.deepEqual(keys(await timersExist(database, rows)), keys(rows));
      });
    });
  });
}
