/**
 * `kill -9` of the engine while calls are retried, time out, are refused, given up and cancelled. What it had told
 * anybody it must still hold, and each instance's journal must say how it came to be as it is.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { pause } from '../support/fault-load.ts';
import { killCount } from '../support/kill-count.ts';
import { auditRows, auditStories, settled } from '../support/retry-audit.ts';
import { RetryLoad } from '../support/retry-load.ts';
import { RetryLoadClient } from '../support/retry-load-client.ts';
import { retryPackage } from '../support/retry-load-package.ts';
import { RetryLoadPeer } from '../support/retry-load-peer.ts';

/** The embedded database takes some seconds to recover and start; then it lives for so long, more or less. */
const kills = { embedded: { usual: 3, lifeMs: 2_000 }, postgresql: { usual: 12, lifeMs: 700 } } as const;
/** With fewer, something rare may not have happened. */
const leastOrders = 100;

for (const target of testDatabases()) {
  const { usual, lifeMs } = kills[target.name];
  const count = killCount(usual);
  const timeout = 180_000 + count * 15_000;
  describe(`kill -9 while calls are retried on ${target.name}`, () => {
    it('leaves each order in a state that its journal explains', { timeout }, async () => {
      const store = await target.create();
      const env = { ...store.env, SUTRA_OUTBOX_RETRY_BASE_DELAY: 'PT0.1S' };
      const engine = new EngineProcess(await freePort(), env);
      const client = new RetryLoadClient(engine.url);
      const peer = new RetryLoadPeer();
      const load = new RetryLoad(client);
      try {
        const peerUrl = await peer.start();
        peer.answerThrough(client);
        await engine.start();
        const files = Object.entries(retryPackage(peerUrl)).map(([path, text]) => ({ path, text }));
        const deployed = await client.post('/admin/deployments', { files });
        assert.equal(deployed.status, 201, JSON.stringify(deployed.body));
        load.orders.begin(4);
        load.workers.begin(3);
        for (let killed = 0; killed < count; killed += 1) {
          await pause(lifeMs * (0.5 + Math.random()));
          await engine.kill();
          await engine.start();
        }
        await load.orders.reached(leastOrders);
        await load.orders.stop();
        await settled(client, 20_000);
        await load.workers.stop();
        await peer.drained();
        const stories = await auditStories(client, load, peer);
        assert.equal(await engine.kill('SIGTERM'), 0, engine.errors);
        const failed = [...stories].filter(([, { story }]) => story.status === 'failed');
        await auditRows(
          store,
          failed.map(([id]) => id),
        );
      } finally {
        load.abandon();
        client.close();
        await engine.kill();
        await peer.stop();
        await store.drop();
      }
    });
  });
}
