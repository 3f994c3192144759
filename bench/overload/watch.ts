/** What is watched from outside while the engine is overloaded, and the probes that say when it has recovered. */
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { HttpClient } from '../http-client.ts';

/** Megabytes that the process has in memory. Linux only. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

export interface Sample {
  readonly second: number;
  readonly residentMb: number;
  /** Of the engine's own gauge; null: its metrics were not answered in time. */
  readonly turnsInFlight: number | null;
  readonly metricsMs: number;
}

/** A sample a second until `stop`. */
export class Watch {
  readonly samples: Sample[] = [];
  readonly #pid: number;
  readonly #client: HttpClient;
  readonly #timer: NodeJS.Timeout;
  readonly #startedAt = performance.now();

  constructor(url: string, pid: number) {
    this.#pid = pid;
    this.#client = new HttpClient(url, 4);
    this.#timer = setInterval(() => {
      // An engine that is gone has no sample.
      this.#sample().catch(() => {});
    }, 1000);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#client.close();
  }

  async #sample(): Promise<void> {
    const askedAt = performance.now();
    const second = (askedAt - this.#startedAt) / 1000;
    const resident = await residentMb(this.#pid);
    const text = await this.#client.get('/metrics').then(
      (answer) => answer.text,
      () => '',
    );
    const inFlight = /^sutra_turns_in_flight (\d+)/m.exec(text)?.[1];
    this.samples.push({
      second,
      residentMb: resident,
      turnsInFlight: inFlight === undefined ? null : Number(inFlight),
      metricsMs: performance.now() - askedAt,
    });
  }
}

export interface Probes {
  /** Ids of the instances that the accepted ones have started. */
  readonly instanceIds: string[];
  readonly refusedCount: number;
  readonly worstMs: number;
  /** From the call until the first of the good probes in a row; null: there were none in time. */
  readonly recoveredMs: number | null;
}

const PROBE_EVERY_MS = 50;
/** So many in a row, a second of them, are a recovery. */
const GOOD_IN_A_ROW = 20;

/** An order each 50 ms, whether the last is answered or not, until a second of them was accepted within `boundMs`. */
export async function probeUntilRecovered(url: string, boundMs: number, patienceMs: number): Promise<Probes> {
  const client = new HttpClient(url, 200);
  const startedAt = performance.now();
  const sent: { readonly at: number; isGood: boolean | null }[] = [];
  const instanceIds: string[] = [];
  const open = new Set<Promise<void>>();
  let refusedCount = 0;
  let worstMs = 0;
  const probe = async (entry: (typeof sent)[number], number: number): Promise<void> => {
    const answer = await client
      .post('/channels/bench-orders', `{"orderId":"probe-${String(number)}","amount":129.5,"country":"DE"}`)
      .catch(() => null);
    const ms = performance.now() - entry.at;
    worstMs = Math.max(worstMs, ms);
    if (answer?.status === 202)
      instanceIds.push((JSON.parse(answer.text) as { instanceId: string }).instanceId);
    else refusedCount += 1;
    entry.isGood = answer?.status === 202 && ms <= boundMs;
  };
  let recoveredMs: number | null = null;
  while (recoveredMs === null && performance.now() - startedAt < patienceMs) {
    const entry = { at: performance.now(), isGood: null };
    sent.push(entry);
    const answered = probe(entry, sent.length).finally(() => open.delete(answered));
    open.add(answered);
    await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    recoveredMs = goodSince(sent, startedAt);
  }
  await Promise.all(open);
  client.close();
  return { instanceIds, refusedCount, worstMs, recoveredMs };
}

function goodSince(
  sent: readonly { readonly at: number; readonly isGood: boolean | null }[],
  startedAt: number,
): number | null {
  const lastBad = sent.findLastIndex(({ isGood }) => isGood === false);
  const after = sent.slice(lastBad + 1);
  const answered = after.findIndex(({ isGood }) => isGood === null);
  const good = answered === -1 ? after.length : answered;
  const first = after[0];
  return good >= GOOD_IN_A_ROW && first !== undefined ? first.at - startedAt : null;
}
