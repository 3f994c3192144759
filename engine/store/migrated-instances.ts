/**
 * What goes with an instance to another deployment: the outbox rows and the tasks of the calls that wait, and what
 * incidents say of them.
 *
 * M1 Runs in the commit that migrates the instance, under its lock.
 * M2 Who holds a task keeps it: lock, generation, budget, deadline and hold are as they were.
 * M3 The outbox comes before the tasks, in a statement of its own: a relay that is parking a row at this moment is
 *    waited for there, and the task that it made is seen by the statement that begins after it.
 */
import type { StatementRunner } from '../transport.ts';

/** A call that waits, as the model of the other deployment has it. */
export interface MigratedCall {
  readonly instanceId: string;
  readonly idempotencyKey: string;
  readonly deploymentId: string;
  readonly version: string;
  readonly processId: string;
  readonly elementId: string;
  /** Of its policy, that which comes from the model's boundary events; empty: nothing. */
  readonly terminalPolicy: object;
}

function callColumns(calls: readonly MigratedCall[]): readonly unknown[] {
  return [
    calls.map((call) => call.instanceId),
    calls.map((call) => call.idempotencyKey),
    calls.map((call) => call.deploymentId),
    calls.map((call) => call.version),
    calls.map((call) => call.processId),
    calls.map((call) => call.elementId),
    calls.map((call) => JSON.stringify(call.terminalPolicy)),
  ];
}

/** The rows `m` of the statements below. */
const CALLS = `unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
    AS m (instance_id, idempotency_key, deployment_id, version, process_id, element_id, terminal_policy)`;

/** Of the row `r`. */
const MIGRATED_COLUMNS = `deployment_id = m.deployment_id, version = m.version, process_id = m.process_id,
    element_id = m.element_id, policy = (r.policy - 'terminalWaitId' - 'terminalPartId') || m.terminal_policy`;

/** Uses `outbox_instance`. A poisoned row too: the other model sends it once it is requeued. */
export const MIGRATE_OUTBOX_ROWS = {
  name: 'migrate_outbox_rows',
  text: `
UPDATE outbox AS r
SET ${MIGRATED_COLUMNS}
FROM ${CALLS}
WHERE r.instance_id = m.instance_id
  AND r.instance_id = ANY ($1::uuid[])
  AND r.idempotency_key = m.idempotency_key`,
};

export async function migrateOutboxRows(
  runner: StatementRunner,
  calls: readonly MigratedCall[],
): Promise<void> {
  await runner.run(MIGRATE_OUTBOX_ROWS, callColumns(calls));
}

/** Uses `external_task_instance`. */
export const MIGRATE_TASKS = {
  name: 'migrate_tasks',
  text: `
WITH migrated AS (
  UPDATE external_task AS r
  SET ${MIGRATED_COLUMNS}
  FROM ${CALLS}
  WHERE r.instance_id = m.instance_id
    AND r.instance_id = ANY ($1::uuid[])
    AND r.idempotency_key = m.idempotency_key
  RETURNING r.channel, r.state = 'open' AND NOT r.held AND r.visible_at <= now() AS is_fetchable
)
SELECT channel, count(*)::integer AS count
FROM migrated
WHERE is_fetchable
GROUP BY channel`,
};

/**
 * To be sent behind `migrateOutboxRows` (M3). Answers how many of the tasks can be fetched, per channel: after the
 * commit there is work for fetches that know the channel by the other deployment.
 */
export async function migrateTasks(
  runner: StatementRunner,
  calls: readonly MigratedCall[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await runner.run<{ readonly channel: string; readonly count: number }>(
    MIGRATE_TASKS,
    callColumns(calls),
  );
  return new Map(rows.map(({ channel, count }) => [channel, count]));
}

/**
 * Uses `external_task_instance`, `outbox_instance`, `incident_instance`. Rows are asked for as not open: to a planner that
 * sees few of them, all that have failed are as good as those of the instances.
 */
export const MOVE_DELIVERY_INCIDENTS = {
  name: 'move_delivery_incidents',
  text: `
UPDATE incident AS i
SET process_id = r.process_id, element_id = r.element_id
FROM (
  SELECT id, process_id, element_id
  FROM external_task
  WHERE instance_id = ANY ($1::uuid[]) AND state <> 'open'
  UNION ALL
  SELECT id, process_id, element_id
  FROM outbox
  WHERE instance_id = ANY ($1::uuid[]) AND state <> 'open'
) AS r
WHERE i.instance_id = ANY ($1::uuid[])
  AND i.subject_id = r.id
  AND i.kind IN ('task-terminal', 'delivery-poisoned')
  AND i.resolved_at IS NULL`,
};

/**
 * Incidents of tasks and rows are about the elements that these belong to now. To be sent behind the two above: an
 * incident that was raised while they waited for a row is seen by a statement that begins after them.
 */
export async function moveDeliveryIncidents(
  runner: StatementRunner,
  instanceIds: readonly string[],
): Promise<void> {
  await runner.run(MOVE_DELIVERY_INCIDENTS, [instanceIds]);
}

/** Uses `incident_instance`. */
export const MOVE_INSTANCE_INCIDENTS = {
  name: 'move_instance_incidents',
  text: `
UPDATE incident AS i
SET element_id = m.element_id
FROM unnest($1::uuid[], $2::text[]) AS m (instance_id, element_id)
WHERE i.instance_id = m.instance_id
  AND i.instance_id = ANY ($1::uuid[])
  AND i.kind = 'instance-failed'
  AND i.resolved_at IS NULL`,
};

/** The instance has failed at that element, by its new id. */
export async function moveInstanceIncidents(
  runner: StatementRunner,
  failures: readonly { readonly instanceId: string; readonly elementId: string }[],
): Promise<void> {
  await runner.run(MOVE_INSTANCE_INCIDENTS, [
    failures.map((failure) => failure.instanceId),
    failures.map((failure) => failure.elementId),
  ]);
}

/** Uses `deployment_pkey`. */
export const FIND_MIGRATION_TARGETS = {
  name: 'find_migration_targets',
  text: `
SELECT id
FROM deployment
WHERE id = ANY ($1::text[])
  AND state IN ('active', 'draining')`,
};

/**
 * Those of the deployments that an instance may be migrated to. One that retires at this moment, because nothing was
 * left of it, is taken back as one is on which an instance was started late (`reopenDeployments`).
 */
export async function findMigrationTargets(
  runner: StatementRunner,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await runner.run<{ readonly id: string }>(FIND_MIGRATION_TARGETS, [ids]);
  return new Set(rows.map((row) => row.id));
}
