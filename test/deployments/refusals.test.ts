import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type Answer } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';
import { becomes, fastPolling, orderPackage, sendOrder, statesByVersion } from './states.ts';

const model = 'bpmn/order.bpmn';

/** One fault in each file, and two in the model: code, file, and the text at whose beginning it is. */
const faulty = packageFiles({
  version: '2.0.0',
  channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", akc-mode: on-persist }
  - { name: work, transport: carrier-pigeon }`,
  processes: {
    order: `${start('orders')}
      ${call('work-it', 'work', '<q:param name="sum" expression="1 +"/>')}
      <correlationSubscription id="subscription"/>
      <endEvent id="end"/>
      ${flows('start -> work-it', 'work-it -> end')}`,
  },
  files: { 'schemas/order/default.json': '{\n  "type": "nothing"\n}\n', 'rules/price.dmn': '<definitions/>' },
});
const faults: readonly [code: string, file: string, at: string | null][] = [
  ['SUTRA.CHANNELS.KEY_UNKNOWN', 'channels.yaml', 'akc-mode'],
  ['SUTRA.CHANNELS.TRANSPORT_UNKNOWN', 'channels.yaml', 'carrier-pigeon'],
  ['SUTRA.FEEL.SYNTAX_INVALID', model, null],
  ['SUTRA.BPMN.ELEMENT_NOT_EXECUTED', model, '<correlationSubscription'],
  ['SUTRA.PACKAGE.SCHEMA_INVALID', 'schemas/order/default.json', '{'],
  ['SUTRA.DMN.ROOT_INVALID', 'rules/price.dmn', '<definitions'],
];

interface ShownFinding {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly place: { readonly file?: string; readonly line?: number; readonly column?: number };
}

function findingsOf(answer: Answer): readonly ShownFinding[] {
  const findings = answer.body.attributes['findings'];
  assert.ok(Array.isArray(findings), JSON.stringify(answer.body));
  return findings as readonly ShownFinding[];
}

function lineAndColumn(text: string, part: string): { line: number; column: number } {
  const before = text.slice(0, text.indexOf(part)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const registering = (...names: readonly string[]): Record<string, string> => {
  const ids = names.map((_, index) => `call-${String(index)}`);
  const tasks = names.map(
    (name, index) => `<serviceTask id="${ids[index] ?? ''}" implementation="registered:${name}"/>`,
  );
  const order = ['start', ...ids, 'end'];
  return packageFiles({
    module: 'embedding',
    channels: '  - { name: embedding, transport: http, bind: "POST /channels/embedding" }',
    processes: {
      order: `${start('embedding')}\n${tasks.join('\n')}<endEvent id="end"/>${flows(...order.slice(1).map((id, index) => `${order[index] ?? ''} -> ${id}`))}`,
    },
  });
};

for (const target of testDatabases()) {
  describe(`what a deployment refuses on ${target.name}`, () => {
    let engine: TestEngine;
    before(async () => {
      engine = await TestEngine.start({
        database: await target.open(),
        env: fastPolling,
        registered: { known: () => ({ done: true }) },
      });
      await engine.deploy(orderPackage({ version: '1.0.0' }));
    });
    after(() => engine.stop());

    const deploy = (files: Readonly<Record<string, string>>): Promise<Answer> =>
      engine.post('/admin/deployments', {
        files: Object.entries(files).map(([path, text]) => ({ path, text })),
      });

    it('is the whole package, with every finding in its place, and nothing changes', async () => {
      const answer = await deploy(faulty);
      assert.equal(answer.status, 422);
      assert.equal(answer.body.code, 'SUTRA.DEPLOYMENT.INVALID');
      const findings = findingsOf(answer);
      for (const [code, file, at] of faults) {
        const found = findings.find((finding) => finding.code === code);
        assert.ok(found !== undefined, `${code} in ${JSON.stringify(findings, null, 1)}`);
        assert.equal(found.severity, 'error');
        assert.equal(found.place.file, file);
        if (at === null) continue;
        const { line, column } = lineAndColumn(faulty[file] ?? '', at);
        assert.deepEqual([found.place.line, found.place.column], [line, column], `${code}: ${found.message}`);
      }
      assert.equal(findings.length, faults.length, JSON.stringify(findings, null, 1));
      assert.deepEqual(await statesByVersion(engine), { '1.0.0': 'active' });
      const { deploymentId } = await engine.instance(await sendOrder(engine, 'after the refusal'));
      assert.equal(deploymentId, (await engine.get('/sutra/deployments')).body.deployments[0]?.id);
    });

    it('is a path on which another module listens, until that one is gone', async () => {
      const intruder = orderPackage({ module: 'intruder', version: '1.0.0' });
      const answer = await deploy(intruder);
      assert.equal(answer.status, 409);
      assert.equal(answer.body.code, 'SUTRA.DEPLOYMENT.BIND_CONFLICT');
      const { bind, tenant, module } = answer.body.attributes;
      assert.deepEqual(
        { bind, tenant, module },
        { bind: 'POST /channels/orders', tenant: 'test', module: 'main' },
      );
      assert.deepEqual(await statesByVersion(engine, 'intruder'), {});

      const host = orderPackage({ module: 'host', version: '1.0.0', path: 'hosted' });
      const hostId = await engine.deploy(host);
      const guest = orderPackage({ module: 'guest', version: '1.0.0', path: 'hosted' });
      assert.equal((await deploy(guest)).status, 409);
      await engine.call('DELETE', `/admin/deployments/${hostId}`);
      await becomes(() => statesByVersion(engine, 'host'), { '1.0.0': 'retired' });
      await becomes(async () => (await deploy(guest)).status < 300, true);
      assert.equal((await deploy(host)).body.code, 'SUTRA.DEPLOYMENT.BIND_CONFLICT');
    });

    it('is a registered function that the embedding program does not have; all of them are named', async () => {
      const files = registering('known', 'missing', 'also-missing');
      const answer = await deploy(files);
      assert.equal(answer.status, 422);
      assert.equal(answer.body.code, 'SUTRA.DEPLOYMENT.REGISTERED_UNKNOWN');
      const findings = findingsOf(answer);
      assert.deepEqual(
        findings.map(({ code, place }) => [code, place.file, place.line, place.column]),
        ['call-1', 'call-2'].map((id) => {
          const { line, column } = lineAndColumn(files[model] ?? '', `<serviceTask id="${id}"`);
          return ['SUTRA.DEPLOYMENT.REGISTERED_UNKNOWN', model, line, column];
        }),
      );
      assert.deepEqual(await statesByVersion(engine, 'embedding'), {});
      await engine.deploy(registering('known'));
    });

    it('is a task policy over the ceilings of the operator', async () => {
      const files = packageFiles({
        module: 'greedy',
        channels: '  - { name: greedy, transport: pull, task: { lock-duration: PT2H, retries: 1001 } }',
        processes: {
          order: `<startEvent id="start"/>${call('c', 'greedy')}<endEvent id="end"/>${flows('start -> c', 'c -> end')}`,
        },
      });
      assert.deepEqual(
        findingsOf(await deploy(files)).map(({ code }) => code),
        ['SUTRA.CHANNELS.CEILING_EXCEEDED', 'SUTRA.CHANNELS.CEILING_EXCEEDED'],
      );
    });

    it('is not a package that has no labels but the name of its folder, which it keeps', async () => {
      const { 'package.yaml': labels, ...files } = orderPackage({ version: '1.0.0', path: 'zipped' });
      assert.ok(labels !== undefined);
      const zip = zipSync({
        'test--zipped--3.1.0': Object.fromEntries(
          Object.entries(files).map(([path, text]) => [path, strToU8(text)]),
        ),
      });
      const response = await fetch(`${engine.url}/admin/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/zip' },
        body: zip,
      });
      assert.equal(response.status, 201, await response.text());
      assert.deepEqual(await statesByVersion(engine, 'zipped'), { '3.1.0': 'active' });
      await sendOrder(engine, 'zipped', 'zipped');
    });
  });
}
