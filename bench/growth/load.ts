/**
 * The load of `npm run bench:growth`, as a process of its own. Arguments: base URL, mode, JSON options. Prints JSON lines.
 *
 * - `loop`: senders and workers in a closed loop over any number of channels, for a time or for a number of orders.
 * - `claims`: how long a fetch takes that finds work; what it gets is completed afterwards, or left locked.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from '../http-client.ts';
import type { ClaimOptions, ClaimResult, LoopEvent, LoopOptions } from './load-process.ts';

interface Task {
  readonly id: string;
  readonly lockToken: string;
}

/** As in load.ts: 300 bytes of JSON. */
const order = JSON.stringify({ orderId: '0123456789', amount: 129.5, country: 'DE', note: 'x'.repeat(232) });

const [, , baseUrl = '', mode = '', optionsText = '{}'] = process.argv;

class Loop {
  readonly #options: LoopOptions;
  readonly #client: HttpClient;
  readonly #blocked: (() => void)[] = [];
  #sentCount = 0;
  #completedCount = 0;
  #refusedCount = 0;
  #isOver = false;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#client = new HttpClient(baseUrl, options.workers.length + options.senders + 2);
  }

  async run(): Promise<void> {
    const { workers, senders, warmUpSeconds } = this.#options;
    const working = workers.map((channels, index) => this.#work(`growth-${String(index)}`, channels));
    const sending = Array.from({ length: senders }, (_, index) => this.#send(index));
    await sleep(warmUpSeconds * 1000);
    print({ event: 'warm' });
    await this.#measure();
    this.#isOver = true;
    for (const wake of this.#blocked.splice(0)) wake();
    await Promise.all([...sending, ...working]);
    this.#client.close();
  }

  async #measure(): Promise<void> {
    const { reportSeconds, seconds, units } = this.#options;
    const startedAt = performance.now();
    let last = { at: startedAt, count: this.#completedCount, cpuSeconds: await this.#cpuSeconds() };
    const isDone = (): boolean =>
      units === null ? last.at - startedAt >= seconds * 1000 : this.#completedCount >= units;
    while (!isDone()) {
      // As long as asked from now on, not from the last reading: then every interval would be a little shorter.
      await sleep(reportSeconds * 1000);
      const now = {
        at: performance.now(),
        count: this.#completedCount,
        cpuSeconds: await this.#cpuSeconds(),
      };
      const count = now.count - last.count;
      print({
        event: 'interval',
        completedCount: now.count,
        refusedCount: this.#refusedCount,
        perSecond: (count * 1000) / (now.at - last.at),
        engineCpuMsPerOrder: ((now.cpuSeconds - last.cpuSeconds) * 1000) / count,
      });
      last = now;
    }
  }

  /** Each sender goes through all paths, beginning at another one. */
  async #send(first: number): Promise<void> {
    const { paths, maxOpen } = this.#options;
    for (let index = first; !this.#isOver;) {
      if (this.#sentCount - this.#completedCount >= maxOpen) {
        await new Promise<void>((resolve) => this.#blocked.push(resolve));
        continue;
      }
      this.#sentCount += 1;
      const { status } = await this.#client.post(paths[index % paths.length] ?? '', order);
      index += 1;
      if (status === 202) continue;
      this.#sentCount -= 1;
      this.#refusedCount += 1;
    }
  }

  async #work(workerId: string, channels: readonly string[]): Promise<void> {
    const { maxTasks } = this.#options;
    const body = JSON.stringify({ workerId, channels, maxTasks, asyncResponseTimeout: 'PT1S' });
    while (!this.#isOver || this.#sentCount > this.#completedCount) {
      for (const task of await fetchTasks(this.#client, body)) {
        await complete(this.#client, workerId, task);
        this.#completedCount += 1;
        this.#blocked.shift()?.();
      }
    }
  }

  async #cpuSeconds(): Promise<number> {
    const { text } = await this.#client.get('/metrics');
    return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1] ?? Number.NaN);
  }
}

async function claims(options: ClaimOptions): Promise<ClaimResult> {
  const { channel, workers, maxTasks, fetches, park } = options;
  const client = new HttpClient(baseUrl, workers);
  // Connections are made before anything is measured.
  await Promise.all(Array.from({ length: workers }, () => client.get('/sutra/health/ready')));
  if (park !== null) {
    let parked = 0;
    const sender = async (): Promise<void> => {
      while (parked < park.orders) {
        parked += 1;
        const { status, text } = await client.post(park.path, order);
        if (status !== 202) throw new Error(`an order was answered ${String(status)}: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: workers }, sender));
    await sleep(500);
  }
  const latenciesMs: number[] = [];
  const taken: [workerId: string, task: Task][] = [];
  let begun = 0;
  const worker = async (index: number): Promise<void> => {
    const workerId = `growth-claims-${String(index)}`;
    const body = JSON.stringify({ workerId, channels: [channel], maxTasks, asyncResponseTimeout: 'PT1S' });
    while (begun < fetches) {
      begun += 1;
      const startedAt = performance.now();
      const tasks = await fetchTasks(client, body);
      latenciesMs.push(performance.now() - startedAt);
      if (tasks.length < maxTasks) throw new Error(`a claim got ${String(tasks.length)} tasks of a backlog`);
      for (const task of tasks) taken.push([workerId, task]);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, index) => worker(index)));
  if (park !== null) await completeAll(client, channel, taken, park.orders);
  client.close();
  return { latenciesMs, taskIds: park === null ? taken.map(([, { id }]) => id) : [] };
}

/** What was taken, and what is still parked of `count`. */
async function completeAll(
  client: HttpClient,
  channel: string,
  taken: readonly [workerId: string, task: Task][],
  count: number,
): Promise<void> {
  await Promise.all(taken.map(([workerId, task]) => complete(client, workerId, task)));
  const body = JSON.stringify({ workerId: 'growth-rest', channels: [channel], asyncResponseTimeout: 'PT1S' });
  for (let left = count - taken.length; left > 0;) {
    const tasks = await fetchTasks(client, body);
    await Promise.all(tasks.map((task) => complete(client, 'growth-rest', task)));
    left -= tasks.length;
  }
}

async function fetchTasks(client: HttpClient, body: string): Promise<readonly Task[]> {
  const { status, text } = await client.post('/sutra/external-tasks/fetch-and-lock', body);
  if (status !== 200) throw new Error(`a fetch was answered ${String(status)}: ${text}`);
  return (JSON.parse(text) as { readonly tasks: readonly Task[] }).tasks;
}

async function complete(client: HttpClient, workerId: string, { id, lockToken }: Task): Promise<void> {
  const body = `{"workerId":"${workerId}","lockToken":"${lockToken}","result":{"score":72}}`;
  const { status, text } = await client.post(`/sutra/external-tasks/${id}/complete`, body);
  if (status !== 200) throw new Error(`a completion was answered ${String(status)}: ${text}`);
}

function print(line: LoopEvent | ClaimResult): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

if (mode === 'loop') await new Loop(JSON.parse(optionsText) as LoopOptions).run();
else if (mode === 'claims') print(await claims(JSON.parse(optionsText) as ClaimOptions));
else throw new Error(`no mode ${mode}`);
