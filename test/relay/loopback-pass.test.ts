import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createLocalTransport } from '../../channels/local/local-transport.ts';
import { EngineError } from '../../config/engine-error.ts';
import type { Relay } from '../../engine/relay/relay.ts';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import type { RelayParts } from './fixtures.ts';
import {
  clearTables,
  incidents,
  insertRows,
  keepProcessAlive,
  outage,
  relayOver,
  storedRows,
} from './fixtures.ts';

keepProcessAlive();

const local = { transport: 'local' } as const;

for (const target of testDatabases()) {
  describe(`the loopback sink on ${target.name}`, () => {
    let database: Database;
    const relays: Relay[] = [];
    before(async () => {
      database = await target.open();
    });
    beforeEach(async () => {
      await Promise.all(relays.splice(0).map((relay) => relay.stop()));
      await clearTables(database);
    });
    after(async () => {
      await Promise.all(relays.map((relay) => relay.stop()));
      await database.close();
    });

    function unstarted(): RelayParts {
      const parts = relayOver(database, [createLocalTransport()]);
      relays.push(parts.relay);
      return parts;
    }

    async function isEmpty(): Promise<boolean> {
      return (await storedRows(database)).length === 0;
    }

    test(`K1: the rows of a batch are handed over together (${target.name})`, async () => {
      await insertRows(database, 60, local);
      const { relay, loopback, runner } = unstarted();
      let release: () => void = () => {};
      const all = new Promise<void>((resolve) => {
        release = resolve;
      });
      loopback.decide = async (): Promise<'gone'> => {
        if (loopback.taken.length === 60) release();
        await all;
        return 'gone';
      };
      await relay.start();
      await all;
      assert.equal(runner.count('peek_deliveries'), 1);
      assert.ok(loopback.taken.every(({ answer }) => answer === null));
    });

    test(`rows leave in as many batches as it takes (${target.name})`, async () => {
      await insertRows(database, 250, local);
      const { relay, loopback } = unstarted();
      await relay.start();
      await loopback.signal.until(() => loopback.taken.length === 250);
      await relay.stop();
      assert.equal(await isEmpty(), true);
      assert.equal(loopback.taken.length, 250);
    });

    test(`K2: busy rows come again, and hold up none behind them (${target.name})`, async () => {
      const busy = new Set(
        (await insertRows(database, 120, { ...local, channel: 'busy' })).map(({ id }) => id),
      );
      await insertRows(database, 30, { ...local, channel: 'free' });
      const { relay, loopback } = unstarted();
      let isHeld = true;
      loopback.decide = (delivery) => (isHeld && busy.has(delivery.id) ? 'busy' : 'take');
      await relay.start();
      await loopback.signal.until(async () => (await storedRows(database)).length === 120);
      isHeld = false;
      await loopback.signal.until(isEmpty);
      assert.deepEqual(await incidents(database), []);
    });

    test(`K3: a full engine ends the pass; nothing is counted, and all comes later (${target.name})`, async () => {
      await insertRows(database, 300, local);
      const { relay, loopback, runner } = unstarted();
      let isFull = true;
      loopback.decide = () => {
        if (isFull) throw new EngineError('SUTRA.INTAKE.CAPACITY', 'full');
        return 'take';
      };
      await relay.start();
      await loopback.signal.until(() => loopback.taken.length >= 100);
      await runner.signal.until(() => runner.count('peek_deliveries') >= 3);
      isFull = false;
      await loopback.signal.until(isEmpty);
      assert.equal(runner.count('reschedule_deliveries'), 0);
      assert.deepEqual(new Set(loopback.taken.map(({ delivery }) => delivery.attempt)), new Set([1]));
    });

    test(`a refusal poisons that row alone, with the engine's code (${target.name})`, async () => {
      await insertRows(database, 10, local);
      const [refused] = await insertRows(database, 1, local);
      const { relay, loopback, runner } = unstarted();
      loopback.decide = (delivery) => {
        if (delivery.id !== refused?.id) return 'take';
        throw new EngineError('SUTRA.INBOUND.NO_SUBSCRIBER', 'no start event takes it');
      };
      await relay.start();
      await runner.signal.until(async () => (await incidents(database)).length === 1);
      await relay.stop();
      const [incident] = await incidents(database);
      assert.deepEqual(
        [incident?.kind, incident?.code, incident?.message, incident?.subject_id],
        ['delivery-poisoned', 'SUTRA.INBOUND.NO_SUBSCRIBER', 'no start event takes it', refused?.id],
      );
      assert.deepEqual(
        (await storedRows(database)).map(({ id, state }) => [id, state]),
        [[refused?.id, 'poisoned']],
      );
    });

    const putOff: readonly (readonly [string, () => Error, string])[] = [
      [
        'a retryable refusal',
        () => new EngineError('SUTRA.INBOUND.NOT_CORRELATED', 'not yet', { attributes: { retryable: true } }),
        'SUTRA.INBOUND.NOT_CORRELATED',
      ],
      ['a failed turn', () => new EngineError('SUTRA.INTAKE.TURN_FAILED', 'bug'), 'SUTRA.INTAKE.TURN_FAILED'],
      ['a bug', () => new RangeError('amount 17 of customer Smith'), 'RangeError'],
    ];
    for (const [what, make, label] of putOff) {
      test(`${what} puts the row off with backoff (${target.name})`, async () => {
        await insertRows(database, 1, local);
        const { relay, loopback, runner } = unstarted();
        loopback.decide = () => {
          throw make();
        };
        await relay.start();
        await runner.signal.until(() => runner.count('reschedule_deliveries') === 1);
        await relay.stop();
        const [stored] = await storedRows(database);
        assert.ok(stored !== undefined && stored.due_in_ms > 50_000);
        assert.equal(stored.attempts, 1);
        assert.equal(stored.last_error, `the inbound path failed: ${label}`);
        assert.deepEqual(await incidents(database), []);
      });
    }

    test(`an outage in the middle of a batch counts nothing and is survived (${target.name})`, async () => {
      await insertRows(database, 20, local);
      const { relay, loopback, runner } = unstarted();
      let failures = 0;
      loopback.decide = () => {
        if (failures < 30) {
          failures += 1;
          throw outage();
        }
        return 'take';
      };
      await relay.start();
      await loopback.signal.until(isEmpty);
      assert.equal(runner.count('reschedule_deliveries'), 0);
      assert.equal(runner.count('poison_deliveries'), 0);
    });

    test(`rows that others settled first are let go (${target.name})`, async () => {
      const { relay, loopback, runner } = unstarted();
      await insertRows(database, 2, local);
      loopback.decide = () => 'gone';
      await relay.start();
      await loopback.signal.until(() => loopback.taken.length >= 2);
      await relay.stop();
      assert.equal(runner.count('reschedule_deliveries'), 0);
    });
  });
}
