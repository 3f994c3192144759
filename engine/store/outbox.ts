/**
 * The outbox table as a turn's commit uses it: insert what the turn sends, lock and delete what it settles.
 * How rows leave is in `outbox-delivery.ts`, what a person does with poisoned ones in `outbox-repair.ts`.
 *
 * A row is `open` until it is delivered (then it is deleted) or `poisoned` (then a person decides). A
 * poisoned row is not there for a turn.
 *
 * Rows that are known by their ids are asked for as not poisoned, never as open: to a planner that sees an
 * empty table, all of the partial index of open rows is as good as the primary key.
 */
import type { OutgoingRow, StatementRunner } from '../transport.ts';

/** What a turn's commit inserts. */
export type OutboxRow = OutgoingRow;

export const INSERT_OUTBOX_ROWS = {
  name: 'insert_outbox_rows',
  text: `
INSERT INTO outbox (id, transport, deployment_id, tenant, module, version, channel, process_id, instance_id,
  element_id, idempotency_key, headers, content_type, body, expects_answer, retries, priority, policy, deadline)
SELECT r.id, r.transport, r.deployment_id, r.tenant, r.module, r.version, r.channel, r.process_id, r.instance_id,
  r.element_id, r.idempotency_key, r.headers, r.content_type, r.body, r.expects_answer, r.retries, r.priority,
  r.policy, to_timestamp(r.deadline_ms / 1000)
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
  $9::uuid[], $10::text[], $11::text[], $12::jsonb[], $13::text[], $14::bytea[], $15::boolean[], $16::integer[],
  $17::integer[], $18::jsonb[], $19::double precision[])
  AS r (id, transport, deployment_id, tenant, module, version, channel, process_id, instance_id, element_id,
  idempotency_key, headers, content_type, body, expects_answer, retries, priority, policy, deadline_ms)`,
};

export async function insertOutboxRows(runner: StatementRunner, rows: readonly OutboxRow[]): Promise<void> {
  await runner.run(INSERT_OUTBOX_ROWS, [
    rows.map((row) => row.id),
    rows.map((row) => row.transport),
    rows.map((row) => row.deploymentId),
    rows.map((row) => row.tenant),
    rows.map((row) => row.module),
    rows.map((row) => row.version),
    rows.map((row) => row.channel),
    rows.map((row) => row.processId),
    rows.map((row) => row.instanceId),
    rows.map((row) => row.elementId),
    rows.map((row) => row.idempotencyKey),
    rows.map((row) => JSON.stringify(row.headers)),
    rows.map((row) => row.contentType),
    rows.map((row) => row.body),
    rows.map((row) => row.expectsAnswer),
    rows.map((row) => row.retries),
    rows.map((row) => row.priority),
    rows.map((row) => JSON.stringify(row.policy)),
    rows.map((row) => row.deadlineMs),
  ]);
}

/**
 * Uses `outbox_pkey`. Skips rows that another turn or another replica holds, and poisoned ones.
 * For the turn that settles a row in its own commit.
 */
export const LOCK_OUTBOX_ROWS = {
  name: 'lock_outbox_rows',
  text: `
SELECT id
FROM outbox
WHERE id = ANY($1::uuid[]) AND state <> 'poisoned'
FOR UPDATE SKIP LOCKED`,
};

/** The ids that are now locked by this transaction. */
export async function lockOutboxRows(
  connection: StatementRunner,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await connection.run<{ id: string }>(LOCK_OUTBOX_ROWS, [ids]);
  return new Set(rows.map((row) => row.id));
}

/** Uses `outbox_pkey`. Tells a row that is locked elsewhere (present) from one that was settled. */
export const OUTBOX_ROWS_EXIST = {
  name: 'outbox_rows_exist',
  text: `
SELECT id
FROM outbox
WHERE id = ANY($1::uuid[]) AND state <> 'poisoned'`,
};

export async function outboxRowsExist(
  connection: StatementRunner,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await connection.run<{ id: string }>(OUTBOX_ROWS_EXIST, [ids]);
  return new Set(rows.map((row) => row.id));
}

/**
 * Uses `outbox_pkey`. No guard on the attempt: what was delivered goes, whoever reports it. A poisoned row
 * stays all the same: it belongs to its incident, and a person decides.
 */
export const DELETE_OUTBOX_ROWS = {
  name: 'delete_outbox_rows',
  text: `
DELETE FROM outbox
WHERE id = ANY($1::uuid[]) AND state <> 'poisoned'
RETURNING id`,
};

/** How many rows went; fewer than asked means that others had settled or poisoned the rest. */
export async function deleteOutboxRows(connection: StatementRunner, ids: readonly string[]): Promise<number> {
  const rows = await connection.run<{ id: string }>(DELETE_OUTBOX_ROWS, [ids]);
  return rows.length;
}
