import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { runFiles } from './run-files.ts';

const dir = mkdtempSync(join(tmpdir(), 'sutra-run-file-'));
after(() => rmSync(dir, { recursive: true, force: true }));

const head = "import { test, describe, it } from 'node:test';\n";

interface Row {
  readonly name: string;
  readonly source: string;
  readonly passedCount: number;
  /** One pattern a failure, over `test: reason`. */
  readonly failures: readonly RegExp[];
}

const rows: readonly Row[] = [
  {
    name: 'a file of passing tests passes, and a parent is not counted beside its children',
    source: `${head} test('a', () => {}); describe('s', () => { it('b', () => {}); it('c', () => {}); });
      test('p', async (t) => { await t.test('d', () => {}); });`,
    passedCount: 4,
    failures: [],
  },
  {
    name: 'a failing test is named with its error, and its suite is not counted as a second failure',
    source: `${head} describe('s', () => { it('b', () => { throw new Error('broken'); }); it('c', () => {}); });`,
    passedCount: 1,
    failures: [/^b: Error: broken/],
  },
  {
    name: 'a skipped test fails',
    source: `${head} test('a', () => {}); test('b', { skip: 'no time' }, () => {});`,
    passedCount: 1,
    failures: [/^b: skipped: no time/],
  },
  {
    name: 'a todo test fails',
    source: `${head} test('a', () => {}); test.todo('b');`,
    passedCount: 1,
    failures: [/^b: todo/],
  },
  { name: 'a file without tests fails', source: head, passedCount: 0, failures: [/has no tests/] },
  {
    name: 'a file that does not load fails',
    source: "throw new Error('at load');",
    passedCount: 0,
    failures: [/^loads: Error: at load/],
  },
  {
    name: 'a test that leaves the process with code 0 does not pass for the rest of the file',
    source: `${head} test('a', () => {}); test('b', () => { process.exit(0); }); test('c', () => {});`,
    passedCount: 0,
    failures: [/left before they had ended/],
  },
  {
    name: 'a test that never ends is named',
    source: `${head} test('a', () => {}); test('hangs', () => new Promise(() => { setInterval(() => {}, 1000); }));`,
    passedCount: 1,
    failures: [/no test ended for 1.5 s; running: hangs/],
  },
  {
    name: 'a timer that is left open after the last test fails the file',
    source: `${head} test('a', () => { setInterval(() => {}, 1000); });`,
    passedCount: 1,
    failures: [/something was left open/],
  },
];

describe('running test files', { concurrency: 2 }, () => {
  for (const [index, row] of rows.entries()) {
    test(row.name, async () => {
      const file = join(dir, `row-${index}.test.mjs`);
      writeFileSync(file, row.source);
      const reported: string[] = [];
      const result = await runFiles([file], {
        env: process.env,
        testTimeoutMs: 1_500,
        idleTimeoutMs: 8_000,
        signal: new AbortController().signal,
        onFailure: (failure) => reported.push(`${failure.test}: ${failure.reason}`),
      });
      assert.equal(result.passedCount, row.passedCount);
      assert.equal(result.failures.length, row.failures.length, reported.join('\n'));
      for (const [at, pattern] of row.failures.entries()) {
        assert.match(reported[at] ?? '', pattern);
      }
    });
  }

  test('files in one process are judged one by one', async () => {
    const sources = [
      `${head} test('a', () => {}); describe('s', () => { it('b', () => { throw new Error('broken'); }); });`,
      `${head} test('c', () => {});`,
      head,
      `${head} test('d', () => {}); test('e', () => {});`,
    ];
    const run = async (
      texts: readonly string[],
      name: string,
      mayBeEmpty?: (file: string) => boolean,
    ): Promise<readonly string[]> => {
      const files = texts.map((text, index) => {
        const file = join(dir, `${name}-${index}.test.mjs`);
        writeFileSync(file, text);
        return file;
      });
      const { passedCount, failures } = await runFiles(files, {
        env: process.env,
        testTimeoutMs: 10_000,
        idleTimeoutMs: 8_000,
        signal: new AbortController().signal,
        onFailure: () => {},
        ...(mayBeEmpty === undefined ? {} : { mayBeEmpty }),
      });
      const named = failures.map(({ file, test: test_, reason }) =>
        [files.indexOf(file), test_ === file ? 'all' : test_, reason.split('\n')[0]].join(' '),
      );
      return [`${passedCount} passed`, ...named];
    };
    assert.deepEqual(await run(sources, 'mixed'), ['4 passed', '0 b Error: broken']);
    assert.deepEqual(await run(sources.slice(1), 'empty'), [
      '3 passed',
      '1 all the file has no tests, or its process left before they had ended',
    ]);
    assert.deepEqual(await run(sources.slice(1), 'excused', (file) => file.includes('excused-1')), [
      '3 passed',
    ]);
  });

  test('an interrupted run ends the file and says so', async () => {
    const file = join(dir, 'interrupted.test.mjs');
    writeFileSync(file, `${head} test('waits', () => new Promise(() => { setInterval(() => {}, 1000); }));`);
    const interrupt = new AbortController();
    const running = runFiles([file], {
      env: process.env,
      testTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
      signal: interrupt.signal,
      onFailure: () => {},
    });
    interrupt.abort();
    const { failures } = await running;
    assert.deepEqual(
      failures.map((failure) => failure.reason),
      ['the run was interrupted'],
    );
  });
});
