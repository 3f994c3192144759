/**
 * The records of data stores, as a turn's commit reads and writes them.
 *
 * R1 Nothing here waits for a record that another transaction has locked (`SKIP LOCKED`): it is answered as
 *    locked elsewhere, and the turn comes again. So two commits never wait for each other.
 * R2 What a turn writes was read for update before. A record that was not there is inserted, and a commit that
 *    inserts it meanwhile makes the write answer false: whoever comes second reads what the first one wrote.
 * R3 A record never holds null: writing null deletes it, and a record that is not there reads as null.
 *
 * What a record holds is text here: a value with its types, by `definitions/value-codec.ts`.
 */
import type { StatementRunner } from '../transport.ts';

/** Names a record: of which store of which tenant. */
export interface RecordName {
  readonly tenant: string;
  readonly store: string;
  readonly key: string;
}

export interface RecordRequest extends RecordName {
  /** It must stay locked until the commit. */
  readonly isForUpdate: boolean;
}

export interface RecordState extends RecordName {
  /** Null: there is no such record. */
  readonly value: string | null;
  /**
   * `read`: as of now. `locked`: nobody else changes it before the commit, or, when there is none, a write
   * finds out whether somebody has made one. `locked-elsewhere`: it was asked for update and somebody has it.
   */
  readonly access: 'read' | 'locked' | 'locked-elsewhere';
}

export interface RecordWrite extends RecordName {
  /** Null: it goes. */
  readonly value: string | null;
  /** There was a record when it was read for update. */
  readonly exists: boolean;
}

interface RecordColumns {
  readonly tenant: string;
  readonly store: string;
  readonly key: string;
  readonly value: string;
}

type Found = ReadonlyMap<string, string>;

/** A record's name as one text. */
export function recordText({ tenant, store, key }: RecordName): string {
  return JSON.stringify([tenant, store, key]);
}

function keyColumns(names: readonly RecordName[]): [string[], string[], string[]] {
  return [names.map((name) => name.tenant), names.map((name) => name.store), names.map((name) => name.key)];
}

/** Uses `data_record_pkey`. */
export const READ_RECORDS = {
  name: 'read_records',
  text: `
SELECT k.tenant, k.store, k.key, r.value
FROM unnest($1::text[], $2::text[], $3::text[]) AS k (tenant, store, key)
CROSS JOIN LATERAL (
  SELECT data_record.value
  FROM data_record
  WHERE data_record.tenant = k.tenant AND data_record.store = k.store AND data_record.key = k.key
  OFFSET 0
) AS r`,
};

/** Uses `data_record_pkey`. */
export const LOCK_RECORDS = {
  name: 'lock_records',
  text: `
SELECT k.tenant, k.store, k.key, r.value
FROM unnest($1::text[], $2::text[], $3::text[]) AS k (tenant, store, key)
CROSS JOIN LATERAL (
  SELECT data_record.value
  FROM data_record
  WHERE data_record.tenant = k.tenant AND data_record.store = k.store AND data_record.key = k.key
  FOR UPDATE SKIP LOCKED
) AS r`,
};

/** The state of each record asked for, in their order. Names must differ. */
export async function readRecords(
  runner: StatementRunner,
  requests: readonly RecordRequest[],
): Promise<readonly RecordState[]> {
  const forUpdate = requests.filter((request) => request.isForUpdate);
  // One behind the other: what was locked elsewhere is seen by the second alone.
  const [locked, read] = await Promise.all([
    find(runner, LOCK_RECORDS, forUpdate),
    find(runner, READ_RECORDS, requests),
  ]);
  return requests.map((request) => {
    const { tenant, store, key, isForUpdate } = request;
    const text = recordText(request);
    const mine = isForUpdate ? locked.get(text) : undefined;
    if (mine !== undefined) return { tenant, store, key, value: mine, access: 'locked' };
    const seen = read.get(text);
    if (!isForUpdate) return { tenant, store, key, value: seen ?? null, access: 'read' };
    return seen === undefined
      ? { tenant, store, key, value: null, access: 'locked' }
      : { tenant, store, key, value: seen, access: 'locked-elsewhere' };
  });
}

async function find(
  runner: StatementRunner,
  statement: { readonly name: string; readonly text: string },
  names: readonly RecordName[],
): Promise<Found> {
  if (names.length === 0) return new Map();
  const rows = await runner.run<RecordColumns>(statement, keyColumns(names));
  return new Map(rows.map((row) => [recordText(row), row.value]));
}

/**
 * Inserted in one order everywhere: racing commits wait for each other instead of deadlocking, and the later
 * one inserts nothing.
 */
export const INSERT_RECORDS = {
  name: 'insert_records',
  text: `
INSERT INTO data_record (tenant, store, key, value)
SELECT w.tenant, w.store, w.key, w.value
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS w (tenant, store, key, value)
ORDER BY w.tenant, w.store, w.key
ON CONFLICT DO NOTHING
RETURNING key`,
};

/** Uses `data_record_pkey` to find, the row's address to update. The rows are locked by this transaction. */
export const UPDATE_RECORDS = {
  name: 'update_records',
  text: `
UPDATE data_record
SET value = w.value, updated_at = now()
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS w (tenant, store, key, value)
CROSS JOIN LATERAL (
  SELECT kept.ctid
  FROM data_record AS kept
  WHERE kept.tenant = w.tenant AND kept.store = w.store AND kept.key = w.key
  OFFSET 0
) AS found
WHERE data_record.ctid = found.ctid
RETURNING data_record.key`,
};

/** Uses `data_record_pkey` to find, the row's address to delete. The rows are locked by this transaction. */
export const DELETE_RECORDS = {
  name: 'delete_records',
  text: `
DELETE FROM data_record
USING unnest($1::text[], $2::text[], $3::text[]) AS w (tenant, store, key)
CROSS JOIN LATERAL (
  SELECT kept.ctid
  FROM data_record AS kept
  WHERE kept.tenant = w.tenant AND kept.store = w.store AND kept.key = w.key
  OFFSET 0
) AS found
WHERE data_record.ctid = found.ctid
RETURNING data_record.key`,
};

/**
 * Writes records that this transaction has read for update. False: another commit has made one of those that
 * were not there, so what was decided about it does not hold.
 */
export async function writeRecords(
  runner: StatementRunner,
  writes: readonly RecordWrite[],
): Promise<boolean> {
  const inserts = writes.filter((write) => !write.exists && write.value !== null);
  const updates = writes.filter((write) => write.exists && write.value !== null);
  const deletes = writes.filter((write) => write.exists && write.value === null);
  const counts = await Promise.all([
    change(runner, INSERT_RECORDS, inserts),
    change(runner, UPDATE_RECORDS, updates),
    change(runner, DELETE_RECORDS, deletes),
  ]);
  return counts.every((isWhole) => isWhole);
}

/** Whether every one of the writes changed a row. */
async function change(
  runner: StatementRunner,
  statement: { readonly name: string; readonly text: string },
  writes: readonly RecordWrite[],
): Promise<boolean> {
  if (writes.length === 0) return true;
  const columns =
    statement === DELETE_RECORDS
      ? keyColumns(writes)
      : [...keyColumns(writes), writes.map((write) => write.value)];
  const rows = await runner.run(statement, columns);
  return rows.length === writes.length;
}
