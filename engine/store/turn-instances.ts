/** Instance rows as a turn's commit uses them: lock, drop; all set-based. What it writes is in `turn-writes.ts`. */
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

interface LockedColumns {
  readonly id: string;
  readonly deployment_id: string;
  readonly tenant: string;
  readonly module: string;
  readonly snapshot: string;
  readonly turn: number;
}

export async function lockInstances(
  runner: StatementRunner,
  ids: readonly string[],
): Promise<readonly LockedInstance[]> {
  return toLocked(await runner.run<LockedColumns>(LOCK_INSTANCES, [ids]));
}

/** Uses `external_task_pkey` and `instance_pkey`. Sent behind the locks of the tasks, without waiting for them. */
export const LOCK_INSTANCES_OF_TASKS = {
  name: 'lock_instances_of_tasks',
  text: `
SELECT id, deployment_id, tenant, module, snapshot, turn
FROM instance
WHERE id = ANY(ARRAY(SELECT t.instance_id FROM external_task AS t WHERE t.id = ANY($1::uuid[])))
FOR UPDATE SKIP LOCKED`,
};

export async function lockInstancesOfTasks(
  runner: StatementRunner,
  taskIds: readonly string[],
): Promise<readonly LockedInstance[]> {
  return toLocked(await runner.run<LockedColumns>(LOCK_INSTANCES_OF_TASKS, [taskIds]));
}

function toLocked(rows: readonly LockedColumns[]): readonly LockedInstance[] {
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
