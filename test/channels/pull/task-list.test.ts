import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { judgeTasks, readTaskList, type ListedTask } from '../../../channels/pull/task-list.ts';
import { EngineError } from '../../../config/engine-error.ts';

const read = (body: unknown): readonly ListedTask<string>[] =>
  readTaskList(body, {
    maxTasks: 100,
    fields: ['result'],
    read: (taskId, workerId, fields) => `${workerId}: ${taskId}: ${fields.anyText('result')}`,
  });

describe('a request with many tasks', () => {
  const id = randomUUID();
  const tasks = [{ id, result: 'x' }];
  const table: readonly (readonly [string, unknown, readonly string[]])[] = [
    ['without an object', tasks, ['the body', 'an array']],
    ['without a workerId', { tasks }, ['workerId', 'required']],
    ['with a workerId that is a number', { workerId: 7, tasks }, ['workerId', 'the number 7']],
    ['without tasks', { workerId: 'w' }, ['tasks', 'required']],
    ['with tasks that are no array', { workerId: 'w', tasks: {} }, ['tasks', 'an object', 'an array']],
    ['with no task', { workerId: 'w', tasks: [] }, ['tasks', '0', '1']],
    [
      'with too many tasks',
      { workerId: 'w', tasks: Array.from({ length: 101 }, () => ({ id: randomUUID() })) },
      ['tasks', '101', '100', 'sutra.external-task.max-tasks'],
    ],
    ['with an unknown field', { workerId: 'w', tasks, lockToken: 't' }, ['lockToken', 'tasks']],
    [
      'with one task twice, in whatever spelling',
      { workerId: 'w', tasks: [...tasks, { id: 'x' }, { id: id.toUpperCase(), more: 1 }] },
      ['tasks[0]', 'tasks[2]', id],
    ],
  ];
  for (const [title, body, words] of table) {
    test(`is refused as a whole ${title}`, () => {
      assert.throws(
        () => read(body),
        (error) => {
          assert.ok(error instanceof EngineError, String(error));
          assert.equal(error.code, 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID');
          for (const word of words) assert.ok(error.message.includes(word), error.message);
          return true;
        },
      );
    });
  }

  test('may name two tasks whose ids cannot be read', () => {
    const listed = read({ workerId: 'w', tasks: [{ id: 'x' }, { id: 'x' }, {}, null, []] });
    assert.deepEqual(
      listed.map(({ taskId, request }) => [taskId, request.status]),
      Array(5).fill([null, 'rejected']),
    );
  });

  test('has its verdicts in its own order, and acts once on what could be read', async () => {
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    const listed = read({
      workerId: ' w ',
      tasks: [{ id: first, result: 'a' }, { id: second }, { id: third.toUpperCase(), result: 'b' }, 7],
    });
    const acts: (readonly string[])[] = [];
    const judged = await judgeTasks(
      listed,
      (requests) => {
        acts.push(requests);
        return Promise.resolve([
          { status: 'rejected', reason: 'no' },
          { status: 'fulfilled', value: 1 },
        ]);
      },
      (done, request) => [done, request],
    );
    assert.deepEqual(acts, [[`w: ${first}: a`, `w: ${third}: b`]]);
    assert.deepEqual(
      judged.map(({ taskId, verdict }) => [taskId, verdict.status === 'fulfilled' ? verdict.value : null]),
      [
        [first, null],
        [second, null],
        [third, [1, `w: ${third}: b`]],
        [null, null],
      ],
    );
  });

  test('in which no task could be read leads to no act', async () => {
    const listed = read({ workerId: 'w', tasks: [{}] });
    const act = (): Promise<never> => Promise.reject(new Error('there is nothing to do'));
    const [judged] = await judgeTasks(listed, act, () => null);
    assert.equal(judged?.verdict.status, 'rejected');
  });
});
