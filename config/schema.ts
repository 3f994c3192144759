/**
 * Every setting: key, kind, default, bounds and meaning, in one table. The environment's name follows
 * from the key. `docs/config.md` is generated from here.
 *
 * C1 A default is written as an operator would write it, and goes through the same parser.
 * C2 A value outside its bounds stops the boot; nothing is clamped.
 * C3 What can be judged only over several keys is a row of `contradictions`, with its reason.
 */
import { formatDuration } from './iso8601.ts';

interface RowBase {
  /** As one would write it. Null: unset unless configured. */
  readonly default: string | null;
  /** One sentence for the reference page. */
  readonly meaning: string;
}

export type SettingRow =
  | (RowBase & { readonly kind: 'integer'; readonly min: number; readonly max: number })
  | (RowBase & { readonly kind: 'duration'; readonly minMs: number; readonly maxMs: number })
  | (RowBase & { readonly kind: 'boolean' })
  | (RowBase & { readonly kind: 'host' })
  /** Relative paths start at the working directory. */
  | (RowBase & { readonly kind: 'path' })
  | (RowBase & { readonly kind: 'database-url' })
  /** `env:NAME` or `secret:NAME`, never the secret itself. */
  | (RowBase & { readonly kind: 'secret-reference' });

const DAY_MS = 86_400_000;

/** The runtime's timers hold 2^31-1 ms (24.8 days); a longer one would fire at once. */
const TIMER_MAX_MS = 24 * DAY_MS;

/** A century: far beyond any use, and the database's clock can add and subtract it. */
const SPAN_MAX_MS = 36_500 * DAY_MS;

export const settingRows = {
  'sutra.http.port': {
    kind: 'integer',
    default: '8080',
    min: 0,
    max: 65_535,
    meaning: 'The port of the HTTP server. 0 takes any free port.',
  },
  'sutra.http.host': {
    kind: 'host',
    default: '127.0.0.1',
    meaning:
      'The address to listen on. The default is reached from this machine only; 0.0.0.0 is every address.',
  },
  'sutra.http.max-hold': {
    kind: 'duration',
    default: 'PT30S',
    minMs: 0,
    maxMs: TIMER_MAX_MS,
    meaning:
      'The longest time an on-complete request is held for the reply of its instance; then it is answered 202 ' +
      'with the address of the status.',
  },
  'sutra.datasource.url': {
    kind: 'database-url',
    default: null,
    meaning:
      'The PostgreSQL database, as postgres://user:password@host:5432/name. Unset: an embedded database in ' +
      '`sutra.data-dir`.',
  },
  'sutra.datasource.pool-max': {
    kind: 'integer',
    default: '10',
    min: 1,
    max: 200,
    meaning: 'The most connections that this replica opens to PostgreSQL. The embedded database has one.',
  },
  'sutra.data-dir': {
    kind: 'path',
    default: '.sutra/data',
    meaning:
      'The folder of the embedded database. `memory:` keeps it in memory: everything is lost when the process ends.',
  },
  'sutra.deployments.dir': {
    kind: 'path',
    default: null,
    meaning: 'A folder of packages that is watched: what appears in it is deployed.',
  },
  'sutra.deployments.poll-interval': {
    kind: 'duration',
    default: 'PT2S',
    minMs: 1,
    maxMs: TIMER_MAX_MS,
    meaning: 'How often the watched folder is read.',
  },
  'sutra.external-task.default-lock-duration': {
    kind: 'duration',
    default: 'PT30S',
    minMs: 1,
    maxMs: SPAN_MAX_MS,
    meaning:
      'How long a task is locked when the worker names no duration, and the grace after a refused completion.',
  },
  'sutra.external-task.max-lock-duration': {
    kind: 'duration',
    default: 'PT1H',
    minMs: 1,
    maxMs: SPAN_MAX_MS,
    meaning: 'The longest lock that a worker may ask for. A worker that dies costs at most this time.',
  },
  'sutra.external-task.max-async-response-timeout': {
    kind: 'duration',
    default: 'PT30S',
    minMs: 1,
    maxMs: TIMER_MAX_MS,
    meaning: 'The longest wait for work that a worker may ask for, and the wait when it names none.',
  },
  'sutra.external-task.max-tasks': {
    kind: 'integer',
    default: '100',
    min: 1,
    max: 1_000,
    meaning: 'The most tasks that one fetch may ask for, and the number when it names none.',
  },
  'sutra.external-task.retries': {
    kind: 'integer',
    default: '3',
    min: 1,
    max: 1_000_000,
    meaning: 'The failure budget of a freshly parked task: so many failures make it terminal.',
  },
  'sutra.external-task.max-retries': {
    kind: 'integer',
    default: '1000',
    min: 1,
    max: 1_000_000,
    meaning: 'The largest failure budget that a worker, an operator or a channel may set.',
  },
  'sutra.external-task.retry-timeout': {
    kind: 'duration',
    default: 'PT10S',
    minMs: 0,
    maxMs: SPAN_MAX_MS,
    meaning: 'How long a failed task waits until it can be fetched again, when the worker names no time.',
  },
  'sutra.external-task.max-retry-timeout': {
    kind: 'duration',
    default: 'P1D',
    minMs: 0,
    maxMs: SPAN_MAX_MS,
    meaning: 'The longest wait after a failure that a worker may ask for.',
  },
  'sutra.external-task.max-attempts': {
    kind: 'integer',
    default: null,
    min: 1,
    max: 1_000_000,
    meaning:
      'A task whose lock has run out so often in a row without an outcome turns terminal instead of being handed out ' +
      'once more: it seems to kill its workers. Unset: never.',
  },
  'sutra.outbox.tick-interval': {
    kind: 'duration',
    default: 'PT1S',
    minMs: 1,
    maxMs: TIMER_MAX_MS,
    meaning:
      'How often the relay and the clock look for due rows by themselves. A backstop: they are woken at every ' +
      'commit that has work for them.',
  },
  'sutra.outbox.retry.base-delay': {
    kind: 'duration',
    default: 'PT1S',
    minMs: 1,
    maxMs: SPAN_MAX_MS,
    meaning: 'The wait after the first failed delivery; it doubles with every further one.',
  },
  'sutra.outbox.retry.max-delay': {
    kind: 'duration',
    default: 'PT5M',
    minMs: 1,
    maxMs: SPAN_MAX_MS,
    meaning: 'The longest wait between two attempts of one delivery.',
  },
  'sutra.outbox.retry.jitter': {
    kind: 'boolean',
    default: 'true',
    meaning:
      'Whether waits are spread at random, so that deliveries that failed together do not return together.',
  },
  'sutra.outbox.retry.max-attempts': {
    kind: 'integer',
    default: null,
    min: 1,
    max: 1_000_000,
    meaning:
      'After so many attempts a delivery is poisoned: kept and shown, never tried by itself. Unset: for ever.',
  },
  'sutra.inbox.retention': {
    kind: 'duration',
    default: 'P7D',
    minMs: 1,
    maxMs: SPAN_MAX_MS,
    meaning:
      'How long a dedup key, its outcome and a completion receipt are kept. A repeat after that runs again.',
  },
  'sutra.instance.retention': {
    kind: 'duration',
    default: 'P7D',
    minMs: 0,
    maxMs: SPAN_MAX_MS,
    meaning: 'How long a finished instance is kept. PT0S deletes it at completion.',
  },
  'sutra.instance.retention-sweep-interval': {
    kind: 'duration',
    default: 'PT1H',
    minMs: 1,
    maxMs: TIMER_MAX_MS,
    meaning: 'How often what is past its retention is deleted.',
  },
  'sutra.history.retention': {
    kind: 'duration',
    default: null,
    minMs: 0,
    maxMs: SPAN_MAX_MS,
    meaning:
      'How long the history of a finished instance is kept, also after the instance itself has gone. Unset: as long ' +
      'as the instance.',
  },
  'sutra.history.max-payload-bytes': {
    kind: 'integer',
    default: '16384',
    min: 0,
    max: 1_048_576,
    meaning:
      'The largest payload that `q:audit` writes into the history, in bytes of its JSON. Of a larger one only the ' +
      'size is written.',
  },
  'sutra.dead-letter.max-count': {
    kind: 'integer',
    default: '10000',
    min: 0,
    max: 1_000_000,
    meaning:
      'The most dead letters that are kept. Over it nothing more is kept; the log and `sutra_dead_letters_dropped_total` say so.',
  },
  'sutra.dead-letter.retention': {
    kind: 'duration',
    default: 'P30D',
    minMs: 1,
    maxMs: SPAN_MAX_MS,
    meaning: 'How long a dead letter is kept after it was refused the last time.',
  },
  'sutra.intake.max-in-flight': {
    kind: 'integer',
    default: '10000',
    min: 1,
    max: 1_000_000,
    meaning:
      'The most messages that this replica has taken in and not yet committed. Over it: 429 with Retry-After. ' +
      'Completions, timers and commands are refused at twice as many.',
  },
  'sutra.intake.max-wait': {
    kind: 'duration',
    default: 'PT2S',
    minMs: 1,
    maxMs: TIMER_MAX_MS,
    meaning:
      'A message that would wait longer than this for its place in a commit is refused: 429 with Retry-After.',
  },
  'sutra.feel.max-turn-cost': {
    kind: 'integer',
    default: '12000000',
    min: 100_000,
    max: 2_000_000_000,
    meaning:
      'What the expressions, decisions and elements of one turn may cost together, in units of 20 to 40 ns. Nothing ' +
      'else runs meanwhile. Over it the instance fails with SUTRA.CORE.COST_LIMIT, and can be retried.',
  },
  'sutra.feel.max-cost': {
    kind: 'integer',
    default: '5000000',
    min: 10_000,
    max: 2_000_000_000,
    meaning: 'What one expression or decision may cost, in the same units.',
  },
  'sutra.feel.max-iterations': {
    kind: 'integer',
    default: '100000',
    min: 100,
    max: 100_000_000,
    meaning:
      'The most elements that one expression may go through: with `for`, `some`, `every` and filters, nested ones ' +
      'multiplied.',
  },
  'sutra.feel.max-list-size': {
    kind: 'integer',
    default: '1000000',
    min: 100,
    max: 100_000_000,
    meaning: 'The most elements of a list that an expression makes.',
  },
  'sutra.feel.max-depth': {
    kind: 'integer',
    default: '256',
    min: 10,
    max: 500,
    meaning: 'How deep lists and contexts may nest in what an expression gives.',
  },
  'sutra.codec.max-payload-bytes': {
    kind: 'integer',
    default: '10485760',
    min: 1,
    max: 268_435_456,
    meaning: 'The largest body that is read, in bytes. A channel may lower it with `payload-cap-bytes`.',
  },
  'sutra.admin.api-key': {
    kind: 'secret-reference',
    default: null,
    meaning:
      'Where the key of the admin routes is: `env:NAME` (an environment variable) or `secret:NAME` (the file ' +
      '/run/secrets/NAME). Unset: admin routes answer 503 unless `sutra.admin.open` is true.',
  },
  'sutra.admin.open': {
    kind: 'boolean',
    default: 'false',
    meaning: 'Admin routes need no key. Only on a loopback host, for development.',
  },
  'sutra.compat.camunda7': {
    kind: 'boolean',
    default: 'false',
    meaning: 'Serve what clients of Camunda 7 call, under `/engine-rest`.',
  },
  'sutra.compat.camunda8': {
    kind: 'boolean',
    default: 'false',
    meaning: 'Serve what clients of the Camunda 8 REST API call, under `/v2`.',
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

type Rows = typeof settingRows;
export type SettingKey = keyof Rows;
export const settingKeys = Object.keys(settingRows) as readonly SettingKey[];

type ParsedOf<Row extends SettingRow> = Row['kind'] extends 'integer' | 'duration'
  ? number
  : Row['kind'] extends 'boolean'
    ? boolean
    : string;

/** The parsed value of every key: durations in milliseconds, secrets resolved, paths absolute. */
export type SettingValues = {
  readonly [Key in SettingKey]: ParsedOf<Rows[Key]> | (Rows[Key]['default'] extends null ? null : never);
};

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingRows, key);
}

/** `sutra.external-task.max-tasks` is `SUTRA_EXTERNAL_TASK_MAX_TASKS` in the environment. */
export function environmentName(key: string): string {
  return key.toUpperCase().replaceAll(/[.-]/g, '_');
}

/** A rule over two keys. `fault` says what is wrong with the values, or null when they agree. */
export interface Contradiction {
  readonly keys: readonly [SettingKey, SettingKey];
  readonly fault: (values: SettingValues) => string | null;
}

export const contradictions: readonly Contradiction[] = [
  atMost(
    'sutra.external-task.default-lock-duration',
    'sutra.external-task.max-lock-duration',
    formatDuration,
    'a worker that names no lock duration would always be refused',
  ),
  atMost(
    'sutra.external-task.retries',
    'sutra.external-task.max-retries',
    String,
    'every parked task would start over the ceiling',
  ),
  atMost(
    'sutra.external-task.retry-timeout',
    'sutra.external-task.max-retry-timeout',
    formatDuration,
    'a worker that names no retry timeout would always be refused',
  ),
  atMost(
    'sutra.outbox.retry.base-delay',
    'sutra.outbox.retry.max-delay',
    formatDuration,
    'the first wait would already be over the longest one',
  ),
  atMost(
    'sutra.feel.max-cost',
    'sutra.feel.max-turn-cost',
    String,
    'an expression could never use what it may cost',
  ),
  {
    keys: ['sutra.instance.retention', 'sutra.history.retention'],
    fault: ({ 'sutra.instance.retention': instance, 'sutra.history.retention': history }) =>
      history !== null && history < instance
        ? `sutra.history.retention ${formatDuration(history)} is less than sutra.instance.retention ` +
          `${formatDuration(instance)}: an instance would be shown without what happened to it`
        : null,
  },
  {
    keys: ['sutra.admin.open', 'sutra.http.host'],
    fault: (values) =>
      values['sutra.admin.open'] && !isLoopback(values['sutra.http.host'])
        ? `sutra.admin.open is true on the host ${values['sutra.http.host']}, which other machines can reach: ` +
          'set sutra.admin.api-key instead, or listen on 127.0.0.1'
        : null,
  },
  {
    keys: ['sutra.admin.open', 'sutra.admin.api-key'],
    fault: (values) =>
      values['sutra.admin.open'] && values['sutra.admin.api-key'] !== null
        ? 'sutra.admin.open is true and sutra.admin.api-key is set: the key would protect nothing; remove one of them'
        : null,
  },
];

type NumberKey = { [Key in SettingKey]: SettingValues[Key] extends number ? Key : never }[SettingKey];

function atMost(
  low: NumberKey,
  high: NumberKey,
  print: (value: number) => string,
  reason: string,
): Contradiction {
  return {
    keys: [low, high],
    fault: (values) =>
      values[low] > values[high]
        ? `${low} ${print(values[low])} exceeds ${high} ${print(values[high])}: ${reason}`
        : null,
  };
}

function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
