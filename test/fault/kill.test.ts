/**
 * `kill -9` of the engine at random moments under load. Only on PostgreSQL: the embedded database dies with
 * the engine, and its own kill test is in test/store.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresqlOnly } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { FaultLoad, faultPackage, pause } from '../support/fault-load.ts';
import { allEnded, audit } from '../support/fault-audit.ts';

const leastKills = 30;
const leastOrders = 3_000;

for (const target of postgresqlOnly()) {
  describe(`kill -9 on ${target.name}`, () => {
    it('ends every order exactly once over 30 kills and 3,000 orders', { timeout: 480_000 }, async () => {
      const store = await target.create();
      const engine = new EngineProcess(await freePort(), store.env);
      const database = await store.open();
      const load = new FaultLoad(engine.url);
      try {
        await engine.start();
        const files = Object.entries(faultPackage).map(([path, text]) => ({ path, text }));
        const deployed = await fetch(`${engine.url}/admin/deployments`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ files }),
        });
        assert.ok(deployed.ok, await deployed.text());
        load.begin(8, 8);
        let kills = 0;
        while (kills < leastKills || load.sent < leastOrders) {
          await pause(100 + Math.random() * 1_200);
          if (kills >= leastKills) continue;
          await engine.kill();
          kills += 1;
          await engine.start();
        }
        load.stopSending();
        await allEnded(database, 30_000);
        await load.stopWorking();
        await audit(database, load);
        assert.ok(load.sent >= leastOrders && kills >= leastKills);
        assert.equal(load.missingRetryAfter, 0);
        assert.equal(await engine.kill('SIGTERM'), 0, engine.errors);
      } finally {
        load.abandon();
        await engine.kill();
        await database.close();
        await store.drop();
      }
    });
  });
}
