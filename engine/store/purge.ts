/**
 * Deletes what is past its retention, by the database's clock, in batches small enough to be over before a
 * turn would notice. Rows that somebody holds are passed over: the next sweep finds them.
 *
 * Each function deletes at most `limit` rows (instances: with all their history) and answers how many.
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
 * Uses `instance_ended`, the primary keys of `history`, `instance_value` and `instance_part`, `incident_instance` and
 * `instance_call_instance`: arrays, because a join of two tables makes the planner read the larger one whole. Open
 * tasks, failed tasks and deliveries of an ended instance stay, with their incidents: they are work that somebody
 * still has to do. Its parts and calls went when it ended; the look is cheap, and what a fault left goes with it.
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
  RETURNING id
), journal AS (
  DELETE FROM history
  WHERE instance_id = ANY(ARRAY(SELECT id FROM gone))
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

/** Ended instances with their history. Failed ones have not ended. */
export function purgeInstances(runner: StatementRunner, retentionMs: number, limit: number): Promise<number> {
  return runCounted(runner, PURGE_INSTANCES, retentionMs, limit);
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

async function runCounted(
  runner: StatementRunner,
  statement: Statement,
  retentionMs: number,
  limit: number,
): Promise<number> {
  const [row] = await runner.run<CountRow>(statement, [retentionMs, limit]);
  return row?.deleted ?? 0;
}
