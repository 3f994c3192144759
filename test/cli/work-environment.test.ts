/** What a command finds in its environment. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inheritedEnvironment, MAX_HEADERS_BYTES, taskEnvironment } from '../../cli/work/task-environment.ts';
import type { TaskInput } from '../../cli/work/task-input.ts';

const task: TaskInput = {
  id: '0195',
  channel: 'score-request',
  instanceId: '0196',
  idempotencyKey: 'key-1',
  attempts: 2,
  retries: 3,
  deadline: null,
  contentType: 'application/json',
  headers: {},
  body: new Uint8Array(),
};

describe('the environment of a command', () => {
  it("is that of the worker without the engine's variables and without credentials", () => {
    const own = {
      PATH: '/bin',
      HOME: '/root',
      MY_SETTING: '1',
      UNSET: undefined,
      SUTRA_ADMIN_API_KEY: 'env:X',
      SUTRA_HEADER_X_A: 'forged',
      ADMIN_API_KEY: 'opensesame',
      WORKER_TOKEN: 'hunter2',
    };
    assert.deepEqual(inheritedEnvironment(own, ['WORKER_TOKEN']), {
      PATH: '/bin',
      HOME: '/root',
      MY_SETTING: '1',
    });
  });

  it('has the ids of the task', () => {
    assert.deepEqual(taskEnvironment({ ...task, deadline: '2026-05-01T09:30:00.000Z' }), {
      SUTRA_TASK_ID: '0195',
      SUTRA_CHANNEL: 'score-request',
      SUTRA_INSTANCE_ID: '0196',
      SUTRA_IDEMPOTENCY_KEY: 'key-1',
      SUTRA_ATTEMPTS: '2',
      SUTRA_RETRIES: '3',
      SUTRA_CONTENT_TYPE: 'application/json',
      SUTRA_HEADERS: '{}',
      SUTRA_DEADLINE: '2026-05-01T09:30:00.000Z',
    });
    assert.ok(!Object.hasOwn(taskEnvironment(task) ?? {}, 'SUTRA_DEADLINE'));
  });

  it('has each header that a variable can name and hold, and all of them as JSON', () => {
    const headers = {
      'x-order.id': '7',
      Größe: 'ü\n',
      'x-a': 'one',
      X_A: 'other',
      nul: 'a\0b',
      '': 'empty',
    };
    const variables = taskEnvironment({ ...task, headers }) ?? {};
    const named = Object.fromEntries(
      Object.entries(variables).filter(([name]) => name.startsWith('SUTRA_HEADER_')),
    );
    assert.deepEqual(named, {
      SUTRA_HEADER_X_ORDER_ID: '7',
      SUTRA_HEADER_GR__E: 'ü\n',
      SUTRA_HEADER_: 'empty',
    });
    assert.deepEqual(JSON.parse(variables['SUTRA_HEADERS'] ?? ''), headers);
    assert.ok(!(variables['SUTRA_HEADERS'] ?? '').includes('\0'));
  });

  it('cannot be had for headers that are too long', () => {
    const most = 'x'.repeat(MAX_HEADERS_BYTES - '{"a":""}'.length);
    assert.notEqual(taskEnvironment({ ...task, headers: { a: most } }), null);
    assert.equal(taskEnvironment({ ...task, headers: { a: `${most}x` } }), null);
  });
});
