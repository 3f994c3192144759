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
 *
 * Within a group: priority first, then turn by turn across deployments, then the longest waiting.
 */
import type { Connection, Statement } from './database.ts';
import { terminalTasks } from './external-tasks-terminal.ts';

/** A channel of a live deployment, and how many tasks the claim could use of it. */
export interface FetchPair {
  readonly channel: string;
  readonly deploymentId: string;
  readonly wanted: number;
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
}

export interface FetchResult {
  readonly tasks: readonly FetchedTask[];
  /** Picked, but locked or taken by someone else. */
  readonly contendedIds: readonly string[];
  /** Channels that have more than was picked. A count of at least 1; not the size of the backlog. */
  readonly leftover: ReadonlyMap<string, number>;
}

/**
 * The priorities in use, highest first, for each (channel, deployment): a walk over the distinct prefixes
 * of `external_task_fetch`. Within one priority the index is in order of `visible_at`, so what is fetchable
 * is one contiguous range of it and thousands of locked tasks beside it cost nothing. A query over all
 * priorities at once reads every one of them: with 100,000 locked tasks on one channel it took 108 ms by
 * the plan that PostgreSQL 15 chose, the whole claim with this walk 0.7 ms.
 *
 * The walk ends at `maxLevels`; the last level stands for all priorities from it down, and is scanned. So
 * an author who gives every task a priority of its own costs a scan, never a walk without end.
 */
const maxLevels = 16;

const LEVELS = `
level (channel, deployment_id, wanted, priority, depth) AS (
  SELECT pair.channel, pair.deployment_id, pair.wanted, top.priority, 1
  FROM pair
  CROSS JOIN LATERAL (
    SELECT t.priority
    FROM external_task AS t
    WHERE t.channel = pair.channel
      AND t.deployment_id = pair.deployment_id
      AND t.state = 'open'
      AND NOT t.held
    ORDER BY t.priority DESC
    LIMIT 1
  ) AS top
  UNION ALL
  SELECT level.channel, level.deployment_id, level.wanted, below.priority, level.depth + 1
  FROM level
  CROSS JOIN LATERAL (
    SELECT t.priority
    FROM external_task AS t
    WHERE t.channel = level.channel
      AND t.deployment_id = level.deployment_id
      AND t.state = 'open'
      AND NOT t.held
      AND t.priority < level.priority
    ORDER BY t.priority DESC
    LIMIT 1
  ) AS below
  WHERE level.depth < ${maxLevels}
)`;

/** The fetchable tasks of one level, in the order of the index; one more than wanted, to know of more. */
const readyTasks = (priorities: string): string => `
    SELECT t.id, t.priority, t.visible_at, octet_length(t.body) AS size_bytes
    FROM external_task AS t
    WHERE t.channel = level.channel
      AND t.deployment_id = level.deployment_id
      AND t.priority ${priorities} level.priority
      AND t.state = 'open'
      AND NOT t.held
      AND t.visible_at <= now()
      AND (t.deadline IS NULL OR t.deadline > now())
      AND t.id <> ALL ((SELECT $12::uuid[])::uuid[])
    ORDER BY t.priority DESC, t.visible_at, t.id
    LIMIT level.wanted + 1`;

/**
 * Uses `external_task_fetch` to find, `external_task_pkey` to lock, the row's address to update. The array subqueries pin
 * the primary key: joined as a relation, a generic plan expects so many candidates that it reads the table. The
 * picked ones are asked for as not failed, instead of as open, so that the partial index is no way to them. Each row that
 * is updated is found by itself: the whole array asked of the index for each of them would cost the square of their number.
 *
 * `(SELECT $n)` hides the arrays' lengths from the planner, so that a plan made for these values is never
 * estimated cheaper than the generic one: PostgreSQL then keeps the generic plan after five runs. With
 * 100,000 rows, none of them fetchable, planning took 2.2 ms and running 0.7 ms: a plan for each claim would
 * be three quarters of its cost.
 */
export const FETCH_AND_LOCK: Statement = {
  name: 'fetch_and_lock',
  text: `
WITH RECURSIVE
pair (channel, deployment_id, wanted) AS (
  SELECT p.channel, p.deployment_id, p.wanted
  FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::integer[])) AS p (channel, deployment_id, wanted)
),
share (channel, group_no, share_index, share_count) AS (
  SELECT s.channel, s.group_no, s.share_index, s.share_count
  FROM unnest((SELECT $4::text[]), (SELECT $5::integer[]), (SELECT $6::integer[]), (SELECT $7::integer[]))
    AS s (channel, group_no, share_index, share_count)
),
slot (group_no, position, worker_id, token_hash, lock_ms) AS (
  SELECT s.group_no, s.position, s.worker_id, s.token_hash, s.lock_ms
  FROM unnest((SELECT $8::integer[]), (SELECT $9::integer[]), (SELECT $10::text[]), (SELECT $11::bytea[]),
    (SELECT $15::double precision[])) AS s (group_no, position, worker_id, token_hash, lock_ms)
),${LEVELS},
candidate AS (
  SELECT ready.id, level.channel, level.deployment_id, ready.priority, ready.visible_at, ready.size_bytes
  FROM level
  CROSS JOIN LATERAL (${readyTasks('=')}
  ) AS ready
  WHERE level.depth < ${maxLevels}
  UNION ALL
  SELECT ready.id, level.channel, level.deployment_id, ready.priority, ready.visible_at, ready.size_bytes
  FROM level
  CROSS JOIN LATERAL (${readyTasks('<=')}
  ) AS ready
  WHERE level.depth = ${maxLevels}
),
turned AS (
  SELECT c.id, c.channel, c.deployment_id, c.priority, c.visible_at, c.size_bytes,
    row_number() OVER (PARTITION BY c.channel, c.deployment_id ORDER BY c.priority DESC, c.visible_at, c.id) AS turn
  FROM candidate AS c
),
dealt AS (
  SELECT t.id, t.deployment_id, t.channel, t.priority, t.visible_at, t.size_bytes,
    row_number() OVER (PARTITION BY t.channel ORDER BY t.priority DESC, t.turn, t.visible_at, t.id) - 1 AS deal
  FROM turned AS t
),
shared AS (
  SELECT d.id, d.priority, d.visible_at, d.size_bytes, share.group_no,
    row_number() OVER (
      PARTITION BY share.group_no, d.deployment_id ORDER BY d.priority DESC, d.visible_at, d.id
    ) AS turn
  FROM dealt AS d
  JOIN share ON share.channel = d.channel AND share.share_index = d.deal % share.share_count
),
ranked AS (
  SELECT s.id, s.group_no, s.size_bytes,
    row_number() OVER (PARTITION BY s.group_no ORDER BY s.priority DESC, s.turn, s.visible_at, s.id) AS position
  FROM shared AS s
),
weighed AS (
  SELECT r.id, slot.group_no, slot.position, slot.worker_id, slot.token_hash, slot.lock_ms,
    sum(r.size_bytes) OVER (ORDER BY slot.position, slot.group_no ROWS UNBOUNDED PRECEDING) - r.size_bytes
      AS bytes_before
  FROM ranked AS r
  JOIN slot ON slot.group_no = r.group_no AND slot.position = r.position
),
picked AS (
  SELECT w.id, w.group_no, w.position, w.worker_id, w.token_hash, w.lock_ms
  FROM weighed AS w
  WHERE w.bytes_before < $13::double precision
),
locked AS (
  SELECT t.id, t.lock_owner IS NOT NULL AND t.lost_locks + 1 >= $16::integer AS is_spent
  FROM external_task AS t
  WHERE t.id = ANY (ARRAY(SELECT p.id FROM picked AS p))
    AND t.state <> 'failed'
    AND NOT t.held
    AND t.visible_at <= now()
    AND (t.deadline IS NULL OR t.deadline > now())
  FOR UPDATE SKIP LOCKED
),
granted AS (
  UPDATE external_task AS t
  SET lock_owner = p.worker_id,
    lock_token_hash = p.token_hash,
    locked_at = now(),
    generation = t.generation + 1,
    lost_locks = CASE WHEN t.lock_owner IS NULL THEN t.lost_locks ELSE t.lost_locks + 1 END,
    visible_at = now() + interval '1 millisecond'
      * COALESCE(p.lock_ms, (t.policy ->> 'lockDurationMs')::double precision, $14::double precision)
  FROM picked AS p
  CROSS JOIN LATERAL (
    SELECT kept.ctid
    FROM external_task AS kept
    WHERE kept.id = p.id
    OFFSET 0
  ) AS found
  WHERE t.ctid = found.ctid
    AND p.id = ANY (ARRAY(SELECT l.id FROM locked AS l WHERE l.is_spent IS NOT TRUE))
  RETURNING t.id, t.channel, t.tenant, t.module, t.version, t.deployment_id, t.process_id, t.element_id,
    t.instance_id, t.idempotency_key, t.headers, t.content_type, t.body, t.generation, t.retries, t.priority,
    t.visible_at, t.created_at, p.group_no, p.position
),
spent AS (
  UPDATE external_task AS t
  SET state = 'failed', failed_at = now(), lock_owner = NULL, lock_token_hash = NULL, locked_at = NULL,
    lost_locks = t.lost_locks + 1,
    last_error = 'its lock ran out ' || t.lost_locks + 1 || ' times in a row without an outcome'
  WHERE t.id = ANY (ARRAY(SELECT l.id FROM locked AS l WHERE l.is_spent))
  RETURNING t.id, t.tenant, t.module, t.process_id, t.instance_id, t.element_id, t.policy, t.last_error
),${terminalTasks(
    'spent',
    `
  SELECT s.id, s.tenant, s.module, s.process_id, s.instance_id, s.element_id, s.policy, s.last_error,
    ($17::uuid[])[row_number() OVER (ORDER BY s.id)] AS incident_id
  FROM spent AS s`,
  )}
SELECT g.id AS "pickedId", NULL::text AS "leftoverChannel", NULL::integer AS "leftoverCount",
  g.group_no AS "group", g.position, g.id, g.channel, g.tenant, g.module, g.version,
  g.deployment_id AS "deploymentId", g.process_id AS "processId", g.element_id AS "elementId",
  g.instance_id AS "instanceId", g.idempotency_key AS "idempotencyKey", g.headers,
  g.content_type AS "contentType", g.body, g.generation, g.retries, g.priority,
  g.visible_at AS "lockExpiresAt", (EXTRACT(EPOCH FROM g.visible_at - now()) * 1000)::double precision AS "lockMs",
  g.created_at AS "createdAt"
FROM granted AS g
UNION ALL
SELECT missed.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT p.id FROM picked AS p EXCEPT SELECT g.id FROM granted AS g) AS missed
UNION ALL
SELECT NULL, c.channel, count(*)::integer, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM candidate AS c
WHERE NOT EXISTS (SELECT FROM picked AS p WHERE p.id = c.id)
GROUP BY c.channel`,
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
  const rows = await connection.run<FetchRow>(FETCH_AND_LOCK, [
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
