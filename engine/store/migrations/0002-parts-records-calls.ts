/**
 * Snapshots in parts, data stores, and calls into other deployments.
 *
 * Shape: what a wide parallel multi-instance activity holds for each of its instances is a row of its own
 * beside the instance, so that a turn reads and writes the one that it concerns. Data stores are rows of one
 * table under the name that the model gives them.
 *
 * Rejected: parts as an array in the instance's row (every turn would rewrite all of them); foreign keys with
 * ON DELETE CASCADE (they cost a look-up for each row, and whoever ends or deletes instances has the ids at
 * hand); `jsonb` records (as with snapshots: it cannot hold a NUL, and what a record holds is found by its key
 * alone); a version column for records (row locks are the only claims).
 *
 * Locks: adds a column without a default, so `timer` is locked for a moment and not rewritten.
 */
export const version = 2;
export const name = '0002-parts-records-calls';

export const sql = `
-- One instance of a parallel multi-instance activity, as the part of a snapshot that it is.
CREATE TABLE instance_part (
  instance_id  uuid NOT NULL,
  part_id      integer NOT NULL,
  -- It has something left to do; else it is kept for its output alone.
  is_open      boolean NOT NULL,
  -- The encoded part (engine/core/snapshot-codec.ts).
  data         text NOT NULL,
  -- READ_PARTS, READ_ALL_PARTS, LIST_INSTANCE_PARTS, PURGE_INSTANCES.
  PRIMARY KEY (instance_id, part_id)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- The part that holds the wait of the timer; null: none.
ALTER TABLE timer ADD COLUMN part_id integer;

-- The records of data stores. They belong to the tenant: all its modules and versions share them.
CREATE TABLE data_record (
  tenant       text NOT NULL,
  store        text NOT NULL,
  key          text NOT NULL,
  -- With the types of values (definitions/value-codec.ts).
  value        text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now(),
  -- READ_RECORDS, LOCK_RECORDS, LIST_DATA_RECORDS.
  PRIMARY KEY (tenant, store, key)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Which live instances have run processes of other deployments than their own.
CREATE TABLE instance_call (
  deployment_id  text NOT NULL,
  instance_id    uuid NOT NULL,
  -- RETIRE_DEPLOYMENTS, REOPEN_DEPLOYMENTS, READ_DEPLOYMENT_LOAD.
  PRIMARY KEY (deployment_id, instance_id)
);
-- DELETE_CALLS of ended instances.
CREATE INDEX instance_call_instance ON instance_call (instance_id);
`;
