/** `sutra lint`: what it prints, and with which code it ends. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { simpleOrder } from '../support/packages.ts';
import { sutra } from './command.ts';

const unused = 'SUTRA\\.PACKAGE\\.FILE_UNUSED';

describe('sutra lint', { concurrency: 2 }, () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sutra-lint-'));
    const files: Readonly<Record<string, string>> = {
      ...simpleOrder(),
      'channels.yaml':
        simpleOrder()['channels.yaml']?.replace(
          'name: work, transport: pull',
          'name: work, transport: pull, task: { lock-duration: PT10M }',
        ) ?? '',
      'notes.txt': '',
      'todo.txt': '',
      'sutra.yaml': 'sutra: { external-task: { default-lock-duration: PT1M, max-lock-duration: PT5M } }',
    };
    for (const [path, text] of Object.entries(files)) {
      // The configuration is beside the package.
      const target = join(folder, path === 'sutra.yaml' ? '' : 'package', path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const rows: readonly (readonly [title: string, args: readonly string[], code: number, said: RegExp])[] = [
    [
      'fails on a warning',
      ['package'],
      1,
      new RegExp(`/package/notes\\.txt warning ${unused} .*\n {4}Move it .*\n`),
    ],
    [
      'fails on more warnings than are allowed',
      ['package', '--max-warnings', '1'],
      1,
      /^0 errors, 2 warnings$/m,
    ],
    [
      'ends well with as many as are allowed',
      ['package', '--max-warnings', '2'],
      0,
      /^0 errors, 2 warnings$/m,
    ],
    [
      'fails on an error, however many warnings are allowed',
      ['package', 'missing', '--max-warnings', '999'],
      1,
      /\/missing error SUTRA\.CLI\.FILE_UNREADABLE [^]*^1 error, 2 warnings$/m,
    ],
    ['checks a file by itself', ['package/bpmn/order.bpmn'], 0, /^0 errors, 0 warnings\n$/],
    [
      'prints JSON',
      ['package', '--format', 'json'],
      1,
      /^\{\n {2}"errorCount": 0,\n {2}"warningCount": 2,\n/,
    ],
    [
      'prints SARIF',
      ['package', '--format', 'sarif'],
      1,
      /"version": "2\.1\.0"[^]*"ruleId": "SUTRA\.PACKAGE\.FILE_UNUSED"/,
    ],
    [
      "holds a package against an engine's ceilings",
      ['package', '--config', 'sutra.yaml'],
      1,
      /channels\.yaml:3:59 error SUTRA\.CHANNELS\.CEILING_EXCEEDED .*PT10M.*PT5M/,
    ],
  ];
  for (const [title, args, code, said] of rows) {
    it(title, async () => {
      const isPath = (text: string): boolean => /^(?:package|missing|sutra)/.test(text);
      const result = await sutra(['lint', ...args.map((text) => (isPath(text) ? join(folder, text) : text))]);
      assert.deepEqual([result.code, result.stderr], [code, '']);
      assert.match(result.stdout, said);
      assert.ok(!result.stdout.includes('\u001b'));
    });
  }

  it('says what is wrong with its options', async () => {
    for (const [args, said] of [
      [['--max-warnings', 'some'], /whole number/],
      [['--format', 'xml'], /text, json, sarif/],
    ] as const) {
      const { code, stderr } = await sutra(['lint', folder, ...args]);
      assert.equal(code, 1);
      assert.match(stderr, said);
    }
    const { code, stderr } = await sutra(['lint', folder, '--config', join(folder, 'no.yaml')]);
    assert.equal(code, 2, stderr);
  });
});
