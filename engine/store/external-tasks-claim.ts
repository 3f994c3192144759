/**
 * The text of the claim: what is fetchable, who gets it, and the locks. What it must do is in `external-tasks-fetch.ts`.
 */
import { terminalTasks } from './external-tasks-terminal.ts';

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
export const maxLevels = 16;

/** Stands behind the rows `pair`: channel, deployment_id, wanted. */
export const LEVELS = `
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

/** What of a claim depends on whether a share has terms of its own. */
interface ClaimTerms {
  readonly share: string;
  /** From `dealt` and `share` to `ranked`: each group's candidates, in its order. */
  readonly shared: string;
  readonly lockMs: string;
}

const plainTerms: ClaimTerms = {
  share: `share (channel, group_no, share_index, share_count) AS (
  SELECT s.channel, s.group_no, s.share_index, s.share_count
  FROM unnest((SELECT $4::text[]), (SELECT $5::integer[]), (SELECT $6::integer[]), (SELECT $7::integer[]))
    AS s (channel, group_no, share_index, share_count)
)`,
  shared: `shared AS (
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
)`,
  lockMs: 'slot.lock_ms',
};

/** A group takes no more of a channel than its share says, the first of the deal. */
const channelTerms: ClaimTerms = {
  share: `share (channel, group_no, share_index, share_count, lock_ms, max_tasks) AS (
  SELECT s.channel, s.group_no, s.share_index, s.share_count, s.lock_ms, s.max_tasks
  FROM unnest((SELECT $4::text[]), (SELECT $5::integer[]), (SELECT $6::integer[]), (SELECT $7::integer[]),
    (SELECT $18::double precision[]), (SELECT $19::integer[]))
    AS s (channel, group_no, share_index, share_count, lock_ms, max_tasks)
)`,
  shared: `offered AS (
  SELECT d.id, d.deployment_id, d.priority, d.visible_at, d.size_bytes, share.group_no, share.lock_ms, share.max_tasks,
    row_number() OVER (PARTITION BY share.group_no, d.channel ORDER BY d.deal) AS place
  FROM dealt AS d
  JOIN share ON share.channel = d.channel AND share.share_index = d.deal % share.share_count
),
shared AS (
  SELECT o.id, o.priority, o.visible_at, o.size_bytes, o.group_no, o.lock_ms,
    row_number() OVER (
      PARTITION BY o.group_no, o.deployment_id ORDER BY o.priority DESC, o.visible_at, o.id
    ) AS turn
  FROM offered AS o
  WHERE o.max_tasks IS NULL OR o.place <= o.max_tasks
),
ranked AS (
  SELECT s.id, s.group_no, s.size_bytes, s.lock_ms,
    row_number() OVER (PARTITION BY s.group_no ORDER BY s.priority DESC, s.turn, s.visible_at, s.id) AS position
  FROM shared AS s
)`,
  lockMs: 'COALESCE(r.lock_ms, slot.lock_ms)',
};

const PAIRS = `pair (channel, deployment_id, wanted) AS (
  SELECT p.channel, p.deployment_id, p.wanted
  FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::integer[])) AS p (channel, deployment_id, wanted)
),`;

const SLOTS = `slot (group_no, position, worker_id, token_hash, lock_ms) AS (
  SELECT s.group_no, s.position, s.worker_id, s.token_hash, s.lock_ms
  FROM unnest((SELECT $8::integer[]), (SELECT $9::integer[]), (SELECT $10::text[]), (SELECT $11::bytea[]),
    (SELECT $15::double precision[])) AS s (group_no, position, worker_id, token_hash, lock_ms)
),`;

/** What the groups share, in the order in which it is dealt to them. */
const CANDIDATES = `candidate AS (
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
),`;

/** Each group's first ones, as far as its slots and the bytes of the bodies go. */
const picked = (lockMs: string): string => `weighed AS (
  SELECT r.id, slot.group_no, slot.position, slot.worker_id, slot.token_hash, ${lockMs} AS lock_ms,
    sum(r.size_bytes) OVER (ORDER BY slot.position, slot.group_no ROWS UNBOUNDED PRECEDING) - r.size_bytes
      AS bytes_before
  FROM ranked AS r
  JOIN slot ON slot.group_no = r.group_no AND slot.position = r.position
),
picked AS (
  SELECT w.id, w.group_no, w.position, w.worker_id, w.token_hash, w.lock_ms
  FROM weighed AS w
  WHERE w.bytes_before < $13::double precision
),`;

/** Locks the picked ones, and writes the locks; those whose lock ran out too often turn terminal. */
const TAKEN = `locked AS (
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
    progress = NULL,
    progress_at = NULL,
    visible_at = LEAST(t.deadline, now() + interval '1 millisecond'
      * COALESCE(p.lock_ms, (t.policy ->> 'lockDurationMs')::double precision, $14::double precision))
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
    t.visible_at, t.created_at, t.deadline, p.group_no, p.position
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
)}`;

const ANSWER = `SELECT g.id AS "pickedId", NULL::text AS "leftoverChannel", NULL::integer AS "leftoverCount",
  g.group_no AS "group", g.position, g.id, g.channel, g.tenant, g.module, g.version,
  g.deployment_id AS "deploymentId", g.process_id AS "processId", g.element_id AS "elementId",
  g.instance_id AS "instanceId", g.idempotency_key AS "idempotencyKey", g.headers,
  g.content_type AS "contentType", g.body, g.generation, g.retries, g.priority,
  g.visible_at AS "lockExpiresAt", (EXTRACT(EPOCH FROM g.visible_at - now()) * 1000)::double precision AS "lockMs",
  g.created_at AS "createdAt", g.deadline
FROM granted AS g
UNION ALL
SELECT missed.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (SELECT p.id FROM picked AS p EXCEPT SELECT g.id FROM granted AS g) AS missed
UNION ALL
SELECT NULL, c.channel, count(*)::integer, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM candidate AS c
WHERE NOT EXISTS (SELECT FROM picked AS p WHERE p.id = c.id)
GROUP BY c.channel`;

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
function claiming(terms: ClaimTerms): string {
  return `
WITH RECURSIVE
${PAIRS}
${terms.share},
${SLOTS}${LEVELS},
${CANDIDATES}
${terms.shared},
${picked(terms.lockMs)}
${TAKEN}
${ANSWER}`;
}

/** For fetches that name their channels alone. */
export const CLAIM = claiming(plainTerms);

/** For fetches of which some have terms for a channel: two parameters more. */
export const CLAIM_BY_CHANNEL = claiming(channelTerms);
