import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { deleteOutboxRows } from '../../engine/store/outbox.ts';
import {
  channelKey,
  claimDeliveries,
  nextOutboxDue,
  peekDeliveries,
  poisonDeliveries,
  rescheduleDeliveries,
} from '../../engine/store/outbox-delivery.ts';
import { clearTables, incidents, insertRows, makeDue, storedRows } from '../relay/fixtures.ts';
import { testDatabases } from '../support/database.ts';

for (const target of testDatabases()) {
  describe(`the outbox rows of the relay on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());
    beforeEach(() => clearTables(database));

    test(`O1: a claim hides its rows for the visibility timeout, and no longer (${target.name})`, async () => {
      const [row] = await insertRows(database, 1, { expectsAnswer: true });
      const [claimed] = await claimDeliveries(database, 'net', 10, 60_000);
      assert.ok(row !== undefined && claimed !== undefined);
      assert.deepEqual(
        { ...claimed, body: Buffer.from(claimed.body).toString() },
        {
          id: row.id,
          deploymentId: row.deploymentId,
          tenant: row.tenant,
          module: row.module,
          channel: row.channel,
          instanceId: row.instanceId,
          elementId: row.elementId,
          idempotencyKey: row.idempotencyKey,
          headers: row.headers,
          contentType: row.contentType,
          body: '{"amount":1}',
          attempt: 1,
          expectsAnswer: true,
        },
      );
      assert.deepEqual(await claimDeliveries(database, 'net', 10, 60_000), []);
      const [stored] = await storedRows(database);
      assert.ok(stored !== undefined && stored.due_in_ms > 55_000 && stored.due_in_ms <= 60_000);
      // The claimer dies, and the timeout passes.
      await makeDue(database);
      const [again] = await claimDeliveries(database, 'net', 10, 60_000);
      assert.equal(again?.attempt, 2);
      assert.equal(again?.idempotencyKey, row.idempotencyKey);
    });

    test(`a claim takes at most its limit, of its own transport, the oldest first (${target.name})`, async () => {
      const [oldest] = await insertRows(database, 1);
      await database.run(
        { name: 'test_age', text: `UPDATE outbox SET visible_at = now() - interval '1 hour'` },
        [],
      );
      await insertRows(database, 5);
      await insertRows(database, 3, { transport: 'other' });
      assert.deepEqual(
        (await claimDeliveries(database, 'net', 1, 60_000)).map((delivery) => delivery.id),
        [oldest?.id],
      );
      assert.equal((await claimDeliveries(database, 'net', 4, 60_000)).length, 4);
      assert.equal((await claimDeliveries(database, 'net', 4, 60_000)).length, 1);
    });

    test(`a claim leaves excepted channels where they are (${target.name})`, async () => {
      const slow = await insertRows(database, 3, { channel: 'slow' });
      const [quick] = await insertRows(database, 1, { channel: 'quick' });
      const [first] = slow;
      assert.ok(first !== undefined);
      const claimed = await claimDeliveries(database, 'net', 10, 60_000, [channelKey(first)]);
      assert.deepEqual(
        claimed.map((delivery) => delivery.id),
        [quick?.id],
      );
    });

    test(`O3: a row past its deadline is offered to nobody (${target.name})`, async () => {
      await insertRows(database, 1, { deadlineMs: Date.now() - 3_600_000 });
      assert.deepEqual(await claimDeliveries(database, 'net', 10, 60_000), []);
      assert.deepEqual(await peekDeliveries(database, 'net', 10), []);
      assert.deepEqual(await nextOutboxDue(database, ['net']), new Map());
      await insertRows(database, 1, { deadlineMs: Date.now() + 3_600_000 });
      assert.equal((await claimDeliveries(database, 'net', 10, 60_000)).length, 1);
    });

    test(`a peek changes nothing and leaves out what it is told to (${target.name})`, async () => {
      const rows = await insertRows(database, 3);
      const [first] = rows;
      assert.ok(first !== undefined);
      const peeked = await peekDeliveries(database, 'net', 10, [first.id]);
      assert.deepEqual(
        new Set(peeked.map((delivery) => delivery.id)),
        new Set(rows.slice(1).map((row) => row.id)),
      );
      assert.deepEqual(new Set(peeked.map((delivery) => delivery.attempt)), new Set([1]));
      assert.ok((await storedRows(database)).every((row) => row.attempts === 0 && row.due_in_ms <= 0));
    });

    test(`a reschedule puts off by the database's clock and keeps the error (${target.name})`, async () => {
      await insertRows(database, 1);
      const [claimed] = await claimDeliveries(database, 'net', 1, 60_000);
      assert.ok(claimed !== undefined);
      const rescheduled = { id: claimed.id, attempt: 1, delayMs: 5_000, error: 'HTTP 503\u0000' };
      assert.equal(await rescheduleDeliveries(database, [rescheduled]), 1);
      const [stored] = await storedRows(database);
      assert.ok(stored !== undefined && stored.due_in_ms > 2_000 && stored.due_in_ms <= 5_000);
      assert.equal(stored.attempts, 1);
      assert.equal(stored.last_error, 'HTTP 503\ufffd');
      const due = (await nextOutboxDue(database, ['net', 'other'])).get('net');
      assert.ok(due !== undefined && due > 2_000 && due <= 5_000);
    });

    test(`O2: a stale attempt neither puts off nor poisons the row (${target.name})`, async () => {
      await insertRows(database, 1);
      const [stale] = await claimDeliveries(database, 'net', 1, 60_000);
      await makeDue(database);
      const [current] = await claimDeliveries(database, 'net', 1, 60_000);
      assert.ok(stale !== undefined && current !== undefined);
      const report = { id: stale.id, attempt: stale.attempt, error: 'late' };
      assert.equal(await rescheduleDeliveries(database, [{ ...report, delayMs: 0 }]), 0);
      const poisoning = { ...report, code: 'SUTRA.OUTBOX.REFUSED', incidentId: randomUUID() };
      assert.deepEqual(await poisonDeliveries(database, [poisoning]), []);
      assert.deepEqual(await incidents(database), []);
      // What was delivered is deleted all the same.
      assert.equal(await deleteOutboxRows(database, [stale.id]), 1);
    });

    test(`a peeked row counts the attempt when it is put off (${target.name})`, async () => {
      await insertRows(database, 1);
      const [peeked] = await peekDeliveries(database, 'net', 1);
      assert.ok(peeked !== undefined);
      const report = { id: peeked.id, attempt: peeked.attempt, delayMs: 1_000, error: 'refused for now' };
      assert.equal(await rescheduleDeliveries(database, [report]), 1);
      assert.equal((await storedRows(database))[0]?.attempts, 1);
    });

    test(`O4: poisoning keeps the row and raises one incident for each (${target.name})`, async () => {
      const rows = await insertRows(database, 2);
      const claimed = await claimDeliveries(database, 'net', 2, 60_000);
      const poisonings = claimed.map((delivery) => ({
        id: delivery.id,
        attempt: delivery.attempt,
        error: 'x'.repeat(5_000),
        code: 'SUTRA.OUTBOX.REFUSED',
        incidentId: randomUUID(),
      }));
      assert.equal((await poisonDeliveries(database, poisonings)).length, 2);
      assert.deepEqual(await poisonDeliveries(database, poisonings), []);
      const raised = await incidents(database);
      assert.deepEqual(
        new Set(raised.map((incident) => incident.subject_id)),
        new Set(rows.map((row) => row.id)),
      );
      for (const incident of raised) {
        assert.equal(incident.kind, 'delivery-poisoned');
        assert.equal(incident.code, 'SUTRA.OUTBOX.REFUSED');
        assert.equal(incident.element_id, 'Call_Score');
        assert.match(incident.message, /^x{2000} \[3000 more characters cut\]$/);
      }
      await makeDue(database);
      assert.deepEqual(await claimDeliveries(database, 'net', 10, 60_000), []);
      assert.deepEqual(await peekDeliveries(database, 'net', 10), []);
      assert.deepEqual(await nextOutboxDue(database, ['net']), new Map());
      assert.ok((await storedRows(database)).every((row) => row.state === 'poisoned'));
    });

    test(`claims that race take each row once (${target.name})`, async () => {
      await insertRows(database, 60);
      const claims = await Promise.all(
        Array.from({ length: 12 }, () => claimDeliveries(database, 'net', 5, 60_000)),
      );
      const ids = claims.flat().map((delivery) => delivery.id);
      assert.equal(new Set(ids).size, ids.length);
      const rest = await claimDeliveries(database, 'net', 100, 60_000);
      assert.equal(new Set([...ids, ...rest.map((delivery) => delivery.id)]).size, 60);
      assert.ok((await storedRows(database)).every((row) => row.attempts === 1));
    });
  });
}
