/**
 * `npm run bench:start-up`: from the start of `sutra serve` as a process to the first answer of 200 at
 * /sutra/health/ready. See bench/README.md.
 */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { root, runCommand, withClient } from './engine-process.ts';
import { HttpClient } from './http-client.ts';
import { cpuSecondsOf } from './peers/cpu.ts';
import { ended, withCleanup, type Cleanup } from './support/cleanup.ts';
import { spawnEngine, startLoggedEngine } from './support/counted-engine.ts';
import { median, Report, requireServer, spreadOf, wholeNumber, type Target } from './support/report.ts';
import { nowMs } from './waiting/clock.ts';

const usage = `npm run bench:start-up -- [options]

  --rounds N         of each kind, in turn (5)
  --deployments N    of the existing database (5)
  --instances N      open ones of the existing database (1000)
  --profile DIR      one more start on the existing database, whose CPU profile is written to DIR

SUTRA_TEST_DATABASE_URL names the PostgreSQL server.
`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      deployments: { type: 'string', default: '5' },
      instances: { type: 'string', default: '1000' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    rounds: wholeNumber('rounds', values.rounds),
    deployments: wholeNumber('deployments', values.deployments),
    instances: wholeNumber('instances', values.instances, 0),
    profile: values.profile ?? null,
  };
}

type Options = NonNullable<ReturnType<typeof readOptions>>;
type Env = Readonly<Record<string, string>>;

interface Kind {
  readonly name: string;
  readonly target?: Target;
  /** Before each round, not measured: the environment to start with. */
  prepare(cleanup: Cleanup): Promise<Env>;
}

/** Between two questions whether it is ready: finer than what is measured, and no load. */
const ASK_EVERY_MS = 5;

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) {
    process.stdout.write(usage);
    return;
  }
  const server = requireServer();
  const report = new Report('start-up', options);
  await withCleanup(async (cleanup) => {
    // Each database of this bench has its process's name, so the fresh one is emptied and not made anew.
    const existing = await cleanup.database(server);
    const existingEnv = { SUTRA_DATASOURCE_URL: existing };
    await fill(existingEnv, options, cleanup);
    const dataDir = join(await cleanup.directory(), 'data');
    const kinds: readonly Kind[] = [
      {
        name: `PostgreSQL, ${options.deployments} deployments, ${options.instances} open instances`,
        target: { below: 1_000 },
        prepare: () => Promise.resolve(existingEnv),
      },
      { name: 'PostgreSQL, empty database', prepare: (own) => emptyDatabase(server, own) },
      {
        name: 'embedded, first ever',
        target: { below: 5_000 },
        prepare: async (own) => ({ SUTRA_DATA_DIR: join(await own.directory(), 'data') }),
      },
      { name: 'embedded, again', prepare: () => Promise.resolve({ SUTRA_DATA_DIR: dataDir }) },
    ];
    // Makes the embedded database that is found again.
    await start({ SUTRA_DATA_DIR: dataDir }, cleanup);
    await measure(kinds, options.rounds, report);
    if (options.profile !== null) {
      await mkdir(options.profile, { recursive: true });
      await start(existingEnv, cleanup, ['--cpu-prof', `--cpu-prof-dir=${options.profile}`]);
    }
  });
  await report.write();
}

async function measure(kinds: readonly Kind[], rounds: number, report: Report): Promise<void> {
  const starts = new Map<Kind, Start[]>(kinds.map((kind) => [kind, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [kind, those] of starts) {
      those.push(await withCleanup(async (own) => start(await kind.prepare(own), own)));
    }
  }
  for (const [{ name, target }, those] of starts) {
    const times = those.map(({ readyAfterMs }) => readyAfterMs);
    report.figure(`${name}: start to ready`, median(times), {
      unit: 'ms',
      digits: 0,
      note: `${spreadOf(times, 0)}; processor time of the engine ${median(those.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms`,
      raw: those,
      ...(target === undefined ? {} : { target }),
    });
  }
}

interface Start {
  readonly readyAfterMs: number;
  /** Processor time of the engine until then, in steps of 10 ms; NaN where the system does not tell. */
  readonly cpuMs: number;
}

/** Starts, waits until it is ready, stops. */
async function start(env: Env, cleanup: Cleanup, nodeOptions: readonly string[] = []): Promise<Start> {
  const port = await freePort();
  const startedAt = nowMs();
  const child = spawnEngine({ ...env, SUTRA_HTTP_PORT: String(port) }, nodeOptions);
  cleanup.addProcess(child);
  // Read, so that it never waits for somebody to do so.
  child.stdout?.resume();
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-2_000)));
  const client = new HttpClient(`http://127.0.0.1:${port}`, 1);
  while (!(await isReady(client))) {
    if (child.exitCode !== null) throw new Error(`the engine ended before it was ready: ${log}`);
    await sleep(ASK_EVERY_MS);
  }
  const readyAfterMs = nowMs() - startedAt;
  const cpuSeconds = (await cpuSecondsOf([child.pid ?? 0])) ?? Number.NaN;
  client.close();
  await ended(child, 'SIGTERM');
  return { readyAfterMs, cpuMs: cpuSeconds * 1_000 };
}

async function isReady(client: HttpClient): Promise<boolean> {
  try {
    return (await client.get('/sutra/health/ready')).status === 200;
  } catch {
    // Nobody listens yet.
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function emptyDatabase(server: string, cleanup: Cleanup): Promise<Env> {
  const name = `sutra_bench_${process.pid}_empty`;
  await withClient(server, (client) => client.query(`CREATE DATABASE ${name}`));
  cleanup.add(() =>
    withClient(server, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    }),
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { SUTRA_DATASOURCE_URL: url.href };
}

/** Deploys bench/package as several modules, and leaves instances waiting in each. */
async function fill(env: Env, { deployments, instances }: Options, cleanup: Cleanup): Promise<void> {
  const engine = await startLoggedEngine(env, cleanup);
  const folder = await cleanup.directory();
  const client = new HttpClient(engine.url, 20);
  for (let index = 0; index < deployments; index += 1) {
    const copy = join(folder, String(index));
    await copyPackage(copy, index);
    await runCommand('deploy', copy, '--url', engine.url);
    const count =
      Math.floor((instances * (index + 1)) / deployments) - Math.floor((instances * index) / deployments);
    const answers = await Promise.all(
      Array.from({ length: count }, () => client.post(`/channels/bench-${index}-orders`, '{"amount":1}')),
    );
    const refused = answers.find(({ status }) => status !== 202);
    if (refused !== undefined) throw new Error(`an order was answered ${refused.status}: ${refused.text}`);
  }
  client.close();
  await engine.stop();
}

/** The same processes and channels under names of their own. */
async function copyPackage(to: string, index: number): Promise<void> {
  await cp(join(root, 'bench/package'), to, { recursive: true });
  for (const file of await readdir(to, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const text = await readFile(path, 'utf8');
    const own = text
      .replaceAll('bench-', `bench-${index}-`)
      .replace('module: orders', `module: orders-${index}`);
    await writeFile(path, own);
  }
}

await main();
