/** What the command line of `npm run bench:growth` says. */
import { parseArgs } from 'node:util';

export const growthParts = ['rows', 'channels', 'churn'] as const;
export type GrowthPart = (typeof growthParts)[number];

export interface GrowthOptions {
  readonly parts: readonly GrowthPart[];
  readonly rounds: number;
  /** Measured in each round of `rows` and `channels`; in `churn` the length of one printed interval. */
  readonly seconds: number;
  readonly reportSeconds: number;
  readonly warmUpSeconds: number;
  /** Of `rows`: what the large database holds. */
  readonly tasks: number;
  readonly instances: number;
  readonly inboxRows: number;
  /** Of `rows`: how often the claims of each backlog are measured in a round, and by how many fetches each time. */
  readonly claimBlocks: number;
  readonly claimFetches: number;
  readonly channels: number;
  readonly packages: number;
  readonly units: number;
  readonly withoutAutovacuum: boolean;
  /** Beside the database, for every engine. */
  readonly engineEnv: Readonly<Record<string, string>>;
}

export const usage = `npm run bench:growth -- [options]

  --parts a,b          of ${growthParts.join(', ')} (all)
  --rounds N           rounds of rows and channels, each of both sides in turn (3)
  --seconds N          measured in each round (10)
  --warm-up N          seconds before each measurement (5)
  --tasks N            rows: parked tasks of the large database (1000000)
  --instances N        rows: its suspended instances (200000)
  --inbox N            rows: its inbox rows (5000000)
  --claim-blocks N     rows: measurements of each kind of claim in a round (8)
  --claim-fetches N    rows: fetches of each of them (160; at most 190, as the small backlog has 1000 tasks)
  --channels N         channels: pull channels, each with a process (1000)
  --packages N         channels: packages that they are deployed in (10)
  --units N            churn: orders (2000000)
  --report N           churn: seconds between two lines (30)
  --without-autovacuum churn: also on a server that has it switched off
  --engine JSON        more environment of the engines ({})
`;

/** @throws Error when an option is unknown or no number */
export function readOptions(args: readonly string[]): GrowthOptions | 'help' {
  const text = (preset: string) => ({ type: 'string', default: preset }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      'without-autovacuum': { type: 'boolean', default: false },
      parts: text(growthParts.join(',')),
      rounds: text('3'),
      seconds: text('10'),
      'warm-up': text('5'),
      tasks: text('1000000'),
      instances: text('200000'),
      inbox: text('5000000'),
      'claim-blocks': text('8'),
      'claim-fetches': text('160'),
      channels: text('1000'),
      packages: text('10'),
      units: text('2000000'),
      report: text('30'),
      engine: text('{}'),
    },
  });
  if (values.help) return 'help';
  return {
    parts: values.parts.split(',').map(partOf),
    rounds: numberOf('rounds', values.rounds),
    seconds: numberOf('seconds', values.seconds),
    warmUpSeconds: numberOf('warm-up', values['warm-up']),
    tasks: numberOf('tasks', values.tasks),
    instances: numberOf('instances', values.instances),
    inboxRows: numberOf('inbox', values.inbox),
    claimBlocks: numberOf('claim-blocks', values['claim-blocks']),
    claimFetches: numberOf('claim-fetches', values['claim-fetches']),
    channels: numberOf('channels', values.channels),
    packages: numberOf('packages', values.packages),
    units: numberOf('units', values.units),
    reportSeconds: numberOf('report', values.report),
    withoutAutovacuum: values['without-autovacuum'],
    engineEnv: JSON.parse(values.engine) as Record<string, string>,
  };
}

function partOf(name: string): GrowthPart {
  const part = growthParts.find((known) => known === name);
  if (part === undefined) throw new Error(`there is no part ${name}; see --help`);
  return part;
}

function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 1) throw new Error(`--${option} is ${text}; it must be 1 or more`);
  return value;
}
