/**
 * Taking tasks: the claim of many waiting fetches in one statement, and the question when there will be
 * something to take.
 *
 * F1 A task goes to at most one slot, and a slot gets at most one task: the task is dealt to one group
 *    (its channel's share), ranked once in it, and the rank is the slot's position.
 * F2 Only what is handed out is locked. Candidates are read without locks; the picked ones are locked by
 *    primary key with SKIP LOCKED, and the whole predicate is checked again on the locked row, so what
 *    another replica took in between is left alone and answered as `contended`.
 * F3 Fetchable: open, not held, `visible_at <= now()`, deadline absent or ahead; by the database's clock.
 * F4 The bodies of one claim are bounded: no task is picked once those before it exceed `maxBodyBytes`.
 * F5 What was not picked is counted in the answer, per channel: no fetchable task is forgotten.
 * F6 A task whose lock ran out for the `maxAttempts`th time in a row turns terminal here, with its incident, and is
 *    handed to nobody. It is answered as `contended`: another task may take its place.
 * F7 A lock never outlives the task's deadline, and a new one begins without a progress note.
 * F8 Fetches that name channels alone are claimed for by a statement that knows nothing of a channel's own terms; those
 *    with terms cost a ranking more.
 *
 * Within a group: priority first, then turn by turn across deployments, then the longest waiting.
 */
import type { Connection, Statement } from './database.ts';
import { CLAIM, CLAIM_BY_CHANNEL, LEVELS, maxLevels } from './external-tasks-claim.ts';

/** A channel of a live deployment, and how many tasks the claim could use of it. */
export interface FetchPair {
  readonly channel: string;
  readonly deploymentId: string;
  readonly wanted: number;
}

/** What a fetch asks of one of its channels beside what it asks of all of them. */
export interface ChannelTerms {
  /** Null: as the slot says. */
  readonly lockDurationMs: number | null;
  /** Null: as many as the group has slots. */
  readonly maxTasks: number | null;
}

/**
 * A group's part of a channel. Where `shareCount` groups want the same channel, its tasks are dealt to
 * them in turn; `shareIndex` is this group's place in the deal.
 */
export interface FetchShare {
  readonly channel: string;
  readonly group: number;
  readonly shareIndex: number;
  readonly shareCount: number;
  /** Absent: none of its own. */
  readonly terms?: ChannelTerms;
}

/** Room for one task. Positions of a group count from 1 without gaps. */
export interface FetchSlot {
  readonly group: number;
  readonly position: number;
  readonly workerId: string;
  readonly tokenHash: Uint8Array;
  /** Null: the task's own policy, else `defaultLockDurationMs`. */
  readonly lockDurationMs: number | null;
}

export interface FetchRequest {
  readonly pairs: readonly FetchPair[];
  readonly shares: readonly FetchShare[];
  readonly slots: readonly FetchSlot[];
  /** Tasks to leave alone: picked before, and found locked. */
  readonly exceptIds: readonly string[];
  readonly maxBodyBytes: number;
  readonly defaultLockDurationMs: number;
  /** Null: a task is handed out however often its lock runs out. */
  readonly maxAttempts: number | null;
  /** For what turns terminal: as many as there are slots; none are needed without `maxAttempts`. */
  readonly incidentIds: readonly string[];
}

/** A task with everything that its worker is told. */
export interface FetchedTask {
  readonly group: number;
  readonly position: number;
  readonly id: string;
  readonly channel: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  readonly deploymentId: string;
  readonly processId: string;
  readonly elementId: string;
  readonly instanceId: string;
  readonly idempotencyKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** The attempt that this lock is; the first is 1. */
  readonly generation: number;
  readonly retries: number;
  readonly priority: number;
  readonly lockExpiresAt: Date;
  /** How long the lock lasts, by the database's clock. */
  readonly lockMs: number;
  readonly createdAt: Date;
  readonly deadline: Date | null;
}

export interface FetchResult {
  readonly tasks: readonly FetchedTask[];
  /** Picked, but locked or taken by someone else. */
  readonly contendedIds: readonly string[];
  /** Channels that have more than was picked. A count of at least 1; not the size of the backlog. */
  readonly leftover: ReadonlyMap<string, number>;
}

/** The text says what it uses, and why. */
export const FETCH_AND_LOCK: Statement = { name: 'fetch_and_lock', text: CLAIM };

/** As `FETCH_AND_LOCK`, for claims in which some fetch has terms for a channel. */
export const FETCH_AND_LOCK_BY_CHANNEL: Statement = {
  name: 'fetch_and_lock_by_channel',
  text: CLAIM_BY_CHANNEL,
};

type FetchRow =
  | (FetchedTask & { readonly pickedId: string; readonly leftoverChannel: null })
  | { readonly id: null; readonly pickedId: string; readonly leftoverChannel: null }
  | {
      readonly id: null;
      readonly pickedId: null;
      readonly leftoverChannel: string;
      readonly leftoverCount: number;
    };

/** Claims for all slots at once. Tasks come in no order: `group` and `position` say whose they are. */
export async function fetchAndLock(connection: Connection, request: FetchRequest): Promise<FetchResult> {
  const { pairs, shares, slots } = request;
  const hasTerms = shares.some(({ terms }) => terms !== undefined);
  const rows = await connection.run<FetchRow>(hasTerms ? FETCH_AND_LOCK_BY_CHANNEL : FETCH_AND_LOCK, [
    pairs.map((pair) => pair.channel),
    pairs.map((pair) => pair.deploymentId),
    pairs.map((pair) => pair.wanted),
    shares.map((share) => share.channel),
    shares.map((share) => share.group),
    shares.map((share) => share.shareIndex),
    shares.map((share) => share.shareCount),
    slots.map((slot) => slot.group),
    slots.map((slot) => slot.position),
    slots.map((slot) => slot.workerId),
    slots.map((slot) => slot.tokenHash),
    request.exceptIds,
    request.maxBodyBytes,
    request.defaultLockDurationMs,
    slots.map((slot) => slot.lockDurationMs),
    request.maxAttempts,
    request.incidentIds,
    ...(hasTerms ? termsOf(shares) : []),
  ]);
  const tasks: FetchedTask[] = [];
  const contendedIds: string[] = [];
  const leftover = new Map<string, number>();
  for (const row of rows) {
    if (row.id !== null) {
      tasks.push(row);
    } else if (row.pickedId !== null) {
      contendedIds.push(row.pickedId);
    } else {
      leftover.set(row.leftoverChannel, row.leftoverCount);
    }
  }
  return { tasks, contendedIds, leftover };
}

function termsOf(shares: readonly FetchShare[]): readonly unknown[] {
  return [
    shares.map(({ terms }) => terms?.lockDurationMs ?? null),
    shares.map(({ terms }) => terms?.maxTasks ?? null),
  ];
}

/** The earliest `visible_at` of the tasks of one level that will still be before their deadline then. */
const nextTask = (priorities: string, order: string): string => `
    SELECT ${order}
    FROM external_task AS t
    WHERE t.channel = level.channel
      AND t.deployment_id = level.deployment_id
      AND t.priority ${priorities} level.priority
      AND t.state = 'open'
      AND NOT t.held
      AND (t.deadline IS NULL OR t.deadline > GREATEST(t.visible_at, now()))`;

/** Uses `external_task_fetch`. */
export const NEXT_VISIBLE_AT: Statement = {
  name: 'next_visible_at',
  text: `
WITH RECURSIVE
pair (channel, deployment_id, wanted) AS (
  SELECT p.channel, p.deployment_id, 1
  FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) AS p (channel, deployment_id)
),${LEVELS},
next (channel, visible_at) AS (
  SELECT level.channel, ready.visible_at
  FROM level
  CROSS JOIN LATERAL (${nextTask('=', 't.visible_at')}
    ORDER BY t.visible_at
    LIMIT 1
  ) AS ready
  WHERE level.depth < ${maxLevels}
  UNION ALL
  SELECT level.channel, ready.visible_at
  FROM level
  CROSS JOIN LATERAL (${nextTask('<=', 'min(t.visible_at) AS visible_at')}
  ) AS ready
  WHERE level.depth = ${maxLevels}
)
SELECT n.channel, GREATEST(EXTRACT(EPOCH FROM min(n.visible_at) - now()) * 1000, 0)::double precision AS "delayMs"
FROM next AS n
WHERE n.visible_at IS NOT NULL
GROUP BY n.channel`,
};

export interface LivePair {
  readonly channel: string;
  readonly deploymentId: string;
}

/**
 * In how many milliseconds, by the database's clock, each channel has a task to fetch: 0 when it has one
 * now. Channels that will have none are absent.
 */
export async function nextVisibleAt(
  connection: Connection,
  pairs: readonly LivePair[],
): Promise<Map<string, number>> {
  const rows = await connection.run<{ readonly channel: string; readonly delayMs: number }>(NEXT_VISIBLE_AT, [
    pairs.map((pair) => pair.channel),
    pairs.map((pair) => pair.deploymentId),
  ]);
  return new Map(rows.map((row) => [row.channel, row.delayMs]));
}
