/** What there is to do on each channel, and who waits for it. */
import type { Database } from '../../engine/store/database.ts';
import { countOpenTasks, countTerminalTasks } from '../../engine/store/external-tasks-topics.ts';
import type { FetchDesk } from './fetch-desk.ts';

export interface Topic {
  readonly channel: string;
  /** Fetchable now. Each count ends at 10,000, which then means: at least so many. */
  readonly open: number;
  readonly locked: number;
  /** Their retry time is ahead. */
  readonly delayed: number;
  readonly terminal: number;
  /** For how long the longest waiting of the open ones has been fetchable; null without any. */
  readonly oldestAgeSeconds: number | null;
  /** Of this replica. */
  readonly waitingFetches: number;
}

export interface TopicsAnswer {
  readonly topics: readonly Topic[];
}

/** Every channel of a live deployment, and every other that has a terminal task; by name. Two statements. */
export async function readTopics(
  database: Database,
  desk: Pick<FetchDesk, 'livePairs' | 'waitingOn'>,
): Promise<TopicsAnswer> {
  const pairs = desk.livePairs();
  const counts = new Map((await countOpenTasks(database, pairs)).map((row) => [row.channel, row]));
  const terminal = await countTerminalTasks(database);
  const names = new Set([...pairs.map(({ channel }) => channel), ...terminal.keys()]);
  const topics = [...names].sort().map((channel): Topic => {
    const { open = 0, locked = 0, delayed = 0, oldestAgeSeconds = null } = counts.get(channel) ?? {};
    return {
      channel,
      open,
      locked,
      delayed,
      terminal: terminal.get(channel) ?? 0,
      oldestAgeSeconds: oldestAgeSeconds === null ? null : Math.round(oldestAgeSeconds * 1_000) / 1_000,
      waitingFetches: desk.waitingOn(channel),
    };
  });
  return { topics };
}
