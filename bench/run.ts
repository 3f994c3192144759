/**
 * `npm run bench`: our own figures, on the embedded database and, when SUTRA_TEST_DATABASE_URL names a
 * server, on PostgreSQL. Prints a table and writes bench/results/<time>.json. See bench/README.md.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, root, runCommand, startEngine, stopEngine, withClient } from './engine-process.ts';

const rounds = Number(process.env['SUTRA_TEST_BENCH_ROUNDS'] ?? 3);
const seconds = Number(process.env['SUTRA_TEST_BENCH_SECONDS'] ?? 8);
/** Which measurements are made. Default: all. */
const parts = (process.env['SUTRA_TEST_BENCH_PARTS'] ?? 'throughput,pickUp,idle,wide').split(',');
/** Workers complete what one fetch brought in one call. */
const completesMany = process.env['SUTRA_TEST_BENCH_COMPLETES'] === 'many';

interface Target {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly url: string | null;
  drop(): Promise<void>;
}

interface Throughput {
  readonly orders: number;
  readonly perSecond: number;
  readonly statementsPerOrder: number;
  readonly batchesPerOrder: number;
  readonly engineCpuMsPerOrder: number;
}

async function main(): Promise<void> {
  const report: Record<string, unknown> = {
    cores: cpus().length,
    node: process.version,
    rounds,
    seconds,
    completesMany,
  };
  for (const make of targets()) {
    const target = await make();
    try {
      report[target.name] = await measure(target);
    } finally {
      await target.drop();
    }
  }
  await mkdir(join(root, 'bench/results'), { recursive: true });
  const file = join(root, 'bench/results', `${new Date().toISOString().replaceAll(':', '-')}.json`);
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`\nwritten to ${file}\n`);
}

async function measure(target: Target): Promise<unknown> {
  const engine = await startEngine(target.env);
  try {
    await runCommand('deploy', join(root, 'bench/package'), '--url', engine.url);
    const results: Record<string, unknown> = {};
    if (parts.includes('throughput')) await measureThroughput(target, engine.url, results);
    if (parts.includes('pickUp')) {
      results['pickUp'] = await load(engine.url, 'pickUp', { rounds: 300 });
      process.stdout.write(`${target.name.padEnd(11)} pick-up ${JSON.stringify(results['pickUp'])}\n`);
    }
    if (parts.includes('idle')) {
      results['idle'] = await load(engine.url, 'idle', { waiting: 1000, seconds: 10 });
      process.stdout.write(`${target.name.padEnd(11)} idle ${JSON.stringify(results['idle'])}\n`);
    }
    if (parts.includes('wide')) results['wide'] = await measureWide(target, engine.url);
    return results;
  } finally {
    await stopEngine(engine);
  }
}

async function measureThroughput(
  target: Target,
  url: string,
  results: Record<string, unknown>,
): Promise<void> {
  for (const workers of [1, 16]) {
    const runs: (Throughput & { commitsPerOrder: number | null })[] = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await throughput(target, url, workers));
    results[`workers-${String(workers)}`] = runs;
    const perSecond = spread(
      runs.map((run) => run.perSecond),
      0,
    );
    const line = [
      `${target.name.padEnd(11)} ${String(workers).padStart(2)} workers`,
      `${perSecond} orders/s`,
      `${median(runs.map((run) => run.statementsPerOrder)).toFixed(2)} statements/order`,
      `${runs[0]?.commitsPerOrder === null ? '-' : median(runs.map((run) => run.commitsPerOrder ?? 0)).toFixed(3)} commits/order`,
      `${median(runs.map((run) => run.engineCpuMsPerOrder)).toFixed(2)} ms engine CPU/order`,
    ];
    process.stdout.write(`${line.join('   ')}\n`);
  }
}

interface Wide {
  readonly msPerCompletion: number;
  readonly engineCpuMsPerCompletion: number;
}

/** The same number of completions, of 1,000 narrow instances and of one wide one, in turn. */
async function measureWide(target: Target, url: string): Promise<unknown> {
  const narrow: Wide[] = [];
  const wide: Wide[] = [];
  await load(url, 'wide', { width: 10, instances: 300, workers: 16 });
  for (let round = 0; round < rounds; round += 1) {
    narrow.push((await load(url, 'wide', { width: 10, instances: 1000, workers: 16 })) as Wide);
    wide.push((await load(url, 'wide', { width: 10_000, instances: 1, workers: 16 })) as Wide);
  }
  const ratioOf = (read: (run: Wide) => number): string =>
    (median(wide.map(read)) / median(narrow.map(read))).toFixed(2);
  const timeOf = (runs: readonly Wide[]): string =>
    spread(
      runs.map((run) => run.msPerCompletion),
      2,
    );
  const line = [
    `${target.name.padEnd(11)} wide`,
    `${timeOf(narrow)} ms a completion 10 wide`,
    `${timeOf(wide)} ms 10,000 wide`,
    `ratio ${ratioOf((run) => run.msPerCompletion)}`,
    `of engine CPU ${ratioOf((run) => run.engineCpuMsPerCompletion)}`,
  ];
  process.stdout.write(`${line.join('   ')}\n`);
  return { narrow, wide };
}

async function throughput(
  target: Target,
  url: string,
  workers: number,
): Promise<Throughput & { commitsPerOrder: number | null }> {
  const before = await commits(target);
  const options = {
    workers,
    maxTasks: workers === 1 ? 20 : 5,
    senders: 32,
    seconds,
    warmUpSeconds: 2,
    maxOpen: 400,
    completesMany,
  };
  const result = (await load(url, 'throughput', options)) as Throughput;
  const after = await commits(target);
  if (before === null || after === null) return { ...result, commitsPerOrder: null };
  const open = await openInstances(target);
  if (open !== 0) throw new Error(`${String(open)} instances are left running after the load`);
  // The commits of warm-up and drain are counted as well, so relate them to all orders of the run.
  return {
    ...result,
    commitsPerOrder: (after.commits - before.commits) / (after.instances - before.instances),
  };
}

function targets(): (() => Promise<Target>)[] {
  const url = process.env['SUTRA_TEST_DATABASE_URL'];
  const embedded = async (): Promise<Target> => {
    const dir = await mkdtemp(join(tmpdir(), 'sutra-bench-'));
    return {
      name: 'embedded',
      env: { SUTRA_DATA_DIR: join(dir, 'data') },
      url: null,
      drop: () => rm(dir, { recursive: true, force: true }),
    };
  };
  if (url === undefined) return [embedded];
  const postgresql = async (): Promise<Target> => {
    const database = await createDatabase(url);
    const env = { SUTRA_DATASOURCE_URL: database.url };
    return { name: 'postgresql', env, url: database.url, drop: () => database.drop() };
  };
  return [postgresql, embedded];
}

async function commits(target: Target): Promise<{ commits: number; instances: number } | null> {
  if (target.url === null) return null;
  // The statistics of other backends arrive at the end of their idle second.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return withClient(target.url, async (client) => {
    const stats = await client.query<{ commits: string }>(
      'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()',
    );
    const instances = await client.query<{ count: string }>('SELECT count(*) FROM instance');
    return { commits: Number(stats.rows[0]?.commits), instances: Number(instances.rows[0]?.count) };
  });
}

async function openInstances(target: Target): Promise<number> {
  if (target.url === null) return 0;
  return withClient(target.url, async (client) => {
    const open = await client.query<{ count: string }>(
      'SELECT count(*) FROM instance WHERE ended_at IS NULL',
    );
    return Number(open.rows[0]?.count);
  });
}

async function load(url: string, mode: string, options: unknown): Promise<unknown> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(root, 'bench/load.ts'), url, mode, JSON.stringify(options)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the load ended with ${String(code)}`);
  return JSON.parse(text) as unknown;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function spread(values: readonly number[], digits: number): string {
  return `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}..${Math.max(...values).toFixed(digits)})`;
}

await main();
