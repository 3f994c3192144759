import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import {
  CamundaRest,
  camundaModel,
  externalTask,
  inARow,
  type CreatedDeployment,
  type DefinitionAnswer,
  type RestError,
} from './camunda7-engine-rest.ts';

const simple = (id: string, topic = `${id}-work`): string => inARow({ work: externalTask('work', topic) });
const model = (id: string, topic?: string): string => camundaModel({ [id]: simple(id, topic) });

const DECISION = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="rules" name="rules" namespace="urn:test">
  <inputData id="amount" name="amount"><variable name="amount" typeRef="number"/></inputData>
  <decision id="rate" name="rate"><variable name="rate"/><informationRequirement id="requires"><requiredInput href="#amount"/></informationRequirement><literalExpression><text>amount * 2</text></literalExpression></decision>
</definitions>`;

/** Uploads that are refused: files, fields, status, Camunda's exception, and what the message says. */
const refusals: Readonly<
  Record<
    string,
    readonly [
      files: Readonly<Record<string, string>>,
      fields: Readonly<Record<string, string>>,
      type: string,
      message: RegExp,
    ]
  >
> = {
  'no file': [{}, { 'deployment-name': 'x' }, 'InvalidRequestException', /no BPMN model/],
  'a form alone': [{ 'a.form': '{}' }, {}, 'InvalidRequestException', /no BPMN model.*"a.form" is a form/],
  'a decision alone': [{ 'a.dmn': DECISION }, {}, 'InvalidRequestException', /no BPMN model/],
  'a case': [
    { 'a.bpmn': model('refused'), 'b.cmmn': '<definitions/>' },
    {},
    'InvalidRequestException',
    /"b.cmmn" is a case model; cases are not executed/,
  ],
  'an archive': [{ 'a.bar': 'PK' }, {}, 'InvalidRequestException', /"a.bar" is an archive/],
  'a path out of the package': [
    { '../a.bpmn': model('refused') },
    {},
    'InvalidRequestException',
    /"\.\.\/a.bpmn" holds an empty, "\." or "\.\." segment/,
  ],
  'one file under two endings': [
    { 'a.bpmn': model('refused'), 'a.bpmn20.xml': model('refused') },
    {},
    'InvalidRequestException',
    /"a.bpmn20.xml" is in the upload twice/,
  ],
  'a tenant that no package can have': [
    { 'a.bpmn': model('refused') },
    { 'tenant-id': 'a--b' },
    'InvalidRequestException',
    /tenant "a--b"/,
  ],
  'an activation time': [
    { 'a.bpmn': model('refused') },
    { 'deployment-activation-time': '2026-01-01T00:00:00.000+0000' },
    'InvalidRequestException',
    /deployment-activation-time is not supported/,
  ],
  'a flag that is none': [
    { 'a.bpmn': model('refused') },
    { 'enable-duplicate-filtering': 'perhaps' },
    'InvalidRequestException',
    /enable-duplicate-filtering must be true or false/,
  ],
  'text that is no XML': [{ 'a.bpmn': 'hello' }, {}, 'ParseException', /The package has \d fault/],
  'code of a Java class': [
    {
      'a.bpmn': camundaModel({
        refused: inARow({ work: '<bpmn:serviceTask id="work" camunda:class="com.acme.Work"/>' }),
      }),
    },
    {},
    'ParseException',
    /com\.acme\.Work/,
  ],
};

for (const target of testDatabases()) {
  describe(`deployments of Camunda 7 on ${target.name}`, () => {
    let database: Database;
    let engine: TestEngine;
    let rest: CamundaRest;
    before(async () => {
      database = await target.open();
      engine = await TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA7: 'true' } });
      rest = new CamundaRest(engine);
    });
    after(async () => {
      await engine.stop();
      await database.close();
    });

    it('makes a package of a file and answers as Camunda does', async () => {
      const created = await rest.deploy(
        { 'invoice.bpmn': model('invoice') },
        { 'deployment-name': 'Invoices 1.0', 'deployment-source': 'modeler' },
      );
      const [definition] = definitionsOf(created);
      assert.deepEqual([created.name, created.source, created.tenantId], ['Invoices 1.0', 'modeler', null]);
      assert.match(created.deploymentTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
      assert.equal(created.links[0]?.href, `${engine.url}/engine-rest/deployment/${created.id}`);
      const id = `invoice:${definition?.versionTag ?? ''}:${created.id}`;
      assert.deepEqual(Object.keys(created.deployedProcessDefinitions ?? {}), [id]);
      assert.deepEqual(
        [definition?.id, definition?.key, definition?.version, definition?.resource, definition?.tenantId],
        [id, 'invoice', 1, 'invoice.bpmn', null],
      );
    });

    it('takes the same files for the same deployment, whatever it is called', async () => {
      const files = { 'same.bpmn': model('same') };
      const first = await rest.deploy(files, { 'deployment-name': 'one' });
      const again = await rest.deploy(files, { 'deployment-name': 'two' });
      const filtered = await rest.deploy(files, { 'enable-duplicate-filtering': 'true' });
      assert.deepEqual([again.id, filtered.id], [first.id, first.id]);
      assert.equal(definitionsOf(again)[0]?.version, 1);
      assert.equal(
        filtered.deployedProcessDefinitions,
        null,
        'as there: nothing was deployed by this request',
      );
      assert.equal((await versions('same')).length, 1);
    });

    it('starts instances of a changed file, while those of the old one go on', async () => {
      const old = await rest.deploy({ 'changed.bpmn': model('changed', 'old') });
      const before = await rest.start('changed');
      const fresh = await rest.deploy({ 'changed.bpmn': model('changed', 'new') });
      const now = await rest.start('changed');
      assert.deepEqual(
        [before.definitionId, now.definitionId],
        [definitionsOf(old)[0]?.id, definitionsOf(fresh)[0]?.id],
      );
      assert.deepEqual(
        (await versions('changed')).map(({ version, deploymentId }) => [version, deploymentId]),
        [
          [2, fresh.id],
          [1, old.id],
        ],
      );
      assert.equal((await rest.fetchTask('new')).processInstanceId, now.id);
      const task = await rest.fetchTask('old');
      assert.equal(task.processInstanceId, before.id);
      await rest.complete(task);
      assert.equal((await engine.ended(before.id)).status, 'completed');
      const refused = await rest.refused('POST', `process-definition/${before.definitionId}/start`, {});
      assert.match(refused.message, /a later version is active/);
    });

    it('takes uploads at the same moment as if they came one by one', async () => {
      const file = (topic: string): Record<string, string> => ({ 'race.bpmn': model('race', topic) });
      const uploads = Array.from({ length: 12 }, (_, index) => rest.deploy(file(`t${String(index % 2)}`)));
      const ids = new Set((await Promise.all(uploads)).map(({ id }) => id));
      assert.equal(ids.size, 2);
      const started = await rest.start('race');
      const { deployments } = (await engine.get('/sutra/deployments?state=active')).body;
      const [deploymentId = ''] = started.definitionId.split(':').slice(2);
      assert.ok(deployments.some(({ id }) => id === deploymentId) && ids.has(deploymentId));
      assert.equal(deployments.filter(({ id }) => ids.has(id)).length, 1);
    });

    it('makes one package of several files, decisions among them', async () => {
      const rated = inARow({
        rate: '<bpmn:businessRuleTask id="rate" camunda:decisionRef="rate" camunda:mapDecisionResult="singleEntry" camunda:resultVariable="rated"/>',
        work: externalTask('work', 'rated'),
      });
      const created = await rest.deploy(
        {
          'rated.bpmn20.xml': camundaModel({ rated }),
          'more/second.bpmn': model('second'),
          'rules.dmn11.xml': DECISION,
          'readme.txt': 'hello',
          'start.form': '{}',
        },
        { 'deployment-name': 'rates and more' },
      );
      assert.deepEqual(
        definitionsOf(created).map(({ key, resource }) => [key, resource]),
        [
          ['rated', 'rated.bpmn'],
          ['second', 'more/second.bpmn'],
        ],
      );
      assert.match((created.warnings ?? []).join('\n'), /start\.form is a form.*left out/);
      assert.match((created.warnings ?? []).join('\n'), /readme\.txt is no model.*left out/);
      await rest.start('rated', { variables: { amount: { value: 21, type: 'Integer' } } });
      const task = await rest.fetchTask('rated');
      assert.equal(task.variables['rated']?.value, 42);
    });

    it('lets an upload take the place of packages that it leaves nothing to start', async () => {
      const names = ['commit 1', 'commit 2'];
      const created: CreatedDeployment[] = [];
      for (const [index, name] of names.entries()) {
        const files = { '1.bpmn': model('pair1'), '2.bpmn': model('pair2', `pair2-${String(index)}`) };
        created.push(await rest.deploy(files, { 'deployment-name': name }));
      }
      const [old, fresh] = created;
      assert.notEqual(old?.id, fresh?.id);
      const { deployments } = (await engine.get('/sutra/deployments')).body;
      const stateOf = (id: string | undefined): unknown => deployments.find((each) => each.id === id)?.state;
      assert.equal(stateOf(fresh?.id), 'active');
      assert.notEqual(stateOf(old?.id), 'active');
      assert.equal((await rest.start('pair1')).definitionId, definitionsOf(fresh)[0]?.id);
    });

    it('refuses an upload that shares a process with a package of more', async () => {
      const files = { '1.bpmn': model('shared1'), '2.bpmn': model('shared2') };
      await rest.deploy(files, { 'deployment-name': 'both' });
      const { status, json } = await rest.upload({ '1.bpmn': model('shared1', 'other') });
      const error = json as RestError;
      assert.equal(status, 400);
      assert.match(error.message, /"shared1".*module "both".*"shared2"; upload them together/);
      assert.equal((await versions('shared1')).length, 1, 'nothing was deployed');
    });

    it('keeps tenants apart', async () => {
      const files = { 'tenanted.bpmn': model('tenanted') };
      const acme = await rest.deploy(files, { 'tenant-id': 'acme' });
      assert.equal(acme.tenantId, 'acme');
      // Only one tenant has it, so it is meant.
      assert.equal((await rest.start('tenanted')).tenantId, 'acme');
      const none = await rest.deploy(files);
      assert.notEqual(none.id, acme.id);
      assert.equal((await rest.start('tenanted')).tenantId, null);
      const started = await rest.post<{ tenantId: string }>(
        'process-definition/key/tenanted/tenant-id/acme/start',
        {},
      );
      assert.equal(started.tenantId, 'acme');
      const unknown = await rest.refused('POST', 'process-definition/key/tenanted/tenant-id/other/start', {});
      assert.equal(unknown.status, 404);
      const counts = [];
      for (const query of [
        'tenantIdIn=acme',
        'withoutTenantId=true',
        'tenantIdIn=acme,default',
        'tenantIdIn=x',
      ]) {
        const { count } = await rest.get<{ count: number }>(
          `process-instance/count?processDefinitionKey=tenanted&${query}`,
        );
        counts.push(count);
      }
      assert.deepEqual(counts, [2, 1, 3, 0]);
    });

    it('lists deployments and definitions, and shows each', async () => {
      const created = await rest.deploy({ 'listed.bpmn': model('listed') });
      const [definition] = definitionsOf(created);
      assert.ok(definition !== undefined);
      const all = await rest.get<readonly { id: string }[]>('deployment');
      const { count } = await rest.get<{ count: number }>('deployment/count');
      assert.equal(all.length, count);
      assert.equal(all[0]?.id, created.id, 'the newest first');
      const paged = await rest.get<readonly { id: string }[]>('deployment?firstResult=1&maxResults=2');
      assert.deepEqual(paged, all.slice(1, 3));
      assert.deepEqual(
        (await rest.get<readonly { id: string }[]>('deployment?name=listed')).map(({ id }) => id),
        [created.id],
      );
      const { links: _, ...one } = await rest.get<Record<string, unknown>>(`deployment/${created.id}`);
      assert.deepEqual(one, all[0]);
      const byKey = await rest.get<DefinitionAnswer>('process-definition/key/listed');
      const byId = await rest.get<DefinitionAnswer>(
        `process-definition/${encodeURIComponent(definition.id)}`,
      );
      assert.deepEqual([byKey, byId], [definition, definition]);
      const xml = await rest.get<{ id: string; bpmn20Xml: string }>('process-definition/key/listed/xml');
      assert.deepEqual(xml, { id: definition.id, bpmn20Xml: model('listed') });
      const latest = await rest.get<readonly DefinitionAnswer[]>(
        'process-definition?latestVersion=true&sortBy=key&sortOrder=asc',
      );
      const keys = latest.map(({ key }) => key);
      assert.deepEqual(keys, [...keys].sort());
      assert.ok(keys.includes('listed'));
      for (const path of [
        'deployment/nothing',
        'process-definition/key/nothing',
        'process-definition/x:1:dep-1',
      ]) {
        assert.equal((await rest.refused('GET', path)).status, 404, path);
      }
      for (const query of [
        'colour=red',
        'maxResults=-1',
        'maxResults=x',
        'sortBy=colour',
        'sortBy=id&sortOrder=up',
        'sortBy=id',
        'name=a&name=b',
        'name=',
      ]) {
        const { status, type } = await rest.refused('GET', `deployment?${query}`);
        assert.deepEqual([status, type], [400, 'InvalidRequestException'], query);
      }
    });

    for (const [what, [files, fields, type, message]] of Object.entries(refusals)) {
      it(`refuses ${what}, and deploys nothing`, async () => {
        const { status, json } = await rest.upload(files, fields);
        const error = json as RestError;
        assert.deepEqual([status, error.type], [400, type], error.message);
        assert.match(error.message, message);
        assert.deepEqual(await versions('refused'), []);
      });
    }

    it('refuses bodies that are no form, in the shape of Camunda', async () => {
      const broken = await rest.call('POST', 'deployment/create', {
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x\r\nhello',
      });
      assert.deepEqual([broken.status, (broken.json as RestError).type], [400, 'InvalidRequestException']);
      const json = await rest.send('POST', 'deployment/create', {});
      assert.equal(json.status, 415);
      const form = new FormData();
      form.append('data', 'a file without a name');
      const nameless = await rest.call('POST', 'deployment/create', { body: form });
      assert.match(
        (nameless.json as RestError).message,
        /data is neither a field of a deployment nor a file/,
      );
      const twice = new FormData();
      twice.append('tenant-id', 'a');
      twice.append('tenant-id', 'b');
      const doubled = await rest.call('POST', 'deployment/create', { body: twice });
      assert.match((doubled.json as RestError).message, /tenant-id is given more than once/);
    });

    it('refuses an upload over the cap of all bodies, in the shape of Camunda', async () => {
      const form = new FormData();
      form.append('data', new Blob([Buffer.alloc(11_000_000, 0x20)]), 'large.bpmn');
      const { status, json } = await rest.call('POST', 'deployment/create', { body: form });
      assert.equal(status, 413, JSON.stringify(json));
    });

    it('names the place of what the model asks for and is not run', async () => {
      const script = camundaModel({
        scripted: inARow({
          work: externalTask(
            'work',
            'scripted',
            '<bpmn:extensionElements><camunda:inputOutput><camunda:inputParameter name="x"><camunda:script scriptFormat="javascript">1 + 1</camunda:script></camunda:inputParameter></camunda:inputOutput></bpmn:extensionElements>',
          ),
        }),
      });
      const { status, json } = await rest.upload({ 'scripted.bpmn': script });
      const { type, message, details } = json as RestError;
      assert.deepEqual([status, type], [400, 'ParseException']);
      assert.match(message, /script/);
      const report = details?.['scripted.bpmn'] as { errors: readonly { message: string; line: number }[] };
      assert.match(report.errors[0]?.message ?? '', /SUTRA\.DIALECT\.CODE_NOT_EXECUTED/);
      assert.ok((report.errors[0]?.line ?? 0) > 0);
    });

    async function versions(key: string): Promise<readonly DefinitionAnswer[]> {
      return rest.get(`process-definition?key=${key}&sortBy=version&sortOrder=desc`);
    }
  });
}

describe('deployments of Camunda 7 with a key for operators', () => {
  for (const target of testDatabases()) {
    it(`need it, on ${target.name}`, async () => {
      const database = await target.open();
      const env = {
        SUTRA_COMPAT_CAMUNDA7: 'true',
        SUTRA_ADMIN_OPEN: 'false',
        SUTRA_ADMIN_API_KEY: 'env:TEST_ADMIN_KEY',
        TEST_ADMIN_KEY: 'the-key',
      };
      const engine = await TestEngine.start({ database, env });
      try {
        const form = (): FormData => {
          const data = new FormData();
          data.append('data', new Blob([model('locked')]), 'locked.bpmn');
          return data;
        };
        const url = `${engine.url}/engine-rest/deployment/create`;
        const refused = await fetch(url, { method: 'POST', body: form() });
        assert.equal(refused.status, 401);
        assert.equal(refused.headers.get('content-type'), 'application/json');
        const headers = { authorization: 'Bearer the-key' };
        const taken = await fetch(url, { method: 'POST', body: form(), headers });
        assert.equal(taken.status, 200, await taken.text());
      } finally {
        await engine.stop();
        await database.close();
      }
    });
  }
});

function definitionsOf(created: CreatedDeployment | undefined): readonly DefinitionAnswer[] {
  return Object.values(created?.deployedProcessDefinitions ?? {});
}
