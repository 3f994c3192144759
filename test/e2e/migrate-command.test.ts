/** `sutra migrate` against a running engine: by filter and by id, dry and for real, with workers at work. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { becomes, fastPolling } from '../deployments/states.ts';
import { testDatabases } from '../support/database.ts';
import { TestEngine, type TaskAnswer } from '../support/engine.ts';
import { call, flows, packageFiles } from '../support/packages.ts';
import { sutra, type CommandResult } from './command.ts';

const shop = (version: string, inside: string): Record<string, string> =>
  packageFiles({
    module: 'shop',
    version,
    channels: '  - { name: picking, transport: pull }',
    processes: { order: inside },
  });

const picking = (pick: string): string =>
  `<startEvent id="start"/>${call(pick, 'picking')}<endEvent id="end"/>${flows(`start -> ${pick}`, `${pick} -> end`)}`;

/** Which way an order goes is a variable; `more` are other ways. */
const ways = (more: string): string =>
  `<startEvent id="start"/><exclusiveGateway id="choose"/>${call('pick', 'picking')}${flows('start -> choose')}${more}
   <sequenceFlow id="to-pick" sourceRef="choose" targetRef="pick"><conditionExpression>way = "pick"</conditionExpression></sequenceFlow>`;
const otherWay =
  '<userTask id="ask"/><sequenceFlow id="to-ask" sourceRef="choose" targetRef="ask"><conditionExpression>way != "pick"</conditionExpression></sequenceFlow>';

describe('sutra migrate', () => {
  const [target] = testDatabases();
  let engine: TestEngine;
  before(async () => {
    assert.ok(target !== undefined);
    engine = await TestEngine.start({ database: await target.open(), env: fastPolling });
  });
  after(() => engine.stop());

  const run = (...args: readonly string[]): Promise<CommandResult> =>
    sutra(['migrate', ...args], { ENGINE_URL: engine.url });
  const begin = async (variables: unknown = {}): Promise<string> => {
    const { body } = await engine.post('/sutra/processes/order/start', { variables });
    return body.instanceId;
  };
  const stateOf = async (deploymentId: string): Promise<string> =>
    ((await engine.get(`/sutra/deployments/${deploymentId}`)).body as unknown as { state: string }).state;
  const rowsOf = ({ stdout }: CommandResult): readonly (readonly string[])[] =>
    stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/));

  it('takes twenty instances and their tasks to another version, also the task that a worker has', async () => {
    const from = await engine.deploy(shop('1.0.0', picking('pick')));
    const ids = await Promise.all(Array.from({ length: 20 }, () => begin()));
    const held = await engine.fetchTask('picking');
    const to = await engine.deploy(shop('2.0.0', picking('collect')));
    const args = ['--process', 'order', '--deployment', from, '--to', to];

    const unmapped = await run(...args, '--dry-run');
    assert.equal(unmapped.code, 1, unmapped.stderr);
    assert.match(unmapped.stderr, /^a dry run: nothing was changed; 0 of 20 instances would be migrated$/m);
    for (const [id = '', result, element, what = ''] of rowsOf(unmapped)) {
      assert.deepEqual([ids.includes(id), result, element], [true, 'refused', 'pick']);
      assert.match(what, /pick/);
    }
    const dry = await run(...args, '--map', 'pick=collect', '--dry-run');
    assert.deepEqual(
      [dry.code, dry.stderr],
      [0, 'a dry run: nothing was changed; 20 of 20 instances would be migrated\n'],
    );
    assert.deepEqual(
      rowsOf(dry)
        .map(([id, result]) => [id, result])
        .sort(),
      ids.map((id) => [id, 'would migrate']).sort(),
    );
    assert.equal((await engine.instance(ids[0] ?? '')).deploymentId, from);

    const some = await run(...args, '--map', 'pick=collect', '--limit', '5', '--concurrency', '2');
    assert.deepEqual(some, { code: 0, stdout: '5 instances: 5 done\n', stderr: '' });
    const rest = await run('--process', 'order', '--to', to, '--map', 'pick=collect');
    assert.deepEqual(rest, { code: 0, stdout: '15 instances: 15 done\n', stderr: '' });
    const again = await run('--all', '--to', to);
    assert.deepEqual(again, { code: 0, stdout: '0 instances: 0 done\n', stderr: '' });

    assert.equal((await engine.complete(held, {})).body.outcome, 'ACCEPTED');
    assert.equal((await engine.instance(held.instanceId)).status, 'completed');
    const open: TaskAnswer[] = [];
    while (open.length < 19) open.push(...(await engine.fetchTasks('picking', { maxTasks: 100 })));
    for (const task of open) {
      assert.equal(task.elementId, 'collect');
      assert.equal((await engine.complete(task, {})).body.outcome, 'ACCEPTED');
    }
    for (const id of ids) assert.equal((await engine.instance(id)).status, 'completed');
    await becomes(() => stateOf(from), 'retired');
    const shown = await sutra(['instance', held.instanceId], { ENGINE_URL: engine.url });
    assert.match(shown.stdout, new RegExp(`^\\S+Z +2 +migrated from deployment ${from} to ${to}$`, 'm'));
    assert.match(shown.stdout, /^\S+Z +2 +pick +is collect from then on$/m);
  });

  it('repairs failed instances together with a model that is mended: migrate by filter, retry by filter', async () => {
    const from = await engine.deploy(shop('3.0.0', ways('')));
    const failed = await Promise.all([1, 2, 3].map(() => begin({ way: 'call me' })));
    const fine = await begin({ way: 'pick' });
    for (const id of failed) await engine.until(id, ({ status }) => status === 'failed');
    const to = await engine.deploy(shop('3.0.1', ways(otherWay)));
    const filter = ['--process', 'order', '--code', 'SUTRA.CORE.NO_FLOW_TAKEN', '--element', 'choose'];
    const dry = await run(...filter, '--to', to, '--dry-run');
    assert.deepEqual(
      rowsOf(dry)
        .map(([id]) => id)
        .sort(),
      [...failed].sort(),
    );
    for (const row of rowsOf(dry)) assert.equal(row.at(-1), 'failed at choose: SUTRA.CORE.NO_FLOW_TAKEN');
    assert.deepEqual(await run(...filter, '--to', to), {
      code: 0,
      stdout: '3 instances: 3 done\n',
      stderr: '',
    });
    for (const id of failed) {
      const { status, deploymentId } = await engine.instance(id);
      assert.deepEqual([status, deploymentId], ['failed', to]);
    }
    const retried = await sutra(['retry', ...filter, '--deployment', to], { ENGINE_URL: engine.url });
    assert.deepEqual(retried, { code: 0, stdout: '3 instances: 3 done\n', stderr: '' });
    for (const id of failed) {
      assert.deepEqual(
        (await engine.instance(id)).tokens.map(({ elementId }) => elementId),
        ['ask'],
      );
    }
    assert.equal((await engine.instance(fine)).deploymentId, from);

    // And named ones, of which one is there already.
    const [there = ''] = failed;
    const named = await run(fine, there, '--to', to);
    assert.equal(named.code, 1);
    assert.equal(named.stdout, `${fine}  migrated, running\n2 instances: 1 done, 1 refused\n`);
    assert.match(
      named.stderr,
      new RegExp(`^${there}  refused: .* \\[SUTRA\\.CORE\\.MIGRATION_REFUSED\\]\n$`),
    );
  });

  it('gives programs the answers of the route, with all reasons', async () => {
    const to = await engine.deploy(shop('4.0.0', picking('carry')));
    const id = await begin();
    const other = await engine.deploy(shop('5.0.0', picking('bring')));
    const refused = await run(id, '--to', other, '--dry-run', '--json');
    assert.deepEqual([refused.code, refused.stderr], [1, '']);
    const { results, ...counts } = JSON.parse(refused.stdout) as {
      readonly results: readonly {
        readonly instanceId: string;
        readonly error: { readonly reasons: readonly object[] };
      }[];
    };
    assert.deepEqual(counts, { isDryRun: true, doneCount: 0, notDoneCount: 1 });
    assert.equal(results[0]?.instanceId, id);
    const [reason] = results[0].error.reasons as readonly {
      readonly elementId: string;
      readonly message: string;
    }[];
    assert.equal(reason?.elementId, 'carry');

    const map = ['--map', 'carry=bring', '--map', 'start=start'];
    const dry = await run(id, '--to', other, ...map, '--dry-run', '--json');
    const asked = JSON.parse(dry.stdout) as { readonly results: readonly [{ readonly preview: object }] };
    assert.ok('newWaits' in asked.results[0].preview);
    const done = await run('--status', 'running', '--deployment', to, '--to', other, ...map, '--json');
    assert.deepEqual(JSON.parse(done.stdout), {
      isDryRun: false,
      doneCount: 1,
      notDoneCount: 0,
      results: [{ instanceId: id, deploymentId: other, status: 'running', isDryRun: false, error: null }],
    });
  });

  const to = `dep-${'0'.repeat(24)}`;
  const wrong: readonly (readonly [what: string, args: readonly string[], said: RegExp])[] = [
    ['no deployment', ['--all'], /required option '--to <deployment>' not specified/],
    ['nothing named', ['--to', to], /^error: nothing is named/m],
    ['half a map', ['--all', '--to', to, '--map', 'pick'], /It must be old=new/],
    [
      'a map of one element to two',
      ['--all', '--to', to, '--map', 'a=b', '--map', 'a=c'],
      /a is mapped already/,
    ],
    ['a status of the ended', ['--to', to, '--status', 'completed'], /Allowed choices are running, failed/],
  ];
  describe('refuses', { concurrency: 2 }, () => {
    for (const [what, args, said] of wrong) {
      it(`${what} with exit code 2`, async () => {
        const result = await run(...args);
        assert.deepEqual([result.code, result.stdout], [2, ''], result.stderr);
        assert.match(result.stderr, said);
      });
    }
  });
});
