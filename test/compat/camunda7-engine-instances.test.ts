import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { flows, packageFiles } from '../support/packages.ts';
import {
  CamundaRest,
  camundaModel,
  externalTask,
  inARow,
  type StartedInstance,
  type Typed,
} from './camunda7-engine-rest.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const WAITING = camundaModel({ waiting: inARow({ work: externalTask('work', 'waiting') }) });
const STRAIGHT = camundaModel({ straight: inARow({}) });

interface Listed {
  readonly id: string;
  readonly businessKey: string | null;
  readonly definitionId: string;
}

for (const target of testDatabases()) {
  describe(`process instances of Camunda 7 on ${target.name}`, () => {
    let database: Database;
    let engine: TestEngine;
    let rest: CamundaRest;
    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' } });
      rest = new CamundaRest(engine);
      await rest.deploy({ 'waiting.bpmn': WAITING });
      await rest.deploy({ 'straight.bpmn': STRAIGHT });
    });
    after(async () => {
      await engine.stop();
      await database.close();
    });

    const waiting = (body: unknown = {}): Promise<StartedInstance> => rest.start('waiting', body);
    const idsOf = async (query: string): Promise<readonly string[]> =>
      (await rest.get<readonly Listed[]>(`process-instance?${query}`)).map(({ id }) => id);

    it('answers a start as Camunda does', async () => {
      const started = await waiting({ businessKey: 'order-1', variables: { a: { value: 1 } } });
      const { definitionId, id, links, ...rest } = started;
      assert.match(definitionId, /^waiting:[0-9a-f]{12}:dep-[0-9a-f]{24}$/);
      assert.deepEqual(links, [
        { method: 'GET', href: `${engine.url}/engine-rest/process-instance/${id}`, rel: 'self' },
      ]);
      assert.deepEqual(rest, {
        definitionKey: 'waiting',
        businessKey: 'order-1',
        caseInstanceId: null,
        ended: false,
        suspended: false,
        tenantId: null,
      });
    });

    it('says of a process that has nothing to wait for that it has ended', async () => {
      const started = await rest.post<StartedInstance & { variables: Typed }>(
        'process-definition/key/straight/start',
        { variables: { a: { value: 1, type: 'Integer' } }, withVariablesInReturn: true },
      );
      assert.equal(started.ended, true);
      assert.deepEqual(started.variables, { a: { type: 'Integer', value: 1, valueInfo: {} } });
      assert.equal((await rest.refused('GET', `process-instance/${started.id}`)).status, 404);
    });

    it('starts by the id of the definition, and once under one idempotency key', async () => {
      const { definitionId } = await waiting();
      const path = `process-definition/${encodeURIComponent(definitionId)}/start`;
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'the-start' };
      const first = await rest.call('POST', path, { headers, body: '{}' });
      const again = await rest.call('POST', path, { headers, body: '{}' });
      const withoutBody = await rest.call('POST', path);
      const idOf = (answer: { json: unknown }): string => (answer.json as StartedInstance).id;
      assert.equal(idOf(again), idOf(first));
      assert.notEqual(idOf(withoutBody), idOf(first));
      assert.equal((await rest.get<Listed>(`process-instance/${idOf(first)}`)).definitionId, definitionId);
    });

    it('refuses starts that it cannot do as they are meant', async () => {
      const key = 'process-definition/key/waiting/start';
      const before = await rest.get('process-instance/count');
      const refused: readonly (readonly [body: unknown, message: RegExp])[] = [
        [[], /must be a JSON object/],
        [{ variable: {} }, /"variable" is not supported/],
        [{ variables: { a: 1 } }, /variables\."a" must be a JSON object/],
        [{ variables: { a: { value: 'x', type: 'Integer' } } }, /whole number/],
        [{ businessKey: 1 }, /businessKey must be a string/],
        [{ businessKey: 'k'.repeat(256) }, /businessKey has more than 255 characters/],
        [{ businessKey: 'a\u0000' }, /cannot be taken as JSON/],
        [{ businessKey: 'a', variables: { businessKey: { value: 'b' } } }, /businessKey is a variable here/],
        [{ startInstructions: [{ type: 'startBeforeActivity', activityId: 'work' }] }, /startInstructions/],
        [{ skipIoMappings: true }, /skipIoMappings/],
        [{ caseInstanceId: 'x' }, /caseInstanceId/],
      ];
      for (const [body, message] of refused) {
        const { status, type, message: text } = await rest.refused('POST', key, body);
        assert.deepEqual([status, type], [400, 'InvalidRequestException'], text);
        assert.match(text, message);
      }
      const unknown = await rest.refused('POST', 'process-definition/key/nothing/start', {});
      assert.equal(unknown.status, 404);
      assert.match(unknown.message, /No matching process definition with key: nothing and no tenant-id/);
      assert.deepEqual(await rest.get('process-instance/count'), before);
      // What clients in Java and Python leave unsaid.
      const nulls = { variables: null, businessKey: null, caseInstanceId: null, startInstructions: null };
      assert.equal((await waiting(nulls)).businessKey, null);
    });

    it('lists by business key, definition, id and tenant, in pages and in order', async () => {
      const mine: string[] = [];
      for (const key of ['list-a', 'list-b', 'list-b']) mine.push((await waiting({ businessKey: key })).id);
      const [a = '', b1 = '', b2 = ''] = mine;
      const { definitionId } = await rest.get<Listed>(`process-instance/${a}`);
      const all = `processInstanceIds=${mine.join(',')}`;
      const table: Readonly<Record<string, readonly string[]>> = {
        'businessKey=list-a': [a],
        'businessKey=list-b': [b1, b2],
        'businessKey=list-c': [],
        [`${all}&sortBy=instanceId&sortOrder=desc`]: [b2, b1, a],
        [`${all}&firstResult=1&maxResults=1`]: [b1],
        [`${all}&firstResult=3`]: [],
        [`${all}&maxResults=0`]: [],
        [`${all}&processDefinitionKey=waiting&active=true`]: [a, b1, b2],
        [`${all}&processDefinitionKey=straight`]: [],
        [`${all}&processDefinitionKeyIn=straight,waiting`]: [a, b1, b2],
        [`${all}&processDefinitionKeyNotIn=waiting`]: [],
        [`${all}&processDefinitionId=${definitionId}`]: [a, b1, b2],
        [`${all}&processDefinitionId=${definitionId}&processDefinitionKey=straight`]: [],
        [`${all}&processDefinitionId=nothing`]: [],
        [`${all}&deploymentId=${definitionId.split(':')[2] ?? ''}`]: [a, b1, b2],
        [`${all}&suspended=true`]: [],
        [`${all}&withoutTenantId=true`]: [a, b1, b2],
        [`${all}&tenantIdIn=acme`]: [],
        [`${all}&withIncident=true`]: [],
        [`processInstanceIds=${a},nonsense,${NOBODY}`]: [a],
      };
      for (const [query, expected] of Object.entries(table)) {
        assert.deepEqual(await idsOf(query), expected, query);
        if (/firstResult|maxResults|sortBy/.test(query)) continue;
        const { count } = await rest.get<{ count: number }>(`process-instance/count?${query}`);
        assert.equal(count, expected.length, query);
      }
      const [listed] = await rest.get<readonly Listed[]>('process-instance?businessKey=list-a');
      assert.deepEqual(listed, await rest.get(`process-instance/${a}`));
      assert.equal(listed?.businessKey, 'list-a');
      const body = {
        processInstanceIds: mine,
        businessKey: 'list-b',
        tenantIdIn: null,
        sorting: [
          { sortBy: 'definitionKey', sortOrder: 'asc' },
          { sortBy: 'instanceId', sortOrder: 'desc' },
        ],
      };
      const posted = await rest.post<readonly Listed[]>('process-instance?firstResult=0&maxResults=1', body);
      assert.deepEqual(
        posted.map(({ id }) => id),
        [b2],
      );
      const { sorting: _, ...filters } = body;
      assert.deepEqual(await rest.post('process-instance/count', filters), { count: 2 });
    });

    it('lists by variables, as clients in Python do', async () => {
      const variables = {
        color: { value: 'blue' },
        size: { value: 12, type: 'Long' },
        isGift: { value: true },
      };
      const { id } = await waiting({ businessKey: 'by-variables', variables });
      const base = 'businessKey=by-variables&variables=';
      const table: Readonly<Record<string, boolean>> = {
        color_eq_blue: true,
        color_eq_red: false,
        color_neq_red: true,
        color_like_bl_e: true,
        'color_like_b%': true,
        'color_like_%l%e': true,
        'color_like_%x%': false,
        size_eq_12: true,
        size_gt_11: true,
        size_gt_12: false,
        size_gteq_12: true,
        size_lt_12: false,
        size_lteq_12: true,
        isGift_eq_true: true,
        'color_eq_blue,size_gt_20': false,
        nothing_eq_1: false,
        nothing_neq_1: false,
      };
      for (const [condition, fits] of Object.entries(table)) {
        assert.deepEqual(await idsOf(`${base}${encodeURIComponent(condition)}`), fits ? [id] : [], condition);
      }
      const body = {
        businessKey: 'by-variables',
        variables: [{ name: 'size', operator: 'gteq', value: 12 }],
      };
      assert.deepEqual(await rest.post('process-instance/count', body), { count: 1 });
      for (const wrong of ['color', 'color_is_blue', `color_like_${'x'.repeat(501)}`]) {
        assert.equal((await rest.refused('GET', `process-instance?${base}${wrong}`)).status, 400, wrong);
      }
    });

    it('refuses queries that it does not know, instead of answering another one', async () => {
      for (const query of [
        'colour=red',
        'businessKeyLike=a',
        'sortBy=colour&sortOrder=asc',
        'sortBy=instanceId',
        'maxResults=1001',
        'firstResult=-1',
        'active=perhaps',
        'withoutTenantId=true&tenantIdIn=acme',
      ]) {
        const { status, type } = await rest.refused('GET', `process-instance?${query}`);
        assert.deepEqual([status, type], [400, 'InvalidRequestException'], query);
      }
      assert.equal((await rest.refused('POST', 'process-instance', { colour: 'red' })).status, 400);
      assert.equal((await rest.refused('POST', 'process-instance?colour=red', {})).status, 400);
      assert.equal((await rest.refused('POST', 'process-instance/count?maxResults=1', {})).status, 400);
    });

    it('ends what is deleted, and knows nothing of it afterwards', async () => {
      const { id } = await waiting();
      assert.equal(
        (await rest.call('DELETE', `process-instance/${id}?skipCustomListeners=true`)).status,
        204,
      );
      assert.equal((await engine.instance(id)).status, 'terminated');
      for (const gone of [id, NOBODY, 'nonsense']) {
        const { status, type, message } = await rest.refused('DELETE', `process-instance/${gone}`);
        assert.deepEqual([status, type], [404, 'InvalidRequestException']);
        assert.match(message, /Process instance with id .* does not exist/);
        assert.equal((await rest.refused('GET', `process-instance/${gone}`)).status, 404);
        assert.equal(
          (await rest.call('DELETE', `process-instance/${gone}?failIfNotExists=false`)).status,
          204,
        );
      }
    });

    it('sees instances of packages that were deployed without the facade', async () => {
      const files = packageFiles({
        module: 'native',
        channels: '  - { name: native, transport: pull }',
        processes: {
          native: `<startEvent id="start"><extensionElements><q:alias name="businessKey" expression="businessKey"/></extensionElements></startEvent><serviceTask id="call" implementation="channel:native"/><endEvent id="end"/>${flows('start -> call', 'call -> end')}`,
        },
      });
      await engine.deploy(files);
      const started = await engine.post('/sutra/processes/native/start', { businessKey: 'native-1' });
      const [listed] = await rest.get<readonly (Listed & { tenantId: string })[]>(
        'process-instance?businessKey=native-1',
      );
      assert.deepEqual([listed?.id, listed?.tenantId], [started.body.instanceId, 'test']);
      assert.match(listed?.definitionId ?? '', /^native:1\.0\.0:dep-/);
      assert.equal((await rest.start('native')).tenantId, 'test', 'the only tenant that has it');
    });

    it('answers what clients ask first', async () => {
      assert.deepEqual(await rest.get('version'), { version: '7.22.0' });
      assert.deepEqual(await rest.get('engine'), [{ name: 'default' }]);
      assert.equal((await rest.refused('GET', 'no/such/path')).status, 404);
      assert.equal((await rest.refused('PUT', 'version', {})).status, 405);
    });
  });

  describe(`variables of Camunda 7 on ${target.name}`, () => {
    let database: Database;
    let engine: TestEngine;
    let rest: CamundaRest;
    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' } });
      rest = new CamundaRest(engine);
      await rest.deploy({ 'waiting.bpmn': WAITING });
    });
    after(async () => {
      await engine.stop();
      await database.close();
    });

    const sent: Typed = {
      text: { type: 'String', value: 'hello', valueInfo: {} },
      long: { type: 'Long', value: 5, valueInfo: {} },
      double: { type: 'Double', value: 1.5, valueInfo: {} },
      flag: { type: 'Boolean', value: false, valueInfo: {} },
      nothing: { type: 'Null', value: null, valueInfo: {} },
      json: { type: 'Json', value: '{"a":[1,2]}', valueInfo: {} },
      date: { type: 'Date', value: '2026-03-01T10:00:00.000+0000', valueInfo: {} },
    };

    it('come back as they were set, all or each, under every path that clients use', async () => {
      const { id } = await rest.start('waiting', { variables: sent });
      for (const path of [
        `process-instance/${id}/variables`,
        `execution/${id}/localVariables`,
        `execution/${id}/variables`,
      ]) {
        assert.deepEqual(await rest.get(`${path}?deserializeValues=false`), sent, path);
        assert.deepEqual(await rest.get(`${path}/json?deserializeValue=false`), sent['json'], path);
        const missing = await rest.refused('GET', `${path}/missing`);
        assert.deepEqual([missing.status, missing.type], [404, 'InvalidRequestException']);
        assert.equal((await rest.refused('GET', `${path}/long%40camundaType`)).status, 404);
      }
    });

    it('may have the names of what objects have', async () => {
      const name = '__proto__';
      const { id } = await rest.start('waiting');
      const path = `process-instance/${id}/variables`;
      const body = `{"modifications":{"${name}":{"value":"x"},"constructor":{"value":1}},"deletions":["toString"]}`;
      const headers = { 'content-type': 'application/json' };
      assert.equal((await rest.call('POST', path, { headers, body })).status, 204);
      const { bytes } = await rest.call('GET', path);
      assert.match(bytes.toString(), /"__proto__":\{"type":"String","value":"x"/);
      assert.equal((await rest.get<{ value: unknown }>(`${path}/${name}`)).value, 'x');
      assert.equal((await rest.get<{ value: unknown }>(`${path}/toString`)).value, null);
      assert.equal((await rest.refused('GET', `${path}/hasOwnProperty`)).status, 404);
      assert.equal((await rest.call('DELETE', `${path}/${name}`)).status, 204);
      assert.equal((await rest.get<{ value: unknown }>(`${path}/${name}`)).value, null);
    });

    it('are set one by one, or many at once, or deleted', async () => {
      const { id } = await rest.start('waiting', { variables: sent });
      const path = `process-instance/${id}/variables`;
      assert.equal((await rest.send('PUT', `${path}/text`, { type: 'string', value: 'there' })).status, 204);
      const modified = await rest.send('POST', path, {
        workerId: 'w',
        modifications: { long: { value: 7, type: 'Long' }, fresh: { value: 'new' } },
        deletions: ['double', 'json'],
      });
      assert.equal(modified.status, 204);
      assert.equal((await rest.call('DELETE', `${path}/flag`)).status, 204);
      const now = await rest.get<Typed>(path);
      assert.deepEqual(
        ['text', 'long', 'fresh', 'double', 'json', 'flag', 'date'].map((name) => [
          name,
          now[name]?.type,
          now[name]?.value,
        ]),
        [
          ['text', 'String', 'there'],
          ['long', 'Long', 7],
          ['fresh', 'String', 'new'],
          ['double', 'Null', null],
          ['json', 'Null', null],
          ['flag', 'Null', null],
          ['date', 'Date', '2026-03-01T10:00:00.000+0000'],
        ],
      );
      for (const [method, target, body] of [
        ['PUT', `${path}/text`, { type: 'Integer', value: 'x' }],
        ['POST', path, { modification: {} }],
        ['POST', path, { deletions: 'x', modifications: [] }],
      ] as const) {
        assert.equal((await rest.refused(method, target, body)).status, 400, JSON.stringify(body));
      }
      assert.equal(
        (await rest.refused('PUT', `process-instance/${NOBODY}/variables/x`, { value: 1 })).status,
        404,
      );
    });

    it('that are files or bytes give their content', async () => {
      const content = Buffer.from([0, 1, 2, 0xff]);
      const value = content.toString('base64');
      const valueInfo = { filename: 'Prüf "1".pdf', mimetype: 'application/pdf', encoding: 'UTF-8' };
      const { id } = await rest.start('waiting', {
        variables: { file: { type: 'File', value, valueInfo }, bytes: { type: 'Bytes', value } },
      });
      for (const path of [`process-instance/${id}/variables`, `execution/${id}/localVariables`]) {
        const file = await rest.call('GET', `${path}/file/data`);
        assert.deepEqual([file.status, file.bytes], [200, content]);
        assert.equal(file.headers.get('content-type'), 'application/pdf; charset=UTF-8');
        assert.equal(
          file.headers.get('content-disposition'),
          `attachment; filename="Pr_f _1_.pdf"; filename*=UTF-8''Pr%C3%BCf%20%221%22.pdf`,
        );
        const bytes = await rest.call('GET', `${path}/bytes/data`);
        assert.deepEqual(
          [bytes.headers.get('content-type'), bytes.bytes],
          ['application/octet-stream', content],
        );
      }
      const shown = await rest.get<Typed>(`process-instance/${id}/variables`);
      assert.deepEqual(shown['file'], { type: 'File', value: null, valueInfo });
      const refused = await rest.refused('GET', `process-instance/${id}/variables/missing/data`);
      assert.equal(refused.status, 404);
    });

    it('take the content of a form, and give it back', async () => {
      const { id } = await rest.start('waiting');
      const path = `process-instance/${id}/variables/upload/data`;
      const form = new FormData();
      form.append('data', new Blob(['hello'], { type: 'text/plain' }), 'hello.txt');
      form.append('valueType', 'File');
      assert.equal((await rest.call('POST', path, { body: form })).status, 204);
      const file = await rest.call('GET', path);
      assert.deepEqual([file.headers.get('content-type'), file.bytes.toString()], ['text/plain', 'hello']);
      const wrong = new FormData();
      wrong.append('valueType', 'File');
      assert.equal((await rest.call('POST', path, { body: wrong })).status, 400);
    });

    it('of an activity alone are read there', async () => {
      const local = externalTask(
        'work',
        'local',
        '<bpmn:extensionElements><camunda:inputOutput><camunda:inputParameter name="half">${amount / 2}</camunda:inputParameter></camunda:inputOutput></bpmn:extensionElements>',
      );
      await rest.deploy({ 'local.bpmn': camundaModel({ local: inARow({ work: local }) }) });
      const { id } = await rest.start('local', { variables: { amount: { value: 10 } } });
      assert.equal((await rest.get<{ value: number }>(`execution/${id}/localVariables/half`)).value, 5);
      assert.deepEqual(Object.keys(await rest.get<Typed>(`process-instance/${id}/variables`)), ['amount']);
    });
  });
}
