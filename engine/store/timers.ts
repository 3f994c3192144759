/**
 * The timer table: one row for each timer wait of a live instance.
 *
 * R1 A timer fires in the commit that deletes its row, so it fires once.
 * R2 Whether a timer is due is decided by the database's clock alone.
 * R3 A `held` timer (its instance is failed) is not due until it is released.
 */
import type { StatementRunner } from '../transport.ts';

/** Names a timer: the wait of an instance. */
export interface TimerKey {
  readonly instanceId: string;
  readonly waitId: number;
}

export interface TimerRow extends TimerKey {
  readonly elementId: string;
  /** Milliseconds since the epoch by the database's clock. */
  readonly dueAtMs: number;
  /** The part of the snapshot that holds the wait; null: none. */
  readonly partId: number | null;
}

interface KeyColumns {
  readonly instance_id: string;
  readonly wait_id: number;
}

function toKeys(rows: readonly KeyColumns[]): readonly TimerKey[] {
  return rows.map((row) => ({ instanceId: row.instance_id, waitId: row.wait_id }));
}

function keyValues(keys: readonly TimerKey[]): readonly unknown[] {
  return [keys.map((key) => key.instanceId), keys.map((key) => key.waitId)];
}

export const INSERT_TIMERS = {
  name: 'insert_timers',
  text: `
INSERT INTO timer (instance_id, wait_id, element_id, due_at, part_id)
SELECT r.instance_id, r.wait_id, r.element_id, to_timestamp(r.due_at_ms / 1000), r.part_id
FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::double precision[], $5::integer[])
  AS r (instance_id, wait_id, element_id, due_at_ms, part_id)`,
};

export async function insertTimers(connection: StatementRunner, rows: readonly TimerRow[]): Promise<void> {
  await connection.run(INSERT_TIMERS, [
    ...keyValues(rows),
    rows.map((row) => row.elementId),
    rows.map((row) => row.dueAtMs),
    rows.map((row) => row.partId),
  ]);
}

/**
 * Uses `timer_pkey` to find, the row's address to delete. Joined as a table, a planner that sees an empty one
 * reads all timers of each instance, and an instance may have thousands.
 */
export const DELETE_TIMERS = {
  name: 'delete_timers',
  text: `
DELETE FROM timer AS t
USING unnest($1::uuid[], $2::integer[]) AS k (instance_id, wait_id)
CROSS JOIN LATERAL (
  SELECT kept.ctid
  FROM timer AS kept
  WHERE kept.instance_id = k.instance_id AND kept.wait_id = k.wait_id
  OFFSET 0
) AS found
WHERE t.ctid = found.ctid
RETURNING t.instance_id`,
};

/** How many rows went. */
export async function deleteTimers(connection: StatementRunner, keys: readonly TimerKey[]): Promise<number> {
  const rows = await connection.run<{ instance_id: string }>(DELETE_TIMERS, keyValues(keys));
  return rows.length;
}

/**
 * Uses `timer_pkey`, and cannot use `timer_due`, whose predicate is `NOT held`. Reads the clock of this moment,
 * not of the transaction's start: the transaction may have begun before the timer came due.
 */
export const LOCK_TIMERS = {
  name: 'lock_timers',
  text: `
SELECT k.instance_id, k.wait_id, due.part_id
FROM unnest($1::uuid[], $2::integer[]) AS k (instance_id, wait_id)
CROSS JOIN LATERAL (
  SELECT t.part_id
  FROM timer AS t
  WHERE t.instance_id = k.instance_id AND t.wait_id = k.wait_id
    AND t.held IS NOT TRUE
    AND t.due_at <= clock_timestamp()
  FOR UPDATE SKIP LOCKED
) AS due`,
};

export interface LockedTimer extends TimerKey {
  /** The part of the snapshot that holds the wait; null: none. */
  readonly partId: number | null;
}

/** Those that are now locked by this transaction: due, not held, and held by nobody else. */
export async function lockTimers(
  connection: StatementRunner,
  keys: readonly TimerKey[],
): Promise<readonly LockedTimer[]> {
  const rows = await connection.run<KeyColumns & { readonly part_id: number | null }>(
    LOCK_TIMERS,
    keyValues(keys),
  );
  return rows.map((row) => ({
    instanceId: row.instance_id,
    waitId: row.wait_id,
    partId: row.part_id,
  }));
}

/** Uses `timer_pkey`. Tells a timer that is locked elsewhere (present) from one that has fired or was cleared. */
export const TIMERS_EXIST = {
  name: 'timers_exist',
  text: `
SELECT k.instance_id, k.wait_id
FROM unnest($1::uuid[], $2::integer[]) AS k (instance_id, wait_id)
CROSS JOIN LATERAL (
  SELECT
  FROM timer AS t
  WHERE t.instance_id = k.instance_id AND t.wait_id = k.wait_id
  OFFSET 0
) AS present`,
};

export async function timersExist(
  connection: StatementRunner,
  keys: readonly TimerKey[],
): Promise<readonly TimerKey[]> {
  return toKeys(await connection.run<KeyColumns>(TIMERS_EXIST, keyValues(keys)));
}

/**
 * Uses `timer_due`. Run outside a transaction, the locks end with the statement: they only keep timers out
 * of the answer that a turn is firing at this moment.
 */
export const DUE_TIMERS = {
  name: 'due_timers',
  text: `
SELECT instance_id, wait_id, (extract(epoch FROM now() - due_at) * 1000)::double precision AS late_ms
FROM timer
WHERE due_at <= now() AND NOT held
ORDER BY due_at
LIMIT $1::integer
FOR UPDATE SKIP LOCKED`,
};

export interface DueTimer extends TimerKey {
  /** How long it has been due. */
  readonly lateMs: number;
}

/** At most `limit` due timers that no turn holds, the longest due first. */
export async function dueTimers(runner: StatementRunner, limit: number): Promise<readonly DueTimer[]> {
  const rows = await runner.run<KeyColumns & { readonly late_ms: number }>(DUE_TIMERS, [limit]);
  return rows.map((row) => ({ instanceId: row.instance_id, waitId: row.wait_id, lateMs: row.late_ms }));
}

/** Uses `timer_due`, twice. */
export const NEXT_TIMER_DUE = {
  name: 'next_timer_due',
  text: `
SELECT (extract(epoch FROM now()) * 1000)::double precision AS now_ms,
  EXISTS (SELECT FROM timer WHERE due_at <= now() AND NOT held) AS is_one_due,
  (
    SELECT (extract(epoch FROM due_at) * 1000)::double precision
    FROM timer
    WHERE due_at > now() AND NOT held
    ORDER BY due_at
    LIMIT 1
  ) AS next_due_at_ms`,
};

export interface NextTimer {
  /** The database's clock as the statement began. */
  readonly nowMs: number;
  /** A timer is due already: somebody holds it, or it came due after the last look. */
  readonly isOneDue: boolean;
  /** When the earliest timer that is not due yet will be, or null when there is none. */
  readonly nextDueAtMs: number | null;
}

/** Outside a transaction: inside, its clock stands still. */
export async function nextTimerDue(runner: StatementRunner): Promise<NextTimer> {
  const [row] = await runner.run<{
    now_ms: number;
    is_one_due: boolean;
    next_due_at_ms: number | null;
  }>(NEXT_TIMER_DUE, []);
  if (row === undefined) throw new Error('a SELECT without FROM gave no row');
  return { nowMs: row.now_ms, isOneDue: row.is_one_due, nextDueAtMs: row.next_due_at_ms };
}
