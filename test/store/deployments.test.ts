import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import {
  activateDeployment,
  drainDeployment,
  insertDeployment,
  isDeploymentKnown,
  listLiveDeployments,
  readDeploymentFiles,
  reopenDeployments,
  retireDeployments,
} from '../../engine/store/deployments.ts';
import { deleteCalls, insertCalls } from '../../engine/store/instance-calls.ts';
import { readDeploymentLoad } from '../../engine/store/operate-deployments.ts';
import { testDatabases } from '../support/database.ts';

const file = (path: string, text: string) => ({ path, content: Buffer.from(text) });

const states = async (database: Database, module: string): Promise<string[]> => {
  const rows = await database.run<{ id: string; state: string }>(
    { name: 'test_states', text: 'SELECT id, state FROM deployment WHERE module = $1::text ORDER BY id' },
    [module],
  );
  return rows.map(({ id, state }) => `${id} ${state}`);
};

for (const target of testDatabases()) {
  describe(`deployments on ${target.name}`, () => {
    let database: Database;
    before(async () => {
      database = await target.open();
    });
    after(() => database.close());

    const deploy = (id: string, module: string, files = [file('package.yaml', id)]): Promise<boolean> =>
      insertDeployment(database, { id, tenant: 'acme', module, version: '1', files });

    const insertInstance = (deploymentId: string): Promise<unknown> =>
      database.run(
        {
          name: 'test_insert_instance',
          text: `INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn)
                 VALUES ($1::uuid, $2::text, 'acme', 'm', 'p', 'running', '{}', 1)`,
        },
        [randomUUID(), deploymentId],
      );

    it('stores the files byte for byte, and a second time changes nothing', async () => {
      const bytes = Buffer.from([0, 1, 2, 0xff, 0x5c, 0x22, 0x27]);
      const files = [{ path: 'b "quoted" \\ name', content: bytes }, file('a', ''), file('B', 'x')];
      assert.equal(await deploy('files-1', 'files', files), true);
      assert.equal(await deploy('files-1', 'files', [file('other', 'y')]), false);
      const stored = await readDeploymentFiles(database, 'files-1');
      assert.deepEqual(
        stored.map(({ path, content }) => [path, Buffer.from(content).toString('hex')]),
        [
          ['B', '78'],
          ['a', ''],
          ['b "quoted" \\ name', bytes.toString('hex')],
        ],
      );
      assert.deepEqual(await readDeploymentFiles(database, 'files-none'), []);
      assert.equal(await isDeploymentKnown(database, 'files-1'), true);
      assert.equal(await isDeploymentKnown(database, 'files-none'), false);
    });

    it('lets one deployment of a module be active, and the others drain', async () => {
      await deploy('active-1', 'active');
      await deploy('active-2', 'active');
      await deploy('active-other', 'elsewhere');
      assert.deepEqual(await states(database, 'active'), ['active-1 draining', 'active-2 active']);
      await activateDeployment(database, 'active-1');
      assert.deepEqual(await states(database, 'active'), ['active-1 active', 'active-2 draining']);
      assert.deepEqual(await states(database, 'elsewhere'), ['active-other active']);
      const live = (await listLiveDeployments(database)).filter((row) => row.module === 'active');
      assert.deepEqual(
        live.map(({ id, state }) => [id, state]),
        [
          ['active-2', 'draining'],
          ['active-1', 'active'],
        ],
      );
      assert.ok(live.every((row) => row.deployedAt instanceof Date));
    });

    it('refuses to activate what is not stored', async () => {
      await assert.rejects(activateDeployment(database, 'nothing'), {
        code: 'SUTRA.STORE.DEPLOYMENT_UNKNOWN',
      });
    });

    it('leaves exactly one active when many are activated at once', async () => {
      const ids = ['race-1', 'race-2', 'race-3', 'race-4'];
      await Promise.all(ids.map((id) => deploy(id, 'race')));
      await Promise.all([...ids, ...ids].map((id) => activateDeployment(database, id)));
      const found = await states(database, 'race');
      assert.equal(found.filter((line) => line.endsWith(' active')).length, 1);
      assert.equal(found.filter((line) => line.endsWith(' draining')).length, 3);
    });

    it('retires a draining deployment only when no live instance, open task or delivery is left', async () => {
      await deploy('old', 'retire');
      await deploy('new', 'retire');
      await insertInstance('old');
      assert.ok(!(await retireDeployments(database, 0)).includes('old'));
      await database.run(
        { name: 'test_fail', text: `UPDATE instance SET status = 'failed', failure_code = 'X'` },
        [],
      );
      assert.ok(!(await retireDeployments(database, 0)).includes('old'), 'a failed instance can be repaired');
      const end = `UPDATE instance SET status = 'completed', failure_code = NULL, ended_at = now()`;
      await database.run({ name: 'test_end', text: end }, []);
      for (const table of ['outbox', 'external_task'] as const) {
        await insertWork(database, table, 'old');
        assert.ok(!(await retireDeployments(database, 0)).includes('old'), table);
        await database.run({ name: `test_clear_${table}`, text: `DELETE FROM ${table}` }, []);
      }
      assert.ok((await retireDeployments(database, 0)).includes('old'));
      assert.deepEqual(await states(database, 'retire'), ['new active', 'old retired']);
      assert.deepEqual(
        (await listLiveDeployments(database)).filter((row) => row.id === 'old'),
        [],
      );
    });

    it('keeps a deployment whose process an instance of another one has called', async () => {
      await deploy('called-1', 'called');
      await deploy('called-2', 'called');
      const call = { instanceId: randomUUID(), deploymentId: 'called-1' };
      await insertCalls(database, [call]);
      await insertCalls(database, [call]);
      assert.equal((await readDeploymentLoad(database, 'called-1')).callingInstances, 1);
      assert.ok(!(await retireDeployments(database, 0)).includes('called-1'));
      await deleteCalls(database, [call.instanceId]);
      assert.ok((await retireDeployments(database, 0)).includes('called-1'));
      await insertCalls(database, [call]);
      assert.deepEqual(await reopenDeployments(database), ['called-1']);
    });

    it('retires only what has drained for long enough, counted from its last drain', async () => {
      const draining = (id: string, forMs: number): Promise<unknown> =>
        database.run(
          {
            name: 'test_drained_at',
            text: `UPDATE deployment SET drained_at = now() - $2::float8 * interval '1 millisecond' WHERE id = $1::text`,
          },
          [id, forMs],
        );
      await deploy('grace-1', 'grace');
      await deploy('grace-2', 'grace');
      assert.ok(!(await retireDeployments(database, 60_000)).includes('grace-1'));
      await draining('grace-1', 59_000);
      assert.ok(!(await retireDeployments(database, 60_000)).includes('grace-1'));
      await draining('grace-1', 61_000);
      assert.equal(await drainDeployment(database, 'grace-1'), true);
      assert.ok(
        (await retireDeployments(database, 60_000)).includes('grace-1'),
        'a second drain changes nothing',
      );
      await activateDeployment(database, 'grace-1');
      await draining('grace-2', 61_000);
      await activateDeployment(database, 'grace-2');
      assert.deepEqual(await states(database, 'grace'), ['grace-1 draining', 'grace-2 active']);
      assert.deepEqual(
        (await retireDeployments(database, 60_000)).filter((id) => id.startsWith('grace')),
        [],
        'it drains anew',
      );
    });

    it('drains again, with its whole grace, a retired deployment on which an instance was started late', async () => {
      await deploy('late-1', 'late');
      await deploy('late-2', 'late');
      assert.ok((await retireDeployments(database, 0)).includes('late-1'));
      assert.deepEqual(await reopenDeployments(database), []);
      await insertInstance('late-1');
      assert.deepEqual(await reopenDeployments(database), ['late-1']);
      assert.deepEqual(await states(database, 'late'), ['late-1 draining', 'late-2 active']);
      await database.run(
        { name: 'test_end_late', text: `DELETE FROM instance WHERE deployment_id = 'late-1'` },
        [],
      );
      assert.ok(!(await retireDeployments(database, 60_000)).includes('late-1'));
    });

    it('drains again a retired deployment of which a task or a delivery is there', async () => {
      await deploy('left-1', 'left');
      await deploy('left-2', 'left');
      for (const table of ['outbox', 'external_task'] as const) {
        assert.ok((await retireDeployments(database, 0)).includes('left-1'), table);
        await insertWork(database, table, 'left-1');
        assert.deepEqual(await reopenDeployments(database), ['left-1'], table);
        await database.run({ name: `test_clear_${table}`, text: `DELETE FROM ${table}` }, []);
      }
    });

    it('drains a live deployment on request, and says when there is none', async () => {
      await deploy('drain-1', 'drain');
      assert.equal(await drainDeployment(database, 'drain-1'), true);
      assert.equal(await drainDeployment(database, 'drain-1'), true);
      assert.deepEqual(await states(database, 'drain'), ['drain-1 draining']);
      assert.ok((await retireDeployments(database, 0)).includes('drain-1'));
      assert.equal(await drainDeployment(database, 'drain-1'), false);
      assert.equal(await deploy('drain-1', 'drain'), false);
      await activateDeployment(database, 'drain-1');
      assert.deepEqual(await states(database, 'drain'), ['drain-1 active']);
    });
  });
}

async function insertWork(
  database: Database,
  table: 'outbox' | 'external_task',
  deploymentId: string,
): Promise<void> {
  const [column, value] = table === 'outbox' ? ['transport', 'http'] : ['task_type', 'work'];
  await database.run(
    {
      name: `test_insert_${table}`,
      text: `
INSERT INTO ${table} (id, ${column}, deployment_id, tenant, module, version, channel, process_id, instance_id,
  element_id, idempotency_key, headers, content_type, body, expects_answer, retries, priority, policy)
VALUES ($1::uuid, '${value}', $2::text, 'acme', 'm', '1', 'c', 'p', $1::uuid, 'e', 'k', '{}', 'text/plain', '',
  true, 1, 0, '{}')`,
    },
    [randomUUID(), deploymentId],
  );
}
