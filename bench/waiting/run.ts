/**
 * `npm run bench:waiting`: thousands of fetches that wait on one replica. What they cost while nothing comes, who gets
 * what when something does, and what happens when they all end or hang up at once. See bench/README.md.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root, runCommand } from '../engine-process.ts';
import { withCleanup, type Cleanup } from '../support/cleanup.ts';
import { startLoggedEngine, type LoggedEngine } from '../support/counted-engine.ts';
import { Report, requireServer, wholeNumber } from '../support/report.ts';
import { nowMs } from './clock.ts';
import { Crowd } from './crowd.ts';
import { warmUp } from './orders.ts';
import {
  measureHangUp,
  measureIdle,
  measureLostOrders,
  measureParking,
  measureTimeouts,
  residentMb,
  type Scene,
} from './phases.ts';

const usage = `npm run bench:waiting -- [options]

  --waiting N        fetches that wait, each on a connection of its own (10000)
  --seconds N        of each measurement of what they cost (30)
  --settle N         seconds before each (5)
  --rounds N         of one task; a quarter as many of --burst tasks (20)
  --burst N          tasks parked at once (100)
  --clients N        processes of clients (4)
  --databases a,b    of postgresql, embedded (both)

SUTRA_TEST_DATABASE_URL names the PostgreSQL server.
`;

/** Of a long poll. */
const WAIT_MS = 60_000;
/** Of what is fetched: how long an order stays away that went to a client which had just hung up. */
const LOCK_MS = 10_000;
/** The clients begin a thousand connections a second each; this is for a slower engine. */
const OPENED_A_SECOND = 1_000;
const HANG_UP_ORDERS = 40;
const WARM_UP_ORDERS = 500;
/** Beside the sockets of the fetches. */
const SPARE_FILES = 500;

function readOptions() {
  const { values } = parseArgs({
    options: {
      waiting: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '30' },
      settle: { type: 'string', default: '5' },
      rounds: { type: 'string', default: '20' },
      burst: { type: 'string', default: '100' },
      clients: { type: 'string', default: '4' },
      databases: { type: 'string', default: 'postgresql,embedded' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    waiting: wholeNumber('waiting', values.waiting),
    seconds: wholeNumber('seconds', values.seconds),
    settle: wholeNumber('settle', values.settle, 0),
    rounds: wholeNumber('rounds', values.rounds),
    burst: wholeNumber('burst', values.burst),
    clients: wholeNumber('clients', values.clients),
    databases: values.databases.split(',').map((name) => {
      if (name !== 'postgresql' && name !== 'embedded') throw new Error(`--databases ${name} is none`);
      return name;
    }),
  };
}

type Options = NonNullable<ReturnType<typeof readOptions>>;

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.stdout.write(usage);
    return;
  }
  requireFiles(options.waiting + SPARE_FILES);
  const report = new Report('waiting', options);
  for (const name of options.databases) {
    await withCleanup((cleanup) => measure(name, options, report, cleanup));
  }
  await report.write();
}

/** Node raises the soft limit to the hard one by itself. @throws Error when that is too low */
function requireFiles(needed: number): void {
  const file = '/proc/self/limits';
  if (!existsSync(file)) return;
  const limit = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1];
  if (limit !== undefined && Number(limit) < needed)
    throw new Error(`${needed} open files are needed and ${limit} allowed: raise \`ulimit -Hn\``);
}

async function startEngines(name: string, cleanup: Cleanup): Promise<readonly LoggedEngine[]> {
  const env = {
    SUTRA_EXTERNAL_TASK_MAX_ASYNC_RESPONSE_TIMEOUT: 'PT1H',
    SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT1S',
  };
  if (name === 'embedded') {
    const directory = join(await cleanup.directory(), 'data');
    return [await startLoggedEngine({ ...env, SUTRA_DATA_DIR: directory }, cleanup)];
  }
  const url = await cleanup.database(requireServer());
  const own = { ...env, SUTRA_DATASOURCE_URL: url };
  return [await startLoggedEngine(own, cleanup), await startLoggedEngine(own, cleanup)];
}

async function measure(name: string, options: Options, report: Report, cleanup: Cleanup): Promise<void> {
  const { waiting, seconds, settle, rounds, burst, clients } = options;
  const engines = await startEngines(name, cleanup);
  const [engine] = engines as [LoggedEngine];
  await runCommand('deploy', join(root, 'bench/package'), '--url', engine.url);
  await sleep(2_000);
  for (const each of engines) await warmUp(each, WARM_UP_ORDERS);
  const crowd = new Crowd({ processes: clients, waiting, waitMs: WAIT_MS, lockMs: LOCK_MS }, cleanup);
  const scene: Scene = { name, engines, crowd, waiting, report };
  const emptyMb = await residentMb(engine);
  const endsAtMs = nowMs() + (waiting / OPENED_A_SECOND + settle + seconds + 5) * 1_000;
  await crowd.open(engine, endsAtMs);
  await sleep(settle * 1_000);
  await measureIdle(scene, 'no wait ends', seconds);
  showMemory(scene, 'fetches wait', emptyMb, await residentMb(engine));
  await measureTimeouts(scene, endsAtMs);
  await sleep(settle * 1_000);
  await measureIdle(
    scene,
    `waits of ${WAIT_MS / 1_000} s, ${(waiting / (WAIT_MS / 1_000)).toFixed(0)} end each second`,
    seconds,
  );
  for (const from of engines.keys()) {
    await measureParking(scene, from, { count: 1, rounds, maxClaims: 2 });
    await measureParking(scene, from, { count: burst, rounds: Math.ceil(rounds / 4), maxClaims: 10 });
  }
  await measureHangUp(scene);
  await crowd.open(engine, nowMs() + 600_000);
  await sleep(settle * 1_000);
  showMemory(scene, 'fetches wait for the second time', emptyMb, await residentMb(engine));
  await measureLostOrders(scene, HANG_UP_ORDERS);
  const complaints = engines.flatMap((each) =>
    each.complaints.filter((line) => !line.includes('embedded-database')),
  );
  report.figure(`${name}: warnings and errors in the log`, complaints.length, {
    target: { atMost: 0 },
    raw: complaints.slice(0, 20),
  });
  for (const each of engines) await each.stop();
}

/** Beside the same engine before anybody waited. */
function showMemory({ name, report, waiting }: Scene, what: string, beforeMb: number, nowMb: number): void {
  report.figure(`${name}: memory while ${waiting} ${what}`, nowMb - beforeMb, {
    unit: 'MB more',
    digits: 0,
    target: { below: 400 },
    note: `${beforeMb.toFixed(0)} before, ${(((nowMb - beforeMb) * 1024) / waiting).toFixed(1)} KB each`,
  });
}

await main();
