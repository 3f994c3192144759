/**
 * The inbox as a turn's commit uses it: find duplicates first, record the keys last.
 *
 * The keys are looked up before anything runs and inserted with the other writes. Inserting first and
 * adding the outcome later would write every row twice; two commits racing for one key are caught by
 * the primary key at the end, and the later one runs again and finds the duplicate.
 */
import type { StatementRunner } from '../transport.ts';

export interface InboxKey {
  readonly tenant: string;
  readonly module: string;
  readonly channel: string;
  readonly dedupKey: string;
}

/** A reply as it is kept for duplicates and for whoever holds the request on another replica. */
export interface StoredReply {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
}

export interface InboxRow extends InboxKey {
  readonly instanceId: string;
}

/** Uses `inbox_pkey` and `external_task_pkey`. Always answers at least one row, so that the turn learns the database's time. */
export const FIND_INBOX_ROWS = {
  name: 'find_inbox_rows',
  text: `
SELECT (extract(epoch FROM clock.now_at) * 1000)::float8 AS now_ms, i.tenant, i.module, i.channel, i.dedup_key, i.instance_id
FROM (SELECT date_trunc('milliseconds', now()) AS now_at) AS clock
LEFT JOIN (
  SELECT k.tenant, k.module, k.channel, k.dedup_key, found.instance_id
  FROM (
    SELECT given.tenant, given.module, given.channel, given.dedup_key
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS given (tenant, module, channel, dedup_key)
    UNION ALL
    SELECT t.tenant, t.module, t.channel, t.idempotency_key
    FROM external_task AS t
    WHERE t.id = ANY($5::uuid[])
  ) AS k
  CROSS JOIN LATERAL (
    SELECT inbox.instance_id
    FROM inbox
    WHERE inbox.tenant = k.tenant AND inbox.module = k.module
      AND inbox.channel = k.channel AND inbox.dedup_key = k.dedup_key
    OFFSET 0
  ) AS found
) AS i ON true`,
};

interface FoundRow {
  readonly now_ms: number;
  readonly tenant: string | null;
  readonly module: string | null;
  readonly channel: string | null;
  readonly dedup_key: string | null;
  readonly instance_id: string | null;
}

/**
 * The rows that exist already, and the transaction's time in milliseconds.
 * @param taskIds the result of a task is recorded under the task's own key
 */
export async function findInboxRows(
  runner: StatementRunner,
  keys: readonly InboxKey[],
  taskIds: readonly string[],
): Promise<{ readonly nowMs: number; readonly rows: readonly InboxRow[] }> {
  const found = await runner.run<FoundRow>(FIND_INBOX_ROWS, [...keyColumns(keys), taskIds]);
  const rows: InboxRow[] = [];
  for (const row of found) {
    if (row.tenant === null || row.module === null || row.channel === null) continue;
    if (row.dedup_key === null || row.instance_id === null) continue;
    rows.push({
      tenant: row.tenant,
      module: row.module,
      channel: row.channel,
      dedupKey: row.dedup_key,
      instanceId: row.instance_id,
    });
  }
  return { nowMs: found[0]?.now_ms ?? 0, rows };
}

/**
 * Keys are inserted in one order everywhere, so that two commits that race for several keys wait for
 * each other instead of deadlocking.
 */
export const INSERT_INBOX_ROWS = {
  name: 'insert_inbox_rows',
  text: `
INSERT INTO inbox (tenant, module, channel, dedup_key, instance_id, reply)
SELECT k.tenant, k.module, k.channel, k.dedup_key, k.instance_id, k.reply
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::jsonb[])
  AS k (tenant, module, channel, dedup_key, instance_id, reply)
ORDER BY k.tenant, k.module, k.channel, k.dedup_key
ON CONFLICT DO NOTHING
RETURNING dedup_key`,
};

/** Answers how many were inserted; fewer than given means that another commit took a key meanwhile. */
export async function insertInboxRows(
  runner: StatementRunner,
  rows: readonly (InboxRow & { readonly reply: StoredReply | null })[],
): Promise<number> {
  const inserted = await runner.run(INSERT_INBOX_ROWS, [
    ...keyColumns(rows),
    rows.map((row) => row.instanceId),
    rows.map((row) => (row.reply === null ? null : JSON.stringify(row.reply))),
  ]);
  return inserted.length;
}

/**
 * Uses `inbox_pkey` to find, the row's address to update. The first reply stays; a row past its retention is
 * simply not there any more.
 */
export const RECORD_REPLIES = {
  name: 'record_replies',
  text: `
UPDATE inbox SET reply = k.reply
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[])
  AS k (tenant, module, channel, dedup_key, reply)
CROSS JOIN LATERAL (
  SELECT kept.ctid
  FROM inbox AS kept
  WHERE kept.tenant = k.tenant AND kept.module = k.module
    AND kept.channel = k.channel AND kept.dedup_key = k.dedup_key
  OFFSET 0
) AS found
WHERE inbox.ctid = found.ctid
  AND inbox.reply IS NULL`,
};

export async function recordReplies(
  runner: StatementRunner,
  rows: readonly (InboxKey & { readonly reply: StoredReply })[],
): Promise<void> {
  await runner.run(RECORD_REPLIES, [...keyColumns(rows), rows.map((row) => JSON.stringify(row.reply))]);
}

/** Uses `inbox_pkey`. */
export const READ_INBOX_REPLY = {
  name: 'read_inbox_reply',
  text: `
SELECT inbox.reply
FROM inbox
WHERE tenant = $1::text AND module = $2::text AND channel = $3::text AND dedup_key = $4::text`,
};

export async function readInboxReply(runner: StatementRunner, key: InboxKey): Promise<StoredReply | null> {
  const rows = await runner.run<{ reply: StoredReply | null }>(READ_INBOX_REPLY, [
    key.tenant,
    key.module,
    key.channel,
    key.dedupKey,
  ]);
  return rows[0]?.reply ?? null;
}

function keyColumns(keys: readonly InboxKey[]): [string[], string[], string[], string[]] {
  return [
    keys.map((key) => key.tenant),
    keys.map((key) => key.module),
    keys.map((key) => key.channel),
    keys.map((key) => key.dedupKey),
  ];
}
