/** The registry over a database of its own: when it retires, and how it finds what was retired too early. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { compilePackage } from '../../definitions/package.ts';
import { DeploymentRegistry } from '../../engine/deployments/registry.ts';
import type { Database } from '../../engine/store/database.ts';
import { insertDeployment } from '../../engine/store/deployments.ts';
import { readDeployment } from '../../engine/store/operate-deployments.ts';
import { testDatabases } from '../support/database.ts';
import { collectingLog } from '../support/engine.ts';
import { becomes, orderPackage } from './states.ts';

for (const target of testDatabases()) {
  describe(`retirement on ${target.name}`, () => {
    let database: Database;
    const running: DeploymentRegistry[] = [];
    before(async () => {
      database = await target.open();
    });
    afterEach(async () => {
      for (const registry of running.splice(0)) await registry.stop();
    });
    after(() => database.close());

    const startRegistry = async (
      pollIntervalMs: number,
      retireGraceMs?: number,
      run: Database['run'] = (statement, values) => database.run(statement, values),
    ): Promise<DeploymentRegistry & { readonly lines: readonly string[] }> => {
      const log = collectingLog();
      const registry = new DeploymentRegistry({
        database: Object.assign(Object.create(database) as Database, { run }),
        pollIntervalMs,
        log,
        changed: () => {},
        ...(retireGraceMs === undefined ? {} : { retireGraceMs }),
      });
      running.push(registry);
      await registry.start();
      return Object.assign(registry, { lines: log.lines });
    };

    const deploy = async (module: string, version: string): Promise<string> => {
      const files = Object.entries(orderPackage({ module, path: module, version }));
      const { model } = compilePackage(files.map(([path, text]) => ({ path, content: Buffer.from(text) })));
      assert.ok(model !== null);
      await insertDeployment(database, { ...model.identity, id: model.deploymentId, files: model.files });
      return model.deploymentId;
    };

    const stateOf = async (id: string): Promise<string | undefined> =>
      (await readDeployment(database, id))?.state;

    /** What a replica does that has not heard yet that the deployment drains. */
    const startLate = (deploymentId: string, module: string): Promise<unknown> =>
      database.run(
        {
          name: 'test_start_late',
          text: `INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn)
                 VALUES ($1::uuid, $2::text, 'test', $3::text, 'order', 'running', '{}', 1)`,
        },
        [randomUUID(), deploymentId, module],
      );

    it('waits until the other replicas must have heard of the drain: three polls and a second', async () => {
      const id = await deploy('grace', '1.0.0');
      await startRegistry(50);
      await deploy('grace', '2.0.0');
      await becomes(() => stateOf(id), 'retired');
      const row = await readDeployment(database, id);
      assert.ok(row !== null && row.drainedAt !== null && row.retiredAt !== null);
      const drainedForMs = row.retiredAt.getTime() - row.drainedAt.getTime();
      assert.ok(drainedForMs >= 1_150, `it was retired after ${String(drainedForMs)} ms`);
    });

    it('is taken back at once when another replica started an instance late', async () => {
      const id = await deploy('late', '1.0.0');
      const registry = await startRegistry(20, 0);
      await deploy('late', '2.0.0');
      await becomes(() => stateOf(id), 'retired');
      await becomes(() => Promise.resolve(registry.live().some((live) => live.id === id)), false);
      await startLate(id, 'late');
      await becomes(() => stateOf(id), 'draining');
      await becomes(() => Promise.resolve(registry.live().find((live) => live.id === id)?.state), 'draining');
      assert.ok(registry.lines.some((line) => line.startsWith('warn deployment.reopened')));
    });

    it('is taken back by a replica that hears of the retirement itself too late', async () => {
      const id = await deploy('behind', '1.0.0');
      let hears = Promise.resolve();
      const behind = await startRegistry(20, 0, async (statement, values) => {
        if (statement.name === 'list_live_deployments') await hears;
        return database.run(statement, values);
      });
      let hearAgain = (): void => {};
      hears = new Promise((resolve) => (hearAgain = resolve));
      const prompt = await startRegistry(10, 0);
      await deploy('behind', '2.0.0');
      await becomes(() => stateOf(id), 'retired');
      await prompt.stop();
      assert.ok(behind.live().some((live) => live.id === id && live.state === 'active'));
      await startLate(id, 'behind');
      hearAgain();
      await becomes(() => stateOf(id), 'draining');
    });

    it('asks nothing more of the database while nothing was retired', async () => {
      await database.knex('instance').delete();
      const seen: string[] = [];
      const run: Database['run'] = (statement, values) => {
        seen.push(statement.name);
        return database.run(statement, values);
      };
      await startRegistry(5, 60_000, run);
      await becomes(
        () => Promise.resolve(seen.filter((name) => name === 'list_live_deployments').length > 5),
        true,
      );
      assert.ok(!seen.includes('reopen_deployments'));
    });
  });
}
