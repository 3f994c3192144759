/**
 * Timer start events of active deployments, and the rows by which signals find their start events: armed in the
 * commit that makes a deployment active, disarmed in the one that ends it. BPMN 2.0.2 §10.5.2, timer start event.
 *
 * S1 A start timer fires in the commit that moves its row to the next time, or deletes it: once for each time.
 * S2 Whether one is due is decided by the database's clock alone.
 * S3 Only an active deployment has rows here; whoever disarms waits for a firing under way, and none comes after.
 */
import type { StatementRunner } from '../transport.ts';

/** Names a start timer: a trigger of a start event of a process of a deployment. */
export interface StartTimerKey {
  readonly deploymentId: string;
  readonly processId: string;
  readonly startEventId: string;
  readonly trigger: number;
}

export interface StartTimerTimes {
  /** Milliseconds since the epoch by the database's clock. */
  readonly dueAtMs: number;
  /** How often it fires again after that, and how long after. Null: without end, and: not at all. */
  readonly remaining: number | null;
  readonly intervalMs: number | null;
}

export type StartTimerRow = StartTimerKey & StartTimerTimes;

/** A trigger that a signal of the deployment's tenant reaches. */
export interface SignalStartRow {
  readonly name: string;
  readonly processId: string;
  readonly startEventId: string;
  readonly trigger: number;
}

interface KeyColumns {
  readonly deployment_id: string;
  readonly process_id: string;
  readonly start_event_id: string;
  readonly trigger: number;
}

function toKey(row: KeyColumns): StartTimerKey {
  const { deployment_id: deploymentId, process_id: processId, start_event_id: startEventId, trigger } = row;
  return { deploymentId, processId, startEventId, trigger };
}

function keyValues(keys: readonly StartTimerKey[]): readonly unknown[] {
  return [
    keys.map((key) => key.deploymentId),
    keys.map((key) => key.processId),
    keys.map((key) => key.startEventId),
    keys.map((key) => key.trigger),
  ];
}

function timeValues(rows: readonly StartTimerTimes[]): readonly unknown[] {
  return [rows.map((row) => row.dueAtMs), rows.map((row) => row.remaining)];
}

export const INSERT_START_TIMERS = {
  name: 'insert_start_timers',
  text: `
INSERT INTO start_timer (deployment_id, process_id, start_event_id, trigger, due_at, remaining, interval_ms)
SELECT r.deployment_id, r.process_id, r.start_event_id, r.trigger, to_timestamp(r.due_at_ms / 1000), r.remaining,
  r.interval_ms
FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::double precision[], $6::bigint[],
  $7::double precision[])
  AS r (deployment_id, process_id, start_event_id, trigger, due_at_ms, remaining, interval_ms)`,
};

export async function insertStartTimers(
  runner: StatementRunner,
  rows: readonly StartTimerRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await runner.run(INSERT_START_TIMERS, [
    ...keyValues(rows),
    ...timeValues(rows),
    rows.map((row) => row.intervalMs),
  ]);
}

export const INSERT_SIGNAL_STARTS = {
  name: 'insert_signal_starts',
  text: `
INSERT INTO signal_start (tenant, name, deployment_id, process_id, start_event_id, trigger)
SELECT d.tenant, s.name, d.id, s.process_id, s.start_event_id, s.trigger
FROM deployment AS d
CROSS JOIN unnest($2::text[], $3::text[], $4::text[], $5::integer[])
  AS s (name, process_id, start_event_id, trigger)
WHERE d.id = $1::text`,
};

export async function insertSignalStarts(
  runner: StatementRunner,
  deploymentId: string,
  rows: readonly SignalStartRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await runner.run(INSERT_SIGNAL_STARTS, [
    deploymentId,
    rows.map((row) => row.name),
    rows.map((row) => row.processId),
    rows.map((row) => row.startEventId),
    rows.map((row) => row.trigger),
  ]);
}

/** Reads both tables whole: they are as small as the models that are active. */
export const DISARM_MODULE = {
  name: 'disarm_module',
  text: `
WITH ended AS (
  SELECT d.id
  FROM deployment AS wanted
  JOIN deployment AS d ON d.tenant = wanted.tenant AND d.module = wanted.module
  WHERE wanted.id = $1::text AND d.state <> 'active'
),
timers AS (
  DELETE FROM start_timer
  WHERE deployment_id = ANY(ARRAY(SELECT id FROM ended))
)
DELETE FROM signal_start
WHERE deployment_id = ANY(ARRAY(SELECT id FROM ended))`,
};

/** Of all deployments of this one's module that are not active (any more). */
export async function disarmModule(runner: StatementRunner, deploymentId: string): Promise<void> {
  await runner.run(DISARM_MODULE, [deploymentId]);
}

/** Uses `start_timer_pkey`. Reads the clock of this moment, not of the transaction's start. */
export const LOCK_START_TIMERS = {
  name: 'lock_start_timers',
  text: `
SELECT t.deployment_id, t.process_id, t.start_event_id, t.trigger,
  (extract(epoch FROM t.due_at) * 1000)::double precision AS due_at_ms, t.remaining, t.interval_ms
FROM start_timer AS t
JOIN unnest($1::text[], $2::text[], $3::text[], $4::integer[]) AS k (deployment_id, process_id, start_event_id, trigger)
  ON t.deployment_id = k.deployment_id AND t.process_id = k.process_id
  AND t.start_event_id = k.start_event_id AND t.trigger = k.trigger
WHERE t.due_at <= clock_timestamp()
FOR UPDATE OF t SKIP LOCKED`,
};

/** The timers that are now locked by this transaction: due, and held by nobody else. */
export async function lockStartTimers(
  runner: StatementRunner,
  keys: readonly StartTimerKey[],
): Promise<readonly StartTimerRow[]> {
  const rows = await runner.run<
    KeyColumns & { due_at_ms: number; remaining: number | null; interval_ms: number | null }
  >(LOCK_START_TIMERS, keyValues(keys));
  return rows.map((row) => ({
    ...toKey(row),
    dueAtMs: row.due_at_ms,
    remaining: row.remaining,
    intervalMs: row.interval_ms,
  }));
}

/** Uses `start_timer_pkey`. Tells one that is locked elsewhere (due) from one that has fired or was disarmed. */
export const START_TIMERS_DUE = {
  name: 'start_timers_due',
  text: `
SELECT t.deployment_id, t.process_id, t.start_event_id, t.trigger
FROM start_timer AS t
JOIN unnest($1::text[], $2::text[], $3::text[], $4::integer[]) AS k (deployment_id, process_id, start_event_id, trigger)
  ON t.deployment_id = k.deployment_id AND t.process_id = k.process_id
  AND t.start_event_id = k.start_event_id AND t.trigger = k.trigger
WHERE t.due_at <= clock_timestamp()`,
};

export async function startTimersDue(
  runner: StatementRunner,
  keys: readonly StartTimerKey[],
): Promise<readonly StartTimerKey[]> {
  return (await runner.run<KeyColumns>(START_TIMERS_DUE, keyValues(keys))).map(toKey);
}

/** Uses `start_timer_pkey`. */
export const MOVE_START_TIMERS = {
  name: 'move_start_timers',
  text: `
UPDATE start_timer AS t
SET due_at = to_timestamp(r.due_at_ms / 1000), remaining = r.remaining
FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::double precision[], $6::bigint[])
  AS r (deployment_id, process_id, start_event_id, trigger, due_at_ms, remaining)
WHERE t.deployment_id = r.deployment_id AND t.process_id = r.process_id
  AND t.start_event_id = r.start_event_id AND t.trigger = r.trigger
RETURNING t.deployment_id`,
};

/** To their next times. The caller holds their locks and compares the count. */
export async function moveStartTimers(
  runner: StatementRunner,
  rows: readonly StartTimerRow[],
): Promise<number> {
  const moved = await runner.run(MOVE_START_TIMERS, [...keyValues(rows), ...timeValues(rows)]);
  return moved.length;
}

/** Uses `start_timer_pkey`. */
export const DELETE_START_TIMERS = {
  name: 'delete_start_timers',
  text: `
DELETE FROM start_timer AS t
USING unnest($1::text[], $2::text[], $3::text[], $4::integer[]) AS k (deployment_id, process_id, start_event_id, trigger)
WHERE t.deployment_id = k.deployment_id AND t.process_id = k.process_id
  AND t.start_event_id = k.start_event_id AND t.trigger = k.trigger
RETURNING t.deployment_id`,
};

/** Those that have fired for the last time. The caller holds their locks and compares the count. */
export async function deleteStartTimers(
  runner: StatementRunner,
  keys: readonly StartTimerKey[],
): Promise<number> {
  const deleted = await runner.run(DELETE_START_TIMERS, keyValues(keys));
  return deleted.length;
}

export interface DueStartTimer extends StartTimerKey {
  readonly tenant: string;
  readonly module: string;
  /** How long it has been due. */
  readonly lateMs: number;
}

/**
 * Uses `start_timer_due`. Run outside a transaction, the locks end with the statement: they only keep timers out
 * of the answer that a turn is firing at this moment.
 */
export const DUE_START_TIMERS = {
  name: 'due_start_timers',
  text: `
SELECT t.deployment_id, t.process_id, t.start_event_id, t.trigger, d.tenant, d.module,
  (extract(epoch FROM now() - t.due_at) * 1000)::double precision AS late_ms
FROM start_timer AS t
JOIN deployment AS d ON d.id = t.deployment_id
WHERE t.due_at <= now()
ORDER BY t.due_at
LIMIT $1::integer
FOR UPDATE OF t SKIP LOCKED`,
};

/** At most `limit` due timers that no turn holds, the longest due first. */
export async function dueStartTimers(
  runner: StatementRunner,
  limit: number,
): Promise<readonly DueStartTimer[]> {
  const rows = await runner.run<KeyColumns & { tenant: string; module: string; late_ms: number }>(
    DUE_START_TIMERS,
    [limit],
  );
  return rows.map((row) => ({
    ...toKey(row),
    tenant: row.tenant,
    module: row.module,
    lateMs: row.late_ms,
  }));
}

/** Uses `start_timer_due`, twice. */
export const NEXT_START_TIMER_DUE = {
  name: 'next_start_timer_due',
  text: `
SELECT (extract(epoch FROM now()) * 1000)::double precision AS now_ms,
  EXISTS (SELECT FROM start_timer WHERE due_at <= now()) AS is_one_due,
  (
    SELECT (extract(epoch FROM due_at) * 1000)::double precision
    FROM start_timer
    WHERE due_at > now()
    ORDER BY due_at
    LIMIT 1
  ) AS next_due_at_ms`,
};

/** As `nextTimerDue`, of the start timers. */
export async function nextStartTimerDue(
  runner: StatementRunner,
): Promise<{ readonly nowMs: number; readonly isOneDue: boolean; readonly nextDueAtMs: number | null }> {
  const [row] = await runner.run<{ now_ms: number; is_one_due: boolean; next_due_at_ms: number | null }>(
    NEXT_START_TIMER_DUE,
    [],
  );
  if (row === undefined) throw new Error('a SELECT without FROM gave no row');
  return { nowMs: row.now_ms, isOneDue: row.is_one_due, nextDueAtMs: row.next_due_at_ms };
}

/** Uses `start_timer_pkey`. */
export const READ_START_TIMERS = {
  name: 'read_start_timers',
  text: `
SELECT process_id AS "processId", start_event_id AS "elementId", due_at AS "dueAt", remaining,
  interval_ms AS "intervalMs"
FROM start_timer
WHERE deployment_id = $1::text
ORDER BY due_at, process_id, start_event_id, trigger`,
};

export interface ShownStartTimer {
  readonly processId: string;
  readonly elementId: string;
  readonly dueAt: Date;
  readonly remaining: number | null;
  readonly intervalMs: number | null;
}

/** What the deployment will start by itself, the soonest first. */
export function readStartTimers(
  runner: StatementRunner,
  deploymentId: string,
): Promise<readonly ShownStartTimer[]> {
  return runner.run<ShownStartTimer>(READ_START_TIMERS, [deploymentId]);
}
