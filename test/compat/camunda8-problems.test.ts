/** Under which titles the facade of Camunda 8 refuses: its clients repeat by them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemAnswer } from '../../channels/pull/compat/camunda8/problems.ts';

/** status, code, attributes, title, status there when it is another */
const table: readonly (readonly [number, string, Readonly<Record<string, unknown>>, string, number?])[] = [
  [400, 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID', {}, 'INVALID_ARGUMENT'],
  [401, 'SUTRA.ADMIN.KEY_REQUIRED', {}, 'UNAUTHORIZED'],
  [404, 'SUTRA.EXTERNAL_TASK.NOT_FOUND', {}, 'NOT_FOUND'],
  [409, 'SUTRA.EXTERNAL_TASK.LOCK_LOST', {}, 'INVALID_STATE'],
  [409, 'SUTRA.COMPAT.MESSAGE_EXISTS', {}, 'ALREADY_EXISTS'],
  [409, 'SUTRA.EXTERNAL_TASK.WITHDRAWN', {}, 'NOT_FOUND', 404],
  [409, 'SUTRA.CORE.INSTANCE_ENDED', {}, 'NOT_FOUND', 404],
  [422, 'SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED', {}, 'INVALID_STATE', 409],
  [422, 'SUTRA.PROCESS.NO_START', {}, 'INVALID_STATE', 409],
  [422, 'SUTRA.DEPLOYMENT.INVALID', {}, 'INVALID_ARGUMENT', 400],
  [429, 'SUTRA.INTAKE.CAPACITY', {}, 'RESOURCE_EXHAUSTED'],
  [500, 'SUTRA.INTERNAL', {}, 'INTERNAL'],
  [503, 'SUTRA.INTAKE.INSTANCE_BUSY', {}, 'RESOURCE_EXHAUSTED'],
  [503, 'SUTRA.SHUTTING_DOWN', {}, 'RESOURCE_EXHAUSTED'],
  [503, 'SUTRA.PERSISTENCE_UNAVAILABLE', { outcome: 'not-done' }, 'RESOURCE_EXHAUSTED'],
  // It may have been done: a client that repeats it by itself could start a process twice.
  [503, 'SUTRA.PERSISTENCE_UNAVAILABLE', { outcome: 'unknown' }, 'UNAVAILABLE'],
  [503, 'SUTRA.PERSISTENCE_REQUIRED', {}, 'UNAVAILABLE'],
  [418, 'SUTRA.OTHER', {}, 'as ours'],
];

const problemOf = (
  status: number,
  code: string,
  attributes: Readonly<Record<string, unknown>>,
): ReturnType<typeof problemAnswer> =>
  problemAnswer({ status, code, attributes, title: 'as ours', detail: 'why' }, '/v2/jobs/activation');

const bodyOf = ({ content }: ReturnType<typeof problemAnswer>): unknown =>
  JSON.parse(Buffer.from(content?.bytes ?? []).toString('utf8'));

describe('the title of a problem', () => {
  for (const [status, code, attributes, title, there = status] of table) {
    test(`${status} ${code} ${JSON.stringify(attributes)} is ${there} ${title}`, () => {
      const answer = problemOf(status, code, attributes);
      assert.deepEqual([answer.status, answer.content?.type], [there, 'application/problem+json']);
      assert.deepEqual(bodyOf(answer), {
        ...{
          type: 'about:blank',
          title,
          status: there,
          detail: 'why',
          instance: '/v2/jobs/activation',
          code,
        },
      });
    });
  }
});

test('the faults of a model are told with their places, and beyond twenty counted', () => {
  const findings = Array.from({ length: 22 }, (_, n) => ({
    ...{ code: 'SUTRA.X', severity: 'error', message: `fault ${n}` },
    place: { file: 'bpmn/a.bpmn', line: n + 1, elementId: 'task' },
  }));
  const { detail } = bodyOf(problemOf(422, 'SUTRA.DEPLOYMENT.INVALID', { findings })) as { detail: string };
  const lines = detail.split('\n');
  assert.deepEqual(
    [lines.length, lines[0], lines[1], lines.at(-1)],
    [22, 'why', '- bpmn/a.bpmn:1:task: fault 0', 'and 2 more'],
  );
});
