/**
 * Which tasks run, and for how many more there is room.
 *
 * S1 A slot is a member of a set, not a count: it is free when its run is not in the set, so none can leak or be freed twice.
 * S2 What is wished for is never more than there is room for, in all and on each channel.
 */

/** What takes a slot. */
export interface Running {
  readonly channel: string;
}

export interface ChannelRoom {
  readonly name: string;
  /** Null: as many as the worker. */
  readonly maxTasks: number | null;
}

/** What the next fetch may ask for. */
export interface Wish {
  readonly maxTasks: number;
  /** Those with room, and how much each has. */
  readonly channels: readonly { readonly name: string; readonly maxTasks: number }[];
}

export class Slots<Run extends Running> {
  readonly #concurrency: number;
  readonly #channels: readonly ChannelRoom[];
  readonly #runs = new Set<Run>();
  readonly #waiting = new Set<() => void>();

  constructor(concurrency: number, channels: readonly ChannelRoom[]) {
    this.#concurrency = concurrency;
    this.#channels = channels;
  }

  get runs(): ReadonlySet<Run> {
    return this.#runs;
  }

  get freeCount(): number {
    return this.#concurrency - this.#runs.size;
  }

  take(run: Run): void {
    this.#runs.add(run);
  }

  release(run: Run): void {
    if (!this.#runs.delete(run)) return;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Null: there is no room at all. */
  wish(): Wish | null {
    const channels = this.#channels
      .map(({ name, maxTasks }) => ({ name, maxTasks: this.#roomOf(name, maxTasks) }))
      .filter(({ maxTasks }) => maxTasks > 0);
    return channels.length === 0 ? null : { maxTasks: this.freeCount, channels };
  }

  /** Resolves with the next release, or when `signal` aborts. */
  released(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  /** Resolves when nothing runs, or when `signal` aborts. */
  async empty(signal: AbortSignal): Promise<void> {
    while (this.#runs.size > 0 && !signal.aborted) await this.released(signal);
  }

  #roomOf(name: string, maxTasks: number | null): number {
    if (maxTasks === null) return this.freeCount;
    const running = [...this.#runs].filter(({ channel }) => channel === name).length;
    return Math.min(maxTasks - running, this.freeCount);
  }
}
