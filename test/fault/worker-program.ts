/**
 * A worker of the SDK as a program of its own, which tells its parent what its runs come to. Its options are one JSON
 * argument. It ends by itself when it is told to by SIGTERM, or when its parent has gone.
 */
import { stopOnSignals, Worker, type Task, type TaskContext } from '../../worker/index.ts';
import { pause } from '../support/fault-load.ts';
import { outcomeOf, type RunOutcome } from './worker-ledger.ts';
import type { Order } from './worker-package.ts';

export interface ProgramOptions {
  readonly baseUrl: string;
  readonly workerId: string;
  readonly channel: string;
  readonly concurrency: number;
  readonly lockDuration: string;
  readonly drainTimeout: string;
  /** How long a run takes; null: it does not end, whatever it is told. */
  readonly workMs: number | null;
  /** Every so many runs, the first of them, the event loop stands still instead. 0: never. */
  readonly blockEvery: number;
  readonly blockMs: number;
  /** It fetches only when its parent has sent it a message, whatever it is. */
  readonly isHeld: boolean;
}

/** An attempt at a task. */
export interface Attempt {
  readonly id: string;
  readonly attempts: number;
}

export type ProgramMessage =
  /** It can be held no longer, and listens to signals. */
  | { readonly kind: 'up' }
  | { readonly kind: 'polling' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'begun'; readonly task: Attempt; readonly order: Order; readonly mark: string }
  /** The `AbortSignal` of the run was aborted; `reason` is the name of its reason. */
  | { readonly kind: 'aborted'; readonly task: Attempt; readonly reason: string }
  | { readonly kind: 'ended'; readonly task: Attempt; readonly outcome: RunOutcome };

function tell(message: ProgramMessage): void {
  process.send?.(message);
}

/** Nothing of this process runs meanwhile, no timer and no socket; and the processor is left to others. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function newWorker(given: ProgramOptions): Worker {
  const { channel, workMs, blockEvery, blockMs, isHeld: _, ...options } = given;
  let runCount = 0;
  const handle = async (task: Task, { signal }: TaskContext): Promise<unknown> => {
    const order = task.body as Order;
    const attempt = { id: task.id, attempts: task.attempts };
    const mark = `${options.workerId}/${String(process.pid)}/${String(Math.random())}`;
    signal.addEventListener('abort', () => {
      tell({ kind: 'aborted', task: attempt, reason: (signal.reason as Error).name });
    });
    tell({ kind: 'begun', task: attempt, order, mark });
    const isBlocked = blockEvery > 0 && runCount % blockEvery === 0;
    runCount += 1;
    if (isBlocked) block(blockMs);
    else if (workMs === null) await new Promise(() => {});
    else await pause(workMs);
    return { n: order.n, mark };
  };
  const worker = new Worker({ ...options, channels: { [channel]: handle } });
  worker.on('polling', () => tell({ kind: 'polling' }));
  for (const name of ['completed', 'failed', 'lock-lost'] as const) {
    worker.on(name, (event) => {
      const { id, attempts } = event.task;
      tell({ kind: 'ended', task: { id, attempts }, outcome: outcomeOf(name, event) });
    });
  }
  return worker;
}

const options = JSON.parse(process.argv[2] ?? '') as ProgramOptions;
const worker = newWorker(options);
stopOnSignals(worker);
const onOrphaned = (): void => process.exit(1);
process.once('disconnect', onOrphaned);
worker.on('stopped', () => {
  process.off('disconnect', onOrphaned);
  // Behind all that was told before.
  process.send?.({ kind: 'stopped' } satisfies ProgramMessage, () => process.disconnect());
});
if (options.isHeld) {
  const released = new Promise((resolve) => process.once('message', resolve));
  tell({ kind: 'up' });
  await released;
}
await worker.start();
