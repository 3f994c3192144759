import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { insertDeployment } from '../../engine/store/deployments.ts';
import {
  deleteSignalDeliveries,
  deleteSignalWaits,
  dueSignalDeliveries,
  holdSignalDeliveries,
  insertSignalWaits,
  isSignalDue,
  lockSignalDeliveries,
  releaseSignalDeliveries,
  signalDeliveriesExist,
  throwSignals,
  type DueSignal,
} from '../../engine/store/signals.ts';
import { insertSignalStarts } from '../../engine/store/start-timers.ts';
import { testDatabases } from '../support/database.ts';

const alarm = (throwerId: string | null = null, payload = 'null') => ({
  tenant: 'acme',
  name: 'alarm',
  payload,
  throwerId,
});

const wait = (instanceId: string, name = 'alarm', tenant = 'acme') => ({ tenant, name, instanceId });

const receivers = (due: readonly DueSignal[]): string[] =>
  due.map(({ target }) => (target.kind === 'instance' ? target.instanceId : target.startEventId)).sort();

for (const target of testDatabases()) {
  describe(`signals on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    beforeEach(() =>
      database.run({ name: 'test_clear', text: 'TRUNCATE signal_wait, signal_delivery, signal_start' }, []),
    );
    after(() => database.close());

    const due = (limit = 100, away: readonly number[] = [], maxBytes = 1e6): Promise<readonly DueSignal[]> =>
      dueSignalDeliveries(database, away, limit, maxBytes);

    test(`a throw goes to everyone who waits for that name in that tenant, but for the thrower (${target.name})`, async () => {
      const [one, other, thrower, elsewhere, stranger] = Array.from({ length: 5 }, () => randomUUID());
      assert.ok(one && other && thrower && elsewhere && stranger);
      await insertSignalWaits(database, [
        wait(one),
        wait(other),
        wait(thrower),
        wait(elsewhere, 'calm'),
        wait(stranger, 'alarm', 'other'),
      ]);
      assert.deepEqual(await throwSignals(database, [alarm(thrower)]), { instances: 2, starts: 0 });
      assert.deepEqual(receivers(await due()), [one, other].sort());
      assert.deepEqual(await throwSignals(database, [alarm()]), { instances: 3, starts: 0 });
      assert.deepEqual(receivers((await due()).slice(2)), [one, other, thrower].sort());
    });

    test(`a wait that is over gets nothing more, and one that is written twice is a fault (${target.name})`, async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      await insertSignalWaits(database, [wait(one), wait(one, 'calm'), wait(other)]);
      assert.equal(await deleteSignalWaits(database, [wait(one), wait(randomUUID())]), 1);
      assert.deepEqual(await throwSignals(database, [alarm()]), { instances: 1, starts: 0 });
      await assert.rejects(insertSignalWaits(database, [wait(other)]), { code: '23505' });
    });

    test(`a throw goes to the signal start events, with the module of their deployment (${target.name})`, async () => {
      await insertDeployment(database, {
        id: 'dep-1',
        tenant: 'acme',
        module: 'shop',
        version: '1',
        files: [{ path: 'package.yaml', content: Buffer.from('') }],
      });
      const start = { processId: 'order', startEventId: 'start', trigger: 1 };
      await insertSignalStarts(database, 'dep-1', [{ name: 'alarm', ...start }]);
      assert.deepEqual(await throwSignals(database, [alarm(randomUUID(), '{"n":1}')]), {
        instances: 0,
        starts: 1,
      });
      const [delivery] = await due();
      assert.equal(delivery?.payload, '{"n":1}');
      assert.deepEqual(delivery.target, {
        kind: 'start',
        deploymentId: 'dep-1',
        module: 'shop',
        ...start,
      });
      assert.ok(delivery.lagMs >= 0);
    });

    test(`deliveries come in the order of the throws, bounded by number and by bytes (${target.name})`, async () => {
      await insertSignalWaits(database, [wait(randomUUID())]);
      const throws = ['"a"', '"b"', '"c"', '"d"'].map((payload) => alarm(null, payload));
      await throwSignals(database, throws);
      await throwSignals(database, [alarm(null, `"${'x'.repeat(1_000)}"`)]);
      const payloads = async (...args: Parameters<typeof due>): Promise<string[]> =>
        (await due(...args)).map(({ payload }) => payload.slice(0, 3));
      assert.deepEqual(await payloads(), ['"a"', '"b"', '"c"', '"d"', '"xx']);
      assert.deepEqual(await payloads(2), ['"a"', '"b"']);
      assert.deepEqual(await payloads(100, [], 7), ['"a"', '"b"', '"c"']);
      assert.deepEqual(await payloads(100, [], 1), ['"a"'], 'the first one whatever its size');
      const ids = (await due()).map(({ id }) => id);
      assert.deepEqual(await payloads(2, ids.slice(0, 3)), ['"d"', '"xx']);
    });

    test(`a held delivery is neither due nor locked until its instance is released (${target.name})`, async () => {
      const [one, other] = [randomUUID(), randomUUID()];
      await insertSignalWaits(database, [wait(one), wait(other)]);
      await throwSignals(database, [alarm()]);
      const mine = (await due()).filter(({ target: to }) => to.kind === 'instance' && to.instanceId === one);
      const ids = mine.map(({ id }) => id);
      assert.equal(await holdSignalDeliveries(database, ids), 1);
      assert.deepEqual(receivers(await due()), [other]);
      assert.deepEqual(await lockSignalDeliveries(database, ids), []);
      assert.deepEqual(await signalDeliveriesExist(database, ids), []);
      assert.equal(await releaseSignalDeliveries(database, [other]), 0);
      assert.equal(await releaseSignalDeliveries(database, [one, other]), 1);
      assert.deepEqual(receivers(await due()), [one, other].sort());
    });

    test(`what is settled is gone, and nothing is due when all is (${target.name})`, async () => {
      assert.equal(await isSignalDue(database), false);
      await insertSignalWaits(database, [wait(randomUUID())]);
      await throwSignals(database, [alarm()]);
      assert.equal(await isSignalDue(database), true);
      const ids = (await due()).map(({ id }) => id);
      assert.equal(await deleteSignalDeliveries(database, [...ids, 999_999]), 1);
      assert.equal(await isSignalDue(database), false);
    });

    test(`a delivery that another transaction holds is skipped, but exists (${target.name})`, async (t) => {
      if (database.poolSize === 1) {
        t.diagnostic('one connection: no other transaction can hold a delivery');
        return;
      }
      await insertSignalWaits(database, [wait(randomUUID()), wait(randomUUID())]);
      await throwSignals(database, [alarm()]);
      const [held = 0, free = 0] = (await due()).map(({ id }) => id);
      await database.transaction(async (connection) => {
        assert.deepEqual(await lockSignalDeliveries(connection, [held]), [held]);
        assert.deepEqual(await lockSignalDeliveries(database, [held, free]), [free]);
        assert.deepEqual(
          (await due()).map(({ id }) => id),
          [free],
        );
        assert.deepEqual(new Set(await signalDeliveriesExist(database, [held, free])), new Set([held, free]));
        assert.equal(await isSignalDue(database), true);
      });
    });
  });
}
