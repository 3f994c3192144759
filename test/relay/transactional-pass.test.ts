import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import {
  ParkingSink,
  insertRows,
  keepProcessAlive,
  parkedIds,
  relayOver,
  storedRows,
  transport,
} from './fixtures.ts';

keepProcessAlive();

for (const target of testDatabases()) {
  describe(`a transactional sink on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
      await ParkingSink.prepare(database);
    });
    after(() => database.close());

    test(`X1: rows that cannot be moved are put off, and the others are moved (${target.name})`, async () => {
      const sink = new ParkingSink();
      const bad = await insertRows(database, 1, { transport: 'parking', channel: 'bad' });
      const good = await insertRows(database, 40, { transport: 'parking' });
      const worse = await insertRows(database, 1, { transport: 'parking', channel: 'bad' });
      const moreGood = await insertRows(database, 40, { transport: 'parking' });
      const { relay, runner } = relayOver(database, [transport('parking', sink)]);
      await relay.start();
      const isDone = async (): Promise<boolean> =>
        (await parkedIds(database)).length === 80 && runner.count('reschedule_deliveries') === 2;
      await runner.signal.until(isDone);
      await relay.stop();
      assert.deepEqual(await parkedIds(database), [...good, ...moreGood].map((row) => row.id).sort());
      const left = await storedRows(database);
      assert.deepEqual(left.map((row) => row.id).sort(), [...bad, ...worse].map((row) => row.id).sort());
      for (const row of left) {
        assert.equal(row.attempts, 1);
        assert.ok(row.due_in_ms > 50_000);
        assert.match(row.last_error ?? '', /^moving the delivery failed: \w+ 23514$/);
      }
    });
  });
}
