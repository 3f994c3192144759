/** Orders to an engine of `bench/package`, and a worker that does what is left of them. */
import { HttpClient } from '../http-client.ts';
import type { LoggedEngine } from '../support/counted-engine.ts';
import { nowMs } from './clock.ts';

const ORDER = JSON.stringify({ orderId: '0123456789', amount: 129.5, country: 'DE', note: 'x'.repeat(232) });
const RESULT = '{"score":72}';

/** @throws Error when it is not accepted. Answers when the answer came. */
export async function sendOrder(client: HttpClient): Promise<number> {
  const { status, text } = await client.post('/channels/bench-orders', ORDER);
  if (status !== 202) throw new Error(`an order was answered ${status}: ${text}`);
  return nowMs();
}

export interface Fetched {
  readonly id: string;
  readonly lockToken: string;
}

/** A fetch of one task that waits for `seconds`. Null: there was none. */
export async function fetchTask(client: HttpClient, seconds: number): Promise<Fetched | null> {
  const body = `{"workerId":"bench","channels":["bench-score"],"maxTasks":1,"asyncResponseTimeout":"PT${String(seconds)}S"}`;
  const answer = await client.post('/sutra/external-tasks/fetch-and-lock', body);
  if (answer.status !== 200) throw new Error(`a fetch was answered ${answer.status}: ${answer.text}`);
  return (JSON.parse(answer.text) as { readonly tasks: readonly Fetched[] }).tasks[0] ?? null;
}

export async function completeTask(client: HttpClient, { id, lockToken }: Fetched): Promise<void> {
  const body = `{"workerId":"bench","lockToken":"${lockToken}","result":${RESULT}}`;
  const answer = await client.post(`/sutra/external-tasks/${id}/complete`, body);
  if (answer.status !== 200) throw new Error(`a completion was answered ${answer.status}: ${answer.text}`);
}

/** Fetches and completes until no instance is running. Answers when each fetch was answered. */
export async function drain(engine: LoggedEngine): Promise<readonly number[]> {
  const client = new HttpClient(engine.url, 1);
  const gotAtMs: number[] = [];
  for (let isDone = false; !isDone; isDone = await hasNoneRunning(client)) {
    for (let task = await fetchTask(client, 0.2); task !== null; task = await fetchTask(client, 0.2)) {
      gotAtMs.push(nowMs());
      await completeTask(client, task);
    }
  }
  client.close();
  return gotAtMs;
}

async function hasNoneRunning(client: HttpClient): Promise<boolean> {
  const { text } = await client.get('/sutra/instances?status=running');
  return (JSON.parse(text) as { readonly instances: readonly unknown[] }).instances.length === 0;
}

/** Compiles the ways that an order takes, so that no later figure has that in it. */
export async function warmUp(engine: LoggedEngine, orders: number): Promise<void> {
  const client = new HttpClient(engine.url, 20);
  await Promise.all(Array.from({ length: orders }, () => sendOrder(client)));
  client.close();
  await drain(engine);
}
