import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import {
  activateDeployment,
  drainDeployment,
  insertDeployment,
  type StartTriggersAt,
} from '../../engine/store/deployments.ts';
import { throwSignals } from '../../engine/store/signals.ts';
import {
  deleteStartTimers,
  dueStartTimers,
  lockStartTimers,
  moveStartTimers,
  nextStartTimerDue,
  readStartTimers,
  startTimersDue,
  type StartTimerKey,
} from '../../engine/store/start-timers.ts';
import { testDatabases } from '../support/database.ts';

const keyOf = (deploymentId: string, startEventId = 'start'): StartTimerKey => ({
  deploymentId,
  processId: 'order',
  startEventId,
  trigger: 0,
});

/** A timer that is due `inMs` after the activation, twice more a second later each, and a signal start. */
const armed =
  (id: string, inMs: number, startEventId = 'start'): StartTriggersAt =>
  (nowMs) => ({
    timers: [{ ...keyOf(id, startEventId), dueAtMs: nowMs + inMs, remaining: 2, intervalMs: 1_000 }],
    signals: [{ name: 'alarm', processId: 'order', startEventId: 'signalled', trigger: 0 }],
  });

for (const target of testDatabases()) {
  describe(`start timers on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    beforeEach(() => database.run({ name: 'test_clear', text: 'DELETE FROM deployment' }, []));
    after(() => database.close());

    const deploy = (id: string, triggersAt: StartTriggersAt, module = 'shop'): Promise<boolean> =>
      insertDeployment(
        database,
        { id, tenant: 'acme', module, version: '1', files: [{ path: 'p', content: Buffer.from(id) }] },
        triggersAt,
      );

    const armedIds = async (...ids: readonly string[]): Promise<string[]> => {
      const found = await Promise.all(ids.map((id) => readStartTimers(database, id)));
      return ids.filter((_, index) => (found[index]?.length ?? 0) > 0);
    };

    const signalStarts = async (): Promise<number> =>
      (await throwSignals(database, [{ tenant: 'acme', name: 'alarm', payload: 'null', throwerId: null }]))
        .starts;

    test(`S3: are armed with the activation, by the database's clock, and shown (${target.name})`, async () => {
      await deploy('one', armed('one', 60_000));
      const { nowMs, isOneDue, nextDueAtMs } = await nextStartTimerDue(database);
      assert.equal(isOneDue, false);
      assert.ok(nextDueAtMs !== null && nextDueAtMs > nowMs + 50_000 && nextDueAtMs <= nowMs + 60_000);
      const [shown] = await readStartTimers(database, 'one');
      assert.deepEqual(
        { ...shown, dueAt: null },
        { processId: 'order', elementId: 'start', dueAt: null, remaining: 2, intervalMs: 1_000 },
      );
      assert.equal(await signalStarts(), 1);
    });

    test(`S3: go with the activation of another version, and come back with their own (${target.name})`, async () => {
      await deploy('one', armed('one', 60_000));
      await deploy('other-module', armed('other-module', 60_000), 'stock');
      await deploy('two', armed('two', 60_000));
      assert.deepEqual(await armedIds('one', 'two', 'other-module'), ['two', 'other-module']);
      assert.equal(await signalStarts(), 2);
      await activateDeployment(database, 'one', armed('one', 60_000));
      assert.deepEqual(await armedIds('one', 'two', 'other-module'), ['one', 'other-module']);
      assert.equal(await signalStarts(), 2);
      assert.equal(await drainDeployment(database, 'one'), true);
      assert.equal(await drainDeployment(database, 'other-module'), true);
      assert.deepEqual(await armedIds('one', 'two', 'other-module'), []);
      assert.equal(await signalStarts(), 0);
    });

    test(`are not armed anew when what is active is activated again (${target.name})`, async () => {
      await deploy('one', armed('one', 60_000));
      const before = await readStartTimers(database, 'one');
      await activateDeployment(database, 'one', armed('one', 90_000));
      assert.deepEqual(await readStartTimers(database, 'one'), before);
    });

    test(`keep a deployment from being stored when they cannot be computed (${target.name})`, async () => {
      await assert.rejects(
        deploy('one', () => {
          throw new RangeError('no such time');
        }),
        RangeError,
      );
      assert.equal(await deploy('one', armed('one', 1)), true, 'nothing was kept');
    });

    test(`S2: are due, locked, moved and deleted by their key (${target.name})`, async () => {
      await deploy('one', (nowMs) => ({
        timers: [
          { ...keyOf('one', 'late'), dueAtMs: nowMs - 2_000, remaining: null, intervalMs: 500 },
          { ...keyOf('one', 'once'), dueAtMs: nowMs - 1_000, remaining: null, intervalMs: null },
          { ...keyOf('one', 'far'), dueAtMs: nowMs + 60_000, remaining: null, intervalMs: null },
        ],
        signals: [],
      }));
      const due = await dueStartTimers(database, 10);
      assert.deepEqual(
        due.map(({ startEventId, tenant, module }) => [startEventId, tenant, module]),
        [
          ['late', 'acme', 'shop'],
          ['once', 'acme', 'shop'],
        ],
      );
      assert.ok((due[0]?.lateMs ?? 0) >= 2_000);
      assert.equal((await dueStartTimers(database, 1)).length, 1);
      const keys = ['late', 'once', 'far', 'none'].map((id) => keyOf('one', id));
      await database.transaction(async (connection) => {
        const locked = await lockStartTimers(connection, keys);
        assert.deepEqual(locked.map(({ startEventId }) => startEventId).sort(), ['late', 'once']);
        const [late] = locked.filter(({ startEventId }) => startEventId === 'late');
        assert.ok(late !== undefined);
        assert.equal(late.intervalMs, 500);
        const next = { ...late, dueAtMs: late.dueAtMs + 120_000 };
        assert.equal(await moveStartTimers(connection, [next, { ...next, startEventId: 'none' }]), 1);
        assert.equal(await deleteStartTimers(connection, [keyOf('one', 'once')]), 1);
      });
      assert.deepEqual(await startTimersDue(database, keys), []);
      const left = await readStartTimers(database, 'one');
      assert.deepEqual(
        left.map(({ elementId }) => elementId),
        ['far', 'late'],
      );
    });

    test(`that another transaction holds are skipped, but are due (${target.name})`, async (t) => {
      if (database.poolSize === 1) {
        t.diagnostic('one connection: no other transaction can hold a timer');
        return;
      }
      await deploy('one', armed('one', -1));
      await database.transaction(async (connection) => {
        assert.equal((await lockStartTimers(connection, [keyOf('one')])).length, 1);
        assert.deepEqual(await lockStartTimers(database, [keyOf('one')]), []);
        assert.deepEqual(await dueStartTimers(database, 10), []);
        assert.deepEqual(await startTimersDue(database, [keyOf('one')]), [keyOf('one')]);
        assert.equal((await nextStartTimerDue(database)).isOneDue, true);
      });
    });

    test(`S3: whoever disarms waits for a firing under way, and none comes after (${target.name})`, async (t) => {
      if (database.poolSize === 1) {
        t.diagnostic('one connection: nothing runs beside a firing');
        return;
      }
      await deploy('one', armed('one', -1));
      const draining = await database.transaction(async (connection) => {
        const [locked] = await lockStartTimers(connection, [keyOf('one')]);
        assert.ok(locked !== undefined);
        const drained = drainDeployment(database, 'one');
        await moveStartTimers(connection, [{ ...locked, remaining: 1 }]);
        // In a list: a promise that is returned would be waited for before the commit.
        return [drained];
      });
      assert.deepEqual(await Promise.all(draining), [true]);
      assert.deepEqual(await readStartTimers(database, 'one'), []);
    });
  });
}
