/**
 * An engine is killed between throws of a signal and their deliveries: once for certain, since the instances that
 * wait are locked by the test until it is dead, and then a few times at some moment or other.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseWithValues } from '../../definitions/value-codec.ts';
import type { Snapshot } from '../../engine/core/snapshot.ts';
import type { Database } from '../../engine/store/database.ts';
import { isSignalDue } from '../../engine/store/signals.ts';
import { postgresqlOnly } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { pause } from '../support/fault-load.ts';
import { signalPackage } from '../signals/signal-package.ts';

const killCount = 4;
const throwsPerKill = 6;
const instanceCount = 20;

/** As a client must: it repeats under one key until it has an answer. */
async function insist(url: string, path: string, body: unknown, key: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    }).catch(() => null);
    if (answer?.ok === true) {
      await answer.arrayBuffer();
      return;
    }
    await pause(50);
  }
}

async function seenBy(database: Database): Promise<number[][]> {
  const rows = await database.run<{ snapshot: string }>(
    { name: 'test_counting', text: `SELECT snapshot FROM instance WHERE process_id = 'count'` },
    [],
  );
  return rows.map(({ snapshot }) => {
    const { scopes } = parseWithValues(snapshot) as Snapshot;
    const seen = scopes[0]?.variables['seen'] ?? [];
    return [...(seen as readonly number[])].sort((a, b) => a - b);
  });
}

async function countOf(database: Database, what: string): Promise<number> {
  const text = `SELECT count(*)::integer AS count FROM ${what}`;
  const [row] = await database.run<{ count: number }>({ name: '', text }, []);
  return row?.count ?? 0;
}

/** As long as the lock is held, no delivery can be made to those who count. */
function whileLocked(database: Database, work: () => Promise<void>): Promise<void> {
  const text = `SELECT id FROM instance WHERE process_id = 'count' FOR UPDATE`;
  return database.transaction(async (connection) => {
    await connection.run({ name: 'test_lock_counting', text }, []);
    await work();
  });
}

for (const target of postgresqlOnly()) {
  describe(`kill -9 between a throw and its delivery on ${target.name}`, () => {
    it('loses no signal and delivers none twice', { timeout: 240_000 }, async () => {
      const store = await target.create();
      const engine = new EngineProcess(await freePort(), store.env);
      const database = await store.open();
      try {
        await engine.start();
        const files = Object.entries(signalPackage()).map(([path, text]) => ({ path, text }));
        await insist(engine.url, '/admin/deployments', { files }, 'deploy');
        const orders = Array.from({ length: instanceCount }, (_, n) => n);
        await Promise.all(
          orders.map((n) => insist(engine.url, '/channels/signals-count', {}, `count-${String(n)}`)),
        );
        const thrown: number[] = [];
        /** Half of them are thrown by instances, whose own commit carries the throw. */
        const throwSome = (): Promise<unknown> => {
          const numbers = Array.from({ length: throwsPerKill }, () => thrown.push(0));
          for (const n of numbers) thrown[n - 1] = n;
          const paths = ['/channels/signals-throw', '/sutra/signals/alarm'] as const;
          return Promise.all(
            numbers.map((n) => insist(engine.url, paths[n % 2] ?? paths[0], { n }, `throw-${String(n)}`)),
          );
        };
        await whileLocked(database, async () => {
          await throwSome();
          const pending = await countOf(database, 'signal_delivery WHERE instance_id IS NOT NULL');
          assert.equal(pending, instanceCount * throwsPerKill, 'all are on their way when it dies');
          await engine.kill();
        });
        await engine.start();
        for (let kill = 1; kill < killCount; kill += 1) {
          const throwing = throwSome();
          await pause(kill * 10);
          await engine.kill();
          await engine.start();
          await throwing;
        }
        while (await isSignalDue(database)) await pause(50);
        const seen = await seenBy(database);
        assert.equal(seen.length, instanceCount);
        for (const numbers of seen) assert.deepEqual(numbers, thrown);
        const started = await countOf(database, `instance WHERE process_id = 'started'`);
        assert.equal(started, thrown.length, 'one instance for each throw');
        assert.equal(await engine.kill('SIGTERM'), 0, engine.errors);
      } finally {
        await engine.kill();
        await database.close();
        await store.drop();
      }
    });
  });
}
