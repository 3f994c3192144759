/** Commands as real processes: how they end, and that nothing of them is left. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Report } from '../../cli/work/report.ts';
import { runCommand, type RunEnd, type RunOptions } from '../../cli/work/run-command.ts';

interface Ran extends Omit<RunEnd, 'output'> {
  readonly output: string;
  readonly reports: readonly Report[];
  readonly errorLines: readonly string[];
}

async function run(command: string, more: Partial<RunOptions> = {}): Promise<Ran> {
  const reports: Report[] = [];
  const errorLines: string[] = [];
  const end = await runCommand({
    command,
    environment: { PATH: process.env['PATH'] ?? '' },
    input: Buffer.from('{"amount":120}'),
    timeoutMs: null,
    killGraceMs: 200,
    maxOutputBytes: 100_000,
    signal: new AbortController().signal,
    onReport: (report) => reports.push(report),
    onErrorLine: (line) => errorLines.push(line),
    ...more,
  });
  return { ...end, output: Buffer.from(end.output).toString(), reports, errorLines };
}

/** Whether the process still does anything: one that was ended may wait to be collected. */
function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    // Where there is no /proc, the system collects what has ended.
    return (
      !existsSync('/proc/self/stat') ||
      !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${String(id)}/stat`, 'utf8'))
    );
  } catch {
    return false;
  }
}

async function assertGone(id: number): Promise<void> {
  assert.ok(Number.isInteger(id) && id > 1, 'the command said which process');
  for (const until = performance.now() + 5_000; isRunning(id);) {
    assert.ok(performance.now() < until, `process ${String(id)} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const endings: readonly (readonly [command: string, code: number | null, signal: string | null])[] = [
  ['exit 0', 0, null],
  ['exit 75', 75, null],
  ['exit 255', 255, null],
  ['no-such-command-anywhere', 127, null],
  ['kill -9 $$', null, 'SIGKILL'],
  ['kill -TERM $$', null, 'SIGTERM'],
  ['true', 0, null],
];

const saying: readonly (readonly [what: string, command: string, expected: Partial<Ran>])[] = [
  ['reads its input', 'cat', { output: '{"amount":120}' }],
  ['reads its input by a path', 'cat /dev/stdin', { output: '{"amount":120}' }],
  ['need not read its input', 'echo done', { output: 'done\n' }],
  ['writes errors by a path', 'echo oops > /dev/stderr', { errorText: 'oops\n', errorLines: ['oops'] }],
  [
    'may lack the end of the last line',
    'printf "a\\nb" >&2',
    { errorText: 'a\nb\n', errorLines: ['a', 'b'] },
  ],
  [
    'reports on descriptor 3',
    `echo '{"progress": 1}' >&3; echo >&3; printf '{"retryAfter": "PT1S"}' >&3`,
    {
      reports: [
        { kind: 'progress', value: 1 },
        { kind: 'retryAfter', ms: 1000 },
      ],
      reportFault: null,
    },
  ],
  [
    'is told of the first line that is no report',
    `echo '{"progress": 1}' >&3; echo 'half done' >&3; echo '{}' >&3`,
    {
      reportFault:
        'line 2 of descriptor 3 is no report: it is no JSON: a value was expected and something else was found (line 1, column 1)',
    },
  ],
];

const stopped: readonly (readonly [
  what: string,
  command: string,
  options: Partial<RunOptions>,
  expected: Partial<Ran>,
])[] = [
  ['runs out of its time', 'sleep 60', { timeoutMs: 100 }, { stopReason: 'timeout', exitSignal: 'SIGTERM' }],
  [
    'ignores SIGTERM',
    'trap "" TERM; echo $$ >&2; while :; do sleep 0.05; done',
    { timeoutMs: 300 },
    { stopReason: 'timeout', exitSignal: 'SIGKILL' },
  ],
  [
    'tidies up on SIGTERM',
    'trap "echo bye; exit 3" TERM; while :; do sleep 0.05; done',
    { timeoutMs: 300, killGraceMs: 20_000 },
    { stopReason: 'timeout', exitCode: 3, output: 'bye\n' },
  ],
  ['floods standard output', 'yes', {}, { stopReason: 'output', exitSignal: 'SIGTERM', output: '' }],
  ['writes one byte too many and ends', 'head -c 100001 /dev/zero', {}, { stopReason: 'output', output: '' }],
  [
    'is not wanted from the beginning',
    'sleep 60',
    { signal: AbortSignal.abort() },
    { stopReason: 'aborted' },
  ],
  ['is not wanted any more', 'sleep 60', { signal: AbortSignal.timeout(100) }, { stopReason: 'aborted' }],
];

describe('a command', () => {
  for (const [command, exitCode, exitSignal] of endings) {
    it(`ends as it ends: ${command}`, async () => {
      const end = await run(command);
      assert.deepEqual([end.exitCode, end.exitSignal, end.stopReason], [exitCode, exitSignal, null]);
    });
  }

  for (const [what, command, expected] of saying) {
    it(what, async () => {
      const end = await run(command);
      assert.equal(end.exitCode, 0, end.errorText);
      assert.deepEqual({ ...end, ...expected }, end);
    });
  }

  for (const [what, command, options, expected] of stopped) {
    it(`that ${what} is stopped`, async () => {
      const end = await run(command, options);
      assert.deepEqual({ ...end, ...expected }, end);
    });
  }

  it('gets a long input whole, and may leave it', async () => {
    const input = Buffer.alloc(3_000_000, 'x');
    assert.equal((await run('wc -c', { input })).output.trim(), '3000000');
    assert.equal((await run('head -c 5', { input })).output, 'xxxxx');
    assert.equal((await run('exec 0<&-; echo closed', { input })).output, 'closed\n');
  });

  it('gives bytes as they are', async () => {
    const input = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    const bytes: Buffer[] = [];
    const options = {
      input,
      environment: { PATH: process.env['PATH'] ?? '' },
      timeoutMs: null,
      killGraceMs: 200,
    };
    const end = await runCommand({
      ...{ ...options, command: 'cat', maxOutputBytes: 256, signal: new AbortController().signal },
      ...{ onReport: () => undefined, onErrorLine: () => undefined },
    });
    bytes.push(Buffer.from(end.output));
    assert.deepEqual(Buffer.concat(bytes), input);
  });

  it('may flood standard error: the end of it is kept', async () => {
    const { errorText, exitCode } = await run('yes flood | head -n 200000 >&2; echo last >&2');
    assert.equal(exitCode, 0);
    assert.equal(errorText.length, 65_536);
    assert.ok(errorText.endsWith('flood\nlast\n'));
  });

  it('finds in its environment what it is given, and nothing else', async () => {
    const environment = { PATH: process.env['PATH'] ?? '', SUTRA_TASK_ID: 'it\'s "$HOME" é\n2' };
    const { output } = await run('env -0', { environment });
    const names = output.split('\0').map((line) => line.split('=')[0] ?? '');
    assert.deepEqual(
      names.filter((name) => !['', 'PATH', 'PWD', 'OLDPWD', '_', 'SHLVL'].includes(name)),
      ['SUTRA_TASK_ID'],
    );
    assert.ok(output.split('\0').includes(`SUTRA_TASK_ID=${environment.SUTRA_TASK_ID}`));
  });

  it('takes with it what it leaves behind, whether that holds the output open or not', async () => {
    for (const redirected of ['', '>/dev/null 2>&1 3>&-']) {
      const { output, exitCode } = await run(`sleep 60 ${redirected} & echo $!`);
      assert.equal(exitCode, 0);
      await assertGone(Number(output));
    }
  });

  it('is stopped with all that it has started', async () => {
    const { output, stopReason } = await run('(trap "" TERM; sleep 60) & echo $!; wait', { timeoutMs: 300 });
    assert.equal(stopReason, 'timeout');
    await assertGone(Number(output));
  });

  it('does not keep the run waiting for what has left its group', async () => {
    const { output, exitCode } = await run('setsid sh -c "sleep 3; echo late" & echo now');
    assert.equal(exitCode, 0);
    assert.equal(output, 'now\n');
  });

  it('runs beside others without mixing them up', async () => {
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        run(`cat; echo '{"progress":${String(n)}}' >&3`, { input: Buffer.from(String(n)) }),
      ),
    );
    runs.forEach(({ output, reports }, n) => {
      assert.equal(output, String(n));
      assert.deepEqual(reports, [{ kind: 'progress', value: n }]);
    });
  });
});
