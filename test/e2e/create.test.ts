/** `sutra create`: the package that it makes lints clean, passes its scenario, is deployed, and runs as its page says. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { testDatabases } from '../support/database.ts';
import { TestEngine } from '../support/engine.ts';
import { sutra } from './command.ts';

/** The requests of the page, as path and body; `null`: a GET. */
function requestsOf(readme: string): readonly { readonly path: string; readonly body: string | null }[] {
  return [...readme.matchAll(/^curl -s '?localhost:8080(\/[^\s']*)(?:[^\n]*\\\n {2}-d '([^']*)')?/gm)].map(
    ([, path = '', body = null]) => ({ path, body }),
  );
}

describe('sutra create', () => {
  const [target] = testDatabases();
  let engine: TestEngine;
  let root = '';
  before(async () => {
    assert.ok(target !== undefined);
    engine = await TestEngine.start({ database: await target.open() });
    root = await mkdtemp(join(tmpdir(), 'sutra-create-'));
  });
  after(async () => {
    await engine.stop();
    await rm(root, { recursive: true, force: true });
  });

  /** A request, the worker's two, and what became of it. */
  async function followPage(readme: string): Promise<void> {
    const [request, fetch, complete, ...reads] = requestsOf(readme);
    assert.ok(request !== undefined && fetch !== undefined && complete !== undefined);
    const { instanceId } = (await engine.post(request.path, request.body)).body;
    const [task] = (await engine.post(fetch.path, fetch.body)).body.tasks;
    assert.deepEqual(task?.body, { id: 'R-1', amount: 120 });
    const proved = complete.body?.replace('…', task.lockToken);
    const answer = await engine.post(complete.path.replace('$TASK_ID', task.id), proved);
    assert.deepEqual([answer.status, answer.body.status], [200, 'COMPLETED']);
    const ended = await engine.ended(instanceId);
    assert.equal(ended.status, 'completed', JSON.stringify(ended));
    assert.equal(reads.length, 2);
    for (const { path } of reads) {
      const read = await engine.get(path.replace('$INSTANCE_ID', instanceId));
      assert.equal(read.status, 200);
      assert.match(JSON.stringify(read.body), /completed/);
    }
  }

  for (const [name, options] of [
    ['orders', []],
    ['claims', ['--bpmn', '--tenant', 'acme']],
  ] as const) {
    it(`makes a package that runs: ${['create', ...options].join(' ')}`, async () => {
      const folder = join(root, name);
      const created = await sutra(['create', folder, ...options]);
      assert.deepEqual([created.code, created.stderr], [0, '']);
      assert.match(created.stdout, new RegExp(`${name}/scenarios/${name}\\.yaml$`, 'm'));

      const linted = await sutra(['lint', folder]);
      assert.deepEqual(linted, { code: 0, stdout: '0 errors, 0 warnings\n', stderr: '' });
      const tested = await sutra(['simulate', folder]);
      assert.equal(tested.code, 0, tested.stdout + tested.stderr);
      assert.match(tested.stdout, /^1 passed, 0 failed$/m);
      const deployed = await sutra(['deploy', folder, '--url', engine.url]);
      assert.equal(deployed.code, 0, deployed.stderr);

      await followPage(await readFile(join(folder, 'README.md'), 'utf8'));
    });
  }

  it('says why it cannot', async () => {
    const folder = join(root, 'twice');
    assert.equal((await sutra(['create', folder])).code, 0);
    for (const [args, said] of [
      [
        [folder],
        /^sutra: "[^"]*twice" is there already, and is not empty \[SUTRA\.CLI\.FOLDER_NOT_EMPTY\]$/m,
      ],
      [[join(root, 'Big')], /^sutra: the name "Big" must be .* \[SUTRA\.CLI\.NAME_INVALID\]$/m],
    ] as const) {
      const { code, stdout, stderr } = await sutra(['create', ...args]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, said);
    }
  });
});
