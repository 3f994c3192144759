/** What a batch costs in statements, whatever its size: B3 of `batch.ts`. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { situationFiles } from '../channels/pull/many-tasks-situations.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';

/** As many statements as a batch of turns may send, BEGIN and COMMIT included; each round trip has at least one. */
const MAX_STATEMENTS = 8;

const COUNT = 100;

/** What the engine does of its own accord meanwhile: a handful of looks at its tables. */
const OWN_STATEMENTS = 10;

for (const target of testDatabases()) {
  describe(`statements of batches on ${target.name}`, { timeout: 60_000 }, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open() });
      await engine.deploy(situationFiles);
    });
    after(() => engine.stop());

    async function counters(): Promise<{
      batches: number;
      turns: number;
      claims: number;
      statements: number;
    }> {
      const { body } = await engine.get('/metrics');
      const read = (name: string): number =>
        Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body as unknown as string)?.[1] ?? 0);
      return {
        batches: read('sutra_batch_turns_count'),
        turns: read('sutra_batch_turns_sum'),
        claims: read('sutra_fetch_claims_total'),
        statements: engine.engine.database.statementCount(),
      };
    }

    /** Fails unless the turns went in shared batches of few statements. */
    async function cheap(work: () => Promise<unknown>): Promise<void> {
      const before = await counters();
      await work();
      const after = await counters();
      const batches = after.batches - before.batches;
      assert.equal(after.turns - before.turns, COUNT);
      assert.ok(batches <= COUNT / 2, `${String(batches)} batches`);
      const statements = after.statements - before.statements;
      const most = MAX_STATEMENTS * batches + OWN_STATEMENTS;
      assert.ok(statements <= most, `${String(statements)} in ${String(batches)} batches`);
    }

    it(`are at most ${String(MAX_STATEMENTS)} for starts that park tasks, one for a claim, ${String(MAX_STATEMENTS)} for completions`, async () => {
      await engine.complete(await orderAndFetch(), {});
      await cheap(() =>
        Promise.all(Array.from({ length: COUNT }, () => engine.post('/channels/orders', {}))),
      );
      const before = await counters();
      const tasks = await engine.fetchTasks('work', { maxTasks: COUNT });
      assert.equal(tasks.length, COUNT);
      assert.equal((await counters()).claims - before.claims, 1);
      await cheap(() => Promise.all(tasks.map((task) => engine.complete(task, {}))));
    });

    async function orderAndFetch(): ReturnType<TestEngine['fetchTask']> {
      await engine.post('/channels/orders', {});
      return engine.fetchTask('work');
    }
  });
}
