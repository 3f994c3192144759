/** From the commit of an order at one replica to the worker that waits idle at the same one, or at another. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from '../http-client.ts';
import { nowMs } from '../waiting/clock.ts';
import { completeTask, fetchTask, sendOrder } from '../waiting/orders.ts';

export interface PickUp {
  /** From the answer to the order to the answer of the fetch; below 0: the worker was faster. */
  readonly afterCommitMs: number[];
  readonly afterRequestMs: number[];
}

/** Until the fetch waits idle, and nothing of the last round is under way. */
const IDLE_MS = 25;
const WAIT_SECONDS = 10;

/** In turn, round by round. @throws Error when a waiting fetch gets nothing */
export async function measurePickUps(
  workerUrl: string,
  senderUrls: readonly string[],
  rounds: number,
): Promise<readonly PickUp[]> {
  const worker = new HttpClient(workerUrl, 2);
  const senders = senderUrls.map((url) => new HttpClient(url, 2));
  const pickUps = senders.map((): PickUp => ({ afterCommitMs: [], afterRequestMs: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, sender] of senders.entries()) {
      const fetched = fetchTask(worker, WAIT_SECONDS).then((task) => ({ task, atMs: nowMs() }));
      await sleep(IDLE_MS);
      const requestedAtMs = nowMs();
      const [{ task, atMs }, answeredAtMs] = await Promise.all([fetched, sendOrder(sender)]);
      if (task === null) throw new Error('the waiting fetch got no task');
      pickUps[index]?.afterCommitMs.push(atMs - answeredAtMs);
      pickUps[index]?.afterRequestMs.push(atMs - requestedAtMs);
      await completeTask(worker, task);
    }
  }
  for (const client of [worker, ...senders]) client.close();
  return pickUps;
}
