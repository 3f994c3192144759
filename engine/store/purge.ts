/**
 * Deletes what is past its retention, by the database's clock, in batches small enough to be over before a
 * turn would notice. Rows that somebody holds are passed over: the next sweep finds them.
 *
 * Each function deletes at most `limit` rows (instances: with all that is theirs but history) and answers how many.
 */
import type { StatementRunner } from '../transport.ts';
import type { Statement } from './database.ts';

interface CountRow {
  readonly deleted: number;
}

/** Uses `inbox_received`. */
export const PURGE_INBOX: Statement = {
  name: 'purge_inbox',
  text: `
WITH gone AS (
  DELETE FROM inbox
  WHERE ctid = ANY(ARRAY(
    SELECT ctid
    FROM inbox
    WHERE received_at <= now() - $1::double precision * interval '1 millisecond'
    LIMIT $2::integer
    FOR UPDATE SKIP LOCKED))
  RETURNING 1)
SELECT count(*)::integer AS deleted
FROM gone`,
};

/** Dedup keys and their outcomes. A message that comes again after this is a new one. */
export function purgeInbox(runner: StatementRunner, retentionMs: number, limit: number): Promise<number> {
  return runCounted(runner, PURGE_INBOX, retentionMs, limit);
}

/** Uses `receipt_created`. */
export const PURGE_RECEIPTS: Statement = {
  name: 'purge_receipts',
  text: `
WITH gone AS (
  DELETE FROM receipt
  WHERE ctid = ANY(ARRAY(
    SELECT ctid
    FROM receipt
    WHERE created_at <= now() - $1::double precision * interval '1 millisecond'
    LIMIT $2::integer
    FOR UPDATE SKIP LOCKED))
  RETURNING 1)
SELECT count(*)::integer AS deleted
FROM gone`,
};

/** What was answered to workers, kept as long as dedup keys. */
export function purgeReceipts(runner: StatementRunner, retentionMs: number, limit: number): Promise<number> {
  return runCounted(runner, PURGE_RECEIPTS, retentionMs, limit);
}

/**
 * Uses `instance_ended`, the primary keys of `instance_value` and `instance_part`, `incident_instance` and
 * `instance_call_instance`: arrays, because a join of two tables makes the planner read the larger one whole. Open
 * tasks, failed tasks and deliveries of an ended instance stay, with their incidents: they are work that somebody
 * still has to do. Its parts and calls went when it ended; the look is cheap, and what a fault left goes with it.
 * Its history is left to PURGE_HISTORY, however long it is kept: one instance may have thousands of turns.
 */
export const PURGE_INSTANCES: Statement = {
  name: 'purge_instances',
  text: `
WITH gone AS (
  DELETE FROM instance
  WHERE id = ANY(ARRAY(
    SELECT id
    FROM instance
    WHERE ended_at <= now() - $1::double precision * interval '1 millisecond'
    ORDER BY ended_at
    LIMIT $2::integer
    FOR UPDATE SKIP LOCKED))
  RETURNING id, ended_at
), journal AS (
  INSERT INTO history_end (instance_id, ended_at)
  SELECT id, ended_at
  FROM gone
), told AS (
  DELETE FROM incident
  WHERE instance_id = ANY(ARRAY(SELECT id FROM gone)) AND (resolved_at IS NOT NULL OR kind = 'instance-failed')
), large AS (
  DELETE FROM instance_value
  WHERE instance_id = ANY(ARRAY(SELECT id FROM gone))
), parts AS (
  DELETE FROM instance_part
  WHERE instance_id = ANY(ARRAY(SELECT id FROM gone))
), calls AS (
  DELETE FROM instance_call
  WHERE instance_id = ANY(ARRAY(SELECT id FROM gone))
)
SELECT count(*)::integer AS deleted
FROM gone`,
};

/** Ended instances, without their history. Failed ones have not ended. */
export function purgeInstances(runner: StatementRunner, retentionMs: number, limit: number): Promise<number> {
  return runCounted(runner, PURGE_INSTANCES, retentionMs, limit);
}

/**
 * Uses `history_end_ended` and `history_pkey`. The journals of several instances, in the order of their ids, as far as
 * the limit reaches: of the last one some turns may be left, and then it is still due.
 */
export const PURGE_HISTORY: Statement = {
  name: 'purge_history',
  text: `
WITH due AS MATERIALIZED (
  SELECT instance_id
  FROM history_end
  WHERE ended_at <= now() - $1::double precision * interval '1 millisecond'
  ORDER BY ended_at
  LIMIT $2::integer
  FOR UPDATE SKIP LOCKED
), chosen AS MATERIALIZED (
  SELECT h.instance_id, h.ctid AS place
  FROM history AS h
  WHERE h.instance_id = ANY(ARRAY(SELECT instance_id FROM due))
  ORDER BY h.instance_id, h.turn
  LIMIT $2::integer
), gone AS (
  DELETE FROM history
  WHERE ctid = ANY(ARRAY(SELECT place FROM chosen))
  RETURNING 1
), ended AS (
  DELETE FROM history_end
  WHERE instance_id = ANY(ARRAY(SELECT instance_id FROM due))
    AND ((SELECT count(*) FROM chosen) < $2::integer
      OR instance_id < (SELECT instance_id FROM chosen ORDER BY instance_id DESC LIMIT 1))
)
SELECT count(*)::integer AS deleted
FROM gone`,
};

/** History of instances whose row has gone, a turn a row. */
export function purgeHistory(runner: StatementRunner, retentionMs: number, limit: number): Promise<number> {
  return runCounted(runner, PURGE_HISTORY, retentionMs, limit);
}

/** A scan of the incidents, which are few; once a sweep. */
export const PURGE_INCIDENTS: Statement = {
  name: 'purge_incidents',
  text: `
WITH gone AS (
  DELETE FROM incident
  WHERE id = ANY(ARRAY(
    SELECT i.id
    FROM incident AS i
    WHERE i.resolved_at <= now() - $1::double precision * interval '1 millisecond'
      AND NOT EXISTS (SELECT FROM instance WHERE instance.id = i.instance_id OFFSET 0)
    LIMIT $2::integer
    FOR UPDATE OF i SKIP LOCKED))
  RETURNING 1)
SELECT count(*)::integer AS deleted
FROM gone`,
};

/** Incidents of tasks and deliveries that were resolved after their instance was purged. */
export function purgeIncidents(runner: StatementRunner, retentionMs: number, limit: number): Promise<number> {
  return runCounted(runner, PURGE_INCIDENTS, retentionMs, limit);
}

/** Uses `dead_letter_updated` and `incident_subject`. */
export const PURGE_DEAD_LETTERS: Statement = {
  name: 'purge_dead_letters',
  text: `
WITH gone AS (
  DELETE FROM dead_letter
  WHERE id = ANY(ARRAY(
    SELECT id
    FROM dead_letter
    WHERE updated_at <= now() - $1::double precision * interval '1 millisecond'
    LIMIT $2::integer
    FOR UPDATE SKIP LOCKED))
  RETURNING id
), resolved AS (
  UPDATE incident
  SET resolved_at = now()
  WHERE subject_id = ANY(ARRAY(SELECT id FROM gone)) AND kind = 'dead-letter' AND resolved_at IS NULL
)
SELECT count(*)::integer AS deleted
FROM gone`,
};

/** Dead letters about which nobody has done anything. Their incidents are resolved. */
export function purgeDeadLetters(
  runner: StatementRunner,
  retentionMs: number,
  limit: number,
): Promise<number> {
  return runCounted(runner, PURGE_DEAD_LETTERS, retentionMs, limit);
}

async function runCounted(
  runner: StatementRunner,
  statement: Statement,
  retentionMs: number,
  limit: number,
): Promise<number> {
  const [row] = await runner.run<CountRow>(statement, [retentionMs, limit]);
  return row?.deleted ?? 0;
}
