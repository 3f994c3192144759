/** What is measured while a crowd waits on one replica. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from '../http-client.ts';
import type { LoggedEngine } from '../support/counted-engine.ts';
import { median, quantile, spreadOf, type Report } from '../support/report.ts';
import { nowMs } from './clock.ts';
import { measureBurst, type Burst } from './cpu.ts';
import type { Crowd } from './crowd.ts';
import { drain, sendOrder } from './orders.ts';

export interface Scene {
  /** In front of every figure. */
  readonly name: string;
  /** The first is the one on which the crowd waits. */
  readonly engines: readonly LoggedEngine[];
  readonly crowd: Crowd;
  readonly waiting: number;
  readonly report: Report;
}

/** After the last answer: for claims that come behind it. */
const AFTERMATH_MS = 300;
/** What is within this after the last connection was closed was there at once, and not after a lock. */
const AT_ONCE_MS = 2_000;
/** At the most: it is over when the engine is idle. */
const BURST_MS = 10_000;
const MEMORY_SETTLE_MS = 5_000;

export async function residentMb(engine: LoggedEngine): Promise<number> {
  return ((await engine.metrics()).get('process_resident_memory_bytes') ?? Number.NaN) / 1024 / 1024;
}

async function heapMb(engine: LoggedEngine): Promise<number> {
  return ((await engine.metrics()).get('nodejs_heap_size_used_bytes') ?? Number.NaN) / 1024 / 1024;
}

async function sumOf(engines: readonly LoggedEngine[], metric: string): Promise<number> {
  let sum = 0;
  for (const engine of engines) sum += (await engine.metrics()).get(metric) ?? 0;
  return sum;
}

/** Processor time of the waiting replica while nothing comes. `what`: what the waits do meanwhile. */
export async function measureIdle(scene: Scene, what: string, seconds: number): Promise<void> {
  const { name, report } = scene;
  const [engine] = scene.engines as [LoggedEngine];
  const read = async () => ({ atMs: nowMs(), metrics: await engine.metrics() });
  const before = await read();
  await sleep(seconds * 1_000);
  const after = await read();
  const elapsed = (after.atMs - before.atMs) / 1_000;
  const rate = (metric: string): number =>
    ((after.metrics.get(metric) ?? 0) - (before.metrics.get(metric) ?? 0)) / elapsed;
  report.figure(`${name}: CPU of one core, ${what}`, rate('process_cpu_seconds_total') * 100, {
    unit: '%',
    target: { below: 3 },
    note: [
      `over ${elapsed.toFixed(0)} s`,
      `${rate('sutra_fetch_looks_total').toFixed(1)} looks/s`,
      `${rate('sutra_fetch_claims_total').toFixed(1)} claims/s`,
      `${rate('sutra_database_statements').toFixed(1)} statements/s`,
    ].join(', '),
  });
}

interface Parked {
  readonly claims: number;
  /** From the answer to the last order to the answer to the last fetch. */
  readonly lastMs: number;
}

/** `count` orders at once by way of `engine`. @throws Error unless each task went to one fetch of its own */
async function park(scene: Scene, engine: LoggedEngine, count: number): Promise<Parked> {
  const { crowd, engines } = scene;
  const client = new HttpClient(engine.url, count);
  crowd.take();
  const before = await sumOf(engines, 'sutra_fetch_claims_total');
  const answeredAtMs = await Promise.all(Array.from({ length: count }, () => sendOrder(client)));
  await crowd.until(`${count} tasks are fetched`, () => crowd.gotCount >= count);
  await sleep(AFTERMATH_MS);
  const claims = (await sumOf(engines, 'sutra_fetch_claims_total')) - before;
  client.close();
  const got = crowd.take();
  const [tasks, workers] = [
    new Set(got.map(({ taskId }) => taskId)),
    new Set(got.map(({ worker }) => worker)),
  ];
  if (got.length !== count || tasks.size !== count || workers.size !== count)
    throw new Error(
      `${count} tasks: ${got.length} came, ${tasks.size} different, to ${workers.size} fetches`,
    );
  return { claims, lastMs: Math.max(...got.map(({ atMs }) => atMs)) - Math.max(...answeredAtMs) };
}

/** `count` tasks at once, `rounds` times, by way of the replica `from`. */
export async function measureParking(
  scene: Scene,
  from: number,
  {
    count,
    rounds,
    maxClaims,
  }: { readonly count: number; readonly rounds: number; readonly maxClaims: number },
): Promise<void> {
  const { name, report, engines, waiting } = scene;
  const runs: Parked[] = [];
  for (let round = 0; round < rounds; round += 1) {
    runs.push(await park(scene, engines[from] as LoggedEngine, count));
  }
  const where = from === 0 ? 'here' : 'by the other replica';
  const what = `${name}: ${count} parked ${where}`;
  const claims = runs.map((run) => run.claims);
  const lastMs = runs.map((run) => run.lastMs);
  report.figure(`${what}: claim statements, most of ${rounds} rounds`, Math.max(...claims), {
    target: { atMost: maxClaims },
    note: `median ${median(claims)}; each task went to a fetch of its own, of ${waiting}`,
    raw: claims,
  });
  report.figure(`${what}: answer to the last order until the last fetch, p50`, median(lastMs), {
    unit: 'ms',
    note: `p99 ${quantile(lastMs, 0.99).toFixed(1)}, ${spreadOf(lastMs, 1)}`,
    raw: lastMs,
  });
}

function showBurst({ name, report }: Scene, what: string, burst: Burst | null): void {
  if (burst === null) return;
  report.figure(`${name}: ${what}: the engine is busy for`, burst.lengthMs, {
    unit: 'ms',
    digits: 0,
    note: `${burst.cpuMs.toFixed(0)} ms of CPU`,
  });
}

/** All first waits end at `endsAtMs`, and everybody asks again. One order is sent in the midst of it. */
export async function measureTimeouts(scene: Scene, endsAtMs: number): Promise<void> {
  const { name, report, crowd, waiting } = scene;
  const [engine] = scene.engines as [LoggedEngine];
  const client = new HttpClient(engine.url, 1);
  crowd.take();
  const claimsBefore = await sumOf([engine], 'sutra_fetch_claims_total');
  await sleep(endsAtMs - nowMs() + 5);
  const burst = measureBurst(engine.pid, BURST_MS);
  const order = sendOrder(client);
  await crowd.until('all waits have ended', () => crowd.endedCount + crowd.gotCount >= waiting);
  const orderAtMs = await order;
  await crowd.until('the order is fetched', () => crowd.gotCount > 0);
  await crowd.allWait(engine);
  const what = `${waiting} waits end at once`;
  const waitAgainMs = nowMs() - endsAtMs;
  showBurst(scene, what, await burst);
  report.figure(`${name}: ${what}: the last is answered after`, crowd.maxLateMs, { unit: 'ms', digits: 0 });
  report.figure(`${name}: ${what}: all wait again after, at the most`, waitAgainMs, {
    unit: 'ms',
    digits: 0,
  });
  const claims = (await sumOf([engine], 'sutra_fetch_claims_total')) - claimsBefore;
  report.figure(`${name}: ${what}: claim statements, an order's included`, claims);
  const [got] = crowd.take();
  report.figure(
    `${name}: ${what}: an order meanwhile, from its answer to a fetch`,
    (got?.atMs ?? NaN) - orderAtMs,
    {
      unit: 'ms',
      note: `answered ${(orderAtMs - endsAtMs).toFixed(0)} ms after the instant`,
    },
  );
  client.close();
}

/** All clients go at once, and nothing else happens. */
export async function measureHangUp(scene: Scene): Promise<void> {
  const { name, report, crowd, waiting } = scene;
  const [engine] = scene.engines as [LoggedEngine];
  const what = `${waiting} clients hang up at once`;
  const [rssBefore, heapBefore] = [await residentMb(engine), await heapMb(engine)];
  const burst = measureBurst(engine.pid, BURST_MS);
  crowd.hangUp();
  showBurst(scene, what, await burst);
  const left = await sumOf([engine], 'sutra_fetches_waiting');
  report.figure(`${name}: ${what}: fetches that wait afterwards`, left, { target: { atMost: 0 } });
  await sleep(MEMORY_SETTLE_MS);
  const heapAfter = await heapMb(engine);
  report.figure(`${name}: ${what}: memory given back`, rssBefore - (await residentMb(engine)), {
    unit: 'MB',
    digits: 0,
    note: `of the heap in use ${(heapBefore - heapAfter).toFixed(0)} MB, ${heapAfter.toFixed(0)} left`,
  });
}

/** All clients go at once while `orders` come: none of them is lost. */
export async function measureLostOrders(scene: Scene, orders: number): Promise<void> {
  const { name, report, crowd, waiting } = scene;
  const [engine] = scene.engines as [LoggedEngine];
  const client = new HttpClient(engine.url, orders);
  crowd.take();
  const sent: Promise<number>[] = [];
  for (let count = 0; count < orders; count += 1) {
    if (count === orders >> 2) crowd.hangUp();
    sent.push(sendOrder(client));
    await sleep(2);
  }
  const lastSentMs = Math.max(...(await Promise.all(sent)));
  const gotAtMs = await drain(engine);
  client.close();
  const atOnce = gotAtMs.filter((atMs) => atMs < lastSentMs + AT_ONCE_MS).length;
  const byCrowd = new Set(crowd.take().map(({ taskId }) => taskId)).size;
  const what = `${waiting} clients hang up while ${orders} orders come`;
  report.figure(`${name}: ${what}: lost`, Math.max(orders - byCrowd - gotAtMs.length, 0), {
    target: { atMost: 0 },
    note: `${byCrowd} had reached the clients, ${atOnce} fetched at once, ${gotAtMs.length - atOnce} when a lock had run out`,
  });
  report.figure(`${name}: ${what}: last of them fetched after`, Math.max(...gotAtMs) - lastSentMs, {
    unit: 'ms',
    digits: 0,
  });
}
