/**
 * Remembers, in this process alone, what is not to be tried again for a moment: rows that someone else
 * holds, or whose turn failed without leaving a mark in the database.
 *
 * A1 What is put aside again and again stays away longer each time, up to the cap.
 * A2 At most `capacity` keys are kept; the oldest is forgotten, which only means that it is tried sooner.
 */
import { performance } from 'node:perf_hooks';
import type { BackoffSettings } from './backoff.ts';
import { backoffDelayMs } from './backoff.ts';

interface Entry {
  readonly times: number;
  readonly until: number;
  /** False once `keys` has let it back: it counts as tried, and is kept only for its `times`. */
  isAway: boolean;
}

export class SetAside {
  readonly #backoff: BackoffSettings;
  readonly #capacity: number;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  /** @param now a monotonic clock in milliseconds. */
  constructor(
    backoff: BackoffSettings,
    capacity: number,
    random: () => number,
    now: () => number = () => performance.now(),
  ) {
    this.#backoff = backoff;
    this.#capacity = capacity;
    this.#random = random;
    this.#now = now;
  }

  put(key: string): void {
    const times = (this.#entries.get(key)?.times ?? 0) + 1;
    const until = this.#now() + backoffDelayMs(this.#backoff, times, this.#random);
    this.#entries.delete(key);
    this.#entries.set(key, { times, until, isAway: true });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) break;
      this.#entries.delete(oldest);
    }
  }

  /** Forgets the key, and how often it was put aside. */
  release(key: string): void {
    this.#entries.delete(key);
  }

  /**
   * The keys that must wait; the others are let back. Forgets those that were let back long ago: nobody
   * put them aside again.
   */
  keys(): readonly string[] {
    const now = this.#now();
    const keys: string[] = [];
    for (const [key, entry] of this.#entries) {
      entry.isAway = entry.until > now;
      if (entry.isAway) keys.push(key);
      else if (entry.until + this.#backoff.maxDelayMs * 2 < now) this.#entries.delete(key);
    }
    return keys;
  }

  /** Milliseconds until `keys` lets the next key back (0: it would at once), or null when none is away. */
  nextMs(): number | null {
    const now = this.#now();
    let next: number | null = null;
    for (const { until, isAway } of this.#entries.values()) {
      if (isAway) next = Math.min(next ?? Infinity, Math.max(until - now, 0));
    }
    return next;
  }
}
