/** A package with a decision model, from the upload to the end of its instances. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { strToU8, zipSync } from 'fflate';
import { lintPackage } from '../../definitions/lint.ts';
import { readPackageFolder } from '../../definitions/package-folder.ts';
import { testDatabases, type TestDatabase } from '../support/database.ts';
import { TestEngine, type InstanceAnswer } from '../support/engine.ts';

const folder = fileURLToPath(new URL('../fixtures/loan', import.meta.url));
const decoder = new TextDecoder();

async function loanPackage(): Promise<Record<string, string>> {
  const files = await readPackageFolder(folder);
  return Object.fromEntries(files.map(({ path, content }) => [path, decoder.decode(content)]));
}

/** The same package, in which nothing but the decision table is another. */
async function withRate(rate: string): Promise<Record<string, string>> {
  const files = await loanPackage();
  const rules = files['rules/loan.dmn'] ?? '';
  assert.ok(rules.includes('<text>2.5</text>'));
  return { ...files, 'rules/loan.dmn': rules.replace('<text>2.5</text>', `<text>${rate}</text>`) };
}

const application = { name: 'Ann', born: '1990-05-01', score: 720, amount: 1000 };

it('lint has nothing to say about a package with a decision model', async () => {
  assert.deepEqual(await lintPackage(folder), []);
});

for (const target of testDatabases()) {
  describe(`decisions of a package on ${target.name}`, () => {
    let store: TestDatabase;
    let engine: TestEngine;
    before(async () => {
      store = await target.create();
      engine = await TestEngine.start({ database: await store.open() });
      await engine.deploy(await loanPackage());
    });
    after(async () => {
      await engine.stop();
      await store.drop();
    });

    const apply = async (fields: Readonly<Record<string, unknown>>): Promise<string> => {
      const answer = await engine.post('/channels/loan/applications', { ...application, ...fields });
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      return answer.body.instanceId;
    };
    /** A worker completes the task that comes before the decision. */
    const decide = async (instanceId: string): Promise<InstanceAnswer> => {
      const task = await engine.fetchTask('check');
      assert.equal(task.instanceId, instanceId);
      assert.equal((await engine.complete(task, { isKnown: true })).status, 200);
      return engine.instance(instanceId);
    };

    it('decide which way an instance takes, and what a worker is given', async () => {
      const instanceId = await apply({});
      const decided = await decide(instanceId);
      assert.deepEqual(decided.variables['offer'], { approved: true, rate: 2.5 });
      const task = await engine.fetchTask('pay-out');
      assert.deepEqual([task.instanceId, task.body], [instanceId, { amount: 1000, rate: 2.5 }]);
      await engine.complete(task, {});
      assert.equal((await engine.ended(instanceId)).status, 'completed');

      const young = await decide(await apply({ born: '2012-05-01' }));
      assert.equal(young.status, 'completed');
      assert.deepEqual(young.variables['offer'], { approved: false, rate: null });
    });

    it('that have no result keep the instance as failed, until it is corrected and retried', async () => {
      const instanceId = await apply({ score: 12 });
      const failed = await decide(instanceId);
      assert.equal(failed.status, 'failed');
      assert.deepEqual(
        [failed.failure?.code, failed.failure?.elementId],
        ['SUTRA.CORE.DECISION_FAILED', 'decide'],
      );
      const { body } = await engine.get(`/sutra/incidents?instanceId=${instanceId}`);
      assert.match(JSON.stringify(body.incidents), /rules\/loan\.dmn:\d+:\d+/);
      const corrected = { variables: { application: { ...application, score: 650 } } };
      const written = await engine.post(`/sutra/instances/${instanceId}/variables`, corrected);
      assert.equal(written.status, 200, JSON.stringify(written.body));
      assert.equal((await engine.post(`/admin/instances/${instanceId}/retry`, {})).status, 200);
      const task = await engine.fetchTask('pay-out');
      assert.deepEqual([task.instanceId, task.body['rate']], [instanceId, 4.75]);
      await engine.complete(task, {});
    });

    it('are made by the tables of the deployment that the instance began with, after a restart too', async () => {
      const oldInstance = await apply({});
      const { deploymentId: oldId } = await engine.instance(oldInstance);
      const newId = await engine.deploy(await withRate('1.25'));
      assert.notEqual(newId, oldId, 'a decision model is part of what names a deployment');
      const newInstance = await apply({});
      await engine.stop();
      engine = await TestEngine.start({ database: await store.open() });

      const rates: unknown[] = [];
      for (const task of [await engine.fetchTask('check'), await engine.fetchTask('check')]) {
        await engine.complete(task, {});
        const { deploymentId, variables } = await engine.instance(task.instanceId);
        rates.push([task.instanceId, deploymentId, variables['offer']]);
      }
      assert.deepEqual(
        rates.sort(),
        [
          [oldInstance, oldId, { approved: true, rate: 2.5 }],
          [newInstance, newId, { approved: true, rate: 1.25 }],
        ].sort(),
      );
    });

    it('refuse the deployment when they have a fault, with its place', async () => {
      const files = Object.entries({
        ...(await withRate('2.5 +')),
        'package.yaml': "labels: { tenant: test, module: loan, version: '2.0.0' }\n",
      });
      const archive = zipSync(Object.fromEntries(files.map(([path, text]) => [path, strToU8(text)])));
      const response = await fetch(`${engine.url}/admin/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/zip' },
        body: archive,
      });
      assert.equal(response.status, 422);
      const text = await response.text();
      assert.match(text, /SUTRA\.FEEL\.SYNTAX_INVALID/);
      assert.match(text, /"file":"rules\/loan\.dmn","line":\d+,"column":\d+/);
    });
  });
}
