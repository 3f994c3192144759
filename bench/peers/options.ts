/** What the command line of the bench says. */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { peerNames, settingsOf, type Setting, type SettingsOf } from './settings.ts';

export const measurements = ['throughput', 'oneAtATime', 'pickUp'] as const;
export type Measurement = (typeof measurements)[number];

export interface BenchOptions {
  readonly peers: readonly string[];
  readonly measure: readonly Measurement[];
  readonly rounds: number;
  readonly workers: readonly number[];
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly pickUps: number;
  /** Null: bench/results/. */
  readonly json: string | null;
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, SettingsOf>>;
  readonly engineEnv: Readonly<Record<string, string>>;
}

export const usage = `npm run bench:peers -- [options]

  --rounds N         rounds; each runs every peer once, in turn (5)
  --peers a,b        of ${peerNames.join(', ')} (all)
  --measure a,b      of ${measurements.join(', ')} (all)
  --workers a,b      concurrency of throughput (16,64)
  --seconds N        of each measurement (8)
  --warm-up N        seconds before each (4)
  --pick-ups N       units of pickUp (200)
  --settings JSON    overrides, as {"pg-boss":{"batchSize":50}}; see settings.ts
  --engine-env K=V   a setting of our engine, as SUTRA_DATASOURCE_POOL_MAX=20; may be repeated
  --data-dir PATH    on a disk; Restate's folder is made in it (${tmpdir()})
  --json PATH        where the results are written (bench/results/peers-<time>.json)

SUTRA_TEST_DATABASE_URL names the PostgreSQL server, on which databases are created and dropped.
`;

/** @throws Error naming what is wrong with the arguments; null: help was asked for */
export function readOptions(args: readonly string[]): BenchOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      peers: { type: 'string', default: peerNames.join(',') },
      measure: { type: 'string', default: measurements.join(',') },
      workers: { type: 'string', default: '16,64' },
      seconds: { type: 'string', default: '8' },
      'warm-up': { type: 'string', default: '4' },
      'pick-ups': { type: 'string', default: '200' },
      settings: { type: 'string', default: '{}' },
      'engine-env': { type: 'string', multiple: true, default: [] },
      'data-dir': { type: 'string', default: tmpdir() },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const settings = JSON.parse(values.settings) as Record<string, Record<string, Setting>>;
  // Refused here, not in the middle of a run.
  for (const [peer, overrides] of Object.entries(settings)) settingsOf(peer, 1, overrides);
  return {
    peers: among('--peers', values.peers, peerNames),
    measure: among('--measure', values.measure, measurements),
    rounds: positive('--rounds', values.rounds),
    workers: values.workers.split(',').map((text) => positive('--workers', text)),
    seconds: positive('--seconds', values.seconds),
    warmUpSeconds: positive('--warm-up', values['warm-up']),
    pickUps: positive('--pick-ups', values['pick-ups']),
    json: values.json ?? null,
    dataDir: values['data-dir'],
    settings,
    engineEnv: Object.fromEntries(values['engine-env'].map(splitPair)),
  };
}

function among<Name extends string>(option: string, text: string, names: readonly Name[]): readonly Name[] {
  return text.split(',').map((word) => {
    const found = names.find((name) => name === word);
    if (found === undefined) throw new Error(`${option} ${word} is none of ${names.join(', ')}`);
    return found;
  });
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} ${text} is no whole number above 0`);
  return value;
}

function splitPair(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new Error(`--engine-env ${pair} is not of the form KEY=VALUE`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}
