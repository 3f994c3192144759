/**
 * Runs the worker of `sutra work`: between the client, which knows locks and tasks, and a program, which knows neither.
 *
 * W1 What a task's program has said is reported once it is over, and nothing of it runs any more.
 * W2 After the first signal nothing is fetched; the promise resolves when nothing is left running.
 */
import { Worker } from '../../worker/index.ts';
import { formatDuration } from '../../config/iso8601.ts';
import { parseWithBodyBytes } from './body-bytes.ts';
import { HandledTasks } from './handled-tasks.ts';
import { killAllGroups } from './process-group.ts';
import type { RunTask } from './run-task.ts';
import { listenForStop } from './stop-signals.ts';

export interface WorkOptions {
  readonly channels: readonly string[];
  readonly runTask: RunTask;
  /** The engine. */
  readonly url: URL;
  /** Of each call to it. */
  readonly headers: () => Promise<Record<string, string>>;
  readonly concurrency: number;
  /** ISO-8601. */
  readonly drainTimeout: string;
  /** How long a run may take to end once it is not wanted. */
  readonly stopMs: number;
  /** Null: a random one. */
  readonly workerId: string | null;
  /** ISO-8601; null: the channel's own. */
  readonly lockDuration: string | null;
  /** Lines for people. */
  readonly note: (line: string) => void;
  /** Once the engine has answered the first fetch. */
  readonly ready: (line: string) => void;
}

const EXIT_UNFINISHED = 1;
/** Beside the time that a run may take to be stopped. A guess. */
const STOP_MARGIN_MS = 2_000;
/** What a shell reports for a process that an interrupt has ended. */
const EXIT_OF_SECOND_SIGNAL = 130;

/** @returns the exit code, once a signal has stopped it. */
export async function work(options: WorkOptions): Promise<number> {
  const { channels, url, note } = options;
  const handled = new HandledTasks(options.runTask);
  const worker = workerOf(options, handled);
  worker.on('failed', ({ task, error, status, retries }) => {
    const left = status === 'TERMINAL' ? 'for good' : `${String(retries ?? 'some')} retries left`;
    note(`task ${task.id} of ${task.channel} has failed (${left}): ${messageOf(error)}`);
  });
  worker.on('lock-lost', ({ task, reason }) => {
    note(`task ${task.id} of ${task.channel}: its outcome was dropped: ${reason.message}`);
  });
  const stopAsked = new Promise<void>((resolve) => {
    listenForStop({
      onFirst: (signal) => {
        note(`${signal}: ${String(handled.runningCount)} running; a second signal stops them at once`);
        resolve();
      },
      onSecond: () => {
        killAllGroups();
        process.exit(EXIT_OF_SECOND_SIGNAL);
      },
    });
  });
  await worker.start();
  void worker.ready().then(
    () => options.ready(`sutra work is ready: ${channels.join(', ')} at ${url.origin}`),
    () => undefined,
  );
  await stopAsked;
  await worker.stop();
  await handled.allEnded();
  return handled.unfinishedCount === 0 ? 0 : EXIT_UNFINISHED;
}

function workerOf(options: WorkOptions, { handler }: HandledTasks): Worker {
  const { channels, url, workerId, lockDuration } = options;
  return new Worker({
    baseUrl: url.href,
    concurrency: options.concurrency,
    drainTimeout: options.drainTimeout,
    // A task is given back once nothing of it runs any more.
    abortGrace: formatDuration(options.stopMs + STOP_MARGIN_MS),
    headers: options.headers,
    parseJson: parseWithBodyBytes,
    log: options.note,
    channels: Object.fromEntries(channels.map((channel) => [channel, handler])),
    ...(workerId === null ? {} : { workerId }),
    ...(lockDuration === null ? {} : { lockDuration }),
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
