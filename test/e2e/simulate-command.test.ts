/** `sutra simulate` as a person starts it: what it prints, and with which code it ends. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { projectDir, sutra } from './command.ts';

const wrong = `name: wrong
send: { channel: orders, body: { orderId: A-1 } }
expect: { status: completed }
`;

describe('sutra simulate', { concurrency: 2 }, () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sutra-scenarios-'));
    await cp(`${projectDir}examples/order-scoring`, folder, { recursive: true });
    await writeFile(join(folder, 'scenarios', 'wrong.yaml'), wrong);
    await writeFile(
      join(folder, 'scenarios', 'faulty.yaml'),
      `${wrong}workers: { score-requests: { result: 1 } }\n`,
    );
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('ends well when all scenarios pass', async () => {
    const { code, stdout, stderr } = await sutra(['simulate', 'examples/order-scoring']);
    assert.equal(stderr, '');
    assert.match(
      stdout,
      /^passed {2}an order with a high score is approved \(scenarios\/approved\.yaml, \d+ ms\)$/m,
    );
    assert.match(stdout, /^2 passed, 0 failed$/m);
    assert.equal(code, 0);
  });

  it('runs those that are good, tells what is wrong with the others, and fails', async () => {
    const { code, stdout } = await sutra(['simulate', folder]);
    assert.equal(code, 1);
    assert.match(stdout, /^FAILED {2}wrong /m);
    assert.match(stdout, /^ {8}found: {4}running, waiting at score$/m);
    assert.match(
      stdout,
      /^scenarios\/faulty\.yaml:4:12 error SUTRA\.SCENARIO\.NAME_UNKNOWN .*"score-request"/m,
    );
    assert.match(stdout, /^2 passed, 1 failed, 1 not run$/m);
  });

  it('says the same to programs', async () => {
    const { code, stdout } = await sutra(['simulate', folder, '--format', 'json']);
    assert.equal(code, 1);
    const answer = JSON.parse(stdout) as {
      readonly passedCount: number;
      readonly failedCount: number;
      readonly findings: readonly { readonly code: string }[];
      readonly scenarios: readonly {
        readonly name: string;
        readonly isPassed: boolean;
        readonly mismatches: readonly {
          readonly code: string;
          readonly expected: string;
          readonly found: string;
        }[];
        readonly instance: { readonly path: readonly string[] } | null;
      }[];
    };
    assert.deepEqual([answer.passedCount, answer.failedCount], [2, 1]);
    assert.ok(answer.findings.some((finding) => finding.code === 'SUTRA.SCENARIO.NAME_UNKNOWN'));
    const failed = answer.scenarios.find(({ isPassed }) => !isPassed);
    assert.deepEqual(failed?.instance?.path, ['order-received', 'score']);
    assert.equal(failed.mismatches[0]?.expected, 'completed');
  });

  it('runs only those that are asked for', async () => {
    for (const name of [
      'approved.yaml',
      'scenarios/approved.yaml',
      join(folder, 'scenarios/approved.yaml'),
    ]) {
      const { code, stdout } = await sutra(['simulate', folder, name]);
      assert.match(stdout, /^1 passed, 0 failed$/m);
      assert.equal(code, 0);
    }
  });

  it('takes the settings of an engine', async () => {
    const config = join(folder, 'engine.yaml');
    await writeFile(
      config,
      'sutra.external-task.max-lock-duration: PT10S\nsutra.external-task.default-lock-duration: PT5S\n',
    );
    const { code, stderr } = await sutra(['simulate', folder, 'approved.yaml', '--config', config]);
    assert.match(stderr, /PT30S/);
    assert.equal(code, 2);
  });

  it('says what is not there', async () => {
    const rows = [
      [['simulate', join(folder, 'bpmn')], /no \.yaml file in scenarios\/.*\[SUTRA\.SCENARIO\.NONE_FOUND\]/],
      [
        ['simulate', folder, 'no.yaml'],
        /there are scenarios\/approved\.yaml.*\[SUTRA\.SCENARIO\.NONE_FOUND\]/,
      ],
      [['simulate', join(folder, 'nowhere')], /\[SUTRA\.PACKAGE\.FOLDER_UNREADABLE\]/],
    ] as const;
    for (const [args, message] of rows) {
      const { code, stderr } = await sutra(args);
      assert.match(stderr, message);
      assert.equal(code, 2);
    }
  });

  it('lists the faults of a package that cannot be deployed', async () => {
    const broken = join(folder, '..', `${folder.split('/').at(-1) ?? ''}-broken`);
    await cp(folder, broken, { recursive: true });
    await writeFile(join(broken, 'channels.yaml'), 'channels: []\n');
    const { code, stdout } = await sutra(['simulate', broken]);
    await rm(broken, { recursive: true, force: true });
    assert.match(stdout, /SUTRA\.PACKAGE\.CHANNEL_UNKNOWN/);
    assert.equal(code, 1);
  });
});
