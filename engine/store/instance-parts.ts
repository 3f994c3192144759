/**
 * The parts of snapshots, as a turn's commit uses them: read a few or all of an instance, and write what has
 * changed. Whoever holds an instance's row locked owns its parts: they need no locks of their own.
 *
 * Rows are found by the whole key and changed at their address: joined as a table, a planner that sees an empty
 * one reads all parts of an instance, which are many.
 */
import type { StatementRunner } from '../transport.ts';

/** Names a part: of which instance, and its id there. */
export interface PartKey {
  readonly instanceId: string;
  readonly partId: number;
}

/** The largest id that the column holds. */
export const MAX_PART_ID = 2_147_483_647;

export interface PartRow extends PartKey {
  /** The encoded part. */
  readonly data: string;
}

export interface PartWrite extends PartRow {
  /** It has something left to do; else it is kept for its output alone. */
  readonly isOpen: boolean;
}

interface PartColumns {
  readonly instance_id: string;
  readonly part_id: number;
  readonly data: string;
}

function toRows(rows: readonly PartColumns[]): readonly PartRow[] {
  return rows.map((row) => ({ instanceId: row.instance_id, partId: row.part_id, data: row.data }));
}

function keyColumns(keys: readonly PartKey[]): [string[], number[]] {
  return [keys.map((key) => key.instanceId), keys.map((key) => key.partId)];
}

function writeColumns(writes: readonly PartWrite[]): [string[], number[], boolean[], string[]] {
  return [...keyColumns(writes), writes.map((write) => write.isOpen), writes.map((write) => write.data)];
}

/** Uses `instance_part_pkey`. */
export const READ_PARTS = {
  name: 'read_parts',
  text: `
SELECT k.instance_id, k.part_id, p.data
FROM unnest($1::uuid[], $2::integer[]) AS k (instance_id, part_id)
CROSS JOIN LATERAL (
  SELECT instance_part.data
  FROM instance_part
  WHERE instance_part.instance_id = k.instance_id AND instance_part.part_id = k.part_id
  OFFSET 0
) AS p`,
};

/** Those of the parts that exist. */
export async function readParts(
  runner: StatementRunner,
  keys: readonly PartKey[],
): Promise<readonly PartRow[]> {
  return toRows(await runner.run<PartColumns>(READ_PARTS, keyColumns(keys)));
}

/** Uses `instance_part_pkey`. */
export const READ_ALL_PARTS = {
  name: 'read_all_parts',
  text: `
SELECT instance_id, part_id, data
FROM instance_part
WHERE instance_id = ANY($1::uuid[])
ORDER BY instance_id, part_id`,
};

/** All parts of the instances, in the order of their ids. */
export async function readAllParts(
  runner: StatementRunner,
  instanceIds: readonly string[],
): Promise<readonly PartRow[]> {
  return toRows(await runner.run<PartColumns>(READ_ALL_PARTS, [instanceIds]));
}

export const INSERT_PARTS = {
  name: 'insert_parts',
  text: `
INSERT INTO instance_part (instance_id, part_id, is_open, data)
SELECT w.instance_id, w.part_id, w.is_open, w.data
FROM unnest($1::uuid[], $2::integer[], $3::boolean[], $4::text[]) AS w (instance_id, part_id, is_open, data)`,
};

export async function insertParts(runner: StatementRunner, writes: readonly PartWrite[]): Promise<void> {
  await runner.run(INSERT_PARTS, writeColumns(writes));
}

/** Uses `instance_part_pkey`. */
export const UPDATE_PARTS = {
  name: 'update_parts',
  text: `
UPDATE instance_part
SET is_open = w.is_open, data = w.data
FROM unnest($1::uuid[], $2::integer[], $3::boolean[], $4::text[]) AS w (instance_id, part_id, is_open, data)
CROSS JOIN LATERAL (
  SELECT kept.ctid
  FROM instance_part AS kept
  WHERE kept.instance_id = w.instance_id AND kept.part_id = w.part_id
  OFFSET 0
) AS found
WHERE instance_part.ctid = found.ctid
RETURNING instance_part.part_id`,
};

/** Answers how many rows were updated; the caller compares. */
export async function updateParts(runner: StatementRunner, writes: readonly PartWrite[]): Promise<number> {
  const rows = await runner.run(UPDATE_PARTS, writeColumns(writes));
  return rows.length;
}

/** Uses `instance_part_pkey`. */
export const DELETE_PARTS = {
  name: 'delete_parts',
  text: `
DELETE FROM instance_part
USING unnest($1::uuid[], $2::integer[]) AS k (instance_id, part_id)
CROSS JOIN LATERAL (
  SELECT kept.ctid
  FROM instance_part AS kept
  WHERE kept.instance_id = k.instance_id AND kept.part_id = k.part_id
  OFFSET 0
) AS found
WHERE instance_part.ctid = found.ctid`,
};

export async function deleteParts(runner: StatementRunner, keys: readonly PartKey[]): Promise<void> {
  await runner.run(DELETE_PARTS, keyColumns(keys));
}

/** Uses `instance_part_pkey`. */
export const DELETE_ALL_PARTS = {
  name: 'delete_all_parts',
  text: `
DELETE FROM instance_part
WHERE instance_id = ANY($1::uuid[])`,
};

/** All parts of instances that have ended. */
export async function deleteAllParts(runner: StatementRunner, instanceIds: readonly string[]): Promise<void> {
  await runner.run(DELETE_ALL_PARTS, [instanceIds]);
}
