/** Wakes that stand: how many tasks came up on a channel for which no fetch has been claimed yet. */
export interface ChannelWakes {
  readonly channel: string;
  readonly total: number;
  /** Those that this replica caused, and of which the others know only if they are told. */
  readonly here: number;
}

export class Wakes {
  readonly #byChannel = new Map<string, ChannelWakes>();

  get size(): number {
    return this.#byChannel.size;
  }

  add(channel: string, count: number, origin: 'here' | 'elsewhere'): void {
    const { total, here } = this.#byChannel.get(channel) ?? { total: 0, here: 0 };
    this.#byChannel.set(channel, {
      channel,
      total: total + count,
      here: here + (origin === 'here' ? count : 0),
    });
  }

  all(): readonly ChannelWakes[] {
    return [...this.#byChannel.values()];
  }

  /** `count` of them found a fetch; the rest stand. */
  spend(channel: string, count: number): void {
    const standing = this.#byChannel.get(channel);
    if (standing !== undefined) {
      const total = standing.total - count;
      this.#byChannel.set(channel, { channel, total, here: Math.min(standing.here, total) });
    }
  }

  drop(channel: string): void {
    this.#byChannel.delete(channel);
  }

  clear(): void {
    this.#byChannel.clear();
  }
}
