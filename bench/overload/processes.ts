/** The load's processes, seen from `overload.ts`: what they have counted so far, and how they ended. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ArrivalCounts, ArrivalMessage, ArrivalOptions } from './arrivals.ts';
import type { OverloadWorkerOptions, WorkerCounts, WorkerMessage } from './workers.ts';
import { root } from '../engine-process.ts';

export type ArrivalsDone = Extract<ArrivalMessage, { kind: 'done' }>;
export type WorkersDone = Extract<WorkerMessage, { kind: 'done' }>;

const children = new Set<ChildProcess>();

/** Ends what still runs of them. */
export function endProcesses(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** Arrivals of one process. */
export class ArrivalProcess {
  readonly ready: Promise<void>;
  /** Nothing is offered any more. */
  readonly ended: Promise<void>;
  readonly done: Promise<ArrivalsDone>;
  readonly instanceIds: string[] = [];
  counts: ArrivalCounts = { offered: 0, notSent: 0, accepted: 0, refused: 0, failed: 0 };
  readonly #child: ChildProcess;

  constructor(options: ArrivalOptions) {
    this.#child = forkPart('overload/arrivals.ts', options);
    this.ready = messageOf(this.#child, 'ready').then(() => undefined);
    this.ended = messageOf(this.#child, 'ended').then(() => undefined);
    this.done = messageOf<ArrivalsDone>(this.#child, 'done');
    this.#child.on('message', (message: ArrivalMessage) => {
      if (message.kind !== 'counts') return;
      this.counts = message.counts;
      for (const id of message.instanceIds) this.instanceIds.push(id);
    });
  }

  go(): void {
    this.#child.send('go');
  }
}

export class WorkerProcess {
  readonly done: Promise<WorkersDone>;
  counts: WorkerCounts = { completed: 0, completionsRefused: 0, fetchesRefused: 0, failed: 0 };
  readonly #child: ChildProcess;

  constructor(options: OverloadWorkerOptions) {
    this.#child = forkPart('overload/workers.ts', options);
    this.done = messageOf<WorkersDone>(this.#child, 'done');
    this.#child.on('message', (message: WorkerMessage) => {
      if (message.kind === 'counts') this.counts = message.counts;
    });
  }

  /** Resolves when every worker has finished what it had fetched. */
  stop(): Promise<WorkersDone> {
    if (this.#child.connected) this.#child.send('stop');
    return this.done;
  }
}

function forkPart(file: string, options: unknown): ChildProcess {
  const child = fork(join(root, 'bench', file), [JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Rejects when the process ends without it. */
function messageOf<Message extends { readonly kind: string } = ArrivalMessage>(
  child: ChildProcess,
  kind: Message['kind'],
): Promise<Message> {
  const heard = new Promise<Message>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if (message.kind === kind) resolve(message);
    });
    child.once('exit', (code) => {
      reject(new Error(`a process of the load ended with ${String(code)} before its ${kind}`));
    });
  });
  // Whoever waits for it gets the rejection; that nobody waits yet is no fault.
  heard.catch(() => {});
  return heard;
}

/** One run of `load.ts`. @returns its JSON line */
export async function runLoad(url: string, mode: string, options: unknown): Promise<unknown> {
  const args = ['--import', 'tsx', join(root, 'bench/load.ts'), url, mode, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise((resolve) => child.once('close', resolve));
  children.delete(child);
  if (code !== 0) throw new Error(`the load ended with ${String(code)}`);
  return JSON.parse(text) as unknown;
}
