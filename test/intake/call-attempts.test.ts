/** `q:retry` on the whole engine: what a failed attempt leaves, and what the next one is. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type InstanceAnswer, type TaskAnswer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

type Task = TaskAnswer & { readonly idempotencyKey: string };
interface Waits {
  readonly waits: readonly { readonly kind: string; readonly purpose?: string; readonly attempt?: number }[];
}

const channel = (name: string): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`;
const retry =
  '<q:retry maxAttempts="3" initialDelay="PT0.05S" backoffCoefficient="1" nonRetryableCodes="final"/>';
const bound =
  '<boundaryEvent id="spent" attachedToRef="run"><errorEventDefinition errorRef="terminal"/></boundaryEvent><endEvent id="given-up"/>';
const around = (name: string, task: string): string =>
  `${start(name)}${task}<endEvent id="end"/>${flows('start -> run', 'run -> end')}`;

function files(peerUrl: string): Record<string, string> {
  const timeout = '<q:timeout duration="PT0.3S"/>';
  return packageFiles({
    definitions: '<error id="terminal" errorCode="SUTRA.EXTERNAL_TASK.TERMINAL"/>',
    channels: [
      ...['slow', 'refusing', 'throwing', 'bound', 'deadly'].map(channel),
      ...['work', 'bound-work', 'deadly-work'].map((name) => `  - { name: ${name}, transport: pull }`),
      `  - { name: peer, transport: http, bind: "${peerUrl}" }`,
    ].join('\n'),
    processes: {
      bound: around('bound', call('run', 'bound-work') + bound + flows('spent -> given-up')),
      deadly: around('deadly', call('run', 'deadly-work')),
      slow: around('slow', call('run', 'work', `${retry}${timeout}`)),
      refusing: around('refusing', call('run', 'peer', retry)),
      throwing: around(
        'throwing',
        `<serviceTask id="run" implementation="registered:throwing"><extensionElements>${retry}</extensionElements></serviceTask>`,
      ),
    },
  });
}

for (const target of testDatabases()) {
  describe(`attempts of calls on ${target.name}`, { timeout: 120_000 }, () => {
    let engine: TestEngine;
    let peer: Server;
    /** The idempotency keys of what the peer got, and how it answers them. */
    const dialled: string[] = [];
    let statusOf = (_nth: number): number => 400;
    /** The attempts' keys, and what the function does. */
    const calledWith: string[] = [];
    let act = (_nth: number): unknown => ({});

    before(async () => {
      peer = createServer((request, response) => {
        dialled.push(String(request.headers['idempotency-key']));
        const status = statusOf(dialled.length);
        request.resume().on('end', () => {
          response.writeHead(status, { 'content-type': 'application/json' }).end('{"ok":true}');
        });
      });
      await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
      const { port } = peer.address() as AddressInfo;
      engine = await TestEngine.start({
        database: await target.open(),
        env: { SUTRA_EXTERNAL_TASK_MAX_ATTEMPTS: '2' },
        registered: {
          throwing: (_input, { idempotencyKey }) => {
            calledWith.push(idempotencyKey);
            return act(calledWith.length);
          },
        },
      });
      await engine.deploy(files(`http://127.0.0.1:${port}/peer`));
    });
    after(async () => {
      await engine.stop();
      peer.closeAllConnections();
      await new Promise((resolve) => peer.close(resolve));
    });

    const begin = async (name: string): Promise<string> =>
      (await engine.post(`/channels/${name}`, {})).body.instanceId;
    const waitsOf = (instance: InstanceAnswer): Waits['waits'] => (instance as unknown as Waits).waits;
    const incidentKinds = async (instanceId: string): Promise<readonly string[]> => {
      const { body } = await engine.get(`/sutra/incidents?instanceId=${instanceId}`);
      return body.incidents.map((incident) => (incident as { kind: string }).kind);
    };
    const fetch = async (): Promise<Task> => (await engine.fetchTask('work')) as Task;

    it('a task that is not done in time is withdrawn from its worker, and another takes its place', async () => {
      const instanceId = await begin('slow');
      const first = await fetch();
      const second = await fetch();
      assert.equal(second.instanceId, instanceId);
      assert.equal(second.idempotencyKey, `${first.idempotencyKey}.2`);
      assert.equal(second.attempts, 1, 'the budget of the worker is a fresh one');
      const late = await engine.complete(first, { late: true });
      assert.deepEqual([late.status, late.body.code], [409, 'SUTRA.EXTERNAL_TASK.WITHDRAWN']);
      const echo = await engine.post('/channels/slow', {}, { 'correlation-id': first.idempotencyKey });
      assert.notEqual(echo.body.instanceId, instanceId, 'a late answer satisfies nothing');
      assert.equal((await engine.complete(second, { done: true })).body.outcome, 'ACCEPTED');
      const ended = await engine.ended(instanceId);
      assert.deepEqual([ended.status, ended.variables['done']], ['completed', true]);
      await engine.post(`/admin/instances/${echo.body.instanceId}/cancel`, { reason: 'test' });
    });

    it('the last attempt that is not done in time fails the instance, and nothing is left of any', async () => {
      const instanceId = await begin('slow');
      const ended = await engine.until(instanceId, ({ status }) => status === 'failed');
      assert.equal(ended.failure?.code, 'SUTRA.CALL.TIMEOUT');
      assert.deepEqual(waitsOf(ended), []);
      const { body } = await engine.get(`/sutra/external-tasks?instanceId=${instanceId}`);
      assert.deepEqual(body.tasks, []);
      assert.deepEqual(await incidentKinds(instanceId), ['instance-failed']);
      const retried = await engine.post(`/admin/instances/${instanceId}/retry`, {});
      assert.equal(retried.status, 200, JSON.stringify(retried.body));
      const again = await fetch();
      assert.equal((await engine.complete(again, {})).body.outcome, 'ACCEPTED');
      assert.equal((await engine.ended(instanceId)).status, 'completed');
    });

    it('a request that the peer refuses is no poisoned delivery, but is sent again under a key of its own', async () => {
      dialled.length = 0;
      statusOf = (nth) => (nth < 3 ? 400 : 200);
      const instanceId = await begin('refusing');
      assert.equal((await engine.ended(instanceId)).status, 'completed');
      const [key = ''] = dialled;
      assert.deepEqual(dialled, [key, `${key}.2`, `${key}.3`]);
      assert.deepEqual(await incidentKinds(instanceId), []);
    });

    it('a request that the peer refuses each time fails the instance, with nothing left to deliver', async () => {
      dialled.length = 0;
      statusOf = () => 400;
      const instanceId = await begin('refusing');
      const failed = await engine.until(instanceId, ({ status }) => status === 'failed');
      assert.equal(failed.failure?.code, 'SUTRA.CALL.FAILED');
      assert.equal(dialled.length, 3);
      assert.deepEqual(await incidentKinds(instanceId), ['instance-failed']);
    });

    it('a function that throws has attempts of the call, not of the task', async () => {
      calledWith.length = 0;
      act = (nth) => {
        if (nth < 3) throw new Error('not yet');
        return { done: nth };
      };
      const ended = await engine.ended(await begin('throwing'));
      assert.deepEqual([ended.status, ended.variables['done']], ['completed', 3]);
      const [key = ''] = calledWith;
      assert.deepEqual(calledWith, [key, `${key}.2`, `${key}.3`]);
    });

    it('a function whose error has a code that is final is not called again', async () => {
      calledWith.length = 0;
      act = () => {
        throw Object.assign(new Error('no such account'), { code: 'final' });
      };
      const failed = await engine.until(await begin('throwing'), ({ status }) => status === 'failed');
      assert.equal(failed.failure?.code, 'SUTRA.CALL.FAILED');
      assert.equal(calledWith.length, 1);
    });

    it('a task whose budget is spent goes to the boundary event that names that, and is no incident', async () => {
      const instanceId = await begin('bound');
      const { id, lockToken } = await engine.fetchTask('bound-work');
      const failed = await engine.post(`/sutra/external-tasks/${id}/failure`, {
        ...{ workerId: 'worker-1', lockToken, errorMessage: 'no', retries: 0 },
      });
      assert.equal(failed.body.status, 'TERMINAL');
      const ended = await engine.ended(instanceId);
      assert.equal(ended.status, 'completed');
      assert.deepEqual(await incidentKinds(instanceId), []);
      const { body } = await engine.get(`/sutra/external-tasks?instanceId=${instanceId}`);
      assert.deepEqual(body.tasks, []);
    });

    it('a task that kills its workers turns terminal when it would be handed out once more', async () => {
      const instanceId = await begin('deadly');
      const lost = { lockDuration: 'PT0.05S' };
      for (const attempt of [1, 2])
        assert.equal((await engine.fetchTask('deadly-work', lost)).attempts, attempt);
      assert.deepEqual(await engine.fetchTasks('deadly-work', { asyncResponseTimeout: 'PT0.5S' }), []);
      assert.deepEqual(await incidentKinds(instanceId), ['task-terminal']);
      const { body } = await engine.get(`/sutra/external-tasks?instanceId=${instanceId}&state=failed`);
      const [task] = body.tasks as unknown as readonly { readonly id: string; readonly lastError: string }[];
      assert.match(task?.lastError ?? '', /ran out 2 times in a row/);
      const rearmed = await engine.post(`/admin/external-tasks/${task?.id ?? ''}/retries`, { retries: 1 });
      assert.equal(rearmed.status, 200, JSON.stringify(rearmed.body));
      const again = await engine.fetchTask('deadly-work', lost);
      assert.equal(again.attempts, 3);
      assert.equal((await engine.fetchTask('deadly-work')).attempts, 4, 'it begins to count anew');
      await engine.post(`/admin/instances/${instanceId}/cancel`, { reason: 'test' });
    });

    it('a task that is failed in between is not one that kills its workers', async () => {
      const instanceId = await begin('deadly');
      for (const attempt of [1, 2, 3, 4]) {
        const isLost = attempt % 2 === 1;
        const task = await engine.fetchTask('deadly-work', isLost ? { lockDuration: 'PT0.05S' } : {});
        assert.equal(task.attempts, attempt);
        if (isLost) continue;
        const { status } = await engine.post(`/sutra/external-tasks/${task.id}/failure`, {
          ...{ workerId: 'worker-1', errorMessage: 'no', retries: 3, retryTimeout: 'PT0S' },
        });
        assert.equal(status, 200);
      }
      assert.equal(
        (await engine.complete(await engine.fetchTask('deadly-work'), {})).body.outcome,
        'ACCEPTED',
      );
      assert.equal((await engine.ended(instanceId)).status, 'completed');
    });
  });
}
