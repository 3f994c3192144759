/** Workers as processes: one that stands still, two of one name, one that is killed, one that is asked to end. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { postgresqlOnly, type TestDatabase } from '../support/database.ts';
import { EngineProcess, freePort } from '../support/engine-process.ts';
import { RetryLoadClient } from '../support/retry-load-client.ts';
import { allOrdersEnded, auditOrders } from './worker-audit.ts';
import { WorkerCrew } from './worker-crew.ts';
import { processOf, workerPackage } from './worker-package.ts';

const scenarios = ['blocked', 'blocked-long', 'twins', 'killed', 'drained'] as const;
type Scenario = (typeof scenarios)[number];
const patienceMs = 30_000;
const limit = { timeout: 150_000 };

for (const target of postgresqlOnly()) {
  describe(`workers as processes, on ${target.name}`, { concurrency: true }, () => {
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
      const files = Object.entries(workerPackage(scenarios)).map(([path, text]) => ({ path, text }));
      const deployed = await client.post('/admin/deployments', { files });
      assert.equal(deployed.status, 201, JSON.stringify(deployed.body));
    });
    after(async () => {
      client.close();
      await engine.kill();
      await database.close();
      await store.drop();
    });

    /** All orders end, the workers end, and both agree. */
    const audited = async (scenario: Scenario, work: (crew: WorkerCrew) => Promise<void>): Promise<void> => {
      const crew = new WorkerCrew(scenario, engine.url, client);
      try {
        await work(crew);
        await allOrdersEnded(database, processOf(scenario), patienceMs);
        await crew.dismiss();
      } finally {
        await crew.kill();
      }
      await auditOrders(database, processOf(scenario), crew.ledger);
    };

    for (const [scenario, blockMs] of [
      ['blocked', 3_000],
      ['blocked-long', 20_000],
    ] as const) {
      it(
        `takes no more than its lock from a handler that stands still for ${String(blockMs / 1000)} s, and tells it`,
        limit,
        () =>
          audited(scenario, async (crew) => {
            const { ledger } = crew;
            const still = crew.hire('still', { concurrency: 1, blockEvery: 1_000, blockMs });
            // There at once when it is needed, and not before.
            const other = crew.hire('other', { isHeld: true });
            await crew.until(() => still.count('polling') > 0 && other.count('up') > 0, 'both are there');
            await crew.order(1);
            await crew.until(() => ledger.runs.length === 1, 'it has begun');
            other.release();
            await crew.until(
              () => ledger.runs.length === 2,
              'another has the task when the lock has run out',
            );
            await crew.until(() => ledger.runs.every(({ outcome }) => outcome !== null), 'both have ended');
            assert.deepEqual(
              ledger.runs.map(({ outcome }) => outcome),
              ['lost', 'accepted'],
              'its late result was refused',
            );
            assert.equal(other.count('ended'), 1, 'it was the other one who did it');
            other.signal('SIGTERM');
            assert.equal(await other.ended(), 0, other.errors);
            // Nobody else is there: it must be polling again.
            await crew.order(3);
          }),
      );
    }

    it('never lets one of two workers of the same name complete what the other has', limit, () =>
      audited('twins', async (crew) => {
        const options = { blockEvery: 40, blockMs: 1_500 };
        const twins = [crew.hire('twin', options), crew.hire('twin', options)];
        await crew.until(() => twins.every((twin) => twin.count('polling') > 0), 'both poll');
        await crew.order(300);
        await allOrdersEnded(database, processOf('twins'), patienceMs);
        await crew.until(
          () => crew.ledger.runs.every(({ outcome }) => outcome !== null),
          'all runs have ended',
        );
        assert.ok(
          crew.ledger.runs.some(({ outcome }) => outcome === 'lost'),
          'locks were lost',
        );
        const busy = twins.filter((twin) =>
          twin.messages.some((message) => message.kind === 'ended' && message.outcome === 'accepted'),
        );
        assert.equal(busy.length, 2, 'both have worked');
      }),
    );

    it('gives the tasks of a worker that was killed to another, when their locks have run out', limit, () =>
      audited('killed', async (crew) => {
        const { ledger } = crew;
        const killed = crew.hire('killed', { concurrency: 8, workMs: null });
        await crew.order(30);
        await crew.until(() => ledger.runs.length === 8, 'it has what it can have');
        await killed.kill();
        for (const run of ledger.runs) ledger.end({ id: run.taskId, attempts: run.attempts }, 'lost');
        crew.hire('other');
        await allOrdersEnded(database, processOf('killed'), patienceMs);
        const again = ledger.runs.filter(({ attempts }) => attempts > 1);
        assert.ok(again.length >= 8, 'its tasks were done again');
      }),
    );

    it('drains on SIGTERM: what runs ends, nothing is begun, and the process ends by itself', limit, () =>
      audited('drained', async (crew) => {
        const { ledger } = crew;
        const drained = crew.hire('drained', { concurrency: 8, workMs: 800, lockDuration: 'PT5S' });
        await crew.order(20);
        await crew.until(() => ledger.runs.length >= 8, 'it works');
        drained.signal('SIGTERM');
        assert.equal(await drained.ended(), 0, drained.errors);
        assert.ok(ledger.runs.length < 20, 'it has begun no more');
        assert.ok(
          ledger.runs.every(({ outcome }) => outcome === 'accepted'),
          JSON.stringify(ledger.runs),
        );
        crew.hire('other');
      }),
    );
  });
}
