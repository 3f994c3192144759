/** Refusals of the facade for Camunda 7: the statuses and exceptions that its clients know. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { camundaProblem } from '../../../channels/pull/compat/camunda7/camunda-problem.ts';
import { compatCodes } from '../../../channels/pull/compat/codes.ts';
import { pullCodes } from '../../../channels/pull/codes.ts';

/** What the clients' own documentation and tests name. */
const KNOWN_STATUSES = [400, 401, 403, 404, 405, 413, 415, 429, 500, 503, 504];

function worded(code: string, status: number, attributes = {}): Readonly<Record<string, unknown>> {
  const { content, headers, ...answer } = camundaProblem({
    status,
    title: 't',
    code,
    detail: 'what is wrong',
    attributes,
  });
  assert.equal(content?.type, 'application/json');
  assert.equal(headers?.['sutra-code'], code);
  return { ...answer, ...(JSON.parse(Buffer.from(content.bytes).toString()) as object) };
}

describe('refusals of the facade for Camunda 7', () => {
  test('C1: every code of the worker surface and of facades has a status that clients know', () => {
    for (const [code, { httpStatus }] of [...Object.entries(pullCodes), ...Object.entries(compatCodes)]) {
      const { status, type, message } = worded(code, httpStatus);
      assert.ok(KNOWN_STATUSES.includes(Number(status)), `${code}: ${String(status)}`);
      assert.match(String(type), /Exception$/, code);
      assert.equal(message, 'what is wrong');
    }
  });

  test('C1: gone, lost and failed are told apart', () => {
    const row = (code: string, status: number): readonly unknown[] => {
      const answer = worded(code, status);
      return [answer['status'], answer['type'], answer['code']];
    };
    assert.deepEqual(row('SUTRA.EXTERNAL_TASK.NOT_FOUND', 404), [404, 'RestException', 0]);
    assert.deepEqual(row('SUTRA.EXTERNAL_TASK.WITHDRAWN', 409), [404, 'RestException', 0]);
    assert.deepEqual(row('SUTRA.EXTERNAL_TASK.LOCK_LOST', 409), [400, 'RestException', 0]);
    assert.deepEqual(row('SUTRA.EXTERNAL_TASK.LOCK_HELD', 409), [400, 'RestException', 0]);
    assert.deepEqual(row('SUTRA.EXTERNAL_TASK.REQUEST_INVALID', 400), [400, 'InvalidRequestException', null]);
    assert.deepEqual(row('SUTRA.EXTERNAL_TASK.COMPLETION_REJECTED', 422), [500, 'ProcessEngineException', 0]);
    assert.deepEqual(row('SUTRA.PERSISTENCE_UNAVAILABLE', 503), [503, 'ProcessEngineException', 0]);
    assert.deepEqual(row('SUTRA.EXTERNAL_TASK.CAPACITY', 429), [429, 'RestException', 0]);
  });
});
