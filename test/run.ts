/**
 * The test command: `npm test -- [part of a path...] [--require postgresql,corpus,programs] [--concurrency 2]
 * [--timeout PT10M] [--compiled]`. Its last line is `N passed, N failed`, and it fails when anything failed, was left
 * out or did not run at all.
 *
 * With SUTRA_TEST_DATABASE_URL the tests of the database run on that server too, not only embedded.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { parseDuration } from '../config/iso8601.ts';
import { runCompiled } from './support/compiled-copy.ts';
import { EVIDENCE_VARIABLE, evidenceParts } from './support/evidence.ts';
import type { EvidencePart } from './support/evidence.ts';
import { moduleOf } from './support/program.ts';
import { runFiles } from './support/run-files.ts';
import type { FilesResult } from './support/run-files.ts';

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
/** The option that compiles everything first: slower for a few files, much faster for all. */
const COMPILED = '--compiled';
const SLOWEST_SHOWN = 10;
/**
 * Files that share a process. To load the sources and open an embedded database takes three seconds of the processor;
 * more files would only leave the other processes waiting at the end.
 */
const GROUP_SIZE = 16;
/** Of folders whose tests start programs: these run beside each other. */
const SMALL_GROUP_SIZE = 4;
/** Parts of paths, those that take longest first. */
const ALONE: readonly string[] = [
  'test/fault/kill',
  'test/fuzz/',
  'test/store/embedded-database',
  'test/e2e/cli',
  'test/e2e/work-command',
  'test/e2e/example-workers',
  'test/fault/',
  'test/core/properties',
  'test/core/sound-graphs',
  'test/support/',
];
/** Folders whose files mostly wait, or take long, so that they do not begin last. */
const EARLY: readonly string[] = ['test/e2e/', 'test/store/', 'test/deployments/', 'test/intake/'];

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

/**
 * Files of one folder under `test/` share a process, many at a time; those that take long, or that start many processes,
 * have one of their own, and begin first.
 */
function groupsOf(files: readonly string[]): (readonly string[])[] {
  const alone = new Set(ALONE.flatMap((part) => files.filter((file) => file.includes(part))));
  const groups: string[][] = [...alone].map((file) => [file]);
  const early = new Set(EARLY.flatMap((part) => files.filter((file) => file.includes(part))));
  let last: string[] = [];
  for (const file of new Set([...early, ...files])) {
    if (alone.has(file)) continue;
    const isSameFolder = last[0] !== undefined && folderOf(last[0]) === folderOf(file);
    const groupSize = file.startsWith('test/e2e/') ? SMALL_GROUP_SIZE : GROUP_SIZE;
    if (isSameFolder && last.length < groupSize) {
      last.push(file);
    } else {
      last = [file];
      groups.push(last);
    }
  }
  return groups;
}

/** `test/store` */
function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

async function runAll(
  files: readonly string[],
  options: Arguments,
  evidenceFile: string,
): Promise<FilesResult[]> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interrupt.abort());
  }
  const env = { ...process.env, [EVIDENCE_VARIABLE]: evidenceFile };
  const results: FilesResult[] = [];
  const waiting = groupsOf(files);
  const groupCount = waiting.length;
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const result = await runFiles(group, {
        env,
        testTimeoutMs: options.testTimeoutMs,
        idleTimeoutMs: IDLE_TIMEOUT_MS,
        signal: interrupt.signal,
        mayBeEmpty: isWithoutServer,
        onFailure: ({ file, test, reason }) => console.log(`\nFAILED ${file}: ${test}\n${indent(reason)}\n`),
      });
      results.push(result);
      printResult(result, `${results.length}/${groupCount}`);
      if (interrupt.signal.aborted) {
        waiting.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return results;
}

/** A file of which nothing can run here, because it is about PostgreSQL alone and there is no server. */
function isWithoutServer(file: string): boolean {
  const server = process.env['SUTRA_TEST_DATABASE_URL'];
  if (server !== undefined && server !== '') return false;
  const source = moduleOf(pathToFileURL(join(ROOT_DIR, file)));
  return readFileSync(source, 'utf8').includes('postgresqlOnly(');
}

function printResult(result: FilesResult, progress: string): void {
  const { passedCount, failures, durationMs, output } = result;
  const took = seconds(durationMs);
  const named = nameOf(result);
  if (failures.length === 0) {
    console.log(`ok      [${progress}] ${named}: ${passedCount} passed, ${took}`);
    return;
  }
  console.log(`FAILED  [${progress}] ${named}: ${passedCount} passed, ${failures.length} failed, ${took}`);
  if (output.trim() !== '') {
    console.log(`  it printed:\n${indent(output.trimEnd())}`);
  }
}

function nameOf({ files }: FilesResult): string {
  const [first = '', ...more] = files;
  return more.length === 0
    ? first
    : `${first} and ${more.map((file) => basename(file, '.test.ts')).join(', ')}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

function printSummary(
  results: readonly FilesResult[],
  ran: readonly string[],
  failures: readonly string[],
): void {
  console.log('\nslowest, and the time of the processor that the process itself had:');
  const slowest = [...results]
    .sort((one, other) => other.durationMs - one.durationMs)
    .slice(0, SLOWEST_SHOWN);
  for (const result of slowest) {
    console.log(`  ${seconds(result.durationMs).padStart(9)} (${seconds(result.cpuMs)})  ${nameOf(result)}`);
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
  const args = process.argv.slice(2);
  if (args.includes(COMPILED)) {
    process.exitCode = await runCompiled(args.filter((arg) => arg !== COMPILED));
    return;
  }
  const options = readArguments();
  const files = findFiles(options.patterns);
  const dir = mkdtempSync(join(tmpdir(), 'sutra-test-'));
  const evidenceFile = join(dir, 'evidence');
  try {
    const results = await runAll(files, options, evidenceFile);
    const written = readFileSync(evidenceFile, { encoding: 'utf8', flag: 'a+' }).split('\n');
    const ran = evidenceParts.filter((part) => written.includes(part));
    const ranCount = results.flatMap((result) => result.files).length;
    const failures = [
      ...results.flatMap(({ failures: those }) => those.map(({ file, test }) => `${file}: ${test}`)),
      ...options.required
        .filter((part) => !ran.includes(part))
        .map((part) => `the part ${part} was required and did not run`),
      ...(files.length === 0 ? ['no test file matches'] : []),
      ...(ranCount < files.length ? [`${files.length - ranCount} files did not run`] : []),
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
