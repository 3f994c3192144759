/**
 * What the holder of a lock does with it: extends it, gives it back, says how far the work is. And how one task is locked
 * by its id, for clients that know which one they want.
 *
 * K1 Every guard is in the WHERE clause and by the database's clock: the row has this owner, the lock has not expired, and
 *    where a token is given it is this lock's. A terminal task has no owner (a CHECK), so its state needs no asking.
 * K2 One statement each, of one row; no row: nothing was changed, ask `explainRefusal` why.
 * K3 A lock never outlives the task's deadline.
 * K4 A statement that waits for a turn that has the row holds no other row meanwhile.
 */
import type { Connection, Statement } from './database.ts';
import type { TaskClaimant, TaskPlace } from './external-tasks.ts';

/** $1 to $3 are the claimant. */
const HELD = `t.id = $1::uuid
  AND t.lock_owner = $2::text
  AND t.visible_at > now()
  AND ($3::bytea IS NULL OR t.lock_token_hash = $3::bytea)`;

export interface HeldLock extends TaskPlace {
  readonly lockExpiresAt: Date;
}

/**
 * Uses `external_task_pkey`. `visible_at` is what a fetch finds tasks by, so every extension writes the index
 * `external_task_fetch`: it cannot be a heap-only update.
 */
export const EXTEND_LOCK: Statement = {
  name: 'extend_lock',
  text: `
UPDATE external_task AS t
SET visible_at = LEAST(t.deadline, now() + $4::double precision * interval '1 millisecond')
WHERE ${HELD}
RETURNING t.channel, t.instance_id AS "instanceId", t.visible_at AS "lockExpiresAt"`,
};

/** From now, whatever is left of the lock: a shorter duration shortens it. */
export async function extendLock(
  connection: Connection,
  { taskId, workerId, tokenHash }: TaskClaimant,
  lockDurationMs: number,
): Promise<HeldLock | null> {
  const [row] = await connection.run<HeldLock>(EXTEND_LOCK, [taskId, workerId, tokenHash, lockDurationMs]);
  return row ?? null;
}

/** Uses `external_task_pkey`. As `RELEASE_LOCKS`: the task goes back to where it was in its queue. */
export const UNLOCK_TASK: Statement = {
  name: 'unlock_task',
  text: `
UPDATE external_task AS t
SET lock_owner = NULL, lock_token_hash = NULL, locked_at = NULL, lost_locks = 0, visible_at = t.created_at
WHERE ${HELD}
RETURNING t.channel, t.instance_id AS "instanceId"`,
};

/** The budget and the generation stay. */
export async function unlockTask(
  connection: Connection,
  { taskId, workerId, tokenHash }: TaskClaimant,
): Promise<TaskPlace | null> {
  const [row] = await connection.run<TaskPlace>(UNLOCK_TASK, [taskId, workerId, tokenHash]);
  return row ?? null;
}

/** Uses `external_task_pkey`. No index has a column that changes, so it is a heap-only update where the page has room. */
export const NOTE_PROGRESS: Statement = {
  name: 'note_progress',
  text: `
UPDATE external_task AS t
SET progress = $4::text, progress_at = now()
WHERE ${HELD}
RETURNING t.channel, t.instance_id AS "instanceId", t.visible_at AS "lockExpiresAt"`,
};

/** @param progress JSON text. The lock stays as long as it was. */
export async function noteProgress(
  connection: Connection,
  { taskId, workerId, tokenHash }: TaskClaimant,
  progress: string,
): Promise<HeldLock | null> {
  const [row] = await connection.run<HeldLock>(NOTE_PROGRESS, [taskId, workerId, tokenHash, progress]);
  return row ?? null;
}

/**
 * Uses `external_task_pkey`. A retry time that is still ahead is no obstacle: who names a task wants this one. A worker
 * that holds it already gets a lock of its own anew, and the older attempt is over.
 */
export const LOCK_TASK: Statement = {
  name: 'lock_task',
  text: `
UPDATE external_task AS t
SET lock_owner = $2::text,
  lock_token_hash = $3::bytea,
  locked_at = now(),
  generation = t.generation + 1,
  lost_locks = CASE WHEN t.lock_owner IS NULL OR t.visible_at > now() THEN t.lost_locks ELSE t.lost_locks + 1 END,
  progress = NULL,
  progress_at = NULL,
  visible_at = LEAST(t.deadline, now() + $4::double precision * interval '1 millisecond')
WHERE t.id = $1::uuid
  AND t.state <> 'failed'
  AND NOT t.held
  AND (t.lock_owner IS NULL OR t.lock_owner = $2::text OR t.visible_at <= now())
  AND (t.deadline IS NULL OR t.deadline > now())
RETURNING t.channel, t.instance_id AS "instanceId", t.visible_at AS "lockExpiresAt"`,
};

/** Null: another worker holds it, or it is not to be had: gone, terminal, held, past its deadline. */
export async function lockTask(
  connection: Connection,
  lock: {
    readonly taskId: string;
    readonly workerId: string;
    readonly tokenHash: Uint8Array;
    readonly lockDurationMs: number;
  },
): Promise<HeldLock | null> {
  const { taskId, workerId, tokenHash, lockDurationMs } = lock;
  const [row] = await connection.run<HeldLock>(LOCK_TASK, [taskId, workerId, tokenHash, lockDurationMs]);
  return row ?? null;
}
