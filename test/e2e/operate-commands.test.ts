/** The operators' commands against a running engine: what they print where, and with which code they end. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../engine/store/database.ts';
import { deliveryId, seedIncident, seedOutbox } from '../store/operate-seed.ts';
import { testDatabases } from '../support/database.ts';
import type { TestEngine } from '../support/engine.ts';
import { freePort } from '../support/engine-process.ts';
import { sutra, type CommandResult } from './command.ts';
import { ADMIN_KEY, failedOrder, order, startOperated, terminalTask } from './operate-stock.ts';

const UNKNOWN = '018f0001-0000-7000-8000-000000000099';

/** The cells of the first column, without the head. */
function firstColumn({ code, stdout, stderr }: CommandResult): string[] {
  assert.equal(code, 0, stderr);
  const [, ...lines] = stdout.trimEnd().split('\n');
  return lines.map((line) => line.split(' ')[0] ?? '');
}

describe("the operators' commands", () => {
  const [target] = testDatabases();
  let database: Database;
  let engine: TestEngine;
  before(async () => {
    assert.ok(target !== undefined);
    database = await target.open();
    engine = await startOperated(database);
  });
  after(() => engine.stop());

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandResult> =>
    sutra(args, { ENGINE_URL: engine.url, ADMIN_API_KEY: ADMIN_KEY, ...env });
  const json = async (args: readonly string[], code = 0): Promise<unknown> => {
    const result = await run([...args, '--json']);
    assert.equal(result.code, code, result.stderr);
    return JSON.parse(result.stdout);
  };
  /** What the route itself answers. */
  const answered = async (path: string): Promise<unknown> => (await engine.get(path)).body;
  const repair = async (instanceId: string, id: string): Promise<void> => {
    const corrected = { variables: { payload: { id, way: 'pick' } } };
    assert.equal((await engine.post(`/sutra/instances/${instanceId}/variables`, corrected)).status, 200);
  };

  it('say that there is nothing to do', async () => {
    assert.deepEqual(await run(['incidents']), { code: 0, stdout: '', stderr: 'no incidents\n' });
    assert.deepEqual(await json(['incidents']), { incidents: [], nextCursor: null });
    const result = await run(['retry', '--all']);
    assert.deepEqual(result, { code: 0, stdout: '0 instances: 0 done\n', stderr: '' });
  });

  it('list what there is, for people and as the routes give it', async () => {
    const failed = [await failedOrder(engine, 'L-1'), await failedOrder(engine, 'L-2')];
    const { taskId, instanceId } = await terminalTask(engine, 'L-3');
    await seedOutbox(database, { number: 1, instance: 1, state: 'poisoned' });

    assert.deepEqual(firstColumn(await run(['instances'])), [instanceId, ...[...failed].reverse()]);
    assert.deepEqual(firstColumn(await run(['instances', '--alias', 'orderId=L-2'])), [failed[1]]);
    assert.deepEqual(firstColumn(await run(['tasks', '--state', 'failed'])), [taskId]);
    assert.deepEqual(firstColumn(await run(['deliveries', '--state', 'poisoned'])), [deliveryId(1)]);
    const incidents = await run(['incidents', '--kind', 'task-terminal']);
    assert.match(incidents.stdout, new RegExp(`^task-terminal +${taskId} .* the warehouse says 503$`, 'm'));
    assert.match(incidents.stderr, /sutra task, retry-task, discard-task/);
    const groups = await run(['incidents', '--summary', '--process', 'order']);
    assert.deepEqual(firstColumn(groups), ['2', '1']);
    assert.match(groups.stdout, /^2 +instance-failed +order +choose +SUTRA\.CORE\.NO_FLOW_TAKEN$/m);
    assert.equal(groups.stderr, '3 incidents\n');

    assert.deepEqual(
      await json(['instances', '--status', 'failed']),
      await answered('/sutra/instances?status=failed'),
    );
    assert.deepEqual(await json(['tasks', '--unlocked']), await answered('/sutra/external-tasks'));
    assert.deepEqual(await json(['incidents']), await answered('/sutra/incidents'));
    assert.deepEqual(
      await json(['incidents', '--summary', '--element', 'pick', '--created-after', '2026-01-01T00:00:00Z']),
      await answered('/sutra/incidents/summary?elementId=pick'),
    );
    const contradiction = await run(['incidents', '--summary', '--limit', '3']);
    assert.equal(contradiction.code, 2, contradiction.stderr);
    assert.deepEqual(await json(['deliveries']), await answered('/sutra/deliveries'));
  });

  it('say that there is more, and go on from a cursor', async () => {
    const some = await run(['instances', '--limit', '2']);
    assert.equal(firstColumn(some).length, 2);
    assert.match(some.stderr, /^2 are shown; there are more/);
    const page = (await json(['instances', '--limit', '2'])) as { nextCursor: string };
    const rest = await run(['instances', '--cursor', page.nextCursor]);
    const all = await run(['instances', '--all']);
    assert.deepEqual([...firstColumn(some), ...firstColumn(rest)], firstColumn(all));
    assert.equal(all.stderr, '');
  });

  it('show an instance with its failure and its history, and what can be done', async () => {
    const [instanceId = ''] = firstColumn(await run(['instances', '--alias', 'orderId=L-1']));
    const shown = await run(['instance', instanceId]);
    assert.equal(shown.code, 0, shown.stderr);
    for (const line of [
      /^status +failed$/m,
      /^aliases +orderId=L-1$/m,
      /^FAILED at choose: SUTRA\.CORE\.NO_FLOW_TAKEN\n {2}no condition .*$/m,
      /^\S+Z +1 +start +message received on channel orders$/m,
      /^\S+Z +1 +choose +FAILED: SUTRA\.CORE\.NO_FLOW_TAKEN$/m,
    ]) {
      assert.match(shown.stdout, line);
    }
    assert.match(shown.stderr, new RegExp(`sutra retry ${instanceId}`));
    const short = await run(['instance', instanceId, '--limit', '1']);
    assert.match(short.stderr, /\d+ earlier entries of the history are not shown/);
    assert.equal(short.stdout.match(/^\S+Z /gm)?.length, 1);
    const newest = await run(['instance', instanceId, '--limit', '3', '--newest']);
    const linesOf = ({ stdout }: { stdout: string }): string[] => stdout.match(/^\S+Z .*$/gm) ?? [];
    assert.deepEqual(linesOf(newest), linesOf(shown).reverse().slice(0, 3));
    assert.match(newest.stderr, /^\d+ earlier entries of the history are not shown/m);
    assert.deepEqual(await json(['instance', instanceId, '--all']), {
      instance: await answered(`/sutra/instances/${instanceId}`),
      history: {
        instanceId,
        entries: ((await answered(`/sutra/instances/${instanceId}/history`)) as { entries: unknown }).entries,
        earlierCount: 0,
      },
    });
  });

  it('show a task with its request and its last error', async () => {
    const [taskId = ''] = firstColumn(await run(['tasks', '--state', 'failed']));
    const shown = await run(['task', taskId]);
    assert.match(shown.stdout, /^state +terminal$/m);
    assert.match(shown.stdout, /^headers +x-order: L-3$/m);
    assert.match(shown.stdout, /^LAST ERROR: the warehouse says 503\n {2}Error: 503\n {6}at pick/m);
    assert.deepEqual(await json(['task', taskId]), await answered(`/sutra/external-tasks/${taskId}`));
  });

  it('move a token, after a dry run that says what would happen', async () => {
    const id = await failedOrder(engine, 'M-1');
    const args = ['move', id, '--from', 'choose', '--to', 'pick'];
    const dry = await run([...args, '--dry-run']);
    assert.deepEqual([dry.code, dry.stderr], [0, 'a dry run: nothing was changed\n']);
    for (const line of [/^would be +running$/m, /^waits +call at pick$/m, /^sends +pick on channel work$/m]) {
      assert.match(dry.stdout, line);
    }
    const stuck = await run(['move', id, '--from', 'choose', '--to', 'choose', '--dry-run']);
    assert.equal(stuck.code, 1);
    assert.match(stuck.stdout, /^failure +SUTRA\.CORE\.NO_FLOW_TAKEN at choose: /m);
    const written = [...args, '--variables', '{"payload":{"id":"M-1","sum":0.10000000000000000000000001}}'];
    assert.deepEqual(await run(written), { code: 0, stdout: `${id}  running\n`, stderr: '' });
    assert.match((await run(['instance', id, '--json'])).stdout, /"sum": ?0\.10000000000000000000000001\b/);
    const shown = await run(['instance', id]);
    assert.match(shown.stdout, /^\S+Z +2 +choose +moved to pick by an operator$/m);
    assert.deepEqual(await json(['move', id, '--from', 'pick', '--to', 'pick']), {
      instanceId: id,
      status: 'running',
      isDryRun: false,
    });
    const gone = await run(args);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /SUTRA\.CORE\.MOVE_TOKEN_MISSING/);
    assert.equal((await run([...args, '--variables', '[1]'])).code, 2);
    assert.equal((await run(['move', id, '--from', 'pick'])).code, 2);
    await run(['cancel', id]);
  });

  it('retry what is named, and say which has failed again and which was refused', async () => {
    const good = await failedOrder(engine, 'N-1');
    const bad = await failedOrder(engine, 'N-2');
    await repair(good, 'N-1');
    const result = await run(['retry', good, bad, UNKNOWN, good]);
    assert.deepEqual(result, {
      code: 1,
      stdout: `${good}  running\n3 instances: 1 done, 1 failed again, 1 refused\n`,
      stderr:
        `${bad}  failed again: sutra instance ${bad}\n` +
        `${UNKNOWN}  refused: There is no instance ${UNKNOWN}. [SUTRA.INSTANCE.NOT_FOUND]\n`,
    });
    await repair(bad, 'N-2');
    assert.deepEqual(await json(['retry', bad]), {
      isDryRun: false,
      doneCount: 1,
      notDoneCount: 0,
      results: [{ instanceId: bad, status: 'running', error: null }],
    });
  });

  it('retry what a filter finds, first without doing it, each once', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => failedOrder(engine, `B-${String(n)}`)));
    const filter = ['--process', 'order', '--code', 'SUTRA.CORE.NO_FLOW_TAKEN', '--element', 'choose'];
    const dry = await run(['retry', ...filter, '--dry-run']);
    assert.deepEqual(firstColumn(dry).slice(0, 5).sort(), [...ids].sort());
    assert.match(dry.stderr, /^a dry run: nothing was changed; without it 7 instances would be$/m);
    assert.equal((await engine.instance(ids[0] ?? '')).status, 'failed');
    assert.equal((await run(['retry', '--element', 'elsewhere', '--dry-run'])).stdout, '');

    await Promise.all(ids.map((id, index) => repair(id, `B-${String(index + 1)}`)));
    const five = await run(['retry', ...filter, '--limit', '5', '--concurrency', '2']);
    assert.deepEqual(five, { code: 0, stdout: '5 instances: 5 done\n', stderr: '' });
    for (const id of ids) assert.equal((await engine.instance(id)).status, 'running');
    // The two of before are not repaired: each fails again, and is not tried a second time.
    const rest = await run(['retry', '--all']);
    assert.equal(rest.code, 1);
    assert.equal(rest.stdout, '2 instances: 0 done, 2 failed again\n');
    assert.equal(rest.stderr.match(/failed again: sutra instance/g)?.length, 2);
  });

  it('give terminal tasks a new budget, named or found', async () => {
    const [taskId = ''] = firstColumn(await run(['tasks', '--state', 'failed']));
    assert.deepEqual(await run(['retry-task', taskId, '--retries', '2']), {
      code: 0,
      stdout: `${taskId}  pending\n`,
      stderr: '',
    });
    const twice = await run(['retry-task', taskId]);
    assert.equal(twice.code, 1);
    assert.match(twice.stderr, /refused: .* \[SUTRA\.EXTERNAL_TASK\.NOT_TERMINAL\]$/m);
    assert.equal((await run(['retry-task', '--channel', 'work'])).stdout, '0 tasks: 0 done\n');
    const [other = ''] = firstColumn(await run(['tasks', '--state', 'open', '--limit', '1']));
    assert.equal((await run(['discard-task', other])).stdout, `${other}  discarded\n`);
    assert.equal((await run(['task', other])).code, 1);
  });

  it('requeue and discard poisoned deliveries', async () => {
    await seedIncident(database, { number: 1, instance: 1 });
    const dry = await run(['requeue-delivery', '--channel', 'notify', '--dry-run']);
    assert.deepEqual(
      firstColumn(dry),
      [deliveryId(1)],
      dry.stderr + JSON.stringify(await answered('/sutra/deliveries')),
    );
    assert.deepEqual(await run(['discard-delivery', deliveryId(1)]), {
      code: 0,
      stdout: `${deliveryId(1)}  discarded\n`,
      stderr: '',
    });
    const gone = await run(['requeue-delivery', deliveryId(1)]);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /\[SUTRA\.DELIVERY\.NOT_FOUND\]$/m);
  });

  it('list, show, replay and discard dead letters', async () => {
    const refused = async (id: string, text = ''): Promise<string> => {
      const { body } = await engine.post('/channels/returns', { id, text }, { 'idempotency-key': id });
      assert.equal(body.code, 'SUTRA.INBOUND.NOT_CORRELATED', JSON.stringify(body));
      return String(body.attributes['deadLetterId']);
    };
    assert.deepEqual(await run(['dead-letters']), { code: 0, stdout: '', stderr: 'no dead letters\n' });
    const [one, two, three] = [await refused('R-1', 'broken'), await refused('R-2'), await refused('R-3')];
    const filter = ['--channel', 'returns', '--code', 'SUTRA.INBOUND.NOT_CORRELATED'];
    assert.deepEqual(firstColumn(await run(['dead-letters', ...filter])), [one, two, three]);
    assert.deepEqual(firstColumn(await run(['dead-letters', '--kind', 'timer'])), []);
    const listed = (await json(['dead-letters', '--module', 'shop'])) as { deadLetters: unknown[] };
    assert.equal(listed.deadLetters.length, 3);
    const incidents = await run(['incidents', '--kind', 'dead-letter']);
    assert.deepEqual(incidents.stdout.match(/^dead-letter +\S+/gm)?.length, 3);
    assert.match(incidents.stderr, /sutra dead-letter, replay, discard-dead-letter/);

    const shown = await run(['dead-letter', one]);
    for (const line of [
      /^channel +returns$/m,
      /^key +R-1$/m,
      /^body +\{"id":"R-1","text":"broken"\}$/m,
      /^REFUSED: SUTRA\.INBOUND\.NOT_CORRELATED\n {2}\S/m,
    ]) {
      assert.match(shown.stdout, line);
    }
    assert.match(shown.stderr, new RegExp(`sutra replay ${one}`));
    assert.equal(((await json(['dead-letter', one])) as { id: string }).id, one);

    const started = { variables: { payload: { id: 'R-1' } } };
    const { instanceId } = (await engine.post('/sutra/processes/returned/start', started)).body;
    const dry = await run(['replay', ...filter, '--dry-run']);
    assert.deepEqual(firstColumn(dry), [one, two, three]);
    assert.match(dry.stderr, /without it 3 dead letters would be$/m);
    const replayed = await run(['replay', one, two]);
    assert.equal(replayed.code, 1);
    assert.equal(replayed.stdout, `${one}  replayed\n2 dead letters: 1 done, 1 refused\n`);
    assert.match(
      replayed.stderr,
      new RegExp(`^${two}  refused: .* \\[SUTRA\\.INBOUND\\.NOT_CORRELATED\\]$`, 'm'),
    );
    assert.equal((await engine.ended(instanceId)).status, 'completed');

    assert.equal((await run(['discard-dead-letter'])).code, 2);
    assert.deepEqual(await json(['discard-dead-letter', two]), {
      ...{ isDryRun: false, doneCount: 1, notDoneCount: 0 },
      results: [{ deadLetterId: two, status: 'DISCARDED', error: null }],
    });
    const rest = await run(['discard-dead-letter', '--kind', 'message']);
    assert.deepEqual(rest, { code: 0, stdout: '1 dead letter: 1 done\n', stderr: '' });
    const gone = await run(['dead-letter', three]);
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /\[SUTRA\.DEAD_LETTER\.NOT_FOUND\]$/m);
  });

  it('show the history of an instance that has gone', async () => {
    const instanceId = await order(engine, 'G-1');
    await run(['cancel', instanceId, '--reason', 'not wanted']);
    const { database } = engine.engine;
    await database.run({ name: 'test_drop', text: 'DELETE FROM instance WHERE id = $1::uuid' }, [instanceId]);
    const shown = await run(['instance', instanceId]);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stderr, /Its retention has passed/);
    assert.match(shown.stdout, / an operator said cancel: not wanted$/m);
    assert.equal(((await json(['instance', instanceId])) as { instance: unknown }).instance, null);
    const unknown = await run(['instance', UNKNOWN]);
    assert.deepEqual([unknown.code, unknown.stderr.includes('SUTRA.INSTANCE.NOT_FOUND')], [1, true]);
  });

  it('cancel, with a reason that the history keeps', async () => {
    const instanceId = await order(engine, 'C-1');
    const cancelled = await run(['cancel', instanceId, '--reason', 'ordered twice']);
    assert.deepEqual(cancelled, { code: 0, stdout: `${instanceId}  terminated\n`, stderr: '' });
    assert.match((await run(['instance', instanceId])).stdout, / cancelled: ordered twice$/m);
    const twice = await run(['cancel', instanceId]);
    assert.equal(twice.code, 1);
    assert.match(twice.stderr, /\[SUTRA\.CORE\.INSTANCE_ENDED\]$/m);
  });

  const refusals: readonly (readonly [
    what: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    code: number,
    said: RegExp,
  ])[] = [
    ['nothing is named', ['retry'], {}, 2, /^error: nothing is named: give ids, or a filter, or --all$/m],
    ['ids and a filter', ['retry', UNKNOWN, '--all'], {}, 2, /^error: give ids, or filters/m],
    ['no id', ['cancel'], {}, 2, /^error: missing required argument 'id'/m],
    ['an unknown option', ['instances', '--stauts', 'failed'], {}, 2, /unknown option '--stauts'/],
    ['more at once than is good', ['retry', '--all', '--concurrency', '65'], {}, 2, /It must be at most 64/],
    [
      'a value that the engine cannot read',
      ['tasks', '--state', 'odd'],
      {},
      2,
      /\[SUTRA\.HTTP\.QUERY_INVALID\]$/m,
    ],
    [
      'a variable without a key',
      ['retry', '--all', '--api-key-env', 'MY_KEY'],
      {},
      2,
      /MY_KEY is not set \[SUTRA\.CLI\.KEY_MISSING\]$/m,
    ],
    [
      'a wrong key, once and not shown',
      ['retry', UNKNOWN, UNKNOWN.replace('99', '98')],
      { ADMIN_API_KEY: 'wrong-key' },
      1,
      /^sutra: (?!.*wrong-key).* \[SUTRA\.ADMIN\.KEY_INVALID\]\n$/,
    ],
  ];
  describe('refuse', { concurrency: 2 }, () => {
    for (const [what, args, env, code, said] of refusals) {
      it(`${what} with exit code ${String(code)}`, async () => {
        const result = await run(args, env);
        assert.equal(result.code, code, result.stderr);
        assert.equal(result.stdout, '');
        assert.match(result.stderr, said);
      });
    }
  });

  it('end with 3 when no engine answers', async () => {
    const url = `http://127.0.0.1:${String(await freePort())}`;
    const result = await run(['incidents', '--json', '--url', url]);
    assert.deepEqual(result, {
      code: 3,
      stdout: '',
      stderr: `sutra: no engine answers at ${url}: ECONNREFUSED [SUTRA.CLI.ENGINE_UNREACHABLE]\n`,
    });
  });
});
