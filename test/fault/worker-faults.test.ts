/**
 * Between a worker and its engine everything goes wrong that can, on one call after the other: all orders end exactly
 * once all the same, and the worker is polling again within two seconds of the fault's end.
 *
 * SUTRA_TEST_FAULT_ORDERS: how many orders come while a fault is on one call. By default so many that each fault meets
 * 300 in all. With several times as many the one worker is still busy with those of the call before when the next fault
 * is to strike, and the test fails for that.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { postgresqlOnly, type TestDatabase } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { faultNames } from '../support/fault-proxy-faults.ts';
import { RetryLoadClient } from '../support/retry-load-client.ts';
import { allOrdersEnded, auditOrders } from './worker-audit.ts';
import { processOf, workerPackage } from './worker-package.ts';
import { WorkerScenario, windowNames } from './worker-scenario.ts';

const leastOrders = 300;
const ordersAWindow = Number(
  process.env['SUTRA_TEST_FAULT_ORDERS'] ?? Math.ceil(leastOrders / windowNames.length),
);
/** Against a hang only: all faults are met side by side, which takes a busy machine minutes. */
const limitMs = 400_000;
/** Longer than a lock, which is what an order may have to wait for. */
const patienceMs = 30_000;

for (const target of postgresqlOnly()) {
  describe(`a worker under faults, on ${target.name}`, { concurrency: true }, () => {
    let store: TestDatabase;
    let database: Database;
    let engine: EngineProcess;
    let client: RetryLoadClient;
    before(async () => {
      store = await target.create();
      engine = new EngineProcess(await freePort(), store.env);
      client = new RetryLoadClient(engine.url);
      database = await store.open();
      await engine.start();
      const files = Object.entries(workerPackage(faultNames)).map(([path, text]) => ({ path, text }));
      const deployed = await client.post('/admin/deployments', { files });
      assert.equal(deployed.status, 201, JSON.stringify(deployed.body));
    });
    after(async () => {
      client.close();
      await engine.kill();
      await database.close();
      await store.drop();
    });

    for (const fault of faultNames) {
      it(
        `ends every order once, and polls again in time, when calls meet ${fault}`,
        { timeout: limitMs },
        async () => {
          const scenario = new WorkerScenario({
            fault,
            engineUrl: engine.url,
            client,
            orderCount: ordersAWindow,
          });
          try {
            await scenario.run();
            await allOrdersEnded(database, processOf(fault), patienceMs);
          } finally {
            await scenario.stop();
          }
          assert.ok(scenario.ledger.orders.size >= leastOrders);
          await auditOrders(database, processOf(fault), scenario.ledger);
        },
      );
    }
  });
}
