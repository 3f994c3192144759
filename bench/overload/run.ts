/**
 * `npm run bench:overload`: what the engine does when three times as many orders arrive as it can work through. Prints a
 * line for each figure and writes bench/results/overload-<time>.json. See bench/README.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { root, type MeasuredEngine } from '../engine-process.ts';
import { percentiles, worst } from './percentiles.ts';
import { ArrivalProcess, endProcesses, runLoad, WorkerProcess } from './processes.ts';
import { linesOf, type OverloadFigures, type Verified } from './report.ts';
import { makeTarget, runCleanly, type OverloadTarget } from './target.ts';
import { probeUntilRecovered, residentMb, Watch, type Probes } from './watch.ts';

const { values: options } = parseArgs({
  options: {
    embedded: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    'capacity-seconds': { type: 'string', default: '10' },
    /** Orders a second, to compare two runs at the same rate. Default: measured. */
    capacity: { type: 'string' },
    factor: { type: 'string', default: '3' },
    workers: { type: 'string', default: '64' },
    'max-tasks': { type: 'string', default: '5' },
    /** Of all arriving orders together. More than `max-in-flight`, or the engine has nothing to refuse. */
    connections: { type: 'string', default: '12000' },
    processes: { type: 'string', default: '2' },
    /** Of the engine. Default: its own. */
    'max-in-flight': { type: 'string' },
    'drain-seconds': { type: 'string', default: '300' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  process.stdout.write(`npm run bench:overload -- [options]

  --embedded            on the embedded database instead of PostgreSQL
  --seconds N           of overload (60)
  --capacity-seconds N  in which the capacity is measured first (10)
  --capacity N          orders a second, instead of measuring
  --factor N            of the capacity that is offered (3)
  --workers N           that go on meanwhile (64)
  --max-tasks N         of a fetch (5)
  --connections N       of all arriving orders together; more than max-in-flight, or nothing is refused (12000)
  --processes N         that send (2)
  --max-in-flight N     of the engine (its own)
  --drain-seconds N     until all accepted work must be done (300)
  --json FILE           instead of bench/results/
`);
  process.exit(0);
}
const seconds = Number(options.seconds);
const workers = Number(options.workers);
const maxTasks = Number(options['max-tasks']);

const ROUND_TRIP_BOUND_MS = 50;
const RECOVERY_PATIENCE_MS = 30_000;
/** Every connection is used for the first time within so long: the engine closes one that says nothing for 15 s. */
const FIRST_USE_SECONDS = 5;
const IDS_A_STATEMENT = 20_000;

let target: OverloadTarget | null = null;

async function main(): Promise<void> {
  target = await makeTarget(options.embedded);
  const limit = options['max-in-flight'];
  const engine = await target.start(limit === undefined ? {} : { SUTRA_INTAKE_MAX_IN_FLIGHT: limit });
  const figures = await measure(target, engine);
  const lines = linesOf(figures);
  process.stdout.write(`${lines.map(({ text }) => `${figures.target.padEnd(11)} ${text}`).join('\n')}\n`);
  if (lines.some(({ isReached }) => isReached === false)) process.exitCode = 1;
  const file =
    options.json ??
    join(root, 'bench/results', `overload-${new Date().toISOString().replaceAll(':', '-')}.json`);
  await mkdir(join(root, 'bench/results'), { recursive: true });
  const report = { cores: cpus().length, node: process.version, options, figures };
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`\nwritten to ${file}\n`);
}

async function measure(of: OverloadTarget, engine: MeasuredEngine): Promise<OverloadFigures> {
  const factor = Number(options.factor);
  const capacity = Number(options.capacity ?? (await measureCapacity(engine.url)));
  const working = new WorkerProcess({ url: engine.url, workers, maxTasks });
  const arrivals = await openArrivals(engine.url, capacity * factor);
  const pid = engine.process.pid ?? 0;
  const residentBeginMb = await residentMb(pid);
  const watch = new Watch(engine.url, pid);
  const before = working.counts.completed;
  for (const one of arrivals) one.go();
  await Promise.all(arrivals.map(({ ended }) => ended));
  const endedAt = performance.now();
  const completedMeanwhile = working.counts.completed - before;
  watch.stop();
  const probes = await probeUntilRecovered(engine.url, ROUND_TRIP_BOUND_MS, RECOVERY_PATIENCE_MS);
  const done = await Promise.all(arrivals.map((one) => one.done));
  const counts = sumOf(arrivals);
  const accepted = [...arrivals.flatMap(({ instanceIds }) => instanceIds), ...probes.instanceIds];
  const isDrained = await drained(working, accepted.length);
  const drainedMs = isDrained ? performance.now() - endedAt : null;
  const worked = await working.stop();
  const residentEndMb = await residentMb(pid);
  if (of.databaseUrl === null) await of.stop();
  return {
    ...{ target: of.name, seconds, factor, capacity, counts, completedMeanwhile, drainedMs },
    acceptedMs: worst(done.map(({ acceptedMs }) => acceptedMs)),
    refusedMs: worst(done.map(({ refusedMs }) => refusedMs)),
    lagMs: worst(done.map(({ lagMs }) => lagMs)),
    failures: done.flatMap(({ failures }) => failures),
    workers: working.counts,
    backlog: counts.accepted - completedMeanwhile,
    completionMs: worked.completionMs,
    fetchMs: worked.fetchMs,
    workerFailures: worked.failures,
    samples: watch.samples,
    ...{ residentBeginMb, residentEndMb },
    probes: withoutIds(probes),
    verified: await verify(of, accepted),
  };
}

async function measureCapacity(url: string): Promise<number> {
  const result = (await runLoad(url, 'throughput', {
    ...{ workers, maxTasks, senders: 64, maxOpen: 400 },
    seconds: Number(options['capacity-seconds']),
    warmUpSeconds: 2,
  })) as { readonly perSecond: number };
  process.stdout.write(`capacity ${result.perSecond.toFixed(0)} orders/s\n`);
  return result.perSecond;
}

async function openArrivals(url: string, rate: number): Promise<ArrivalProcess[]> {
  const count = Number(options.processes);
  const arrivals = Array.from(
    { length: count },
    (_, index) =>
      new ArrivalProcess({
        ...{ url, seconds, rate: rate / count, prefix: String(index) },
        connections: Math.ceil(Math.min(Number(options.connections), rate * FIRST_USE_SECONDS) / count),
      }),
  );
  await Promise.all(arrivals.map(({ ready }) => ready));
  return arrivals;
}

/** Until every accepted order's task is completed. False: not in time. */
async function drained(working: WorkerProcess, acceptedCount: number): Promise<boolean> {
  const until = performance.now() + Number(options['drain-seconds']) * 1000;
  while (working.counts.completed < acceptedCount) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return true;
}

/** Asks the database, not the engine: what was promised with a 202 is what must be in it. */
async function verify(of: OverloadTarget, acceptedIds: readonly string[]): Promise<Verified> {
  const ids = [...new Set(acceptedIds)];
  let endedCount = 0;
  const seconds: number[] = [];
  for (let from = 0; from < ids.length; from += IDS_A_STATEMENT) {
    const rows = await of.query<{ seconds: string }>(
      `SELECT extract(epoch FROM ended_at - created_at)::float8 AS seconds
         FROM instance WHERE id = ANY($1::uuid[]) AND ended_at IS NOT NULL`,
      [ids.slice(from, from + IDS_A_STATEMENT)],
    );
    endedCount += rows.length;
    for (const row of rows) seconds.push(Number(row.seconds));
  }
  const [open] = await of.query<{ count: string }>(
    'SELECT count(*)::text AS count FROM instance WHERE ended_at IS NULL',
    [],
  );
  const { p50, p99, max } = percentiles(seconds);
  return {
    acceptedCount: ids.length,
    endedCount,
    openCount: Number(open?.count),
    lifeSeconds: [p50, p99, max],
  };
}

function sumOf(arrivals: readonly ArrivalProcess[]): OverloadFigures['counts'] {
  const sum = (name: keyof OverloadFigures['counts']): number =>
    arrivals.reduce((total, { counts }) => total + counts[name], 0);
  return {
    offered: sum('offered'),
    notSent: sum('notSent'),
    accepted: sum('accepted'),
    refused: sum('refused'),
    failed: sum('failed'),
  };
}

function withoutIds({ refusedCount, worstMs, recoveredMs }: Probes): OverloadFigures['probes'] {
  return { refusedCount, worstMs, recoveredMs };
}

await runCleanly(main, async () => {
  endProcesses();
  await target?.remove();
});
