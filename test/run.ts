/**
 * The test command: `npm test -- [part of a path...] [--require postgresql,corpus] [--concurrency 2]
 * [--timeout PT10M]`. Its last line is `N passed, N failed`, and it fails when anything failed, was left
 * out or did not run at all.
 *
 * With SUTRA_TEST_DATABASE_URL the tests of the database run on that server too, not only embedded.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseDuration } from '../config/iso8601.ts';
import { EVIDENCE_VARIABLE, evidenceParts } from './support/evidence.ts';
import type { EvidencePart } from './support/evidence.ts';
import { runFile } from './support/run-file.ts';
import type { FileResult } from './support/run-file.ts';

interface Arguments {
  readonly patterns: readonly string[];
  readonly required: readonly EvidencePart[];
  readonly concurrency: number;
  readonly testTimeoutMs: number;
}

const TEST_DIR = fileURLToPath(new URL('.', import.meta.url));
const ROOT_DIR = resolve(TEST_DIR, '..');
/** Loading the sources and starting an embedded database take some seconds on a busy machine. */
const IDLE_TIMEOUT_MS = 90_000;
const SLOWEST_SHOWN = 10;

function readArguments(): Arguments {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      require: { type: 'string', default: '' },
      concurrency: { type: 'string', default: '2' },
      timeout: { type: 'string', default: 'PT10M' },
    },
  });
  const required = values.require.split(',').filter((part) => part !== '');
  const unknown = required.find((part) => !evidenceParts.some((known) => known === part));
  if (unknown !== undefined) {
    throw new RangeError(`--require takes ${evidenceParts.join(', ')}; not ${unknown}`);
  }
  const concurrency = Number(values.concurrency);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 64) {
    throw new RangeError(`--concurrency is a whole number from 1 to 64, not ${values.concurrency}`);
  }
  const timeout = parseDuration(values.timeout);
  if (!timeout.ok || timeout.ms < 1 || timeout.ms > 86_400_000) {
    throw new RangeError(`--timeout is a duration of at most P1D, not ${values.timeout}`);
  }
  return {
    patterns: positionals.map((pattern) => pattern.split(sep).join('/').replace(/^\.\//, '')),
    required: evidenceParts.filter((part) => required.includes(part)),
    concurrency,
    testTimeoutMs: timeout.ms,
  };
}

function findFiles(patterns: readonly string[]): string[] {
  return readdirSync(TEST_DIR, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => relative(ROOT_DIR, join(TEST_DIR, path)).split(sep).join('/'))
    .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))
    .sort();
}

async function runAll(
  files: readonly string[],
  options: Arguments,
  evidenceFile: string,
): Promise<FileResult[]> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupt.abort());
  }
  const env = { ...process.env, [EVIDENCE_VARIABLE]: evidenceFile };
  const results: FileResult[] = [];
  const waiting = [...files];
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const name = file;
      const result = await runFile(name, {
        env,
        testTimeoutMs: options.testTimeoutMs,
        idleTimeoutMs: IDLE_TIMEOUT_MS,
        signal: interrupt.signal,
        onFailure: ({ test, reason }) => console.log(`\nFAILED ${name}: ${test}\n${indent(reason)}\n`),
      });
      results.push(result);
      printFile(result, `${results.length}/${files.length}`);
      if (interrupt.signal.aborted) {
        waiting.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return results;
}

function printFile({ file, passedCount, failures, durationMs, output }: FileResult, progress: string): void {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  if (failures.length === 0) {
    console.log(`ok      [${progress}] ${file}: ${passedCount} passed, ${seconds}`);
    return;
  }
  console.log(`FAILED  [${progress}] ${file}: ${passedCount} passed, ${failures.length} failed, ${seconds}`);
  if (output.trim() !== '') {
    console.log(`  it printed:\n${indent(output.trimEnd())}`);
  }
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

function printSummary(
  results: readonly FileResult[],
  ran: readonly string[],
  failures: readonly string[],
): void {
  console.log('\nslowest files:');
  const slowest = [...results]
    .sort((one, other) => other.durationMs - one.durationMs)
    .slice(0, SLOWEST_SHOWN);
  for (const { file, durationMs } of slowest) {
    console.log(`  ${(durationMs / 1000).toFixed(1).padStart(7)} s  ${file}`);
  }
  console.log(`\nparts that ran: ${ran.length === 0 ? 'none' : ran.join(', ')}`);
  if (!ran.includes('postgresql')) {
    const isNamed = (process.env['SUTRA_TEST_DATABASE_URL'] ?? '') !== '';
    console.log(
      isNamed
        ? 'no test used the PostgreSQL of SUTRA_TEST_DATABASE_URL'
        : 'PostgreSQL was not tested; set SUTRA_TEST_DATABASE_URL to a server where databases may be created',
    );
  }
  if (failures.length > 0) {
    console.log(`\nfailed:\n${failures.map((failure) => `  ${failure}`).join('\n')}`);
  }
}

async function main(): Promise<void> {
  const options = readArguments();
  const files = findFiles(options.patterns);
  const dir = mkdtempSync(join(tmpdir(), 'sutra-test-'));
  const evidenceFile = join(dir, 'evidence');
  try {
    const results = await runAll(files, options, evidenceFile);
    const written = readFileSync(evidenceFile, { encoding: 'utf8', flag: 'a+' }).split('\n');
    const ran = evidenceParts.filter((part) => written.includes(part));
    const failures = [
      ...results.flatMap(({ file, failures: ofFile }) => ofFile.map(({ test }) => `${file}: ${test}`)),
      ...options.required
        .filter((part) => !ran.includes(part))
        .map((part) => `the part ${part} was required and did not run`),
      ...(files.length === 0 ? ['no test file matches'] : []),
      ...(results.length < files.length ? [`${files.length - results.length} files did not run`] : []),
    ];
    printSummary(results, ran, failures);
    const passedCount = results.reduce((sum, result) => sum + result.passedCount, 0);
    console.log(`\n${passedCount} passed, ${failures.length} failed`);
    process.exitCode = failures.length === 0 && passedCount > 0 ? 0 : 1;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

await main();
