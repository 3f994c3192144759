/**
 * What a fetch asks of single channels: a lock duration of their own, a bound on how many of their tasks come.
 *
 * C1 Terms that say what the fetch says for all its channels are none: such a fetch waits and is claimed for as one that
 *    names its channels alone.
 * C2 Fetches that share a group share its terms. A bound is on the tasks of one fetch, so a fetch that has one is a group
 *    of its own.
 */
import type { ChannelTerms } from '../../engine/store/external-tasks-fetch.ts';

export type TermsByChannel = ReadonlyMap<string, ChannelTerms>;

/** What a fetch may ask for, and what it comes to. */
export interface FetchTerms {
  readonly maxTasks: number;
  /** Null: the task's own policy, else the default. */
  readonly lockDurationMs: number | null;
  /** Absent: none. */
  readonly terms?: TermsByChannel;
}

/** @param entries each channel once; null: the channel has no terms */
export function simplifyTerms(
  entries: ReadonlyMap<string, ChannelTerms | null>,
  { maxTasks, lockDurationMs }: Pick<FetchTerms, 'maxTasks' | 'lockDurationMs'>,
): FetchTerms {
  const locks = new Set<number | null>();
  const bounds: number[] = [];
  for (const entry of entries.values()) {
    locks.add(entry?.lockDurationMs ?? lockDurationMs);
    if (entry !== null && entry.maxTasks !== null && entry.maxTasks < maxTasks) bounds.push(entry.maxTasks);
  }
  const [lockForAll = null] = locks;
  const [bound] = bounds;
  if (locks.size === 1 && (bound === undefined || entries.size === 1)) {
    return { maxTasks: bound ?? maxTasks, lockDurationMs: lockForAll };
  }
  const terms = new Map<string, ChannelTerms>();
  for (const [channel, entry] of entries) {
    if (entry === null) continue;
    const isBound = entry.maxTasks !== null && entry.maxTasks < maxTasks;
    terms.set(channel, { ...entry, maxTasks: isBound ? entry.maxTasks : null });
  }
  return { maxTasks, lockDurationMs, terms };
}

/** How many tasks of `channel` a fetch may get. */
export function roomOn(channel: string, { maxTasks, terms }: FetchTerms): number {
  return Math.min(maxTasks, terms?.get(channel)?.maxTasks ?? maxTasks);
}

/** Null: the task's own policy, else the default. */
export function lockDurationOn(channel: string, { lockDurationMs, terms }: FetchTerms): number | null {
  return terms?.get(channel)?.lockDurationMs ?? lockDurationMs;
}

/** The same for all fetches that one group can stand for. `sequence` is the fetch's own. */
export function groupKeyOf(
  channels: readonly string[],
  terms: TermsByChannel | undefined,
  sequence: number,
): string {
  const sorted = [...channels].sort();
  if (terms === undefined) return JSON.stringify(sorted);
  const isBounded = [...terms.values()].some(({ maxTasks }) => maxTasks !== null);
  const locks = sorted.map((channel) => [channel, terms.get(channel)?.lockDurationMs ?? null]);
  return JSON.stringify([locks, isBounded ? sequence : null]);
}
