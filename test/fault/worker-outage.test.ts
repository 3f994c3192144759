/** The engine is killed, restarted, and loses its connections to the database, while a worker of the SDK is at work. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker, type Task } from '../../worker/index.ts';
import type { Database } from '../../engine/store/database.ts';
import { postgresqlOnly } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { pause } from '../support/fault-load.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { RetryLoadClient } from '../support/retry-load-client.ts';
import { allOrdersEnded, auditOrders } from './worker-audit.ts';
import { followWorker, WorkerLedger } from './worker-ledger.ts';
import { channelOf, ordersPathOf, processOf, workerPackage, type Order } from './worker-package.ts';
import { isReachedInTime } from './worker-tempo.ts';

const SCENARIO = 'outage';
const ORDERS = 300;
const SENDERS = 4;

/** Of everybody but the one who asks. */
async function dropConnections(database: Database): Promise<number> {
  const text = `
SELECT count(pg_terminate_backend(pid))::integer AS count
  FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  const [row] = await database.run<{ count: number }>({ name: '', text }, []);
  return row?.count ?? 0;
}

for (const target of postgresqlOnly()) {
  describe(`a worker while its engine is down, on ${target.name}`, () => {
    it('ends every order once, and polls again in time', { timeout: 150_000 }, async () => {
      const store = await target.create();
      const engine = new EngineProcess(await freePort(), store.env);
      const client = new RetryLoadClient(engine.url);
      // One connection, so that it is not itself among those that are dropped.
      const database = await store.open({ poolMax: 1 });
      const proxy = await FaultProxy.start(engine.url);
      const ledger = new WorkerLedger();
      const worker = new Worker({
        baseUrl: proxy.url,
        lockDuration: 'PT3S',
        channels: {
          [channelOf(SCENARIO)]: async (task: Task) => {
            const order = task.body as Order;
            const { mark } = ledger.begin(task, order);
            await pause(20);
            return { n: order.n, mark };
          },
        },
        log: () => {},
      });
      followWorker(worker, ledger);
      try {
        await engine.start();
        const files = Object.entries(workerPackage([SCENARIO])).map(([path, text]) => ({ path, text }));
        const deployed = await client.post('/admin/deployments', { files });
        assert.equal(deployed.status, 201, JSON.stringify(deployed.body));
        await worker.start();
        await worker.ready();
        let next = 0;
        const send = async (until: number): Promise<void> => {
          while (next < until) {
            const order: Order = { n: next, kind: 'plain' };
            next += 1;
            // The same order under the same key, however often the engine goes down over it.
            const key = { 'idempotency-key': `order-${String(order.n)}` };
            const { answer } = await client.insist('POST', ordersPathOf(SCENARIO), order, key);
            assert.equal(answer.status, 202, JSON.stringify(answer));
            ledger.noteOrder(order.n, order.kind, String(answer.body['instanceId']));
          }
        };
        const faults = [
          async () => {
            await engine.kill();
            await engine.start();
          },
          async () => {
            assert.equal(await engine.kill('SIGTERM'), 0, engine.errors);
            await engine.start();
          },
          async () => assert.ok((await dropConnections(database)) > 0, 'there were connections'),
        ];
        for (const [index, fault] of faults.entries()) {
          const until = Math.ceil((ORDERS * (index + 1)) / faults.length);
          const sending = Promise.all(Array.from({ length: SENDERS }, () => send(until)));
          while (next < until - ORDERS / (2 * faults.length)) await pause(5);
          await fault();
          const overAt = performance.now();
          const isPolling = await isReachedInTime(() => proxy.hasPolledSince(overAt), engine.url);
          assert.ok(isPolling, `polls again within 2 s of the end of fault ${String(index)}`);
          await sending;
        }
        await allOrdersEnded(database, processOf(SCENARIO), 30_000);
        await worker.stop();
        await auditOrders(database, processOf(SCENARIO), ledger);
        assert.equal(ledger.orders.size, ORDERS);
        assert.equal(await engine.kill('SIGTERM'), 0, engine.errors);
      } finally {
        client.close();
        await worker.stop();
        await proxy.stop();
        await engine.kill();
        await database.close();
        await store.drop();
      }
    });
  });
}
