/** That what was seeded is what the engine itself would have written: it goes on with it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MeasuredEngine } from '../engine-process.ts';
import { BACKLOG, BACKLOG_WIDTH, MEASURED, WAITING } from './packages.ts';
import { HttpClient } from '../http-client.ts';

interface Task {
  readonly id: string;
  readonly lockToken: string;
  readonly instanceId: string;
}

/** Of the backlog. */
const INSTANCES = 4;

/** @throws Error when a seeded task cannot be completed, or an instance does not end, or a dedup key is not known */
export async function prove(
  { url }: MeasuredEngine,
  { waitingKey, seenKey }: { readonly waitingKey: string; readonly seenKey: string },
): Promise<string> {
  const client = new HttpClient(url, 1);
  const tasks = await fetchBacklog(client);
  for (const { id, lockToken } of tasks) {
    await post(client, `/sutra/external-tasks/${id}/complete`, 200, {
      workerId: 'growth-proof',
      lockToken,
      result: { score: 72 },
    });
  }
  const ended = [...new Set(tasks.map(({ instanceId }) => instanceId))];
  if (ended.length !== INSTANCES)
    throw new Error('the tasks of an instance were not fetched one after the other');
  const answered = await post(client, WAITING.answerPath, 202, { orderId: waitingKey });
  ended.push((JSON.parse(answered) as { readonly instanceId: string }).instanceId);
  // A message is answered when it is stored; its turn is in the same commit, a signal to other readers is not.
  await sleep(200);
  for (const instanceId of ended) {
    const { text } = await client.get(`/sutra/instances/${instanceId}`);
    const { status } = JSON.parse(text) as { readonly status: string };
    if (status !== 'completed') throw new Error(`the seeded instance ${instanceId} is ${status}`);
  }
  const repeated = await post(client, MEASURED.path, 202, {}, { 'idempotency-key': seenKey });
  if (!(JSON.parse(repeated) as { readonly duplicate: boolean }).duplicate)
    throw new Error('a message under a seeded dedup key is not a duplicate');
  client.close();
  return `${String(tasks.length)} seeded tasks completed, ${String(ended.length)} seeded instances ended, a seeded dedup key recognised`;
}

async function fetchBacklog(client: HttpClient): Promise<readonly Task[]> {
  const text = await post(client, '/sutra/external-tasks/fetch-and-lock', 200, {
    workerId: 'growth-proof',
    channels: [BACKLOG.pull],
    maxTasks: INSTANCES * BACKLOG_WIDTH,
    asyncResponseTimeout: 'PT1S',
  });
  return (JSON.parse(text) as { readonly tasks: readonly Task[] }).tasks;
}

async function post(
  client: HttpClient,
  path: string,
  expected: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { status, text } = await client.post(path, JSON.stringify(body), headers);
  if (status !== expected) throw new Error(`${path} was answered ${String(status)}: ${text}`);
  return text;
}
