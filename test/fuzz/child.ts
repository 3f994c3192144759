/**
 * The process in which inputs are checked. It keeps no state between inputs but the sources, so what it
 * holds after a collection must stay the same: the runner looks at that.
 */
import { setImmediate } from 'node:timers/promises';
import { checkInput } from './check-input.ts';
import { makeInput } from './make-input.ts';
import type { Answer, Task } from './protocol.ts';
import { loadSources, type Sources } from './sources.ts';

/** A full collection takes some tens of milliseconds. */
const COLLECTED_EVERY = 500;

let sources: Sources | null = null;
let checkedCount = 0;

function say(answer: Answer): void {
  process.send?.(answer);
}

function check(seed: number, index: number, base64: string | null, isAlone: boolean): void {
  const startedAt = performance.now();
  const cpuAtStart = process.cpuUsage();
  let source = '';
  let mutations: readonly string[] = [];
  let bytes: Uint8Array;
  if (base64 === null) {
    sources ??= loadSources();
    ({ source, mutations, bytes } = makeInput(sources, seed, index));
  } else {
    bytes = Buffer.from(base64, 'base64');
  }
  const verdict = checkInput(bytes, seed, index, (call) => {
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
}

async function run(task: Task): Promise<void> {
  if (task.kind === 'bytes') {
    check(task.seed, task.index, task.base64, true);
    return;
  }
  for (let index = task.from; index < task.to; index += 1) {
    check(task.seed, index, null, task.to === task.from + 1);
    // Lets the answer leave before the next input, which may never end.
    await setImmediate();
  }
}

process.on('message', (task) => void run(task as Task));
sources = loadSources();
say({ kind: 'ready' });
