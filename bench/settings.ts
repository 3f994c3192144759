/**
 * `npm run bench:settings`: what a setting does to the figures. Each setting takes turns with the default, on the same
 * database, with an engine started anew for every turn; what is printed is the ratio of the medians, and the least and
 * most of the ratios of single rounds. See bench/README.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, withClient } from './engine-process.ts';
import { median } from './overload/percentiles.ts';
import { endProcesses, runLoad } from './overload/processes.ts';
import { makeTarget, runCleanly, type OverloadTarget } from './overload/target.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    'warm-up': { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    /** Beginnings of the names of settings, with commas between. Default: all. */
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  process.stdout.write(`npm run bench:settings -- [options]

  --only a,b     beginnings of the names of settings (all)
  --rounds N     of each, in turn with the default (3)
  --seconds N    measured in each (8)
  --warm-up N    seconds before (3)
  --json FILE    instead of bench/results/
`);
  process.exit(0);
}
const rounds = Number(options.rounds);

interface Setting {
  readonly name: string;
  /** Of the engine. */
  readonly env?: Readonly<Record<string, string>>;
  /** PostgreSQL's own, set for the whole database. */
  readonly database?: Readonly<Record<string, string>>;
  readonly isEmbedded?: boolean;
  /** What the load does otherwise. */
  readonly load?: Readonly<Record<string, number | boolean>>;
  /** Of the two measurements, the ones that it can change. */
  readonly parts: readonly Part[];
}

type Part = 'throughput' | 'oneAtATime';

const PARTS: readonly Part[] = ['throughput', 'oneAtATime'];

const LOADS: Readonly<Record<Part, Readonly<Record<string, number | boolean>>>> = {
  throughput: { workers: 64, maxTasks: 5, senders: 64, maxOpen: 400, completesMany: false },
  oneAtATime: { workers: 1, maxTasks: 1, senders: 1, maxOpen: 1, completesMany: false },
};

/** The default in its place is 10 connections, 10,000 in flight, 64 workers with 5 tasks a fetch, single completions. */
const SETTINGS: readonly Setting[] = [
  ...['2', '5', '20'].map((count): Setting => ({
    name: `pool-max ${count}`,
    env: { SUTRA_DATASOURCE_POOL_MAX: count },
    parts: PARTS,
  })),
  // Not below what this load has under way at once: refusals are the subject of `overload.ts`.
  ...['200', '1000'].map((count): Setting => ({
    name: `max-in-flight ${count}`,
    env: { SUTRA_INTAKE_MAX_IN_FLIGHT: count },
    parts: ['throughput'],
  })),
  { name: 'synchronous_commit off', database: { synchronous_commit: 'off' }, parts: PARTS },
  { name: 'commit_delay 200', database: { commit_delay: '200', commit_siblings: '1' }, parts: PARTS },
  { name: 'wal_compression on', database: { wal_compression: 'on' }, parts: PARTS },
  { name: 'random_page_cost 1.1', database: { random_page_cost: '1.1' }, parts: PARTS },
  ...[1, 20].map((maxTasks): Setting => ({
    name: `max-tasks ${String(maxTasks)}`,
    load: { maxTasks },
    parts: ['throughput'],
  })),
  ...[1, 16, 256].map((workers): Setting => ({
    name: `workers ${String(workers)}`,
    load: { workers },
    parts: ['throughput'],
  })),
  { name: 'batch completion', load: { completesMany: true }, parts: ['throughput'] },
  {
    name: 'batch completion, max-tasks 20',
    load: { completesMany: true, maxTasks: 20 },
    parts: ['throughput'],
  },
  { name: 'nothing kept after the end', env: { SUTRA_INSTANCE_RETENTION: 'PT0S' }, parts: PARTS },
  {
    name: 'history alone kept after the end',
    env: { SUTRA_INSTANCE_RETENTION: 'PT0S', SUTRA_HISTORY_RETENTION: 'P7D' },
    parts: PARTS,
  },
  { name: 'embedded', isEmbedded: true, parts: PARTS },
];

const DEFAULTS: Setting = { name: 'default', parts: PARTS };

interface Figure {
  readonly perSecond: number;
}

type Rates = Record<Part, number[]>;

const targets: OverloadTarget[] = [];

async function main(): Promise<void> {
  const wished = options.only.split(',').filter((name) => name !== '');
  const chosen = SETTINGS.filter(
    ({ name }) => wished.length === 0 || wished.some((beginning) => name.startsWith(beginning)),
  );
  const server = await target(false);
  const results: Record<string, unknown> = {};
  process.stdout.write(`ratio to the default, of the medians of ${String(rounds)} rounds (least..most)\n`);
  for (const setting of chosen) {
    const at = setting.isEmbedded === true ? await target(true) : server;
    try {
      results[setting.name] = await compare(setting, server, at);
    } catch (error) {
      // The others are still of use; this one has no figure.
      process.exitCode = 1;
      process.stdout.write(`${setting.name.padEnd(36)} failed: ${String(error)}\n`);
    }
  }
  await write(results);
}

async function compare(setting: Setting, server: OverloadTarget, at: OverloadTarget): Promise<unknown> {
  const { name, parts } = setting;
  const own: Rates = { throughput: [], oneAtATime: [] };
  const usual: Rates = { throughput: [], oneAtATime: [] };
  for (let round = 0; round < rounds; round += 1) {
    await takeTurn(server, DEFAULTS, parts, usual);
    await takeTurn(at, setting, parts, own);
  }
  const figures = parts.map((part) => figureText(part, own[part], usual[part]));
  process.stdout.write(`${name.padEnd(36)} ${figures.join('   ')}\n`);
  return { setting, own, default: usual };
}

async function target(isEmbedded: boolean): Promise<OverloadTarget> {
  const made = await makeTarget(isEmbedded);
  targets.push(made);
  return made;
}

async function takeTurn(
  at: OverloadTarget,
  setting: Setting,
  parts: readonly Part[],
  into: Rates,
): Promise<void> {
  const database = Object.entries(setting.database ?? {});
  for (const [name, value] of database) await alterDatabase(at, `SET ${name} = '${value}'`);
  try {
    const engine = await at.start(setting.env ?? {});
    for (const part of parts) {
      const figure = (await runLoad(engine.url, 'throughput', {
        ...LOADS[part],
        ...setting.load,
        seconds: Number(options.seconds),
        warmUpSeconds: Number(options['warm-up']),
      })) as Figure;
      into[part].push(figure.perSecond);
    }
  } finally {
    await at.stop();
    for (const [name] of database) await alterDatabase(at, `RESET ${name}`);
  }
}

/** Holds for the sessions that begin afterwards: those of the next engine. */
async function alterDatabase(at: OverloadTarget, change: string): Promise<void> {
  const { databaseUrl } = at;
  if (databaseUrl === null) throw new Error('the embedded database has no settings of its own');
  const name = new URL(databaseUrl).pathname.slice(1);
  await withClient(databaseUrl, (client) => client.query(`ALTER DATABASE ${name} ${change}`));
}

function figureText(part: Part, own: readonly number[], usual: readonly number[]): string {
  const ratio = median(own) / median(usual);
  const each = own.map((value, round) => value / (usual[round] ?? Number.NaN));
  const spread = `${Math.min(...each).toFixed(2)}..${Math.max(...each).toFixed(2)}`;
  const what = part === 'throughput' ? 'throughput' : 'one at a time';
  return `${what} ${ratio.toFixed(2)} (${spread}; ${median(own).toFixed(0)} beside ${median(usual).toFixed(0)}/s)`;
}

async function write(results: Readonly<Record<string, unknown>>): Promise<void> {
  const time = new Date().toISOString().replaceAll(':', '-');
  const file = options.json ?? join(root, 'bench/results', `settings-${time}.json`);
  await mkdir(join(root, 'bench/results'), { recursive: true });
  const report = { cores: cpus().length, node: process.version, options, loads: LOADS, results };
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`\nwritten to ${file}\n`);
}

await runCleanly(main, async () => {
  endProcesses();
  for (const made of targets) await made.remove();
});
