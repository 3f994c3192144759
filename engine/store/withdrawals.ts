/**
 * Withdrawing deliveries, in a turn's commit: outbox rows and parked tasks that nobody waits for any more, and all that
 * is left of an instance that somebody cancels.
 *
 * W1 A task leaves a receipt, so that its worker is told.
 * W2 A poisoned row and a terminal task take their incident with them, also one that was raised at this very moment.
 * W3 A row that the relay is moving to the tasks at this very moment is withdrawn all the same.
 */
import type { Connection, Statement } from './database.ts';

/** A delivery whose wait is gone. */
export interface WithdrawnDelivery {
  readonly instanceId: string;
  readonly idempotencyKey: string;
}

/** `outbox` and `task` say behind DELETE which rows are meant; `o` and `t` are their names. */
const withdraw = (outbox: string, task: string): string => `
dropped AS (
  DELETE FROM outbox AS o
  ${outbox}
  RETURNING o.id, o.instance_id, o.idempotency_key, o.state
),
withdrawn AS (
  DELETE FROM external_task AS t
  ${task}
  RETURNING t.id, t.generation, t.lock_owner, t.channel, t.instance_id, t.idempotency_key, t.state
),
receipted AS (
  INSERT INTO receipt (task_id, generation, completion_id, outcome, lock_owner, body_hash, channel, instance_id)
  SELECT w.id, w.generation, NULL, 'withdrawn', w.lock_owner, NULL, w.channel, w.instance_id
  FROM withdrawn AS w
  ON CONFLICT (task_id, generation) DO NOTHING
)
SELECT d.id, d.instance_id AS "instanceId", d.idempotency_key AS "idempotencyKey", false AS "isTask",
  d.state = 'poisoned' AS "isIncident"
FROM dropped AS d
UNION ALL
SELECT w.id, w.instance_id, w.idempotency_key, true, w.state = 'failed'
FROM withdrawn AS w`;

/** Indexes: outbox_instance, external_task_instance. */
export const WITHDRAW_DELIVERIES: Statement = {
  name: 'withdraw_deliveries',
  text: `
WITH gone (instance_id, idempotency_key) AS (
  SELECT g.instance_id, g.idempotency_key
  FROM unnest($1::uuid[], $2::text[]) AS g (instance_id, idempotency_key)
),${withdraw(
    `USING gone
  WHERE o.instance_id = gone.instance_id
    AND o.instance_id = ANY ($1::uuid[])
    AND o.idempotency_key = gone.idempotency_key`,
    `USING gone
  WHERE t.instance_id = gone.instance_id
    AND t.instance_id = ANY ($1::uuid[])
    AND t.idempotency_key = gone.idempotency_key`,
  )}`,
};

/** Indexes: outbox_instance, external_task_instance. */
export const WITHDRAW_INSTANCES: Statement = {
  name: 'withdraw_instances',
  text: `
WITH${withdraw('WHERE o.instance_id = ANY ($1::uuid[])', 'WHERE t.instance_id = ANY ($1::uuid[])')}`,
};

/** A statement of its own: the one that finds the rows is older than what the commit that it waited for has raised. */
export const RESOLVE_WITHDRAWN_INCIDENTS: Statement = {
  name: 'resolve_withdrawn_incidents',
  text: `
UPDATE incident
SET resolved_at = now()
WHERE instance_id = ANY ($1::uuid[])
  AND subject_id = ANY ($2::uuid[])
  AND kind IN ('task-terminal', 'delivery-poisoned')
  AND resolved_at IS NULL`,
};

interface WithdrawnRow {
  readonly id: string;
  readonly instanceId: string;
  readonly idempotencyKey: string;
  readonly isTask: boolean;
  /** It was poisoned or terminal. */
  readonly isIncident: boolean;
}

/**
 * Withdraws what nobody waits for; answers the ids of the tasks that were withdrawn.
 *
 * When the relay moves a row at this moment, the statement waits for its commit, finds the outbox row gone, and cannot
 * see the task, which is younger than its snapshot. So what was not found is asked for once more: the second
 * statement's snapshot is younger than the relay's commit, and a third cannot be needed.
 */
export async function withdrawDeliveries(
  connection: Connection,
  deliveries: readonly WithdrawnDelivery[],
): Promise<string[]> {
  let missing = deliveries;
  const withdrawn: WithdrawnRow[] = [];
  for (let pass = 0; pass < 2 && missing.length > 0; pass += 1) {
    const rows = await connection.run<WithdrawnRow>(WITHDRAW_DELIVERIES, [
      missing.map((delivery) => delivery.instanceId),
      missing.map((delivery) => delivery.idempotencyKey),
    ]);
    const found = new Set(rows.map(deliveryKey));
    withdrawn.push(...rows);
    missing = missing.filter((delivery) => !found.has(deliveryKey(delivery)));
  }
  return settle(connection, withdrawn);
}

/**
 * Withdraws all that the instances have not got rid of: what they wait for, and what they only sent. Answers the ids of
 * the tasks. Asked twice for the reason above; nobody but the caller, who has locked the instances, writes more of it.
 */
export async function withdrawInstances(
  connection: Connection,
  instanceIds: readonly string[],
): Promise<string[]> {
  const first = await connection.run<WithdrawnRow>(WITHDRAW_INSTANCES, [instanceIds]);
  const second = await connection.run<WithdrawnRow>(WITHDRAW_INSTANCES, [instanceIds]);
  return settle(connection, [...first, ...second]);
}

async function settle(connection: Connection, withdrawn: readonly WithdrawnRow[]): Promise<string[]> {
  const seen = withdrawn.filter(({ isIncident }) => isIncident);
  if (seen.length > 0) {
    const instanceIds = [...new Set(seen.map(({ instanceId }) => instanceId))];
    await connection.run(RESOLVE_WITHDRAWN_INCIDENTS, [instanceIds, seen.map(({ id }) => id)]);
  }
  return withdrawn.filter(({ isTask }) => isTask).map(({ id }) => id);
}

/** Instance ids are of one length, so the two parts cannot run into each other. */
function deliveryKey(delivery: WithdrawnDelivery): string {
  return `${delivery.instanceId.toLowerCase()} ${delivery.idempotencyKey}`;
}
