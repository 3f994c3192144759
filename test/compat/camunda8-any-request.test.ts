/** Whatever is sent to the facade of Camunda 8 is answered in its shape, and is never a fault of ours. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { anyDatabase } from '../support/database.ts';
import type { TestEngine } from '../support/engine.ts';
import { clientFor, deploy, order, startCamunda8 } from './camunda8-fixture.ts';

/** Of jobs that somebody holds and of their instances; each database has its own. */
let liveKeys: readonly string[] = [];

const keys = fc.oneof(
  fc.nat().map((n) => liveKeys[n % liveKeys.length] ?? '0'),
  fc.constantFrom(
    '0',
    '1',
    '-1',
    'abc',
    '%00',
    '%2F',
    '9'.repeat(39),
    '9'.repeat(60),
    '2171345114484670976514789240432733281',
  ),
  fc.bigInt({ min: 0n, max: 1n << 128n }).map(String),
);

/** The fields of the routes, by their path; `{key}` is any. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  'POST /jobs/activation': [
    'type',
    'worker',
    'timeout',
    'maxJobsToActivate',
    'fetchVariable',
    'requestTimeout',
    'tenantIds',
    'tenantFilter',
    'withLease',
  ],
  'POST /jobs/{key}/completion': ['variables', 'result', 'leaseToken'],
  'POST /jobs/{key}/failure': ['retries', 'errorMessage', 'retryBackOff', 'variables', 'leaseToken'],
  'POST /jobs/{key}/error': ['errorCode', 'errorMessage', 'variables', 'leaseToken'],
  'PATCH /jobs/{key}': ['changeset', 'operationReference', 'leaseToken'],
  'POST /process-instances': [
    'processDefinitionId',
    'processDefinitionVersion',
    'processDefinitionKey',
    'variables',
    'tenantId',
    'awaitCompletion',
    'fetchVariables',
    'requestTimeout',
    'startInstructions',
    'tags',
  ],
  'GET /process-instances/{key}': [],
  'POST /process-instances/{key}/cancellation': ['operationReference'],
  'POST /messages/publication': [
    'name',
    'correlationKey',
    'timeToLive',
    'messageId',
    'variables',
    'tenantId',
  ],
  'POST /messages/correlation': ['name', 'correlationKey', 'variables', 'tenantId'],
  'POST /deployments': [],
};

/** What a field may plausibly hold, and anything else. */
const values = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1,
    50,
    1.5,
    1e300,
    2 ** 53,
    '',
    ' ',
    '<default>',
    'default',
    'a--b',
    '5',
    '\u0000',
    '\ud800',
  ),
  fc.constantFrom<unknown>(
    'order',
    'reserve-stock',
    'payment received',
    'OUT_OF_STOCK',
    ['order'],
    [null],
    {},
    { retries: 1 },
  ),
  fc.constantFrom<unknown>(
    { timeout: 1 },
    { priority: -5 },
    { __proto__: 1 },
    JSON.parse('{"__proto__":{"a":1}}'),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 2 }),
);

const bodyOf = (fields: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .record(Object.fromEntries(fields.map((field) => [field, values])), { requiredKeys: [] })
        .map((body) => JSON.stringify(body)),
    },
    { weight: 1, arbitrary: fc.json({ maxDepth: 2 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
  );

const requests = fc.constantFrom(...Object.entries(fieldsOf)).chain(([route, fields]) => {
  const [method = '', template = ''] = route.split(' ');
  return fc.record({
    method: fc.constant(method),
    path: keys.map((key) => template.replace('{key}', key)),
    body: bodyOf(fields),
  });
});

for (const target of anyDatabase()) {
  describe(`any request to the facade of Camunda 8 on ${target.name}`, () => {
    let engine: TestEngine;

    before(async () => {
      engine = await startCamunda8(await target.open(), {
        SUTRA_EXTERNAL_TASK_MAX_ASYNC_RESPONSE_TIMEOUT: 'PT0.02S',
      });
      const client = clientFor(engine.url);
      await deploy(client, order);
      for (let n = 0; n < 20; n += 1)
        await client.createProcessInstance({ processDefinitionId: 'order' as never });
      const { jobs } = await client.activateJobs({
        type: 'reserve-stock',
        timeout: 60_000,
        maxJobsToActivate: 15,
      });
      liveKeys = jobs.flatMap(({ jobKey, processInstanceKey }) => [jobKey, processInstanceKey]);
    });
    after(() => engine.stop());

    test('is done, or refused in its shape', async () => {
      await fc.assert(
        fc.asyncProperty(requests, async ({ method, path, body }) => {
          const answer = await fetch(`${engine.url}/v2${path}`, {
            method,
            ...(method === 'GET' ? {} : { body, headers: { 'content-type': 'application/json' } }),
          });
          const text = await answer.text();
          assert.notEqual(answer.status, 500, text);
          if (answer.status === 204) {
            assert.equal(text, '');
          } else if (answer.status === 200) {
            assert.equal(answer.headers.get('content-type'), 'application/json');
            JSON.parse(text);
          } else {
            assert.equal(answer.headers.get('content-type'), 'application/problem+json');
            const { status, title } = JSON.parse(text) as { status: number; title: string };
            assert.equal(status, answer.status);
            assert.notEqual(title, '');
          }
        }),
        { numRuns: 400 },
      );
    });
  });
}
