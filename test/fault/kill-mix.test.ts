/**
 * `kill -9` of the engine while timers cycle and calls are retried, and while operators patch, move, cancel and repair
 * orders and take them over from one deployed version to the other and back. After each kill orders are looked at as
 * they are, and at the end all of them: each must be where its journal says, and each effect must be there once.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { pause } from '../support/fault-load.ts';
import { killCount } from '../support/kill-count.ts';
import { auditRows, settled } from '../support/retry-audit.ts';
import { RetryLoadClient } from '../support/retry-load-client.ts';
import { auditAnswers, auditCommands, auditNotices, MixAudit } from './mix/mix-audit.ts';
import { MixLoad } from './mix/mix-load.ts';
import { MixOperators } from './mix/mix-operators.ts';
import { MixPeer } from './mix/mix-peer.ts';
import { assertEverythingHappened } from './mix/mix-sights.ts';

/** As in kill-retries.test.ts; timers and operators need some time. */
const kills = { embedded: { usual: 3, lifeMs: 2_500 }, postgresql: { usual: 10, lifeMs: 1_000 } } as const;
/** With fewer, something rare may not have happened. */
const leastOrders = 100;
/** Orders that are looked at after each kill. */
const sampled = 25;

for (const target of testDatabases()) {
  const { usual, lifeMs } = kills[target.name];
  const count = killCount(usual);
  describe(`kill -9 while operators are at work on ${target.name}`, () => {
    it(
      'leaves each order where its journal says, and each effect once',
      { timeout: 180_000 + count * 15_000 },
      async () => {
        const store = await target.create();
        const env = { ...store.env, SUTRA_OUTBOX_RETRY_BASE_DELAY: 'PT0.1S' };
        const engine = new EngineProcess(await freePort(), env);
        const client = new RetryLoadClient(engine.url);
        const peer = new MixPeer();
        const operators = new MixOperators(client, await peer.start());
        const load = new MixLoad(client, operators);
        const audit = new MixAudit(client, operators);
        try {
          await engine.start();
          await operators.deploy('renamed');
          await operators.deploy('plain');
          load.orders.begin(4);
          load.workers.begin(3);
          operators.begin(6);
          for (let killed = 0; killed < count; killed += 1) {
            await pause(lifeMs * (0.5 + Math.random()));
            await engine.kill();
            await engine.start();
            await audit.sample(sampled);
          }
          await load.orders.reached(leastOrders);
          await load.orders.stop();
          await operators.stop();
          await settled(client, 60_000);
          await load.workers.stop();
          const replays = await audit.all();
          auditCommands(operators, replays);
          auditAnswers(load, replays);
          await audit.books(replays, load);
          assertEverythingHappened(replays, operators, load, audit);
          assert.equal(await engine.kill('SIGTERM'), 0, engine.errors);
          await auditNotices(store, peer, replays);
          const failed = [...replays].filter(([, { status }]) => status === 'failed');
          await auditRows(
            store,
            failed.map(([id]) => id),
          );
        } finally {
          load.abandon();
          operators.abandon();
          client.close();
          await engine.kill();
          await peer.stop();
          await store.drop();
        }
      },
    );
  });
}
