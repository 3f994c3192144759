/**
 * The load, as a process of its own: senders that post orders and workers that fetch, complete and fetch
 * again. Prints one JSON line. Arguments: base URLs (of replicas, with commas between; more than one for `throughput`
 * alone), mode, JSON options.
 *
 * A closed loop with a bound on what is under way, so that the figure is what the engine sustains, not what
 * its queues can hold.
 */
import { performance } from 'node:perf_hooks';
import { HttpClient } from './http-client.ts';

interface LoadOptions {
  readonly workers: number;
  readonly maxTasks: number;
  readonly senders: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Orders sent and not yet completed. */
  readonly maxOpen: number;
  /** A worker completes what one fetch brought in one call, not each task by its own. */
  readonly completesMany?: boolean;
}

interface TaskAnswer {
  readonly tasks: readonly { readonly id: string; readonly lockToken: string }[];
}

/** 300 bytes of JSON, like the peers' unit. */
const order = JSON.stringify({ orderId: '0123456789', amount: 129.5, country: 'DE', note: 'x'.repeat(232) });
const result = '{"score":72}';

const [, , baseUrls = '', mode = '', optionsText = '{}'] = process.argv;

async function throughput(options: LoadOptions): Promise<unknown> {
  const replicas = baseUrls.split(',');
  const connections = Math.ceil((options.workers + options.senders) / replicas.length) + 2;
  const clients = replicas.map((url) => new HttpClient(url, connections));
  const clientOf = (index: number): HttpClient => clients[index % clients.length] as HttpClient;
  let sent = 0;
  let completed = 0;
  const completedBy = replicas.map(() => 0);
  let refused = 0;
  let isOver = false;
  const waiting: (() => void)[] = [];
  const complete = options.completesMany === true ? completeMany : completeEach;

  const sender = async (client: HttpClient): Promise<void> => {
    while (!isOver) {
      if (sent - completed >= options.maxOpen) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        continue;
      }
      sent += 1;
      const answer = await client.post('/channels/bench-orders', order);
      if (answer.status !== 202) {
        sent -= 1;
        refused += 1;
      }
    }
  };
  const worker = async (index: number): Promise<void> => {
    const client = clientOf(index);
    const replica = index % replicas.length;
    const fetchBody = JSON.stringify({
      workerId: `bench-${String(index)}`,
      channels: ['bench-score'],
      maxTasks: options.maxTasks,
      asyncResponseTimeout: 'PT1S',
    });
    while (!isOver || sent > completed) {
      const answer = await client.post('/sutra/external-tasks/fetch-and-lock', fetchBody);
      const { tasks } = JSON.parse(answer.text) as TaskAnswer;
      await complete(client, `bench-${String(index)}`, tasks, () => {
        completed += 1;
        completedBy[replica] = (completedBy[replica] ?? 0) + 1;
        waiting.shift()?.();
      });
    }
  };

  const workers = Array.from({ length: options.workers }, (_, index) => worker(index));
  const senders = Array.from({ length: options.senders }, (_, index) => sender(clientOf(index)));
  await pause(options.warmUpSeconds * 1000);
  const before = { at: performance.now(), completed, by: [...completedBy], counters: await sums(clients) };
  await pause(options.seconds * 1000);
  const after = { at: performance.now(), completed, by: [...completedBy], counters: await sums(clients) };
  isOver = true;
  for (const wake of waiting.splice(0)) wake();
  await Promise.all(senders);
  await Promise.all(workers);
  for (const client of clients) client.close();
  const orders = after.completed - before.completed;
  return {
    orders,
    ordersByReplica: after.by.map((count, replica) => count - (before.by[replica] ?? 0)),
    refused,
    perSecond: (orders * 1000) / (after.at - before.at),
    statementsPerOrder: (after.counters.statements - before.counters.statements) / orders,
    batchesPerOrder: (after.counters.batches - before.counters.batches) / orders,
    engineCpuMsPerOrder: ((after.counters.cpuSeconds - before.counters.cpuSeconds) * 1000) / orders,
  };
}

type Tasks = TaskAnswer['tasks'];

async function completeEach(
  client: HttpClient,
  workerId: string,
  tasks: Tasks,
  completed: () => void,
): Promise<void> {
  for (const task of tasks) {
    const body = `{"workerId":"${workerId}","lockToken":"${task.lockToken}","result":${result}}`;
    const done = await client.post(`/sutra/external-tasks/${task.id}/complete`, body);
    if (done.status !== 200) throw new Error(`completion answered ${String(done.status)}: ${done.text}`);
    completed();
  }
}

async function completeMany(
  client: HttpClient,
  workerId: string,
  tasks: Tasks,
  completed: () => void,
): Promise<void> {
  if (tasks.length === 0) return;
  const entries = tasks.map(
    (task) => `{"id":"${task.id}","lockToken":"${task.lockToken}","result":${result}}`,
  );
  const body = `{"workerId":"${workerId}","tasks":[${entries.join(',')}]}`;
  const done = await client.post('/sutra/external-tasks/complete', body);
  if (done.status !== 200) throw new Error(`completions answered ${String(done.status)}: ${done.text}`);
  const verdicts = (JSON.parse(done.text) as { readonly tasks: readonly { readonly error?: unknown }[] })
    .tasks;
  for (const { error } of verdicts) {
    if (error !== undefined) throw new Error(`a completion was refused: ${JSON.stringify(error)}`);
    completed();
  }
}

/** One waiting worker, one order at a time: from the answer to the order to the answer to the fetch. */
async function pickUp(options: { readonly rounds: number }): Promise<unknown> {
  const client = new HttpClient(baseUrls, 4);
  const afterCommitMs: number[] = [];
  const afterRequestMs: number[] = [];
  const fetchBody = JSON.stringify({
    workerId: 'bench',
    channels: ['bench-score'],
    maxTasks: 1,
    asyncResponseTimeout: 'PT5S',
  });
  for (let round = 0; round < options.rounds; round += 1) {
    const fetched = client
      .post('/sutra/external-tasks/fetch-and-lock', fetchBody)
      .then((answer) => ({ answer, at: performance.now() }));
    await pause(20);
    const requestedAt = performance.now();
    const answered = client.post('/channels/bench-orders', order).then(() => performance.now());
    const [{ answer, at }, committedAt] = await Promise.all([fetched, answered]);
    afterCommitMs.push(at - committedAt);
    afterRequestMs.push(at - requestedAt);
    const [task] = (JSON.parse(answer.text) as TaskAnswer).tasks;
    if (task === undefined) throw new Error('the waiting fetch got no task');
    await client.post(
      `/sutra/external-tasks/${task.id}/complete`,
      `{"workerId":"bench","lockToken":"${task.lockToken}","result":${result}}`,
    );
  }
  client.close();
  return {
    rounds: options.rounds,
    afterCommitMs: percentiles(afterCommitMs),
    afterRequestMs: percentiles(afterRequestMs),
  };
}

interface WideOptions {
  readonly width: number;
  readonly instances: number;
  readonly workers: number;
}

/**
 * Instances with a parallel multi-instance activity of channel calls: what one completion costs, once all
 * tasks are parked.
 */
async function wide({ width, instances, workers }: WideOptions): Promise<unknown> {
  const client = new HttpClient(baseUrls, workers + 4);
  const total = width * instances;
  const items = Array.from({ length: width }, (_, index) => ({ sku: `sku-${String(index)}`, count: 1 }));
  const body = JSON.stringify({ items });
  const start = await counters(client);
  const startedAt = performance.now();
  for (let index = 0; index < instances; index += 1) {
    const answer = await client.post('/channels/bench-wide', body);
    if (answer.status !== 202) throw new Error(`the start answered ${String(answer.status)}: ${answer.text}`);
  }
  for (;;) {
    const { delivered } = await counters(client);
    if (delivered - start.delivered >= total) break;
    await pause(50);
  }
  const parkedAt = performance.now();
  const before = await counters(client);
  let completed = 0;
  const worker = async (index: number): Promise<void> => {
    const fetchBody = JSON.stringify({
      workerId: `wide-${String(index)}`,
      channels: ['bench-part'],
      maxTasks: 5,
      asyncResponseTimeout: 'PT0.2S',
    });
    while (completed < total) {
      const answer = await client.post('/sutra/external-tasks/fetch-and-lock', fetchBody);
      for (const task of (JSON.parse(answer.text) as TaskAnswer).tasks) {
        const completion = `{"workerId":"wide-${String(index)}","lockToken":"${task.lockToken}","result":72}`;
        const done = await client.post(`/sutra/external-tasks/${task.id}/complete`, completion);
        if (done.status !== 200) throw new Error(`completion answered ${String(done.status)}: ${done.text}`);
        completed += 1;
      }
    }
  };
  const workStartedAt = performance.now();
  await Promise.all(Array.from({ length: workers }, (_, index) => worker(index)));
  const endedAt = performance.now();
  const after = await counters(client);
  const running = await client.get('/sutra/instances?status=running&processId=bench-wide');
  if ((JSON.parse(running.text) as { instances: unknown[] }).instances.length > 0) {
    throw new Error('instances are left running although all their tasks are completed');
  }
  client.close();
  return {
    width,
    instances,
    parkSeconds: (parkedAt - startedAt) / 1000,
    completionsPerSecond: (total * 1000) / (endedAt - workStartedAt),
    msPerCompletion: (endedAt - workStartedAt) / total,
    engineCpuMsPerCompletion: ((after.cpuSeconds - before.cpuSeconds) * 1000) / total,
    statementsPerCompletion: (after.statements - before.statements) / total,
  };
}

/** Many fetches that wait and nothing to do; then one task. */
async function idle(options: { readonly waiting: number; readonly seconds: number }): Promise<unknown> {
  const client = new HttpClient(baseUrls, options.waiting + 4);
  let open = 0;
  let isOver = false;
  let gotTask = 0;
  const waiter = async (index: number): Promise<void> => {
    const fetchBody = JSON.stringify({
      workerId: `idle-${String(index)}`,
      channels: ['bench-score'],
      maxTasks: 1,
      asyncResponseTimeout: 'PT30S',
    });
    while (!isOver) {
      open += 1;
      const answer = await client.post('/sutra/external-tasks/fetch-and-lock', fetchBody);
      open -= 1;
      for (const task of (JSON.parse(answer.text) as TaskAnswer).tasks) {
        gotTask += 1;
        await client.post(
          `/sutra/external-tasks/${task.id}/complete`,
          `{"workerId":"idle-${String(index)}","lockToken":"${task.lockToken}","result":${result}}`,
        );
      }
    }
  };
  const waiters = Array.from({ length: options.waiting }, (_, index) => waiter(index));
  while (open < options.waiting) await pause(50);
  await pause(2000);
  const before = await counters(client);
  const startedAt = performance.now();
  await pause(options.seconds * 1000);
  const after = await counters(client);
  const elapsed = (performance.now() - startedAt) / 1000;
  await client.post('/channels/bench-orders', order);
  await pause(500);
  const afterTask = await counters(client);
  isOver = true;
  void Promise.allSettled(waiters);
  return {
    waiting: options.waiting,
    cpuPercentOfOneCore: ((after.cpuSeconds - before.cpuSeconds) / elapsed) * 100,
    claimsPerSecondIdle: (after.claims - before.claims) / elapsed,
    claimsForOneTask: afterTask.claims - after.claims,
    tasksHandedOut: gotTask,
    residentMb: after.residentMb,
  };
}

/** The counters of all replicas, added up. */
async function sums(clients: readonly HttpClient[]): ReturnType<typeof counters> {
  const each = await Promise.all(clients.map(counters));
  const sum = (read: (one: Awaited<ReturnType<typeof counters>>) => number): number =>
    each.reduce((total, one) => total + read(one), 0);
  return {
    statements: sum((one) => one.statements),
    batches: sum((one) => one.batches),
    claims: sum((one) => one.claims),
    delivered: sum((one) => one.delivered),
    cpuSeconds: sum((one) => one.cpuSeconds),
    residentMb: sum((one) => one.residentMb),
  };
}

async function counters(client: HttpClient) {
  const { text } = await client.get('/metrics');
  const read = (name: string): number => {
    let sum = 0;
    for (const line of text.split('\n')) {
      if (line.startsWith(`${name} `) || line.startsWith(`${name}{`))
        sum += Number(line.slice(line.lastIndexOf(' ') + 1));
    }
    return sum;
  };
  return {
    statements: read('sutra_database_statements'),
    batches: read('sutra_batch_turns_count'),
    claims: read('sutra_fetch_claims_total'),
    delivered: read('sutra_outbox_delivered_total'),
    cpuSeconds: read('process_cpu_seconds_total'),
    residentMb: read('process_resident_memory_bytes') / 1024 / 1024,
  };
}

function percentiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const modes: Readonly<Record<string, (options: never) => Promise<unknown>>> = {
  throughput,
  pickUp,
  idle,
  wide,
};
const run = modes[mode];
if (run === undefined) throw new Error(`no mode ${mode}`);
process.stdout.write(`${JSON.stringify(await run(JSON.parse(optionsText) as never))}\n`);
process.exit(0);
