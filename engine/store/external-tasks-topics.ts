/**
 * How much there is to do on each channel.
 *
 * N1 What is counted is bounded: `MAX_COUNT` rows of each kind for each channel, deployment and priority, whatever the
 *    table holds; a count that reaches it says "at least so many".
 * N2 Open and hidden tasks are told apart by the order of `external_task_fetch`: within one priority the fetchable ones are
 *    one range of it, those that are locked or wait for their retry time another, in the order of that time. So a million
 *    hidden ones hide no open one. Of the hidden ones, locked and delayed are told apart after that: where they are more
 *    than `MAX_COUNT` together, only those that come first are seen.
 */
import type { Connection, Statement } from './database.ts';
import { LEVELS, maxLevels } from './external-tasks-claim.ts';
import type { LivePair } from './external-tasks-fetch.ts';

/**
 * Of one kind on one channel. Two channels with 500,000 parked tasks each, of three priorities that all have more of both
 * kinds, took 100 ms together: 120,000 rows.
 */
export const MAX_COUNT = 10_000;

export interface OpenCounts {
  readonly channel: string;
  /** Fetchable now. */
  readonly open: number;
  readonly locked: number;
  /** Their retry time is ahead. */
  readonly delayed: number;
  /** For how many seconds the longest waiting of the open ones has been fetchable; null without any. */
  readonly oldestAgeSeconds: number | null;
}

/** What is visible, or not yet visible, of one level. */
const part = (priorities: string, visibility: string): string => `
    SELECT t.visible_at, t.lock_owner IS NOT NULL AS is_locked,
      t.visible_at <= now() AND (t.deadline IS NULL OR t.deadline > now()) AS is_open
    FROM external_task AS t
    WHERE t.channel = level.channel
      AND t.deployment_id = level.deployment_id
      AND t.priority ${priorities} level.priority
      AND t.state = 'open'
      AND NOT t.held
      ${visibility}`;

/**
 * Uses `external_task_fetch`. The last level stands for all priorities below, whose ranges are not contiguous: of it only
 * the first so many rows are looked at.
 */
export const COUNT_OPEN_TASKS: Statement = {
  name: 'count_open_tasks',
  text: `
WITH RECURSIVE
pair (channel, deployment_id, wanted) AS (
  SELECT p.channel, p.deployment_id, 1
  FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) AS p (channel, deployment_id)
),${LEVELS},
seen AS (
  SELECT level.channel, task.visible_at, task.is_locked, task.is_open
  FROM level
  CROSS JOIN LATERAL (${part('=', 'AND t.visible_at <= now()')}
    ORDER BY t.visible_at
    LIMIT $3::integer
  ) AS task
  WHERE level.depth < ${maxLevels}
  UNION ALL
  SELECT level.channel, task.visible_at, task.is_locked, task.is_open
  FROM level
  CROSS JOIN LATERAL (${part('=', 'AND t.visible_at > now()')}
    ORDER BY t.visible_at
    LIMIT $3::integer
  ) AS task
  WHERE level.depth < ${maxLevels}
  UNION ALL
  SELECT level.channel, task.visible_at, task.is_locked, task.is_open
  FROM level
  CROSS JOIN LATERAL (${part('<=', '')}
    ORDER BY t.priority DESC, t.visible_at
    LIMIT 2 * $3::integer
  ) AS task
  WHERE level.depth = ${maxLevels}
)
SELECT s.channel,
  LEAST(count(*) FILTER (WHERE s.is_open), $3::integer)::integer AS "open",
  LEAST(count(*) FILTER (WHERE s.is_locked AND s.visible_at > now()), $3::integer)::integer AS "locked",
  LEAST(count(*) FILTER (WHERE NOT s.is_locked AND s.visible_at > now()), $3::integer)::integer AS "delayed",
  EXTRACT(EPOCH FROM now() - min(s.visible_at) FILTER (WHERE s.is_open))::double precision AS "oldestAgeSeconds"
FROM seen AS s
GROUP BY s.channel`,
};

/** Of channels that have any; the others are absent. Tasks of failed instances are not counted. */
export function countOpenTasks(
  connection: Connection,
  pairs: readonly LivePair[],
): Promise<readonly OpenCounts[]> {
  return connection.run<OpenCounts>(COUNT_OPEN_TASKS, [
    pairs.map((pair) => pair.channel),
    pairs.map((pair) => pair.deploymentId),
    MAX_COUNT,
  ]);
}

/**
 * Uses `external_task_terminal`: a walk over its channels, whatever deployment they were of, because a terminal task does
 * not keep its deployment.
 */
export const COUNT_TERMINAL_TASKS: Statement = {
  name: 'count_terminal_tasks',
  text: `
WITH RECURSIVE
named (channel) AS (
  (
    SELECT t.channel
    FROM external_task AS t
    WHERE t.failed_at IS NOT NULL
      AND t.channel > ''
    ORDER BY t.channel
    LIMIT 1
  )
  UNION ALL
  SELECT next.channel
  FROM named
  CROSS JOIN LATERAL (
    SELECT t.channel
    FROM external_task AS t
    WHERE t.failed_at IS NOT NULL
      AND t.channel > named.channel
    ORDER BY t.channel
    LIMIT 1
  ) AS next
)
SELECT named.channel, counted.terminal
FROM named
CROSS JOIN LATERAL (
  SELECT count(*)::integer AS terminal
  FROM (
    SELECT
    FROM external_task AS t
    WHERE t.failed_at IS NOT NULL
      AND t.channel = named.channel
    LIMIT $1::integer
  ) AS bounded
) AS counted`,
};

/** By channel. */
export async function countTerminalTasks(connection: Connection): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.run<{ readonly channel: string; readonly terminal: number }>(
    COUNT_TERMINAL_TASKS,
    [MAX_COUNT],
  );
  return new Map(rows.map(({ channel, terminal }) => [channel, terminal]));
}
