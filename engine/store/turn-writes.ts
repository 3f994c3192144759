/**
 * What nearly every turn writes, as one statement: the instance's row, the keys and receipts of what it took in, its line in
 * the history. A statement has a price of its own on both sides, and a lone turn would pay it five times.
 *
 * W1 Whatever does not hold fails in the database, so that COMMIT can be sent right behind: an inbox key that another
 *    commit took meanwhile breaks `inbox_pkey`; an instance that changed or a task that went under its own lock, which only
 *    a bug can cause, divides by zero. `isWriteConflict` knows both.
 * W2 Inbox keys are inserted in one order everywhere, so that two commits that race for several keys wait for each other
 *    instead of deadlocking. Nothing else in here can wait: the other rows are new, or locked by this transaction.
 * W3 A receipt of a used (task, generation) is never overwritten: the first answer stands.
 */
import type { StatementRunner } from '../transport.ts';
import type { Receipt } from './external-tasks-settle.ts';
import type { InboxRow, StoredReply } from './turn-inbox.ts';

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

export interface HistoryRow {
  readonly instanceId: string;
  readonly turn: number;
  /** A JSON list. */
  readonly entries: string;
}

export interface TurnWrites {
  readonly inserts: readonly InstanceWrite[];
  readonly updates: readonly InstanceWrite[];
  readonly inbox: readonly (InboxRow & { readonly reply: StoredReply | null })[];
  /** Settled tasks, which go. */
  readonly taskIds: readonly string[];
  readonly receipts: readonly Receipt[];
  readonly history: readonly HistoryRow[];
}

/** Uses `instance_pkey` and `external_task_pkey`. */
export const WRITE_TURNS = {
  name: 'write_turns',
  text: `
WITH begun AS (
  INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn,
    failure_code, failure_message, failure_element, reply, ended_at)
  SELECT w.id, w.deployment_id, w.tenant, w.module, w.process_id, w.status, w.snapshot, w.turn,
    w.failure_code, w.failure_message, w.failure_element, w.reply,
    CASE WHEN w.status IN ('completed', 'terminated') THEN now() END
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::integer[], $9::text[], $10::text[], $11::text[], $12::jsonb[])
    AS w (id, deployment_id, tenant, module, process_id, status, snapshot, turn,
      failure_code, failure_message, failure_element, reply)
),
changed AS (
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
  FROM unnest($13::uuid[], $14::text[], $15::text[], $16::text[], $17::integer[], $18::integer[], $19::text[],
    $20::text[], $21::text[], $22::jsonb[])
    AS w (id, deployment_id, status, snapshot, turn, read_turn, failure_code, failure_message, failure_element, reply)
  WHERE instance.id = ANY($13::uuid[])
    AND instance.id = w.id
    AND instance.turn = w.read_turn
  RETURNING instance.id
),
recorded AS (
  INSERT INTO inbox (tenant, module, channel, dedup_key, instance_id, reply)
  SELECT k.tenant, k.module, k.channel, k.dedup_key, k.instance_id, k.reply
  FROM unnest($23::text[], $24::text[], $25::text[], $26::text[], $27::uuid[], $28::jsonb[])
    AS k (tenant, module, channel, dedup_key, instance_id, reply)
  ORDER BY k.tenant, k.module, k.channel, k.dedup_key
),
settled AS (
  DELETE FROM external_task
  WHERE id = ANY($29::uuid[])
  RETURNING id
),
answered AS (
  INSERT INTO receipt (task_id, generation, completion_id, outcome, lock_owner, body_hash, channel, instance_id)
  SELECT r.task_id, r.generation, r.completion_id, r.outcome, r.lock_owner, r.body_hash, r.channel, r.instance_id
  FROM unnest($30::uuid[], $31::integer[], $32::text[], $33::text[], $34::text[], $35::bytea[], $36::text[], $37::uuid[])
    AS r (task_id, generation, completion_id, outcome, lock_owner, body_hash, channel, instance_id)
  ON CONFLICT (task_id, generation) DO NOTHING
),
told AS (
  INSERT INTO history (instance_id, turn, entries)
  SELECT h.instance_id, h.turn, h.entries
  FROM unnest($38::uuid[], $39::integer[], $40::jsonb[]) AS h (instance_id, turn, entries)
)
SELECT 1 / (
  (SELECT count(*) FROM changed) = cardinality($13::uuid[])
  AND (SELECT count(*) FROM settled) = cardinality($29::uuid[])
)::integer AS guard`,
};

/** Rejects with an error of which `isWriteConflict` is true when a row was not as this transaction had found it. */
export async function writeTurns(runner: StatementRunner, writes: TurnWrites): Promise<void> {
  const { inserts, updates, inbox, taskIds, receipts, history } = writes;
  await runner.run(WRITE_TURNS, [
    ...insertColumns(inserts),
    ...updateColumns(updates),
    ...inboxColumns(inbox),
    taskIds,
    ...receiptColumns(receipts),
    ...historyColumns(history),
  ]);
}

/** Another commit took one of the inbox keys, or a row changed under its own lock: nothing was written. */
export function isWriteConflict(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  if (error.code === '22012') return true;
  return error.code === '23505' && 'constraint' in error && error.constraint === 'inbox_pkey';
}

function insertColumns(writes: readonly InstanceWrite[]): readonly unknown[] {
  return [
    writes.map((write) => write.id),
    writes.map((write) => write.deploymentId),
    writes.map((write) => write.tenant),
    writes.map((write) => write.module),
    writes.map((write) => write.processId),
    writes.map((write) => write.status),
    writes.map((write) => write.snapshot),
    writes.map((write) => write.turn),
    ...outcomeColumns(writes),
  ];
}

function updateColumns(writes: readonly InstanceWrite[]): readonly unknown[] {
  return [
    writes.map((write) => write.id),
    writes.map((write) => write.deploymentId),
    writes.map((write) => write.status),
    writes.map((write) => write.snapshot),
    writes.map((write) => write.turn),
    writes.map((write) => write.readTurn),
    ...outcomeColumns(writes),
  ];
}

function outcomeColumns(writes: readonly InstanceWrite[]): readonly unknown[] {
  return [
    writes.map((write) => write.failureCode),
    writes.map((write) => write.failureMessage),
    writes.map((write) => write.failureElement),
    writes.map((write) => encodeReply(write.reply)),
  ];
}

function inboxColumns(rows: TurnWrites['inbox']): readonly unknown[] {
  return [
    rows.map((row) => row.tenant),
    rows.map((row) => row.module),
    rows.map((row) => row.channel),
    rows.map((row) => row.dedupKey),
    rows.map((row) => row.instanceId),
    rows.map((row) => encodeReply(row.reply)),
  ];
}

function receiptColumns(receipts: readonly Receipt[]): readonly unknown[] {
  return [
    receipts.map((receipt) => receipt.taskId),
    receipts.map((receipt) => receipt.generation),
    receipts.map((receipt) => receipt.completionId),
    receipts.map((receipt) => receipt.outcome),
    receipts.map((receipt) => receipt.lockOwner),
    receipts.map((receipt) => receipt.bodyHash),
    receipts.map((receipt) => receipt.channel),
    receipts.map((receipt) => receipt.instanceId),
  ];
}

function historyColumns(rows: readonly HistoryRow[]): readonly unknown[] {
  return [rows.map((row) => row.instanceId), rows.map((row) => row.turn), rows.map((row) => row.entries)];
}

function encodeReply(reply: StoredReply | null): string | null {
  return reply === null ? null : JSON.stringify(reply);
}
