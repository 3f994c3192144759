/**
 * Workers that go on whatever the engine answers, as a process of its own: a refused completion is sent again after
 * `Retry-After`. Talks with `overload.ts` over the channel of `fork`; any message from there ends the work.
 */
import { performance } from 'node:perf_hooks';
import { HttpClient, type HttpAnswer } from '../http-client.ts';
import { percentiles, type Percentiles } from './percentiles.ts';

export interface OverloadWorkerOptions {
  readonly url: string;
  readonly workers: number;
  readonly maxTasks: number;
}

export interface WorkerCounts {
  readonly completed: number;
  /** Completions and fetches answered 429: tried again. */
  readonly completionsRefused: number;
  readonly fetchesRefused: number;
  readonly failed: number;
}

export type WorkerMessage =
  | { readonly kind: 'counts'; readonly counts: WorkerCounts }
  | {
      readonly kind: 'done';
      readonly completionMs: Percentiles;
      /** Fetches that brought tasks. */
      readonly fetchMs: Percentiles;
      readonly failures: readonly string[];
    };

interface Task {
  readonly id: string;
  readonly lockToken: string;
}

/** What the engine asks for with its 429. */
const RETRY_AFTER_MS = 1000;
const MAX_FAILURES_SHOWN = 10;

const { url, workers, maxTasks } = JSON.parse(process.argv[2] ?? '{}') as OverloadWorkerOptions;
const client = new HttpClient(url, workers);
const completionMs: number[] = [];
const fetchMs: number[] = [];
const failures: string[] = [];
let completionsRefused = 0;
let fetchesRefused = 0;
let failed = 0;
let isOver = false;

async function work(workerId: string): Promise<void> {
  const fetchBody = JSON.stringify({
    ...{ workerId, channels: ['bench-score'], maxTasks, asyncResponseTimeout: 'PT1S' },
  });
  while (!isOver) {
    const startedAt = performance.now();
    const answer = await post('/sutra/external-tasks/fetch-and-lock', fetchBody);
    if (answer?.status !== 200) {
      if (answer?.status === 429) fetchesRefused += 1;
      else fail(answer);
      await pause(RETRY_AFTER_MS);
      continue;
    }
    const { tasks } = JSON.parse(answer.text) as { readonly tasks: readonly Task[] };
    if (tasks.length > 0) fetchMs.push(performance.now() - startedAt);
    for (const task of tasks) await complete(workerId, task);
  }
}

async function complete(workerId: string, { id, lockToken }: Task): Promise<void> {
  const body = `{"workerId":"${workerId}","lockToken":"${lockToken}","result":{"score":72}}`;
  for (;;) {
    const startedAt = performance.now();
    const answer = await post(`/sutra/external-tasks/${id}/complete`, body);
    if (answer?.status === 429) {
      completionsRefused += 1;
      await pause(RETRY_AFTER_MS);
      continue;
    }
    if (answer?.status === 200) completionMs.push(performance.now() - startedAt);
    else fail(answer);
    return;
  }
}

/** Null: no answer. */
async function post(path: string, body: string): Promise<HttpAnswer | null> {
  try {
    return await client.post(path, body);
  } catch {
    return null;
  }
}

function fail(answer: HttpAnswer | null): void {
  failed += 1;
  if (failures.length < MAX_FAILURES_SHOWN)
    failures.push(answer === null ? 'no answer' : `${String(answer.status)} ${answer.text.slice(0, 200)}`);
}

function sendCounts(): void {
  const counts = { completed: completionMs.length, completionsRefused, fetchesRefused, failed };
  say({ kind: 'counts', counts });
}

function say(message: WorkerMessage): void {
  process.send?.(message);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

process.once('message', () => (isOver = true));
const counting = setInterval(sendCounts, 200);
await Promise.all(Array.from({ length: workers }, (_, index) => work(`bench-${String(index)}`)));
clearInterval(counting);
sendCounts();
say({
  kind: 'done',
  completionMs: percentiles(completionMs),
  fetchMs: percentiles(fetchMs),
  failures,
});
client.close();
process.disconnect();
