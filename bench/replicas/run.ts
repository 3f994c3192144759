/**
 * `npm run bench:replicas`: two replicas on one PostgreSQL beside one, in turn. Throughput, whose workers get how much,
 * whether anybody stumbles over a lock, and pick-up across replicas. See bench/README.md.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root, runCommand, withClient } from '../engine-process.ts';
import { withCleanup, type Cleanup } from '../support/cleanup.ts';
import { startLoggedEngine, type LoggedEngine } from '../support/counted-engine.ts';
import { runLoad, type Turn } from './load.ts';
import { measurePickUps } from './pick-up.ts';
import { median, quantile, Report, requireServer, spreadOf, wholeNumber } from '../support/report.ts';
import { warmUp } from '../waiting/orders.ts';

const usage = `npm run bench:replicas -- [options]

  --rounds N         of one replica and of two, in turn (3)
  --seconds N        of each (8)
  --warm-up N        seconds before each (3)
  --workers N        dealt over the replicas (64)
  --senders N        dealt over the replicas (32)
  --max-open N       orders sent and not yet completed (400)
  --pick-ups N       of each kind (300)
  --measure a,b      of throughput, pickUp (both)
  --slow-commit      makes the database what holds the load up: each flush of its log takes --commit-delay more
  --commit-delay N   microseconds (2000)

SUTRA_TEST_DATABASE_URL names the PostgreSQL server.
`;

/** A worker takes so many tasks at once at the most, as in the other benches of many workers. */
const MAX_TASKS = 5;
const WARM_UP_ORDERS = 1_000;

const measurements = ['throughput', 'pickUp'] as const;

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '8' },
      'warm-up': { type: 'string', default: '3' },
      workers: { type: 'string', default: '64' },
      senders: { type: 'string', default: '32' },
      'max-open': { type: 'string', default: '400' },
      'pick-ups': { type: 'string', default: '300' },
      measure: { type: 'string', default: measurements.join(',') },
      'slow-commit': { type: 'boolean', default: false },
      'commit-delay': { type: 'string', default: '2000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const unknown = values.measure.split(',').find((name) => !measurements.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--measure ${unknown} is none of ${measurements.join(', ')}`);
  return {
    rounds: wholeNumber('rounds', values.rounds),
    seconds: wholeNumber('seconds', values.seconds),
    warmUpSeconds: wholeNumber('warm-up', values['warm-up'], 0),
    workers: wholeNumber('workers', values.workers, 2),
    senders: wholeNumber('senders', values.senders, 2),
    maxOpen: wholeNumber('max-open', values['max-open']),
    pickUps: wholeNumber('pick-ups', values['pick-ups']),
    measure: values.measure.split(','),
    commitDelayUs: values['slow-commit'] ? wholeNumber('commit-delay', values['commit-delay']) : null,
  };
}

type Options = NonNullable<ReturnType<typeof readOptions>>;

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.stdout.write(usage);
    return;
  }
  const server = requireServer();
  const report = new Report('replicas', options);
  await withCleanup((cleanup) => measure(server, options, report, cleanup));
  await report.write();
}

async function measure(server: string, options: Options, report: Report, cleanup: Cleanup): Promise<void> {
  const databaseUrl = await cleanup.database(server);
  if (options.commitDelayUs !== null) await slowCommits(databaseUrl, options.commitDelayUs, report);
  const env = { SUTRA_DATASOURCE_URL: databaseUrl, SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT1S' };
  const engines = [await startLoggedEngine(env, cleanup), await startLoggedEngine(env, cleanup)];
  const [one, other] = engines as [LoggedEngine, LoggedEngine];
  await runCommand('deploy', join(root, 'bench/package'), '--url', one.url);
  await sleep(2_000);
  for (const engine of engines) await warmUp(engine, WARM_UP_ORDERS);
  if (options.measure.includes('pickUp')) await pickUps(one, other, options, report);
  if (options.measure.includes('throughput')) {
    await throughput(engines, databaseUrl, options, report, cleanup);
  }
  await showTrouble(engines, report);
  for (const engine of engines) await engine.stop();
}

/** Settings of sessions that begin later: to be made before the engines come. */
async function slowCommits(databaseUrl: string, delayUs: number, report: Report): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await withClient(databaseUrl, async (client) => {
    await client.query(`ALTER DATABASE ${name} SET commit_delay = ${delayUs}`);
    await client.query(`ALTER DATABASE ${name} SET commit_siblings = 0`);
  });
  report.say(
    `slow commits: commit_delay = ${delayUs} us, commit_siblings = 0: whoever flushes the log sleeps so long before, ` +
      `so every commit takes at least ${(delayUs / 1_000).toFixed(1)} ms, and those that come meanwhile share the flush`,
  );
}

async function pickUps(
  one: LoggedEngine,
  other: LoggedEngine,
  options: Options,
  report: Report,
): Promise<void> {
  const measured = await measurePickUps(one.url, [one.url, other.url], options.pickUps);
  // The targets are those of a database whose commits take their usual time.
  const judged = options.commitDelayUs === null;
  const rows = [
    { where: 'the same replica', p50: 2.5, p99: 8 },
    { where: 'the other replica', p50: 10, p99: null },
  ];
  for (const [index, { where, p50, p99 }] of rows.entries()) {
    const { afterCommitMs = [], afterRequestMs = [] } = measured[index] ?? {};
    const note = `from the request ${median(afterRequestMs).toFixed(2)}`;
    report.figure(`pick-up, ordered at ${where}: from the commit's answer, p50`, median(afterCommitMs), {
      unit: 'ms',
      note,
      raw: afterCommitMs,
      ...(judged ? { target: { atMost: p50 } } : {}),
    });
    report.figure(
      `pick-up, ordered at ${where}: from the commit's answer, p99`,
      quantile(afterCommitMs, 0.99),
      {
        unit: 'ms',
        note: `from the request ${quantile(afterRequestMs, 0.99).toFixed(2)}; ${spreadOf(afterCommitMs)}`,
        ...(judged && p99 !== null ? { target: { atMost: p99 } } : {}),
      },
    );
  }
}

/** Both replicas run all the time; in the turns of one the other has nothing to do. */
async function throughput(
  engines: readonly LoggedEngine[],
  databaseUrl: string,
  options: Options,
  report: Report,
  cleanup: Cleanup,
): Promise<void> {
  const load = { ...options, maxTasks: MAX_TASKS };
  const urls = engines.map(({ url }) => url);
  const [alone, both]: [Turn[], Turn[]] = [[], []];
  for (let round = 1; round <= options.rounds; round += 1) {
    alone.push(await runLoad(urls.slice(0, 1), databaseUrl, load, cleanup));
    both.push(await runLoad(urls, databaseUrl, load, cleanup));
  }
  const rate = (turns: readonly Turn[]): number[] => turns.map(({ perSecond }) => perSecond);
  for (const [what, turns] of [
    ['one replica', alone],
    ['two replicas', both],
  ] as const) {
    report.figure(`${what}: orders a second`, median(rate(turns)), {
      digits: 0,
      note: `${spreadOf(rate(turns), 0)}; ${median(turns.map((turn) => turn.commitsPerOrder)).toFixed(3)} commits/order`,
      raw: turns,
    });
  }
  const ratios = both.map((turn, round) => turn.perSecond / (alone[round]?.perSecond ?? Number.NaN));
  report.figure('two replicas beside one: ratio of the medians', median(rate(both)) / median(rate(alone)), {
    target: { atLeast: 1 },
    note: `${spreadOf(ratios)} in single rounds; the target is meant for a database that holds the load up`,
  });
  showShares(both, report);
  showLocks([...alone, ...both], report);
}

function showShares(turns: readonly Turn[], report: Report): void {
  const shares = turns.map(({ ordersByReplica: [first = 0, second = 0] }) => first / second);
  const note = turns.map(({ ordersByReplica }) => ordersByReplica.join(':')).join(', ');
  report.figure('share of the first replica beside the second: least', Math.min(...shares), {
    target: { atLeast: 0.8 },
    note,
  });
  report.figure('share of the first replica beside the second: most', Math.max(...shares), {
    target: { atMost: 1.25 },
  });
}

function showLocks(turns: readonly Turn[], report: Report): void {
  const sum = (read: (turn: Turn) => number): number => turns.reduce((total, turn) => total + read(turn), 0);
  const none = { target: { atMost: 0 } } as const;
  report.figure(
    'deadlocks that PostgreSQL counted',
    sum(({ deadlocks }) => deadlocks),
    none,
  );
  report.figure(
    'orders refused',
    sum(({ refused }) => refused),
    none,
  );
  report.figure(
    'transactions rolled back',
    sum(({ rollbacks }) => rollbacks),
  );
  report.figure(
    'samples in which a backend waited for a lock',
    (100 * sum((turn) => turn.lockWaitShare)) / turns.length,
    {
      unit: '%',
      note: 'every 200 ms',
    },
  );
}

/** What the replicas logged, and what they answered, since they started. */
async function showTrouble(engines: readonly LoggedEngine[], report: Report): Promise<void> {
  const trouble = engines.flatMap(({ lockTrouble }) => lockTrouble);
  const complaints = engines.flatMap((engine) => engine.complaints);
  const none = { target: { atMost: 0 } } as const;
  report.figure('errors of locks, deadlocks and lost races in the logs', trouble.length, {
    ...none,
    raw: trouble.slice(0, 20),
  });
  report.figure('warnings and errors of any kind in the logs', complaints.length, {
    raw: complaints.slice(0, 20),
  });
  let refused = 0;
  for (const engine of engines) {
    for (const [sample, count] of await engine.metrics()) {
      const status = /^sutra_http_requests_total\{.*status="(\d+)"/.exec(sample)?.[1];
      if (status !== undefined && Number(status) >= 400) refused += count;
    }
  }
  report.figure('calls of any kind answered with 400 or more', refused, none);
}

await main();
