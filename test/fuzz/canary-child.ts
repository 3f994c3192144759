/** Stands in for `child.ts` in the tests of the runner: inputs that fail in each way, and others that pass. */
import { CANARIES } from './canaries.ts';
import type { Verdict } from './check-input.ts';
import type { Done, Task } from './protocol.ts';

const calm: Verdict = {
  codes: [],
  processCount: 0,
  compileMs: 0,
  playMs: 0,
  slowestCall: { name: 'compile', cpuMs: 1 },
  play: null,
  failures: [],
};

function verdictOf(index: number, isAlone: boolean): Verdict {
  if (index === CANARIES.hangs) for (;;);
  if (index === CANARIES.exits) process.exit(7);
  if (index === CANARIES.throws) {
    return { ...calm, failures: [{ signature: 'threw', message: 'canary', stack: [] }] };
  }
  const isSlow = index === CANARIES.slow || (index === CANARIES.slowOnce && !isAlone);
  return isSlow ? { ...calm, slowestCall: { name: 'compile', cpuMs: 1_500 } } : calm;
}

function check(index: number, isAlone: boolean): void {
  const rssBytes = index === CANARIES.hoards ? 2 ** 40 : 2 ** 20;
  // Held after a collection: more with every input from the twentieth on.
  const floorBytes = index < 20 ? null : (index - 20) * 2 ** 20;
  const verdict = verdictOf(index, isAlone);
  const done: Done = {
    ...{ kind: 'done', index, source: 'canary/a', mutations: [], byteCount: 1, tookMs: 1, cpuMs: 1 },
    ...{ verdict, rssBytes, floorBytes },
  };
  process.send?.(done);
}

process.on('message', (task: Task) => {
  if (task.kind === 'range') {
    for (let index = task.from; index < task.to; index += 1) check(index, task.to === task.from + 1);
  } else {
    check(task.index, true);
  }
});
process.send?.({ kind: 'ready' });
