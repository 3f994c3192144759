/**
 * Some of the clients of bench:waiting, as a process of its own: each has one connection, and on it one fetch after the
 * other. Commands come, and what happens goes, over the channel to the parent (`crowd.ts`). Instants are `nowMs`.
 */
import { HttpClient } from '../http-client.ts';
import { nowMs } from './clock.ts';

export type Command =
  | {
      readonly kind: 'open';
      readonly url: string;
      readonly count: number;
      /** The end of the first wait of each. */
      readonly firstEndsAtMs: number;
      /** The wait of every later fetch but the second, whose is spread evenly up to it. */
      readonly waitMs: number;
      readonly lockMs: number;
    }
  | { readonly kind: 'hangUp' };

export type Happening =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'got';
      readonly worker: string;
      readonly taskIds: readonly string[];
      readonly atMs: number;
    }
  /** First fetches that were answered with nothing since the last report, and how late the latest was. */
  | { readonly kind: 'ended'; readonly count: number; readonly maxLateMs: number }
  | { readonly kind: 'failed'; readonly message: string };

interface FetchAnswer {
  readonly tasks: readonly { readonly id: string; readonly lockToken: string }[];
}

/** New connections: so many at a time, so often; a thousand a second, as the engine has to accept them all. */
const WAVE_SIZE = 10;
const WAVE_MS = 10;
const REPORT_MS = 100;

let client: HttpClient | null = null;
let emptyCount = 0;
let maxLateMs = 0;

function tell(happening: Happening): void {
  process.send?.(happening);
}

async function open(command: Command & { kind: 'open' }): Promise<void> {
  const mine = new HttpClient(command.url, command.count);
  client = mine;
  for (let index = 0; index < command.count; index += 1) {
    void wait(mine, `${process.pid}-${index}`, command).catch((error: unknown) => {
      // Hung up: all of them are meant to fail.
      if (client === mine) tell({ kind: 'failed', message: String(error) });
    });
    if (index % WAVE_SIZE === WAVE_SIZE - 1) await new Promise((resolve) => setTimeout(resolve, WAVE_MS));
  }
  tell({ kind: 'sent' });
}

async function wait(mine: HttpClient, worker: string, command: Command & { kind: 'open' }): Promise<void> {
  const { firstEndsAtMs, waitMs, lockMs } = command;
  let endsAtMs = firstEndsAtMs;
  let isFirst = true;
  while (client === mine) {
    const seconds = Math.max((endsAtMs - nowMs()) / 1_000, 0.001).toFixed(3);
    const body = `{"workerId":"${worker}","channels":["bench-score"],"maxTasks":1,"lockDuration":"PT${String(lockMs / 1_000)}S","asyncResponseTimeout":"PT${seconds}S"}`;
    const answer = await mine.post('/sutra/external-tasks/fetch-and-lock', body);
    const atMs = nowMs();
    if (answer.status !== 200) throw new Error(`a fetch was answered ${answer.status}: ${answer.text}`);
    const { tasks } = JSON.parse(answer.text) as FetchAnswer;
    if (tasks.length > 0) {
      tell({ kind: 'got', worker, taskIds: tasks.map(({ id }) => id), atMs });
      await complete(mine, worker, tasks);
    } else if (isFirst) {
      emptyCount += 1;
      maxLateMs = Math.max(maxLateMs, atMs - endsAtMs);
    }
    endsAtMs = nowMs() + waitMs * (isFirst ? Math.random() : 1);
    isFirst = false;
  }
}

async function complete(mine: HttpClient, worker: string, tasks: FetchAnswer['tasks']): Promise<void> {
  for (const { id, lockToken } of tasks) {
    const body = `{"workerId":"${worker}","lockToken":"${lockToken}","result":{"score":72}}`;
    const answer = await mine.post(`/sutra/external-tasks/${id}/complete`, body);
    if (answer.status !== 200) throw new Error(`a completion was answered ${answer.status}: ${answer.text}`);
  }
}

/** Every connection at once, in the middle of its fetch. */
function hangUp(): void {
  const mine = client;
  client = null;
  mine?.close();
}

process.on('message', (command: Command) => {
  if (command.kind === 'open') void open(command);
  else hangUp();
});
// The parent is gone.
process.on('disconnect', () => process.exit(0));
setInterval(() => {
  if (emptyCount === 0) return;
  tell({ kind: 'ended', count: emptyCount, maxLateMs });
  emptyCount = 0;
  maxLateMs = 0;
}, REPORT_MS);
