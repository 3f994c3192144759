/**
 * Large variables beside the snapshot.
 *
 * Shape: a row for each large variable, named by the hash of its text, so a row never changes: the snapshot names
 * the ones that it holds, a turn reads only those that its engine does not remember, and writes only new ones.
 *
 * Rejected: leaving them in the snapshot (a turn of a wide multi-instance activity would read and write the
 * whole list, however little it is about); a column for all variables (one small change would rewrite them); rows
 * shared between instances (somebody would have to count who still needs them).
 *
 * Locks: creates a table only.
 */
export const version = 4;
export const name = '0004-large-values';

export const sql = `
CREATE TABLE instance_value (
  instance_id  uuid NOT NULL,
  -- The SHA-256 of data, as base64url.
  id           text NOT NULL,
  -- The encoded value (definitions/value-codec.ts). text, not jsonb: nothing but the engine reads it.
  data         text NOT NULL,
  -- READ_VALUES, DELETE_VALUES, PURGE_INSTANCES.
  PRIMARY KEY (instance_id, id)
);
`;
