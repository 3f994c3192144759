/** Workers whose connection ends at the worst moments. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { simpleOrder } from '../support/packages.ts';

/** Far more than any of these tests lasts: a lock that had to expire first would fail them. */
const longLock = { lockDuration: 'PT1H', asyncResponseTimeout: 'PT30S' };

/** Makes the locking of a task last: time to hang up between the lock and the answer. */
const slowLock = `
CREATE FUNCTION test_slow_lock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_sleep(0.5);
  RETURN NEW;
END $$;
CREATE TRIGGER test_slow_lock BEFORE INSERT OR UPDATE ON external_task FOR EACH ROW
  WHEN (NEW.lock_owner = 'hangs-up') EXECUTE FUNCTION test_slow_lock()`;

for (const target of testDatabases()) {
  describe(`a worker that hangs up on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(simpleOrder());
    });
    after(() => engine.stop());

    /** A fetch on a connection of its own, which waits by the time this resolves. */
    const waitingFetch = async (): Promise<Socket> => {
      const socket = connect(Number(new URL(engine.url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      const body = JSON.stringify({ workerId: 'hangs-up', channels: ['work'], maxTasks: 1, ...longLock });
      socket.write(
        'POST /sutra/external-tasks/fetch-and-lock HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
          `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`,
      );
      await waiting(1);
      return socket;
    };
    const waiting = async (count: number): Promise<void> => {
      const pattern = new RegExp(`^sutra_fetches_waiting ${String(count)}$`, 'm');
      for (;;) {
        const response = await fetch(`${engine.url}/metrics`);
        if (pattern.test(await response.text())) return;
      }
    };

    it('while it waits takes nothing along: what is parked then goes to another one at once', async () => {
      const socket = await waitingFetch();
      socket.destroy();
      await waiting(0);
      const { body } = await engine.post('/channels/orders', {});
      const task = await engine.fetchTask('work');
      assert.deepEqual([task.instanceId, task.attempts], [body.instanceId, 1]);
      await engine.complete(task, {});
    });

    it('while it is first in line does not keep the task from the next in line', async () => {
      const socket = await waitingFetch();
      const next = engine.fetchTask('work', longLock);
      await waiting(2);
      const order = engine.post('/channels/orders', {});
      socket.destroy();
      const task = await next;
      assert.equal(task.instanceId, (await order).body.instanceId);
      await engine.complete(task, {});
    });

    it('between the lock and the answer gives the lock back at once', async () => {
      await engine.engine.database.knex.raw(slowLock);
      try {
        // How far the engine is when the worker hangs up is chance; so it is tried until it was late enough.
        let attempts = 0;
        for (let round = 1; attempts !== 2; round += 1) {
          assert.ok(round <= 10, 'the task was locked for the worker that hung up');
          const socket = await waitingFetch();
          const order = engine.post('/channels/orders', {});
          await new Promise((resolve) => setTimeout(resolve, 50 * round));
          socket.destroy();
          await order;
          const task = await engine.fetchTask('work');
          ({ attempts } = task);
          assert.equal((await engine.complete(task, {})).body.outcome, 'ACCEPTED');
        }
      } finally {
        await engine.engine.database.knex.raw(
          'DROP TRIGGER test_slow_lock ON external_task; DROP FUNCTION test_slow_lock()',
        );
      }
    });
  });
}
