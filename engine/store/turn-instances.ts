/** Instance rows as a turn's commit uses them: lock, insert, update, all set-based. */
import type { StatementRunner } from '../transport.ts';
import type { StoredReply } from './turn-inbox.ts';

export interface LockedInstance {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly snapshot: string;
  readonly turn: number;
}

/** Uses `instance_pkey`. A row locked elsewhere is skipped: its turn comes again later. */
export const LOCK_INSTANCES = {
  name: 'lock_instances',
  text: `
SELECT id, deployment_id, tenant, module, snapshot, turn
FROM instance
WHERE id = ANY($1::uuid[])
FOR UPDATE SKIP LOCKED`,
};

export async function lockInstances(
  runner: StatementRunner,
  ids: readonly string[],
): Promise<readonly LockedInstance[]> {
  const rows = await runner.run<{
    id: string;
    deployment_id: string;
    tenant: string;
    module: string;
    snapshot: string;
    turn: number;
  }>(LOCK_INSTANCES, [ids]);
  return rows.map((row) => ({
    id: row.id,
    deploymentId: row.deployment_id,
    tenant: row.tenant,
    module: row.module,
    snapshot: row.snapshot,
    turn: row.turn,
  }));
}

/** Uses `instance_pkey`. Tells an instance that is locked elsewhere from one that does not exist. */
export const INSTANCES_EXIST = {
  name: 'instances_exist',
  text: `
SELECT id
FROM instance
WHERE id = ANY($1::uuid[])`,
};

export async function instancesExist(
  runner: StatementRunner,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await runner.run<{ id: string }>(INSTANCES_EXIST, [ids]);
  return new Set(rows.map((row) => row.id));
}

export interface InstanceWrite {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly processId: string;
  readonly status: 'running' | 'completed' | 'terminated' | 'failed';
  readonly snapshot: string;
  readonly turn: number;
  /** The turn that was read: the update's guard. Unused by an insert. */
  readonly readTurn: number;
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
  readonly failureElement: string | null;
  /** Kept only while there is none: the first reply is the answer. */
  readonly reply: StoredReply | null;
}

export const INSERT_INSTANCES = {
  name: 'insert_instances',
  text: `
INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn,
  failure_code, failure_message, failure_element, reply, ended_at)
SELECT w.id, w.deployment_id, w.tenant, w.module, w.process_id, w.status, w.snapshot, w.turn,
  w.failure_code, w.failure_message, w.failure_element, w.reply,
  CASE WHEN w.status IN ('completed', 'terminated') THEN now() END
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
  $8::integer[], $9::text[], $10::text[], $11::text[], $12::jsonb[])
  AS w (id, deployment_id, tenant, module, process_id, status, snapshot, turn,
    failure_code, failure_message, failure_element, reply)`,
};

export async function insertInstances(
  runner: StatementRunner,
  writes: readonly InstanceWrite[],
): Promise<void> {
  await runner.run(INSERT_INSTANCES, [
    writes.map((write) => write.id),
    writes.map((write) => write.deploymentId),
    writes.map((write) => write.tenant),
    writes.map((write) => write.module),
    writes.map((write) => write.processId),
    writes.map((write) => write.status),
    writes.map((write) => write.snapshot),
    writes.map((write) => write.turn),
    writes.map((write) => write.failureCode),
    writes.map((write) => write.failureMessage),
    writes.map((write) => write.failureElement),
    writes.map((write) => encodeReply(write.reply)),
  ]);
}

/** Uses `instance_pkey`. The turn guard can only miss by a bug: the rows are locked by this commit. */
export const UPDATE_INSTANCES = {
  name: 'update_instances',
  text: `
UPDATE instance SET
  deployment_id = w.deployment_id,
  status = w.status,
  snapshot = w.snapshot,
  turn = w.turn,
  failure_code = w.failure_code,
  failure_message = w.failure_message,
  failure_element = w.failure_element,
  reply = COALESCE(instance.reply, w.reply),
  updated_at = now(),
  ended_at = CASE WHEN w.status IN ('completed', 'terminated') THEN COALESCE(instance.ended_at, now()) END
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::integer[], $7::text[], $8::text[],
  $9::text[], $10::jsonb[])
  AS w (id, deployment_id, status, snapshot, turn, read_turn, failure_code, failure_message, failure_element, reply)
WHERE instance.id = ANY($1::uuid[])
  AND instance.id = w.id
  AND instance.turn = w.read_turn
RETURNING instance.id`,
};

/** Answers how many rows were updated; the caller compares. */
export async function updateInstances(
  runner: StatementRunner,
  writes: readonly InstanceWrite[],
): Promise<number> {
  const rows = await runner.run(UPDATE_INSTANCES, [
    writes.map((write) => write.id),
    writes.map((write) => write.deploymentId),
    writes.map((write) => write.status),
    writes.map((write) => write.snapshot),
    writes.map((write) => write.turn),
    writes.map((write) => write.readTurn),
    writes.map((write) => write.failureCode),
    writes.map((write) => write.failureMessage),
    writes.map((write) => write.failureElement),
    writes.map((write) => encodeReply(write.reply)),
  ]);
  return rows.length;
}

/** Uses the primary keys. For a retention of zero: they go when they end. */
export const DELETE_INSTANCES = {
  name: 'delete_instances',
  text: `
WITH gone AS (DELETE FROM instance WHERE id = ANY($1::uuid[]) RETURNING id),
large AS (DELETE FROM instance_value WHERE instance_id = ANY($1::uuid[]))
DELETE FROM history
USING gone
WHERE history.instance_id = ANY($1::uuid[])
  AND history.instance_id = gone.id
  AND NOT $2::boolean`,
};

export async function deleteInstances(
  runner: StatementRunner,
  ids: readonly string[],
  keepsHistory: boolean,
): Promise<void> {
  await runner.run(DELETE_INSTANCES, [ids, keepsHistory]);
}

export interface InstanceState {
  readonly id: string;
  readonly status: 'running' | 'completed' | 'terminated' | 'failed';
  readonly failureCode: string | null;
  readonly failureMessage: string | null;
  readonly reply: StoredReply | null;
}

/** Uses `instance_pkey`. For requests that are held while the instance runs on another replica. */
export const READ_INSTANCE_STATES = {
  name: 'read_instance_states',
  text: `
SELECT id, status, failure_code, failure_message, reply
FROM instance
WHERE id = ANY($1::uuid[])`,
};

export async function readInstanceStates(
  runner: StatementRunner,
  ids: readonly string[],
): Promise<readonly InstanceState[]> {
  const rows = await runner.run<{
    id: string;
    status: InstanceState['status'];
    failure_code: string | null;
    failure_message: string | null;
    reply: StoredReply | null;
  }>(READ_INSTANCE_STATES, [ids]);
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    failureCode: row.failure_code,
    failureMessage: row.failure_message,
    reply: row.reply,
  }));
}

function encodeReply(reply: StoredReply | null): string | null {
  return reply === null ? null : JSON.stringify(reply);
}
