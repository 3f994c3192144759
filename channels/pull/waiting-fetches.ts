/**
 * The fetches that wait on this replica: a queue for each channel, first come, first served.
 *
 *   due ──claim──► claiming ──nothing there──► idle ──woken──► due
 *                     ▲                         │
 *                     └──task on its way for it──┘
 *    └─────────────────┴──────────────────────── ┴── answered (tasks, [], or an error)
 *
 * Q1 A fetch keeps its place in the queues of all its channels until it is answered.
 * Q2 Waking takes idle fetches only, oldest first; one that is due or claiming will look by itself.
 * Q3 Answering is O(channels): the entries stay behind and are dropped when they reach the head, or when
 *    they outnumber the live ones. A channel that nobody waits on has no queue.
 */

import type { FetchTerms } from './channel-terms.ts';

export type FetchState = 'due' | 'claiming' | 'idle' | 'answered';

export interface WaitingFetch extends FetchTerms {
  /** The order of arrival on this replica. */
  readonly sequence: number;
  /** Without repetitions. */
  readonly channels: readonly string[];
  /** The same for all fetches of the same set of channels under the same terms. */
  readonly groupKey: string;
  readonly workerId: string;
  readonly state: FetchState;
}

/** Dead entries that a queue may carry beside as many as it has live ones. */
const DEAD_ENTRY_SLACK = 32;

class ChannelQueue<Fetch extends WaitingFetch> {
  liveCount = 0;
  idleCount = 0;
  #entries: Fetch[] = [];
  #head = 0;

  push(fetch: Fetch): void {
    this.#entries.push(fetch);
    this.liveCount += 1;
  }

  dropped(): void {
    this.liveCount -= 1;
    if (this.#entries.length > 2 * this.liveCount + DEAD_ENTRY_SLACK) {
      this.#entries = this.#entries.filter(
        (fetch, index) => index >= this.#head && fetch.state !== 'answered',
      );
      this.#head = 0;
    }
  }

  oldestIdle(count: number): Fetch[] {
    const found: Fetch[] = [];
    const wanted = Math.min(count, this.idleCount);
    while (this.#entries[this.#head]?.state === 'answered') {
      this.#head += 1;
    }
    for (let index = this.#head; found.length < wanted && index < this.#entries.length; index += 1) {
      const fetch = this.#entries[index];
      if (fetch?.state === 'idle') {
        found.push(fetch);
      }
    }
    return found;
  }
}

export class WaitingFetches<Fetch extends WaitingFetch & { state: FetchState }> {
  readonly #queues = new Map<string, ChannelQueue<Fetch>>();
  readonly #live = new Set<Fetch>();

  get size(): number {
    return this.#live.size;
  }

  /** All that are not answered, oldest first. */
  live(): Iterable<Fetch> {
    return this.#live;
  }

  add(fetch: Fetch): void {
    this.#live.add(fetch);
    for (const channel of fetch.channels) {
      const queue = this.#queues.get(channel) ?? new ChannelQueue<Fetch>();
      this.#queues.set(channel, queue);
      queue.push(fetch);
      if (fetch.state === 'idle') {
        queue.idleCount += 1;
      }
    }
  }

  /** Every change of state goes through here: the counts of the queues depend on it. */
  move(fetch: Fetch, state: FetchState): void {
    if (fetch.state === state || fetch.state === 'answered') {
      return;
    }
    const idleChange = (state === 'idle' ? 1 : 0) - (fetch.state === 'idle' ? 1 : 0);
    fetch.state = state;
    for (const channel of fetch.channels) {
      const queue = this.#queues.get(channel);
      if (queue === undefined) {
        continue;
      }
      queue.idleCount += idleChange;
      if (state === 'answered') {
        queue.dropped();
        if (queue.liveCount === 0) {
          this.#queues.delete(channel);
        }
      }
    }
    if (state === 'answered') {
      this.#live.delete(fetch);
    }
  }

  idleCount(channel: string): number {
    return this.#queues.get(channel)?.idleCount ?? 0;
  }

  /** How many fetches wait on `channel`, whatever is being done for them. */
  liveCount(channel: string): number {
    return this.#queues.get(channel)?.liveCount ?? 0;
  }

  /** At most `count` idle fetches of `channel`, oldest first, moved to `due`. */
  wake(channel: string, count: number): Fetch[] {
    return this.#takeIdle(channel, count, 'due');
  }

  /** At most `count` idle fetches of `channel`, oldest first, moved to `claiming`. */
  reserve(channel: string, count: number): Fetch[] {
    return this.#takeIdle(channel, count, 'claiming');
  }

  #takeIdle(channel: string, count: number, state: FetchState): Fetch[] {
    const taken = this.#queues.get(channel)?.oldestIdle(count) ?? [];
    for (const fetch of taken) {
      this.move(fetch, state);
    }
    return taken;
  }

  /** The channels that an idle fetch waits on. */
  awaitedChannels(): string[] {
    const channels: string[] = [];
    for (const [channel, queue] of this.#queues) {
      if (queue.idleCount > 0) {
        channels.push(channel);
      }
    }
    return channels;
  }
}
