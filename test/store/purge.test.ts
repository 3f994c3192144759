import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import {
  purgeHistory,
  purgeIncidents,
  purgeInbox,
  purgeInstances,
  purgeReceipts,
} from '../../engine/store/purge.ts';
import { testDatabases } from '../support/database.ts';
import {
  clearAll,
  countRows,
  insertHistory,
  insertIncident,
  insertInboxRow,
  insertInstance,
  insertReceipt,
} from './purge-rows.ts';

const HOUR_MS = 3_600_000;

for (const target of testDatabases()) {
  describe(`the purge on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    beforeEach(() => clearAll(database));
    after(() => database.close());

    const instanceIds = async (): Promise<string[]> => {
      const rows = await database.run<{ id: string }>(
        { name: 'test_ids', text: 'SELECT id FROM instance ORDER BY id' },
        [],
      );
      return rows.map(({ id }) => id);
    };

    it('deletes ended instances past their retention with all that is theirs but history, and no others', async () => {
      const kept = [
        await insertInstance(database, { status: 'running', agedMs: 9 * HOUR_MS }),
        await insertInstance(database, { status: 'failed', agedMs: 9 * HOUR_MS }),
        await insertInstance(database, { status: 'completed', agedMs: HOUR_MS / 2 }),
      ].sort();
      await insertInstance(database, { status: 'completed', agedMs: 2 * HOUR_MS });
      await insertInstance(database, { status: 'terminated', agedMs: 2 * HOUR_MS });
      assert.equal(await purgeInstances(database, HOUR_MS, 100), 2);
      assert.deepEqual(await instanceIds(), kept);
      assert.equal(await countRows(database, 'history'), 10);
      assert.equal(await countRows(database, 'history_end'), 2);
      assert.equal(await countRows(database, 'instance_part'), 3);
      assert.equal(await countRows(database, 'instance_value'), 3);
      assert.equal(await countRows(database, 'instance_call'), 3);
      assert.equal(await countRows(database, 'incident'), 3);
      assert.equal(await purgeInstances(database, HOUR_MS, 100), 0);
    });

    it('deletes history by its own retention, which counts from the end of the instance', async () => {
      await insertInstance(database, { status: 'running', agedMs: 9 * HOUR_MS });
      await insertInstance(database, { status: 'completed', agedMs: 2 * HOUR_MS });
      await insertInstance(database, { status: 'completed', agedMs: 4 * HOUR_MS });
      assert.equal(await purgeHistory(database, HOUR_MS, 100), 0, 'while the instance is there');
      assert.equal(await purgeInstances(database, HOUR_MS, 100), 2);
      assert.equal(await purgeHistory(database, 3 * HOUR_MS, 100), 2);
      assert.deepEqual(
        [await countRows(database, 'history'), await countRows(database, 'history_end')],
        [4, 1],
      );
      assert.equal(await purgeHistory(database, HOUR_MS, 100), 2);
      assert.deepEqual(
        [await countRows(database, 'history'), await countRows(database, 'history_end')],
        [2, 0],
      );
    });

    it('deletes no more turns at once than it may, however many an instance has had', async () => {
      for (const turns of [7, 1, 4, 1, 1]) await insertHistory(database, turns, 2 * HOUR_MS);
      await insertHistory(database, 3, HOUR_MS / 2);
      const deleted: number[] = [];
      for (let count = 5; count === 5;) {
        count = await purgeHistory(database, HOUR_MS, 5);
        deleted.push(count);
      }
      assert.deepEqual(deleted, [5, 5, 4]);
      assert.deepEqual(
        [await countRows(database, 'history'), await countRows(database, 'history_end')],
        [3, 1],
      );
    });

    it('with a retention of zero deletes every ended instance', async () => {
      await insertInstance(database, { status: 'completed', agedMs: 0 });
      assert.equal(await purgeInstances(database, 0, 100), 1);
    });

    it('deletes the oldest first, and no more than it may at once', async () => {
      for (const hours of [5, 3, 4, 2])
        await insertInstance(database, { status: 'completed', agedMs: hours * HOUR_MS });
      const newest = await insertInstance(database, { status: 'completed', agedMs: 1.5 * HOUR_MS });
      assert.equal(await purgeInstances(database, HOUR_MS, 3), 3);
      assert.equal(await purgeInstances(database, HOUR_MS, 1), 1);
      assert.deepEqual(await instanceIds(), [newest]);
    });

    it('keeps open incidents of tasks and deliveries, and deletes them once they are resolved', async () => {
      const ended = await insertInstance(database, { status: 'completed', agedMs: 2 * HOUR_MS });
      const running = await insertInstance(database, { status: 'running', agedMs: 2 * HOUR_MS });
      await insertIncident(database, ended, 'task-terminal', null);
      await insertIncident(database, ended, 'delivery-poisoned', 2 * HOUR_MS);
      await insertIncident(database, running, 'delivery-poisoned', 2 * HOUR_MS);
      await purgeInstances(database, HOUR_MS, 100);
      assert.equal(
        await countRows(database, 'incident'),
        3,
        'of the ended one only the open task incident is left',
      );
      assert.equal(await purgeIncidents(database, HOUR_MS, 100), 0);
      await database.run(
        { name: 'test_resolve', text: `UPDATE incident SET resolved_at = now() - interval '2 hours'` },
        [],
      );
      assert.equal(await purgeIncidents(database, HOUR_MS, 100), 1, 'those of a live instance stay with it');
    });

    it('deletes dedup keys and receipts past their retention, in batches', async () => {
      for (let index = 0; index < 5; index += 1) {
        await insertInboxRow(database, `old-${index}`, 2 * HOUR_MS);
        await insertReceipt(database, index, 2 * HOUR_MS);
      }
      await insertInboxRow(database, 'young', HOUR_MS / 2);
      await insertReceipt(database, 9, HOUR_MS / 2);
      assert.deepEqual(
        [await purgeInbox(database, HOUR_MS, 3), await purgeInbox(database, HOUR_MS, 3)],
        [3, 2],
      );
      assert.deepEqual(
        [await purgeReceipts(database, HOUR_MS, 3), await purgeReceipts(database, HOUR_MS, 3)],
        [3, 2],
      );
      assert.equal(await countRows(database, 'inbox'), 1);
      assert.equal(await countRows(database, 'receipt'), 1);
    });

    if (target.name === 'postgresql') {
      it('passes over what somebody holds instead of waiting for it', async () => {
        await insertInstance(database, { status: 'completed', agedMs: 2 * HOUR_MS });
        await insertInboxRow(database, 'held', 2 * HOUR_MS);
        await database.transaction(async (connection) => {
          await connection.run(
            { name: 'test_hold_instance', text: 'SELECT id FROM instance FOR UPDATE' },
            [],
          );
          await connection.run(
            { name: 'test_hold_inbox', text: 'SELECT dedup_key FROM inbox FOR UPDATE' },
            [],
          );
          assert.equal(await purgeInstances(database, HOUR_MS, 100), 0);
          assert.equal(await purgeInbox(database, HOUR_MS, 100), 0);
        });
        assert.equal(await purgeInstances(database, HOUR_MS, 100), 1);
        assert.equal(await purgeInbox(database, HOUR_MS, 100), 1);
      });
    }
  });
}
