/**
 * The outbox table as the relay uses it: take due rows, and settle what did not get through.
 *
 * A row is due when it is open and `visible_at <= now()`; a dial in progress and a backoff push `visible_at`
 * forward.
 *
 * O1 Only a row that nobody holds is claimed: `SKIP LOCKED`, and the claim itself hides the row for the
 *    visibility timeout. A claimer that dies costs one such timeout, never the row.
 * O2 `attempts` only grows. What an attempt reports after a later one has begun changes nothing (except
 *    `deleteOutboxRows`: a delivery that did happen is deleted, whoever reports it). Only a person's requeue
 *    starts the count again.
 * O3 A row past its `deadline` is never offered; the turn that ends its wait withdraws it.
 * O4 Poisoning a row and raising its incident are one statement.
 *
 * Where ids are given, rows are asked for as not poisoned and by `= ANY`: see `outbox.ts`.
 */
import type { Delivery, StatementRunner } from '../transport.ts';

interface DeliveryColumns {
  readonly id: string;
  readonly deployment_id: string;
  readonly tenant: string;
  readonly module: string;
  readonly channel: string;
  readonly instance_id: string;
  readonly element_id: string;
  readonly idempotency_key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content_type: string;
  readonly body: Uint8Array;
  readonly attempt: number;
  readonly expects_answer: boolean;
}

function toDelivery(row: DeliveryColumns): Delivery {
  return {
    id: row.id,
    deploymentId: row.deployment_id,
    tenant: row.tenant,
    module: row.module,
    channel: row.channel,
    instanceId: row.instance_id,
    elementId: row.element_id,
    idempotencyKey: row.idempotency_key,
    headers: row.headers,
    contentType: row.content_type,
    body: row.body,
    attempt: row.attempt,
    expectsAnswer: row.expects_answer,
  };
}

/** Names a channel to `claimDeliveries`, exactly as the statement composes it. */
export function channelKey(delivery: {
  readonly tenant: string;
  readonly module: string;
  readonly channel: string;
}): string {
  return `${delivery.tenant}/${delivery.module}/${delivery.channel}`;
}

/**
 * Uses `outbox_due` to find, `outbox_pkey` to update. The array subquery is evaluated once and its size is
 * not estimated from the LIMIT; joined as a relation, a generic plan expects a tenth of the table and
 * reads all of it.
 */
export const CLAIM_DELIVERIES = {
  name: 'claim_deliveries',
  text: `
UPDATE outbox
SET visible_at = now() + $3::double precision * interval '1 millisecond', attempts = attempts + 1
WHERE id = ANY(ARRAY(
  SELECT due.id
  FROM outbox AS due
  WHERE due.transport = $1
    AND due.state = 'open'
    AND due.visible_at <= now()
    AND (due.deadline IS NULL OR due.deadline > now())
    AND due.tenant || '/' || due.module || '/' || due.channel <> ALL($4::text[])
  ORDER BY due.visible_at, due.id
  LIMIT $2::integer
  FOR UPDATE SKIP LOCKED
))
RETURNING id, deployment_id, tenant, module, channel, instance_id, element_id, idempotency_key, headers,
  content_type, body, attempts AS attempt, expects_answer`,
};

/**
 * Takes at most `limit` due rows of a network transport and hides them for `visibilityMs`, so that they
 * can be dialled outside any transaction. `exceptChannels` (of `channelKey`) are left where they are.
 */
export async function claimDeliveries(
  runner: StatementRunner,
  transport: string,
  limit: number,
  visibilityMs: number,
  exceptChannels: readonly string[] = [],
): Promise<readonly Delivery[]> {
  const rows = await runner.run<DeliveryColumns>(CLAIM_DELIVERIES, [
    transport,
    limit,
    visibilityMs,
    exceptChannels,
  ]);
  return rows.map(toDelivery);
}

/**
 * Uses `outbox_due`. Run outside a transaction, the locks end with the statement: they only keep rows out
 * of the answer that a turn is settling at this moment.
 */
export const PEEK_DELIVERIES = {
  name: 'peek_deliveries',
  text: `
SELECT id, deployment_id, tenant, module, channel, instance_id, element_id, idempotency_key, headers,
  content_type, body, attempts + 1 AS attempt, expects_answer
FROM outbox
WHERE transport = $1
  AND state = 'open'
  AND visible_at <= now()
  AND (deadline IS NULL OR deadline > now())
  AND id <> ALL($3::uuid[])
ORDER BY visible_at, id
LIMIT $2::integer
FOR UPDATE SKIP LOCKED`,
};

/** At most `limit` due rows that no turn holds, oldest first; `exceptIds` are left out. Changes nothing. */
export async function peekDeliveries(
  runner: StatementRunner,
  transport: string,
  limit: number,
  exceptIds: readonly string[] = [],
): Promise<readonly Delivery[]> {
  const rows = await runner.run<DeliveryColumns>(PEEK_DELIVERIES, [transport, limit, exceptIds]);
  return rows.map(toDelivery);
}

/** What became of an attempt that did not get through. */
export interface FailedAttempt {
  readonly id: string;
  /** `Delivery.attempt` of the attempt that reports. */
  readonly attempt: number;
  /** For people: kept in `last_error`. Never a payload or a secret. */
  readonly error: string;
}

export interface Reschedule extends FailedAttempt {
  readonly delayMs: number;
}

/** Longer errors are cut, with a mark: a failure that cannot be recorded would be worse. */
const MAX_ERROR_CHARACTERS = 2000;

function storableError(error: string): string {
  // PostgreSQL text cannot hold NUL.
  const text = error.replaceAll('\u0000', '\ufffd');
  if (text.length <= MAX_ERROR_CHARACTERS) return text;
  return `${text.slice(0, MAX_ERROR_CHARACTERS)} [${String(text.length - MAX_ERROR_CHARACTERS)} more characters cut]`;
}

/** Uses `outbox_pkey`. A claimed row has `attempts` equal to the attempt, a peeked one is one behind (O2). */
export const RESCHEDULE_DELIVERIES = {
  name: 'reschedule_deliveries',
  text: `
UPDATE outbox AS o
SET visible_at = now() + r.delay_ms * interval '1 millisecond', attempts = r.attempt, last_error = r.error
FROM unnest($1::uuid[], $2::integer[], $3::double precision[], $4::text[]) AS r (id, attempt, delay_ms, error)
WHERE o.id = ANY($1::uuid[])
  AND o.id = r.id
  AND o.state <> 'poisoned'
  AND o.attempts <= r.attempt
RETURNING o.id`,
};

/** How many rows were put off; fewer than asked means that others had settled or claimed the rest. */
export async function rescheduleDeliveries(
  runner: StatementRunner,
  reschedules: readonly Reschedule[],
): Promise<number> {
  const rows = await runner.run<{ id: string }>(RESCHEDULE_DELIVERIES, [
    reschedules.map((reschedule) => reschedule.id),
    reschedules.map((reschedule) => reschedule.attempt),
    reschedules.map((reschedule) => reschedule.delayMs),
    reschedules.map((reschedule) => storableError(reschedule.error)),
  ]);
  return rows.length;
}

export interface Poisoning extends FailedAttempt {
  /** Of the incident that is raised. */
  readonly incidentId: string;
  /** Why, as a stable code. */
  readonly code: string;
}

/** Uses `outbox_pkey`. The row stays: a person sees it, and nothing takes it (O4). */
export const POISON_DELIVERIES = {
  name: 'poison_deliveries',
  text: `
WITH poisoned AS (
  UPDATE outbox AS o
  SET state = 'poisoned', attempts = p.attempt, last_error = p.error
  FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::uuid[])
    AS p (id, attempt, error, code, incident_id)
  WHERE o.id = ANY($1::uuid[])
    AND o.id = p.id
    AND o.state <> 'poisoned'
    AND o.attempts <= p.attempt
  RETURNING p.incident_id, o.tenant, o.module, o.process_id, o.instance_id, o.element_id, o.id, p.code, p.error
)
INSERT INTO incident (id, kind, tenant, module, process_id, instance_id, element_id, subject_id, code, message)
SELECT incident_id, 'delivery-poisoned', tenant, module, process_id, instance_id, element_id, id, code, error
FROM poisoned
RETURNING subject_id`,
};

/** The ids of the rows that this call poisoned, each with an open incident. */
export async function poisonDeliveries(
  runner: StatementRunner,
  poisonings: readonly Poisoning[],
): Promise<readonly string[]> {
  const rows = await runner.run<{ subject_id: string }>(POISON_DELIVERIES, [
    poisonings.map((poisoning) => poisoning.id),
    poisonings.map((poisoning) => poisoning.attempt),
    poisonings.map((poisoning) => storableError(poisoning.error)),
    poisonings.map((poisoning) => poisoning.code),
    poisonings.map((poisoning) => poisoning.incidentId),
  ]);
  return rows.map((row) => row.subject_id);
}

/** Uses `outbox_due`, once for each transport. */
export const NEXT_OUTBOX_DUE = {
  name: 'next_outbox_due',
  text: `
SELECT t.transport, (extract(epoch FROM next.visible_at - now()) * 1000)::double precision AS due_in_ms
FROM unnest($1::text[]) AS t (transport)
CROSS JOIN LATERAL (
  SELECT o.visible_at
  FROM outbox AS o
  WHERE o.transport = t.transport
    AND o.state = 'open'
    AND (o.deadline IS NULL OR o.deadline > now())
  ORDER BY o.visible_at
  LIMIT 1
) AS next`,
};

/**
 * Milliseconds until the earliest open row of each transport is due, by the database's clock; zero or less
 * when one is due. Transports without open rows are absent.
 */
export async function nextOutboxDue(
  runner: StatementRunner,
  transports: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await runner.run<{ transport: string; due_in_ms: number }>(NEXT_OUTBOX_DUE, [transports]);
  return new Map(rows.map((row) => [row.transport, row.due_in_ms]));
}
