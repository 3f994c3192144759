import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { processSecrets } from '../../config/load.ts';
import { silentLog } from '../../engine/observe.ts';
import { startEngine, type RunningEngine } from '../../server/engine.ts';
import { adminHeaders, assertProblem, checkedCall, testSettings, type CheckedCall } from './fixture.ts';

const example = fileURLToPath(new URL('../../examples/order-scoring/', import.meta.url));

async function packageFiles(): Promise<{ path: string; text: string }[]> {
  const entries = await readdir(example, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path) => ({
      path: relative(example, path).split(sep).join('/'),
      text: await readFile(path, 'utf8'),
    })),
  );
}

interface Task {
  readonly id: string;
  readonly instanceId: string;
  readonly lockToken: string;
  readonly elementId: string;
}

describe('the engine as a whole answers as it describes itself', () => {
  let engine: RunningEngine;
  let call: CheckedCall;
  before(async () => {
    engine = await startEngine({ settings: testSettings, secrets: processSecrets(), log: silentLog });
    call = checkedCall(engine.url);
  });
  after(async () => {
    assert.deepEqual((await engine.stop()).unfinished, []);
  });

  let deploymentId = '';
  let instanceId = '';
  const fetchTask = async (): Promise<Task> => {
    const json = { workerId: 'w-1', channels: ['score-request'], maxTasks: 1, asyncResponseTimeout: 'PT10S' };
    const { json: answer } = await call('POST', '/sutra/external-tasks/fetch-and-lock', { json });
    const [task] = answer['tasks'] as Task[];
    assert.ok(task);
    return task;
  };

  it('when a package is deployed, twice', async () => {
    const files = await packageFiles();
    const first = await call('POST', '/admin/deployments', { json: { files }, headers: adminHeaders });
    assert.equal(first.status, 201, first.text);
    const second = await call('POST', '/admin/deployments', { json: { files }, headers: adminHeaders });
    assert.equal(second.status, 200, second.text);
    deploymentId = String(first.json['deploymentId']);
    const detail = await call('GET', `/sutra/deployments/${deploymentId}`);
    assert.equal(detail.json['state'], 'active');
    assert.ok((detail.json['channels'] as unknown[]).length >= 2);
    assert.equal((await call('GET', '/sutra/deployments')).status, 200);
  });

  it('when a message starts an instance, and when it comes again', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    const json = { orderId: 'A-1', amount: 120 };
    const first = await call('POST', '/channels/orders', { json, headers });
    assert.equal(first.status, 202, first.text);
    instanceId = String(first.json['instanceId']);
    assert.deepEqual(first.json, { instanceId, duplicate: false });
    const again = await call('POST', '/channels/orders', { json, headers });
    assert.deepEqual(again.json, { instanceId, duplicate: true });
  });

  it('when a worker fails its task and then completes it', async () => {
    const first = await fetchTask();
    assert.equal(first.instanceId, instanceId);
    const path = `/sutra/external-tasks/${first.id}`;
    const { workerId, lockToken } = { workerId: 'w-1', lockToken: first.lockToken };
    const shown = await call('GET', path);
    assert.equal(shown.json['lockOwner'], workerId);
    assert.doesNotMatch(shown.text, new RegExp(lockToken));
    const failure = { workerId, lockToken, errorMessage: 'x'.repeat(5_000), retryTimeout: 'PT0S' };
    const failed = await call('POST', `${path}/failure`, { json: failure });
    assert.equal(failed.json['truncated'], true);
    assertProblem(await call('POST', `${path}/complete`, { json: { workerId, lockToken } }), 409);
    const second = await fetchTask();
    const result = { workerId, lockToken: second.lockToken, result: { score: 900 }, completionId: 'c-1' };
    const completed = await call('POST', `${path}/complete`, { json: result });
    assert.equal(completed.json['outcome'], 'ACCEPTED', completed.text);
    const replayed = await call('POST', `${path}/complete`, { json: result });
    assert.equal(replayed.json['outcome'], 'ACCEPTED');
  });

  it('when a worker completes and fails many tasks at once', async () => {
    for (const orderId of ['M-1', 'M-2'])
      await call('POST', '/channels/orders', { json: { orderId, amount: 1 } });
    const [first, second] = [await fetchTask(), await fetchTask()];
    const workerId = 'w-1';
    const failing = [
      { id: first.id, errorMessage: 'x'.repeat(5_000), retryTimeout: 'PT0S' },
      { id: 'none', errorMessage: 'x' },
    ];
    const failed = await call('POST', '/sutra/external-tasks/failure', {
      json: { workerId, tasks: failing },
    });
    assert.equal(failed.status, 200, failed.text);
    const again = await fetchTask();
    const completing = [again, second, { id: instanceId }].map(({ id }) => ({ id, result: { score: 900 } }));
    const path = '/sutra/external-tasks/complete';
    const completed = await call('POST', path, { json: { workerId, tasks: completing } });
    assert.equal(completed.status, 200, completed.text);
    const outcomes = (completed.json['tasks'] as Record<string, unknown>[]).map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['ACCEPTED', 'ACCEPTED', undefined]);
    assertProblem(await call('POST', path, { json: { workerId, tasks: [] } }), 400);
    assertProblem(await call('POST', path, { json: { workerId: 'x'.repeat(11e6) } }), 413);
    assertProblem(await call('GET', path), 405, 'SUTRA.HTTP.METHOD_NOT_ALLOWED');
  });

  it('when an operator looks', async () => {
    const detail = await call('GET', `/sutra/instances/${instanceId}`);
    assert.equal(detail.status, 200);
    const history = await call('GET', `/sutra/instances/${instanceId}/history`);
    const events = (history.json['entries'] as { event: string }[]).map(({ event }) => event);
    const order = ['started', 'taskParked', 'taskLocked', 'taskCompleted'].map((event) =>
      events.indexOf(event),
    );
    assert.deepEqual(
      [...order].sort((left, right) => left - right),
      order,
      events.join(', '),
    );
    assert.ok(!order.includes(-1), events.join(', '));
    for (const path of [
      '/sutra/instances?status=running',
      '/sutra/external-tasks',
      '/sutra/incidents',
      '/sutra/incidents/summary',
      '/sutra/health/ready',
    ]) {
      assert.equal((await call('GET', path)).status, 200, path);
    }
    const metrics = await call('GET', '/metrics');
    assert.match(metrics.text, /sutra_messages_total\{outcome="applied"\} \d/);
  });

  it('when a task spends its budget, is re-armed, is discarded, and its instance is moved and cancelled', async () => {
    const started = await call('POST', '/channels/orders', { json: { orderId: 'A-2', amount: 1 } });
    const task = await fetchTask();
    const failure = { workerId: 'w-1', errorMessage: 'no', retries: 0 };
    const failed = await call('POST', `/sutra/external-tasks/${task.id}/failure`, { json: failure });
    assert.equal(failed.json['status'], 'TERMINAL');
    const incidents = await call('GET', '/sutra/incidents?kind=task-terminal');
    assert.equal((incidents.json['incidents'] as unknown[]).length, 1);
    const path = `/admin/external-tasks/${task.id}`;
    const rearmed = await call('POST', `${path}/retries`, { json: { retries: 2 }, headers: adminHeaders });
    assert.equal(rearmed.json['status'], 'PENDING', rearmed.text);
    assertProblem(await call('POST', `${path}/retries`, { headers: adminHeaders }), 409);
    const discarded = await call('DELETE', path, { headers: adminHeaders });
    assert.equal(discarded.json['status'], 'DISCARDED', discarded.text);
    const id = String(started.json['instanceId']);
    const moves = [{ from: task.elementId, to: task.elementId }];
    for (const [dryRun, isDryRun] of [
      [true, true],
      [undefined, false],
    ] as const) {
      const json = { moves, ...(dryRun === undefined ? {} : { dryRun }) };
      const moved = await call('POST', `/admin/instances/${id}/move`, { json, headers: adminHeaders });
      assert.deepEqual([moved.status, moved.json['isDryRun']], [200, isDryRun], moved.text);
    }
    const cancelled = await call('POST', `/sutra/instances/${id}/cancel`, { json: { reason: 'test' } });
    assert.deepEqual(cancelled.json, { instanceId: id, status: 'terminated' });
    const retried = await call('POST', `/admin/instances/${id}/retry`, { headers: adminHeaders });
    assert.ok(retried.status >= 400 && retried.status < 500, retried.text);
    const unknown = '018f0000-0000-7000-8000-000000000001';
    assertProblem(await call('POST', `/sutra/instances/${unknown}/cancel`), 404, 'SUTRA.INSTANCE.NOT_FOUND');
  });

  it('when an instance is migrated to another version', async () => {
    const started = await call('POST', '/channels/orders', { json: { orderId: 'A-4', amount: 1 } });
    const path = `/admin/instances/${String(started.json['instanceId'])}/migrate`;
    const files = (await packageFiles()).map(({ path: file, text }) => ({
      path: file,
      text: file.endsWith('.yaml') ? text.replaceAll('1.0.0', '99.0.0') : text,
    }));
    const deployed = await call('POST', '/admin/deployments', { json: { files }, headers: adminHeaders });
    assert.equal(deployed.status, 201, deployed.text);
    const to = String(deployed.json['deploymentId']);
    for (const [dryRun, isDryRun] of [
      [true, true],
      [undefined, false],
    ] as const) {
      const json = { deploymentId: to, elements: {}, ...(dryRun === undefined ? {} : { dryRun }) };
      const migrated = await call('POST', path, { json, headers: adminHeaders });
      assert.deepEqual([migrated.status, migrated.json['isDryRun']], [200, isDryRun], migrated.text);
    }
    const again = await call('POST', path, { json: { deploymentId: to }, headers: adminHeaders });
    assertProblem(again, 409, 'SUTRA.CORE.MIGRATION_REFUSED');
    deploymentId = to;
  });

  it('when a deployment is drained', async () => {
    const path = `/admin/deployments/${deploymentId}`;
    const drained = await call('DELETE', path, { headers: adminHeaders });
    assert.notEqual(drained.json['state'], 'active', drained.text);
    assert.equal((await call('DELETE', path, { headers: adminHeaders })).status, 200);
    const refused = await call('POST', '/channels/orders', { json: { orderId: 'A-3', amount: 1 } });
    assert.ok(refused.status === 404 || refused.status === 422, refused.text);
  });
});
