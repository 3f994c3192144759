import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import type { Relay } from '../../engine/relay/relay.ts';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import type { RelayParts } from './fixtures.ts';
import {
  RecordingNetwork,
  clearTables,
  hang,
  incidents,
  insertRows,
  keepProcessAlive,
  makeDue,
  quietSettings,
  relayOver,
  storedRows,
  transport,
} from './fixtures.ts';

keepProcessAlive();

const net = new Set(['net']);

for (const target of testDatabases()) {
  describe(`a network sink on ${target.name}`, () => {
    let database: Database;
    let network: RecordingNetwork;
    const relays: Relay[] = [];
    before(async () => {
      database = await target.open();
    });
    beforeEach(async () => {
      await Promise.all(relays.splice(0).map((relay) => relay.stop()));
      await clearTables(database);
      network = new RecordingNetwork();
    });
    after(async () => {
      await Promise.all(relays.map((relay) => relay.stop()));
      await database.close();
    });

    function unstarted(changes: Parameters<typeof relayOver>[2] = {}): RelayParts {
      const parts = relayOver(database, [transport('net', network)], changes);
      relays.push(parts.relay);
      return parts;
    }

    async function started(changes: Parameters<typeof relayOver>[2] = {}): Promise<RelayParts> {
      const parts = unstarted(changes);
      await parts.relay.start();
      return parts;
    }

    async function isEmpty(): Promise<boolean> {
      return (await storedRows(database)).length === 0;
    }

    function retrySettings(maxAttempts: number | null, maxDelayMs = 600_000) {
      return { ...quietSettings, retry: { ...quietSettings.retry, maxDelayMs, maxAttempts } };
    }

    test(`a delivered row goes, and the reserved headers never got out (${target.name})`, async () => {
      await insertRows(database, 1, {
        headers: { 'x-order': '17', 'Sutra-Park-Deployment': 'dep-1', 'sutra-park-instance': 'i' },
      });
      const { runner } = await started();
      await runner.signal.until(isEmpty);
      assert.deepEqual(network.dials[0]?.headers, { 'x-order': '17' });
      assert.equal(network.dials[0]?.attempt, 1);
    });

    test(`E1: delays double with every failure, up to the cap, for ever (${target.name})`, async () => {
      await insertRows(database, 1);
      network.answer = () => ({ kind: 'retry', error: 'HTTP 503', retryAfterMs: null });
      const { runner, relay } = await started();
      const delays: number[] = [];
      for (let failures = 1; failures <= 8; failures += 1) {
        await runner.signal.until(() => runner.count('reschedule_deliveries') === failures);
        await runner.signal.until(async () => ((await storedRows(database))[0]?.due_in_ms ?? 0) > 50_000);
        delays.push(Math.ceil(((await storedRows(database))[0]?.due_in_ms ?? 0) / 60_000));
        await makeDue(database);
        relay.wake(net);
      }
      assert.deepEqual(delays, [1, 2, 4, 8, 10, 10, 10, 10]);
      assert.deepEqual(await incidents(database), []);
    });

    test(`at the attempt ceiling the row is poisoned, with an incident (${target.name})`, async () => {
      const [row] = await insertRows(database, 1);
      network.answer = () => ({ kind: 'retry', error: 'HTTP 503', retryAfterMs: null });
      const { runner, relay } = await started({ settings: retrySettings(3) });
      for (let failures = 1; failures <= 2; failures += 1) {
        await runner.signal.until(() => runner.count('reschedule_deliveries') === failures);
        await runner.signal.until(async () => ((await storedRows(database))[0]?.due_in_ms ?? 0) > 50_000);
        await makeDue(database);
        relay.wake(net);
      }
      await runner.signal.until(async () => (await incidents(database)).length === 1);
      const [incident] = await incidents(database);
      assert.equal(incident?.kind, 'delivery-poisoned');
      assert.equal(incident.code, 'SUTRA.OUTBOX.ATTEMPTS_EXHAUSTED');
      assert.equal(incident.subject_id, row?.id);
      assert.equal(incident.message, 'attempt 3 of at most 3 failed: HTTP 503');
      const [stored] = await storedRows(database);
      assert.equal(stored?.state, 'poisoned');
      assert.equal(stored.attempts, 3);
      await makeDue(database);
      relay.ring();
      relay.wake(net);
      await relay.stop();
      assert.equal(network.dials.length, 3);
    });

    test(`E3: what a call takes over is not poisoned (${target.name})`, async () => {
      const [call] = await insertRows(database, 1, { expectsAnswer: true });
      const [send] = await insertRows(database, 1);
      network.answer = () => ({ kind: 'refused', error: 'HTTP 400' });
      const { runner, loopback, relay } = unstarted();
      loopback.takesOver = true;
      await relay.start();
      await runner.signal.until(async () => {
        const rows = await storedRows(database);
        return rows.length === 1 && rows[0]?.state === 'poisoned';
      });
      assert.deepEqual(
        loopback.givenUp.map(({ delivery, code }) => [delivery.id, code]),
        [[call?.id, 'SUTRA.OUTBOX.REFUSED']],
      );
      assert.deepEqual(
        (await storedRows(database)).map(({ id, state }) => [id, state]),
        [[send?.id, 'poisoned']],
      );
    });

    test(`what the receiver refuses is poisoned at once (${target.name})`, async () => {
      await insertRows(database, 1);
      network.answer = () => ({ kind: 'refused', error: 'HTTP 410' });
      const { runner } = await started();
      await runner.signal.until(async () => (await incidents(database)).length === 1);
      const [incident] = await incidents(database);
      assert.deepEqual([incident?.code, incident?.message], ['SUTRA.OUTBOX.REFUSED', 'HTTP 410']);
      assert.equal(network.dials.length, 1);
    });

    for (const [wishMs, expectedMs] of [
      [100_000, 100_000],
      [5, 60_000],
      [10 ** 12, 300_000],
    ] as const) {
      test(`a wish to wait ${String(wishMs)} ms waits ${String(expectedMs)} ms (${target.name})`, async () => {
        await insertRows(database, 1);
        network.answer = () => ({ kind: 'retry', error: 'HTTP 429', retryAfterMs: wishMs });
        const { runner, relay } = await started({ settings: retrySettings(null, 300_000) });
        await runner.signal.until(() => runner.count('reschedule_deliveries') === 1);
        await relay.stop();
        const dueInMs = (await storedRows(database))[0]?.due_in_ms ?? 0;
        assert.ok(dueInMs > expectedMs - 10_000 && dueInMs <= expectedMs, String(dueInMs));
      });
    }

    test(`a sink that throws has not delivered, and its message is not kept (${target.name})`, async () => {
      await insertRows(database, 1);
      network.answer = () => {
        throw new TypeError('token=s3cret');
      };
      const { runner, relay } = await started();
      await runner.signal.until(() => runner.count('reschedule_deliveries') === 1);
      await relay.stop();
      assert.equal((await storedRows(database))[0]?.last_error, 'the transport failed: TypeError');
    });

    test(`N1: a dial that is not answered in time is ended and put off (${target.name})`, async () => {
      await insertRows(database, 1);
      network.answer = (_delivery, signal) => hang(signal);
      const { runner, relay } = await started({ dialLimits: { dialTimeoutMs: 30 } });
      await runner.signal.until(() => runner.count('reschedule_deliveries') === 1);
      await relay.stop();
      assert.equal((await storedRows(database))[0]?.last_error, 'no answer in time');
    });

    test(`N1: a sink that does not heed its signal is given up on (${target.name})`, async () => {
      await insertRows(database, 1);
      network.answer = () => new Promise(() => {});
      const { runner, relay } = await started({ dialLimits: { dialTimeoutMs: 10 } });
      await runner.signal.until(() => runner.count('reschedule_deliveries') === 1);
      await relay.stop();
      assert.equal((await storedRows(database))[0]?.last_error, 'the dial was abandoned');
    });

    test(`N2: a channel that hangs holds up no other channel (${target.name})`, async () => {
      const limits = { maxDials: 8, maxDialsPerChannel: 4, claimSize: 3 };
      await insertRows(database, 40, { channel: 'hangs' });
      await insertRows(database, 30, { channel: 'answers' });
      let hangingCount = 0;
      let mostHanging = 0;
      network.answer = async (delivery, signal) => {
        if (delivery.channel !== 'hangs') return { kind: 'delivered' };
        hangingCount += 1;
        mostHanging = Math.max(mostHanging, hangingCount);
        const result = await hang(signal);
        hangingCount -= 1;
        return result;
      };
      const { runner, relay } = await started({ dialLimits: { ...limits, drainMs: 0 } });
      await runner.signal.until(async () => (await storedRows(database)).length === 40);
      assert.ok(mostHanging >= 2 && mostHanging <= 4, String(mostHanging));
      assert.ok(network.mostActive <= 8, String(network.mostActive));
      await relay.stop();
      assert.equal(network.active, 0);
    });

    test(`N3: however many rows are due, no more are claimed than can be dialled (${target.name})`, async () => {
      await insertRows(database, 50);
      network.answer = (_delivery, signal) => hang(signal);
      const { runner, relay } = await started({
        dialLimits: { maxDials: 6, maxDialsPerChannel: 6, claimSize: 4, drainMs: 0 },
      });
      await network.signal.until(() => network.active >= 3);
      relay.wake(net);
      await runner.signal.until(() => runner.count('claim_deliveries') >= 2);
      const claimed = (await storedRows(database)).filter((row) => row.attempts > 0);
      assert.ok(claimed.length <= 6, String(claimed.length));
      network.answer = () => ({ kind: 'delivered' });
      await relay.stop();
    });

    test(`an answer re-enters under the delivery's key and takes the row along (${target.name})`, async () => {
      const [row] = await insertRows(database, 1, { expectsAnswer: true });
      const answer = { contentType: 'text/plain', headers: { 'x-a': 'b' }, body: Buffer.from('yes') };
      network.answer = () => ({ kind: 'answered', ...answer });
      const { runner, loopback, relay } = unstarted();
      let busyCount = 3;
      loopback.decide = () => (busyCount-- > 0 ? 'busy' : 'take');
      await relay.start();
      await loopback.signal.until(isEmpty);
      assert.equal(loopback.taken.length, 4);
      const [taken] = loopback.taken;
      assert.equal(taken?.delivery.idempotencyKey, row?.idempotencyKey);
      assert.deepEqual(taken?.answer?.body, answer.body);
      assert.equal(taken?.answer?.contentType, 'text/plain');
      assert.equal(network.dials.length, 1);
      assert.equal(runner.count('delete_outbox_rows'), 0);
    });

    test(`an answer that nobody waits for is dropped with its row (${target.name})`, async () => {
      await insertRows(database, 1, { expectsAnswer: false });
      network.answer = () => ({ kind: 'answered', contentType: null, headers: {}, body: Buffer.from('ok') });
      const { runner, loopback } = await started();
      await runner.signal.until(isEmpty);
      assert.equal(loopback.taken.length, 0);
    });

    test(`a refused answer poisons with the engine's code, a retryable one is put off (${target.name})`, async () => {
      await insertRows(database, 1, { expectsAnswer: true, channel: 'never' });
      await insertRows(database, 1, { expectsAnswer: true, channel: 'later' });
      network.answer = () => ({ kind: 'answered', contentType: null, headers: {}, body: Buffer.from('?') });
      const { runner, loopback, relay } = unstarted();
      loopback.decide = (delivery) => {
        const attributes = delivery.channel === 'later' ? { retryable: true } : {};
        throw new EngineError('SUTRA.INBOUND.VALIDATION_FAILED', 'amount is missing', { attributes });
      };
      await relay.start();
      await runner.signal.until(
        () => runner.count('reschedule_deliveries') === 1 && runner.count('poison_deliveries') === 1,
      );
      await relay.stop();
      const raised = await incidents(database);
      assert.deepEqual(
        raised.map(({ code, message }) => [code, message]),
        [['SUTRA.INBOUND.VALIDATION_FAILED', 'amount is missing']],
      );
      const states = (await storedRows(database)).map((row) => row.state);
      assert.deepEqual(states.sort(), ['open', 'poisoned']);
    });

    test(`a crash between dial and delete repeats the dial under the same key (${target.name})`, async () => {
      const [row] = await insertRows(database, 1);
      const first = unstarted({ dialLimits: { drainMs: 0 } });
      first.runner.failing.add('delete_outbox_rows');
      await first.relay.start();
      await first.runner.signal.until(() => first.runner.count('delete_outbox_rows') > 0);
      await first.relay.stop();
      const [stored] = await storedRows(database);
      assert.ok(stored !== undefined && stored.attempts === 1 && stored.due_in_ms > 30_000);
      const second = await started();
      assert.equal(network.dials.length, 1);
      await makeDue(database);
      second.relay.ring();
      await second.runner.signal.until(isEmpty);
      assert.deepEqual(
        network.dials.map((delivery) => [delivery.attempt, delivery.idempotencyKey]),
        [
          [1, row?.idempotencyKey],
          [2, row?.idempotencyKey],
        ],
      );
    });

    test(`Y1: a result outlives a short outage without a second dial (${target.name})`, async () => {
      await insertRows(database, 3);
      const { runner, relay } = unstarted();
      runner.failing.add('delete_outbox_rows');
      await relay.start();
      await runner.signal.until(() => runner.count('delete_outbox_rows') >= 6);
      runner.failing.clear();
      await runner.signal.until(isEmpty);
      assert.equal(network.dials.length, 3);
    });

    test(`Y1: a result that cannot be settled in time is dropped, and the row is dialled again (${target.name})`, async () => {
      await insertRows(database, 1);
      const { runner, relay } = unstarted({ dialLimits: { dialTimeoutMs: 50, visibilityMs: 250 } });
      runner.failing.add('delete_outbox_rows');
      await relay.start();
      await network.signal.until(() => network.dials.length === 1);
      const lookAgain = setInterval(() => relay.ring(), 20);
      await network.signal.until(() => network.dials.length === 2);
      runner.failing.clear();
      await runner.signal.until(isEmpty);
      clearInterval(lookAgain);
      assert.equal(network.dials[1]?.attempt, 2);
    });

    test(`N4: stop lets dials finish, then ends those that hang, and leaves nothing (${target.name})`, async () => {
      await insertRows(database, 2, { channel: 'finishes' });
      await insertRows(database, 2, { channel: 'hangs' });
      let finish: () => void = () => {};
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      network.answer = async (delivery, signal) => {
        if (delivery.channel === 'hangs') return hang(signal);
        await finished;
        return { kind: 'delivered' };
      };
      const { runner, relay } = await started({ dialLimits: { drainMs: 200 } });
      await network.signal.until(() => network.active === 4);
      const stopped = relay.stop();
      finish();
      await stopped;
      assert.equal(network.active, 0);
      const left = await storedRows(database);
      assert.equal(left.length, 2);
      assert.ok(left.every((row) => row.last_error === 'no answer in time' && row.due_in_ms > 50_000));
      const statements = runner.names.length;
      relay.wake(net);
      assert.equal(runner.names.length, statements);
    });
  });
}
