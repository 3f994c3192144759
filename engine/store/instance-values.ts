/**
 * Large variables of instances, as a turn's commit uses them. Whoever holds an instance's row locked owns its
 * values: they need no locks of their own. A row never changes: its id is the hash of what it holds.
 *
 * Rows are found by the whole key and deleted at their address, as parts are (instance-parts.ts).
 */
import type { StatementRunner } from '../transport.ts';

/** Names a value: of which instance, and its id there. */
export interface ValueKey {
  readonly instanceId: string;
  readonly id: string;
}

export interface ValueRow extends ValueKey {
  /** The encoded value. */
  readonly data: string;
}

function keyColumns(keys: readonly ValueKey[]): [string[], string[]] {
  return [keys.map((key) => key.instanceId), keys.map((key) => key.id)];
}

/** Uses `instance_value_pkey`. */
export const READ_VALUES = {
  name: 'read_values',
  text: `
SELECT k.instance_id AS "instanceId", k.id, v.data
FROM unnest($1::uuid[], $2::text[]) AS k (instance_id, id)
CROSS JOIN LATERAL (
  SELECT instance_value.data
  FROM instance_value
  WHERE instance_value.instance_id = k.instance_id AND instance_value.id = k.id
  OFFSET 0
) AS v`,
};

/** Those of the values that exist. */
export function readValues(runner: StatementRunner, keys: readonly ValueKey[]): Promise<readonly ValueRow[]> {
  return runner.run<ValueRow>(READ_VALUES, keyColumns(keys));
}

export const INSERT_VALUES = {
  name: 'insert_values',
  text: `
INSERT INTO instance_value (instance_id, id, data)
SELECT w.instance_id, w.id, w.data
FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w (instance_id, id, data)`,
};

export async function insertValues(runner: StatementRunner, rows: readonly ValueRow[]): Promise<void> {
  await runner.run(INSERT_VALUES, [...keyColumns(rows), rows.map((row) => row.data)]);
}

/** Uses `instance_value_pkey`. */
export const DELETE_VALUES = {
  name: 'delete_values',
  text: `
DELETE FROM instance_value
USING unnest($1::uuid[], $2::text[]) AS k (instance_id, id)
CROSS JOIN LATERAL (
  SELECT kept.ctid
  FROM instance_value AS kept
  WHERE kept.instance_id = k.instance_id AND kept.id = k.id
  OFFSET 0
) AS found
WHERE instance_value.ctid = found.ctid`,
};

export async function deleteValues(runner: StatementRunner, keys: readonly ValueKey[]): Promise<void> {
  await runner.run(DELETE_VALUES, keyColumns(keys));
}
