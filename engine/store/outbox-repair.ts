/**
 * What a person does with a poisoned delivery: send it again, or give it up. Each closes the row's incident
 * in the same statement, so that an open incident always has its row.
 */
import type { StatementRunner } from '../transport.ts';

/** The row that was requeued or discarded. */
export interface RepairedDelivery {
  readonly id: string;
  readonly transport: string;
  readonly channel: string;
  readonly instanceId: string;
}

/** Uses `outbox_poisoned` and `incident_instance`. Attempts start again: the row gets its whole budget. */
export const REQUEUE_DELIVERY = {
  name: 'requeue_delivery',
  text: `
WITH requeued AS (
  UPDATE outbox
  SET state = 'open', visible_at = now(), attempts = 0
  WHERE id = $1::uuid AND state = 'poisoned'
  RETURNING id, instance_id, transport, channel
), resolved AS (
  UPDATE incident AS i
  SET resolved_at = now()
  FROM requeued AS r
  WHERE i.instance_id = r.instance_id
    AND i.subject_id = r.id
    AND i.kind = 'delivery-poisoned'
    AND i.resolved_at IS NULL
)
SELECT id, transport, channel, instance_id AS "instanceId"
FROM requeued`,
};

/** Null when no poisoned row has this id. The relay's loop of the row's transport is to be woken. */
export async function requeueDelivery(runner: StatementRunner, id: string): Promise<RepairedDelivery | null> {
  const [row] = await runner.run<RepairedDelivery>(REQUEUE_DELIVERY, [id]);
  return row ?? null;
}

/** Uses `outbox_poisoned` and `incident_instance`. */
export const DISCARD_DELIVERY = {
  name: 'discard_delivery',
  text: `
WITH discarded AS (
  DELETE FROM outbox
  WHERE id = $1::uuid AND state = 'poisoned'
  RETURNING id, instance_id, transport, channel
), resolved AS (
  UPDATE incident AS i
  SET resolved_at = now()
  FROM discarded AS d
  WHERE i.instance_id = d.instance_id
    AND i.subject_id = d.id
    AND i.kind = 'delivery-poisoned'
    AND i.resolved_at IS NULL
)
SELECT id, transport, channel, instance_id AS "instanceId"
FROM discarded`,
};

/** Null when no poisoned row has this id. An instance that waits for the answer goes on waiting. */
export async function discardDelivery(runner: StatementRunner, id: string): Promise<RepairedDelivery | null> {
  const [row] = await runner.run<RepairedDelivery>(DISCARD_DELIVERY, [id]);
  return row ?? null;
}
