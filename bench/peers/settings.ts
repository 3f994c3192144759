/**
 * How each peer is set: at its best for this unit, as far as its own documents and trials on a machine with two cores
 * tell. `--settings` overrides any of them. Units "in hand" are those that workers hold at once.
 *
 * Every row has `processes` (drivers, each with its share of senders and workers), `senders` (sends under way at
 * once) and `maxOpen` (units sent and not yet recorded: the closed loop, so that a figure is what is sustained).
 * The rest is the peer's own.
 */

export type Setting = number | boolean | string;
export type SettingsOf = Readonly<Record<string, Setting>>;

/** Open units of everything that keeps a backlog: as `npm run bench` has it. */
const BACKLOG = 400;
/** Sends that are under way at once, where they do not wait for the result. */
const SENDERS = 64;

export function settingsOf(peer: string, workers: number, overrides: SettingsOf = {}): SettingsOf {
  const make = table[peer];
  if (make === undefined) throw new Error(`there are no settings for ${peer}`);
  const settings = make(workers);
  const unknown = Object.keys(overrides).find((key) => !(key in settings));
  if (unknown !== undefined) throw new Error(`${peer} has no setting ${unknown}`);
  return { ...settings, ...overrides };
}

export function numberOf(settings: SettingsOf, key: string): number {
  const value = settings[key];
  if (typeof value !== 'number') throw new Error(`the setting ${key} is no number`);
  return value;
}

/** One worker holds one unit where units are measured one at a time: what gathers units only delays the one there is. */
const isSingle = (workers: number): boolean => workers === 1;

const table: Readonly<Record<string, (workers: number) => SettingsOf>> = {
  /** Single-call completes; `maxTasks` is what a fetch may take. docs/config.md has the engine's own, left at their defaults. */
  sutra: (workers) => ({
    processes: 1,
    senders: SENDERS,
    maxOpen: BACKLOG,
    maxTasks: isSingle(workers) ? 1 : 5,
    batchComplete: false,
  }),

  /** Ours again, with one call for all that a worker fetched: shown beside, and compared by no target of single calls. */
  'sutra-batch': (workers) => ({
    processes: 1,
    senders: SENDERS,
    maxOpen: BACKLOG,
    maxTasks: isSingle(workers) ? 1 : 20,
    batchComplete: true,
  }),

  /**
   * https://pgboss.io/api/workers: `localConcurrency` fetch loops (here: `loops`) of `batchSize` jobs; `burstWhenBatchFull`
   * fetches again at once while batches are full, and `pollingIntervalSeconds` 0.5 is the least there is.
   * https://pgboss.io/api/queues: `notify` wakes an idle worker; under load it costs each insert a NOTIFY, which commits
   * one after the other, so it is used only where units are sent one at a time. `partition` gives the queue a table of its own.
   * A batch is completed by one statement, so the jobs in hand are divided over few loops.
   */
  'pg-boss': (workers) => ({
    processes: 1,
    senders: SENDERS,
    maxOpen: BACKLOG,
    loops: isSingle(workers) ? 1 : 2,
    batchSize: isSingle(workers) ? 1 : Math.ceil((workers * 5) / 2),
    notify: isSingle(workers),
    partition: true,
    poolSize: 40,
  }),

  /**
   * https://worker.graphile.org/docs/performance: `localQueue.size` fetches in batches, `completeJobBatchDelay` 0 deletes
   * what is done in the same tick in one statement. `localQueue.refetchDelay` keeps a queue that found little from fetching
   * at every NOTIFY; `pollInterval` fetches what such a delay missed. `useNodeTime` spares nothing here and is left off.
   * -1 means off, which is best where units come one at a time.
   */
  'graphile-worker': (workers) => ({
    processes: 1,
    senders: SENDERS,
    maxOpen: BACKLOG,
    poolSize: 20,
    localQueueSize: isSingle(workers) ? -1 : workers * 5,
    refetchDelayMs: isSingle(workers) ? -1 : 50,
    pollIntervalMs: 100,
    completeJobBatchDelay: isSingle(workers) ? -1 : 0,
  }),

  /**
   * https://docs.dbos.dev/typescript/reference/configuration: `systemDatabasePoolSize`. Workflows are started directly,
   * not enqueued: a queue is polled once in its polling interval. `useListenNotify` is for `recv` and events, of which there are none.
   */
  dbos: (workers) => ({
    processes: 1,
    senders: workers,
    maxOpen: workers,
    poolSize: 20,
    useListenNotify: false,
  }),

  /**
   * https://docs.restate.dev/references/server-config: `default-num-partitions` (24 by default; each appends to a log of
   * its own). `kind` is `service` or `workflow`; `client` is `sdk` (its own, over fetch) or `http` (the ingress by node:http
   * with kept connections, which costs less). Calls wait for the result; `maxOpen` of them are under way.
   */
  restate: (workers) => ({
    processes: 1,
    senders: isSingle(workers) ? 1 : workers * 4,
    maxOpen: isSingle(workers) ? 1 : workers * 4,
    partitions: 4,
    kind: 'service',
    client: 'http',
  }),

  /** `claimers` connections claim up to `batchSize` rows in one statement, and delete them in another. */
  'raw-batched': (workers) => ({
    processes: 1,
    senders: isSingle(workers) ? 1 : workers,
    maxOpen: BACKLOG,
    claimers: isSingle(workers) ? 1 : 2,
    batchSize: isSingle(workers) ? 1 : 100,
    poolSize: isSingle(workers) ? 1 : 48,
  }),

  /** pgbench's clients, each with a connection. */
  'pgbench-1': (workers) => ({ clients: workers, rows: 1 }),
  'pgbench-100': (workers) => ({ clients: isSingle(workers) ? 1 : workers / 4, rows: 100 }),
};

export const peerNames = Object.keys(table);
