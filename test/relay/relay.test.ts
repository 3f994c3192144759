import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Relay } from '../../engine/relay/relay.ts';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import {
  ParkingSink,
  RecordingNetwork,
  clearTables,
  insertRows,
  keepProcessAlive,
  parkedIds,
  quietSettings,
  relayOver,
  storedRows,
  transport,
} from './fixtures.ts';

keepProcessAlive();

const parking = new Set(['parking']);
const net = new Set(['net']);

for (const target of testDatabases()) {
  describe(`the relay on ${target.name}`, () => {
    let database: Database;
    let sink: ParkingSink;
    const relays: Relay[] = [];
    before(async () => {
      database = await target.open();
      await ParkingSink.prepare(database);
    });
    beforeEach(async () => {
      await Promise.all(relays.splice(0).map((relay) => relay.stop()));
      await clearTables(database);
      await database.run({ name: 'test_clear_parked', text: 'TRUNCATE parked' }, []);
      sink = new ParkingSink();
    });
    after(async () => {
      await Promise.all(relays.map((relay) => relay.stop()));
      await database.close();
    });

    /** A started relay that has had its first look. */
    async function started(...parameters: Parameters<typeof relayOver>) {
      const parts = relayOver(...parameters);
      relays.push(parts.relay);
      await parts.relay.start();
      await parts.runner.signal.until(() => parts.runner.count('next_outbox_due') > 0);
      return parts;
    }

    test(`L2: any number of wakes during a pass cause exactly one more pass (${target.name})`, async () => {
      const { relay } = await started(database, [transport('parking', sink)]);
      let release: () => void = () => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      sink.beforeMove = () => gate;
      relay.wake(parking);
      await sink.signal.until(() => sink.limits.length === 1);
      for (let index = 0; index < 100; index += 1) relay.wake(parking);
      const rows = await insertRows(database, 3, { transport: 'parking' });
      release();
      await sink.signal.until(() => sink.told.length > 0);
      await relay.stop();
      assert.ok(sink.limits.length <= 2, `${String(sink.limits.length)} passes`);
      assert.deepEqual(await parkedIds(database), rows.map((row) => row.id).sort());
    });

    test(`L2: a pass goes on while full batches come, and tells the sink what moved (${target.name})`, async () => {
      await insertRows(database, 700, { transport: 'parking', channel: 'a' });
      await insertRows(database, 501, { transport: 'parking', channel: 'b' });
      const { relay } = await started(database, [transport('parking', sink)]);
      relay.wake(parking);
      await sink.signal.until(() => sink.told.length === 3);
      const total = (channel: string): number =>
        sink.told.reduce((sum, counts) => sum + (counts.get(channel) ?? 0), 0);
      assert.deepEqual([total('a'), total('b')], [700, 501]);
      assert.deepEqual(await storedRows(database), []);
    });

    test(`the tick finds rows that nobody announced (${target.name})`, async () => {
      await started(database, [transport('parking', sink)], {
        settings: { ...quietSettings, tickIntervalMs: 25 },
      });
      await insertRows(database, 1, { transport: 'parking' });
      await sink.signal.until(() => sink.told.length === 1);
    });

    test(`a doorbell wakes only the transports that have rows (${target.name})`, async () => {
      const other = new ParkingSink();
      const { relay } = await started(database, [transport('parking', sink), transport('idle', other)]);
      await insertRows(database, 1, { transport: 'parking' });
      relay.ring();
      await sink.signal.until(() => sink.told.length === 1);
      assert.equal(other.limits.length, 0);
    });

    test(`rows that were due before the start are found by the start (${target.name})`, async () => {
      await insertRows(database, 2, { transport: 'parking' });
      await started(database, [transport('parking', sink)]);
      await sink.signal.until(() => sink.told.length === 1);
    });

    test(`a wake for a transport that takes nothing out is ignored (${target.name})`, async () => {
      const { relay, runner } = await started(database, [transport('inbound-only', null)]);
      const before = runner.names.length;
      relay.wake(new Set(['inbound-only', 'unheard-of']));
      await relay.stop();
      assert.equal(runner.names.length, before);
    });

    test(`L3: retries come due one by one without any polling (${target.name})`, async () => {
      const network = new RecordingNetwork();
      network.answer = (delivery) =>
        delivery.attempt === 1
          ? { kind: 'retry', error: 'HTTP 503', retryAfterMs: delivery.channel === 'late' ? 500 : 120 }
          : { kind: 'delivered' };
      const { relay, runner } = await started(database, [transport('net', network)], {
        settings: {
          ...quietSettings,
          retry: { baseDelayMs: 1, maxDelayMs: 1_000, jitter: false, maxAttempts: null },
        },
      });
      await insertRows(database, 1, { channel: 'early' });
      await insertRows(database, 1, { channel: 'late' });
      relay.wake(net);
      await runner.signal.until(async () => (await storedRows(database)).length === 0);
      assert.deepEqual(network.dials.map(({ channel, attempt }) => [channel, attempt]).slice(2), [
        ['early', 2],
        ['late', 2],
      ]);
      // One for each wake, and one more for each that found a full batch or came a moment early.
      assert.ok(runner.count('claim_deliveries') <= 6, `${String(runner.count('claim_deliveries'))} claims`);
      assert.ok(runner.count('next_outbox_due') <= 6);
    });

    test(`L4: through an outage the relay neither spins nor ends, and goes on by itself (${target.name})`, async () => {
      const { relay, runner } = await started(database, [transport('parking', sink)]);
      await insertRows(database, 5, { transport: 'parking' });
      runner.isAway = true;
      const before = runner.names.length;
      const startedAt = performance.now();
      relay.wake(parking);
      relay.ring();
      await runner.signal.until(() => {
        for (let index = 0; index < 200; index += 1) relay.wake(parking);
        relay.ring();
        return runner.names.length >= before + 6;
      });
      // Two loops, each with two growing delays between its three failures.
      assert.ok(performance.now() - startedAt >= 140);
      runner.isAway = false;
      await sink.signal.until(() => sink.told.length > 0);
      assert.equal((await parkedIds(database)).length, 5);
    });

    test(`two relays on one database move each row exactly once (${target.name})`, async () => {
      const sinks = [sink, new ParkingSink()];
      const parts = await Promise.all(sinks.map((each) => started(database, [transport('parking', each)])));
      for (let round = 0; round < 10; round += 1) {
        await insertRows(database, 60, { transport: 'parking' });
        for (const { relay } of parts) relay.wake(parking);
      }
      const told = (): number =>
        sinks
          .flatMap((each) => each.told)
          .reduce((sum, counts) => sum + (counts.get('score-request') ?? 0), 0);
      await Promise.race(sinks.map((each) => each.signal.until(() => told() >= 600)));
      assert.equal(told(), 600);
      assert.equal((await parkedIds(database)).length, 600);
      assert.deepEqual(await storedRows(database), []);
    });

    test(`two relays on one database dial each row, and delete it once (${target.name})`, async () => {
      const networks = [new RecordingNetwork(), new RecordingNetwork()];
      const parts = await Promise.all(networks.map((each) => started(database, [transport('net', each)])));
      const rows = await insertRows(database, 120);
      for (const { relay } of parts) relay.wake(net);
      const isEmpty = async (): Promise<boolean> => (await storedRows(database)).length === 0;
      await Promise.race(parts.map(({ runner }) => runner.signal.until(isEmpty)));
      const dialled = networks.flatMap((each) => each.dials);
      assert.deepEqual(
        dialled.map((delivery) => delivery.idempotencyKey).sort(),
        rows.map((row) => row.idempotencyKey).sort(),
      );
    });

    test(`L5: after stop nothing runs, and stop is idempotent and legal before start (${target.name})`, async () => {
      const { relay, runner } = await started(database, [transport('parking', sink)]);
      await insertRows(database, 1, { transport: 'parking' });
      await Promise.all([relay.stop(), relay.stop()]);
      const after = runner.names.length;
      relay.wake(parking);
      relay.ring();
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      assert.equal(runner.names.length, after);
      const unstarted = relayOver(database, [transport('parking', sink)]).relay;
      await unstarted.stop();
    });
  });
}
