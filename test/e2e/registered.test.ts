/** Functions of the embedding program. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testDatabases, type TestDatabase } from '../support/database.ts';
import { collectingLog, TestEngine } from '../support/engine.ts';
import { flows, packageFiles, start } from '../support/packages.ts';

const channel = (name: string): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`;
const runs = (name: string): string =>
  `${start(name)}<serviceTask id="run" implementation="registered:${name}"/><endEvent id="end"/>${flows('start -> run', 'run -> end')}`;
const names = ['once', 'unreadable'];

for (const target of testDatabases()) {
  describe(`a registered function on ${target.name}`, () => {
    let store: TestDatabase;
    let engine: TestEngine;
    const log = collectingLog();
    const calls: string[] = [];
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    before(async () => {
      store = await target.create();
      engine = await TestEngine.start({
        database: await store.open(),
        env: { SUTRA_EXTERNAL_TASK_RETRIES: '2', SUTRA_EXTERNAL_TASK_RETRY_TIMEOUT: 'PT0S' },
        log,
        registered: {
          once: async (_input, { instanceId }) => {
            calls.push(instanceId);
            await released;
            return { done: true };
          },
          unreadable: (_input, { instanceId }) => {
            calls.push(instanceId);
            return { text: '\ud800' };
          },
        },
      });
      await engine.deploy(
        packageFiles({
          channels: names.map(channel).join('\n'),
          processes: Object.fromEntries(names.map((name) => [name, runs(name)])),
        }),
      );
    });
    after(async () => {
      release();
      await engine.stop();
      await store.drop();
    });

    const incidentsOf = async (instanceId: string): Promise<readonly unknown[]> =>
      (await engine.get(`/sutra/incidents?instanceId=${instanceId}`)).body.incidents;

    it('fails its task when the engine cannot take what it returns, and is given up when its budget is spent', async () => {
      const { body } = await engine.post('/channels/unreadable', {});
      while ((await incidentsOf(body.instanceId)).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(calls.filter((id) => id === body.instanceId).length, 2);
      assert.match(JSON.stringify(await incidentsOf(body.instanceId)), /half of a surrogate pair/);
    });

    // The embedded database has one connection: nothing else could hold a lock on it.
    if (target.name === 'postgresql') {
      it('runs once although its instance is busy when it is done', async () => {
        const { body } = await engine.post('/channels/once', {});
        while (!calls.includes(body.instanceId)) await new Promise((resolve) => setTimeout(resolve, 10));
        const other = await store.open({ poolMax: 1 });
        const lock = {
          name: 'test_lock_instance',
          text: 'SELECT id FROM instance WHERE id = $1::uuid FOR UPDATE',
        };
        await other.transaction(async (connection) => {
          await connection.run(lock, [body.instanceId]);
          release();
          while (!log.lines.some((line) => line.includes('registered-completion-put-off'))) {
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        });
        await other.close();
        const instance = await engine.ended(body.instanceId);
        assert.equal(instance.status, 'completed');
        assert.equal(calls.filter((id) => id === body.instanceId).length, 1);
        assert.deepEqual(await incidentsOf(body.instanceId), []);
      });
    }
  });
}
