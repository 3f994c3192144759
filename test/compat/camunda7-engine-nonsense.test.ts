/** Whatever is sent to the engine half of the facade is taken or refused in the shape of Camunda, and never a fault of ours. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../engine/store/database.ts';
import { anyDatabase } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { CamundaRest, camundaModel, catchMessage, inARow } from './camunda7-engine-rest.ts';

const MODEL = camundaModel(
  { odd: inARow({ wait: catchMessage('wait', 'odd-message') }) },
  '<bpmn:message id="odd-message" name="odd"/>',
);

/** Names that mean something somewhere, so that values of all kinds come where another one is wanted. */
const FIELDS = [
  ...[
    'variables',
    'businessKey',
    'withVariablesInReturn',
    'startInstructions',
    'messageName',
    'correlationKeys',
  ],
  ...[
    'processVariables',
    'processInstanceId',
    'all',
    'resultEnabled',
    'tenantId',
    'withoutTenantId',
    'tenantIdIn',
  ],
  ...['processInstanceIds', 'processDefinitionKey', 'processDefinitionId', 'sorting', 'sortBy', 'sortOrder'],
  ...[
    'modifications',
    'deletions',
    'value',
    'type',
    'valueInfo',
    'name',
    'operator',
    '__proto__',
    'constructor',
  ],
];
const WORDS = [
  'odd',
  'Integer',
  'Json',
  'File',
  'Date',
  'asc',
  'instanceId',
  'eq',
  'like',
  'true',
  '1',
  '',
  '\u0000',
  '💥',
];

const json = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, ...WORDS),
    fc.string({ maxLength: 20 }),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...FIELDS, ...WORDS), tie('any'), { maxKeys: 5 }),
  ),
})).any;

/** No `.` and no `..`, which the client would take out of the path itself. */
const segment = fc
  .oneof(fc.constantFrom('odd', 'x', '%00', '%F0%9F%92%A5', 'a%2Fb'), fc.webSegment())
  .filter((text) => !/^\.{1,2}$/.test(decodeURIComponent(text)));

for (const target of anyDatabase()) {
  describe(`nonsense for the facade of Camunda 7 on ${target.name}`, () => {
    let database: Database;
    let engine: TestEngine;
    let rest: CamundaRest;
    let id: string;
    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' } });
      rest = new CamundaRest(engine);
      await rest.deploy({ 'odd.bpmn': MODEL });
      ({ id } = await rest.start('odd'));
    });
    after(async () => {
      await engine.stop();
      await database.close();
    });

    const bodies = (): readonly (readonly [method: string, path: string])[] => [
      ['POST', 'process-definition/key/odd/start'],
      ['POST', 'message'],
      ['POST', 'process-instance'],
      ['POST', 'process-instance/count'],
      ['POST', `process-instance/${id}/variables`],
      ['PUT', `process-instance/${id}/variables/x`],
      ['PUT', `execution/${id}/localVariables/x`],
      ['POST', 'deployment/create'],
    ];

    it('in bodies', async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(), json, async (choice, body) => {
          const [method, path] = bodies()[choice % bodies().length] ?? ['POST', 'message'];
          const { status, json: answer } = await rest.send(method, path, body);
          assert.ok(status < 500, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
        }),
        { numRuns: 250 },
      );
    });

    it('in texts that a database cannot hold', async () => {
      const path = `process-instance/${id}/variables`;
      for (const name of ['%00', 'a%00b', 'x'.repeat(256), 'x%40camundaType']) {
        for (const [method, body] of [
          ['PUT', { value: 1 }],
          ['DELETE', undefined],
        ] as const) {
          const { status, type } = await rest.refused(method, `${path}/${name}`, body);
          assert.deepEqual([status, type], [400, 'InvalidRequestException'], `${method} ${name}`);
        }
      }
      assert.equal((await rest.refused('POST', path, { deletions: [''] })).status, 400);
      const form = new FormData();
      form.append('data', 'x');
      assert.equal((await rest.call('POST', `${path}/%00/data`, { body: form })).status, 400);
      for (const query of [
        ...['businessKey', 'processDefinitionKey', 'processDefinitionKeyIn', 'processDefinitionKeyNotIn'],
        ...['tenantIdIn', 'deploymentId', 'processInstanceIds', 'processDefinitionId', 'variables'],
      ]) {
        const { status } = await rest.call('GET', `process-instance?${query}=a%00b`);
        assert.ok(status < 500, query);
      }
    });

    it('in paths and queries', async () => {
      const paths = [
        'process-instance',
        'process-definition',
        'deployment',
        'execution',
        'process-definition/key',
      ];
      const query = fc.dictionary(
        fc.constantFrom(...FIELDS, 'firstResult', 'maxResults'),
        fc.string({ maxLength: 8 }),
        {
          maxKeys: 3,
        },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
          fc.constantFrom(...paths),
          fc.array(segment, { maxLength: 3 }),
          query,
          async (method, path, segments, parameters) => {
            const text = new URLSearchParams(Object.entries(parameters)).toString();
            const url = `${[path, ...segments].join('/')}${text === '' ? '' : `?${text}`}`;
            const { status, json: answer } = await rest.call(method, url);
            assert.ok(status < 500, `${method} ${url}: ${JSON.stringify(answer)}`);
          },
        ),
        { numRuns: 250 },
      );
    });
  });
}
