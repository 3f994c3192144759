/**
 * What a process does in which inputs are checked. It keeps no state between inputs but what they are made of, so what
 * it holds after a collection must stay the same: the runner looks at that.
 */
import { setImmediate } from 'node:timers/promises';
import type { Judgement } from './judgement.ts';
import type { Answer, Task } from './protocol.ts';

export interface MadeInput {
  /** Where it comes from, and what was done to it. */
  readonly source: string;
  readonly mutations: readonly string[];
  readonly bytes: Uint8Array;
}

export interface Checks<Found extends Judgement> {
  /** The input that seed and index decide. */
  readonly make: (seed: number, index: number) => MadeInput;
  /** @param onCall to be told of each call into the product, before it */
  readonly check: (bytes: Uint8Array, seed: number, index: number, onCall: (name: string) => void) => Found;
}

/** A full collection takes some tens of milliseconds. */
const COLLECTED_EVERY = 500;

/** Answers the tasks that the parent process sends, from now on. */
export function answerTasks<Found extends Judgement>({ make, check }: Checks<Found>): void {
  let checkedCount = 0;
  const say = (answer: Answer<Found>): void => {
    process.send?.(answer);
  };

  const checkOne = (seed: number, index: number, base64: string | null, isAlone: boolean): void => {
    const startedAt = performance.now();
    const cpuAtStart = process.cpuUsage();
    const { source, mutations, bytes } =
      base64 === null
        ? make(seed, index)
        : { source: '', mutations: [], bytes: Buffer.from(base64, 'base64') };
    const verdict = check(bytes, seed, index, (call) => {
      if (isAlone) say({ kind: 'entering', call });
    });
    const tookMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpuAtStart);
    const cpuMs = (user + system) / 1000;
    checkedCount += 1;
    let floorBytes: number | null = null;
    if (checkedCount % COLLECTED_EVERY === 0 && globalThis.gc !== undefined) {
      globalThis.gc();
      floorBytes = process.memoryUsage().heapUsed;
    }
    const rssBytes = process.memoryUsage.rss();
    const byteCount = bytes.byteLength;
    say({ kind: 'done', index, source, mutations, byteCount, tookMs, cpuMs, verdict, rssBytes, floorBytes });
  };

  const run = async (task: Task): Promise<void> => {
    if (task.kind === 'bytes') {
      checkOne(task.seed, task.index, task.base64, true);
      return;
    }
    for (let index = task.from; index < task.to; index += 1) {
      checkOne(task.seed, index, null, task.to === task.from + 1);
      // Lets the answer leave before the next input, which may never end.
      await setImmediate();
    }
  };

  process.on('message', (task) => void run(task as Task));
  say({ kind: 'ready' });
}
