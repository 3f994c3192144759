/** What a bench made on this machine is taken away again: at its end, after an error, and on Ctrl-C. */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../engine-process.ts';

export class Cleanup {
  readonly #steps: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;

  /** `step` is to be idempotent, as it may also have been run by hand. The last added runs first. */
  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /** Killed if it still runs. */
  addProcess(child: ChildProcess): void {
    this.add(() => ended(child, 'SIGKILL'));
  }

  /** A database of the bench's own; its URL. */
  async database(server: string): Promise<string> {
    const database = await createDatabase(server);
    this.add(() => database.drop());
    return database.url;
  }

  async directory(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'sutra-bench-'));
    this.add(() => rm(path, { recursive: true, force: true }));
    return path;
  }

  /** All steps, also when one of them fails. A second call, as after a signal, waits for the first. */
  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        process.exitCode = 1;
        process.stderr.write(`left behind: ${error instanceof Error ? error.message : String(error)}\n`);
      }
    }
  }
}

/** Resolves when it has ended; at once when it had ended before. */
export async function ended(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}

/** One part of a bench, with what it makes. Signals end the whole bench, after the cleaning. */
export async function withCleanup<Result>(work: (cleanup: Cleanup) => Promise<Result>): Promise<Result> {
  const cleanup = new Cleanup();
  const onSignal = (): void => {
    void cleanup.run().then(() => process.exit(130));
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, onSignal);
  try {
    return await work(cleanup);
  } finally {
    await cleanup.run();
    for (const signal of signals) process.off(signal, onSignal);
  }
}
