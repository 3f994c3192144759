import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { deleteOutboxRows } from '../../engine/store/outbox.ts';
import { claimDeliveries, poisonDeliveries } from '../../engine/store/outbox-delivery.ts';
import { discardDelivery, requeueDelivery } from '../../engine/store/outbox-repair.ts';
import { clearTables, incidents, insertRows, storedRows } from '../relay/fixtures.ts';
import { testDatabases } from '../support/database.ts';

for (const target of testDatabases()) {
  describe(`repairing poisoned deliveries on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    beforeEach(() => clearTables(database));

    /** Two poisoned rows of one instance, so that a repair must tell their incidents apart. */
    async function poisoned(): Promise<readonly [string, string]> {
      const instanceId = randomUUID();
      await insertRows(database, 2, { instanceId });
      const claimed = await claimDeliveries(database, 'net', 2, 60_000);
      const [one, other] = await poisonDeliveries(
        database,
        claimed.map(({ id, attempt }) => ({
          id,
          attempt,
          error: 'HTTP 410',
          code: 'SUTRA.OUTBOX.REFUSED',
          incidentId: randomUUID(),
        })),
      );
      assert.ok(one !== undefined && other !== undefined);
      return [one, other];
    }

    async function openIncidents(): Promise<readonly string[]> {
      const all = await incidents(database);
      return all.filter((incident) => incident.resolved_at === null).map((incident) => incident.subject_id);
    }

    test(`a requeued delivery is due at once, with its whole budget (${target.name})`, async () => {
      const [id, other] = await poisoned();
      const [raised] = await incidents(database);
      assert.deepEqual(await requeueDelivery(database, id), {
        id,
        transport: 'net',
        channel: 'score-request',
        instanceId: raised?.instance_id,
      });
      assert.deepEqual(await openIncidents(), [other]);
      const [claimed] = await claimDeliveries(database, 'net', 2, 60_000);
      assert.deepEqual([claimed?.id, claimed?.attempt], [id, 1]);
      assert.equal(await requeueDelivery(database, id), null);
    });

    test(`a discarded delivery goes, with its incident (${target.name})`, async () => {
      const [id, other] = await poisoned();
      const discarded = await discardDelivery(database, id);
      assert.deepEqual([discarded?.id, discarded?.transport], [id, 'net']);
      assert.deepEqual(await openIncidents(), [other]);
      assert.deepEqual(
        (await storedRows(database)).map((row) => row.id),
        [other],
      );
      assert.equal(await discardDelivery(database, id), null);
    });

    test(`nothing but a poisoned delivery can be repaired (${target.name})`, async () => {
      const [row] = await insertRows(database, 1);
      const id = row?.id ?? '';
      assert.equal(await requeueDelivery(database, id), null);
      assert.equal(await discardDelivery(database, id), null);
      assert.equal(await requeueDelivery(database, randomUUID()), null);
      assert.equal((await storedRows(database)).length, 1);
    });

    test(`a late success does not take a poisoned row from its incident (${target.name})`, async () => {
      const [id] = await poisoned();
      assert.equal(await deleteOutboxRows(database, [id]), 0);
      assert.equal((await storedRows(database)).length, 2);
    });
  });
}
