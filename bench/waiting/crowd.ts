/** Thousands of clients that wait for tasks on one replica, in a few processes, so that their own work is spread. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../engine-process.ts';
import type { Cleanup } from '../support/cleanup.ts';
import type { LoggedEngine } from '../support/counted-engine.ts';
import type { Command, Happening } from './clients.ts';
import { nowMs } from './clock.ts';

export interface Got {
  readonly worker: string;
  readonly taskId: string;
  readonly atMs: number;
}

export interface CrowdOptions {
  readonly processes: number;
  readonly waiting: number;
  readonly waitMs: number;
  readonly lockMs: number;
}

/** Longer than anything here takes on a slow machine. */
const PATIENCE_MS = 60_000;

export class Crowd {
  readonly #options: CrowdOptions;
  readonly #children: readonly ChildProcess[];
  #got: Got[] = [];
  #sentCount = 0;
  #failure: Error | null = null;
  /** First fetches that were answered with nothing, and how late the latest of them was. */
  endedCount = 0;
  maxLateMs = 0;

  constructor(options: CrowdOptions, cleanup: Cleanup) {
    this.#options = options;
    this.#children = Array.from({ length: options.processes }, () => {
      const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'bench/waiting/clients.ts')], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      cleanup.addProcess(child);
      child.on('message', (happening) => {
        this.#hear(happening as Happening);
      });
      return child;
    });
  }

  /** Resolves when the replica says that all of them wait. Their first waits end together. */
  async open(engine: LoggedEngine, firstEndsAtMs: number): Promise<void> {
    const { processes, waiting, waitMs, lockMs } = this.#options;
    this.#sentCount = 0;
    for (const [index, child] of this.#children.entries()) {
      const count =
        Math.floor((waiting * (index + 1)) / processes) - Math.floor((waiting * index) / processes);
      const command: Command = { kind: 'open', url: engine.url, count, firstEndsAtMs, waitMs, lockMs };
      child.send(command);
    }
    await this.until('all fetches are sent', () => this.#sentCount === processes);
    await this.allWait(engine);
  }

  async allWait(engine: LoggedEngine): Promise<void> {
    const waits = async (): Promise<boolean> =>
      (await engine.metrics()).get('sutra_fetches_waiting') === this.#options.waiting;
    for (const deadline = nowMs() + PATIENCE_MS; !(await waits()); await sleep(50)) {
      this.#check(deadline, 'all fetches wait');
    }
  }

  hangUp(): void {
    for (const child of this.#children) child.send({ kind: 'hangUp' } satisfies Command);
  }

  /** What they got since the last call of this. */
  take(): readonly Got[] {
    return this.#got.splice(0);
  }

  get gotCount(): number {
    return this.#got.length;
  }

  /** @throws Error when it does not become true within a minute, or a client failed */
  async until(what: string, isReached: () => boolean): Promise<void> {
    for (const deadline = nowMs() + PATIENCE_MS; !isReached(); await sleep(2)) this.#check(deadline, what);
  }

  #check(deadline: number, what: string): void {
    if (this.#failure !== null) throw this.#failure;
    if (nowMs() > deadline) throw new Error(`in a minute it did not come so far that ${what}`);
  }

  #hear(happening: Happening): void {
    if (happening.kind === 'sent') this.#sentCount += 1;
    if (happening.kind === 'failed') this.#failure ??= new Error(happening.message);
    if (happening.kind === 'got') {
      const { worker, taskIds, atMs } = happening;
      this.#got.push(...taskIds.map((taskId) => ({ worker, taskId, atMs })));
    }
    if (happening.kind === 'ended') {
      this.endedCount += happening.count;
      this.maxLateMs = Math.max(this.maxLateMs, happening.maxLateMs);
    }
  }
}
