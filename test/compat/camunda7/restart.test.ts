/** The published client for JavaScript while the engine under it is killed and started again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client, Variables } from 'camunda-external-task-client-js';
import { anyDatabase } from '../../support/database.ts';
import { EngineProcess, freePort } from '../../support/engine-process.ts';
import { camundaModel, externalTask, inARow } from '../camunda7-engine-rest.ts';
import { deferred } from './deferred.ts';

const COUNT = 40;

async function postJson(url: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${url}: ${String(response.status)}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

async function deploy(url: string): Promise<void> {
  const form = new FormData();
  const model = camundaModel({ long: inARow({ work: externalTask('work', 'long') }) });
  form.append('long.bpmn', new Blob([model]), 'long.bpmn');
  const response = await fetch(`${url}/engine-rest/deployment/create`, { method: 'POST', body: form });
  assert.ok(response.ok, await response.text());
}

for (const target of anyDatabase()) {
  describe(
    `camunda-external-task-client-js through a restart on ${target.name}`,
    { timeout: 150_000 },
    () => {
      test('every task is completed, and the client polls again by itself', async (context) => {
        const stored = await target.create();
        const engine = new EngineProcess(await freePort(), { ...stored.env, SUTRA_COMPAT_CAMUNDA7: 'true' });
        context.after(async () => {
          await engine.kill('SIGTERM');
          await stored.drop();
        });
        await engine.start();
        await deploy(engine.url);
        const ids: unknown[] = [];
        for (let n = 0; n < COUNT; n += 1) {
          const { id } = await postJson(`${engine.url}/engine-rest/process-definition/key/long/start`, {
            variables: { n: { value: n } },
          });
          ids.push(id);
        }
        const client = new Client({
          ...{
            baseUrl: `${engine.url}/engine-rest`,
            workerId: 'js',
            interval: 50,
            asyncResponseTimeout: 5_000,
          },
          ...{ maxTasks: 5, maxParallelExecutions: 5, lockDuration: 2_000 },
        });
        context.after(() => {
          client.stop();
        });
        let failedPolls = 0;
        client.on('poll:error', () => {
          failedPolls += 1;
        });
        const completed = new Set<unknown>();
        const half = deferred<undefined>();
        const all = deferred<undefined>();
        client.subscribe('long', async ({ task, taskService }) => {
          await taskService.complete(task, new Variables().set('done', task.variables.get('n')));
          completed.add(task.processInstanceId);
          if (completed.size >= COUNT / 2) half.resolve(undefined);
          if (completed.size === COUNT) all.resolve(undefined);
        });
        // What a lost answer leaves open: the client never hears that its completion was taken, and repeats nothing.
        client.on('complete:error', (task) => {
          completed.add((task as { readonly processInstanceId: unknown }).processInstanceId);
          if (completed.size === COUNT) all.resolve(undefined);
        });
        await half.promise;
        await engine.kill();
        await new Promise((resolve) => setTimeout(resolve, 500));
        await engine.start();
        await all.promise;
        assert.ok(failedPolls > 0, 'the client has seen the engine away');
        for (const id of ids) {
          const deadline = performance.now() + 30_000;
          for (;;) {
            const response = await fetch(`${engine.url}/sutra/instances/${String(id)}`);
            const { status } = (await response.json()) as { readonly status: string };
            if (status === 'completed') break;
            assert.ok(performance.now() < deadline, `instance ${String(id)} is ${status}`);
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        }
      });
    },
  );
}
