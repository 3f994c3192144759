/** Rows of any age, for the tests of what is deleted when. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../engine/store/database.ts';

export interface InstanceAge {
  readonly status: 'running' | 'completed' | 'terminated' | 'failed';
  /** How long ago it ended, or was last written. */
  readonly agedMs: number;
}

/** Inserts an instance with two history rows, a part, a large value, a call and an open incident, and answers its id. */
export async function insertInstance(database: Database, { status, agedMs }: InstanceAge): Promise<string> {
  const id = randomUUID();
  const hasEnded = status === 'completed' || status === 'terminated';
  await database.run(
    {
      name: 'test_insert_aged_instance',
      text: `
INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn, failure_code, updated_at, ended_at)
VALUES ($1::uuid, 'd', 't', 'm', 'p', $2::text, '{}', 2, CASE WHEN $2::text = 'failed' THEN 'X' END,
  now() - $3::float8 * interval '1 millisecond',
  CASE WHEN $4::boolean THEN now() - $3::float8 * interval '1 millisecond' END)`,
    },
    [id, status, agedMs, hasEnded],
  );
  await database.run(
    {
      name: 'test_insert_aged_history',
      text: `INSERT INTO history (instance_id, turn, entries) VALUES ($1::uuid, 1, '[]'), ($1::uuid, 2, '[]')`,
    },
    [id],
  );
  await database.run(
    {
      name: 'test_insert_aged_part',
      text: `INSERT INTO instance_part (instance_id, part_id, is_open, data) VALUES ($1::uuid, 1, true, '{}')`,
    },
    [id],
  );
  await database.run(
    {
      name: 'test_insert_aged_value',
      text: `INSERT INTO instance_value (instance_id, id, data) VALUES ($1::uuid, 'a', '1')`,
    },
    [id],
  );
  await database.run(
    {
      name: 'test_insert_aged_call',
      text: `INSERT INTO instance_call (deployment_id, instance_id) VALUES ('other', $1::uuid)`,
    },
    [id],
  );
  await insertIncident(database, id, 'instance-failed', null);
  return id;
}

export async function insertIncident(
  database: Database,
  instanceId: string,
  kind: string,
  resolvedMsAgo: number | null,
): Promise<void> {
  await database.run(
    {
      name: 'test_insert_incident',
      text: `
INSERT INTO incident (id, kind, tenant, module, instance_id, code, message, resolved_at)
VALUES (gen_random_uuid(), $1::text, 't', 'm', $2::uuid, 'X', 'x', now() - $3::float8 * interval '1 millisecond')`,
    },
    [kind, instanceId, resolvedMsAgo],
  );
}

export async function insertInboxRow(database: Database, key: string, agedMs: number): Promise<void> {
  await database.run(
    {
      name: 'test_insert_aged_inbox',
      text: `
INSERT INTO inbox (tenant, module, channel, dedup_key, instance_id, received_at)
VALUES ('t', 'm', 'c', $1::text, gen_random_uuid(), now() - $2::float8 * interval '1 millisecond')`,
    },
    [key, agedMs],
  );
}

/** An ended instance of which only the history is left, so many turns of it. */
export async function insertHistory(database: Database, turns: number, endedMsAgo: number): Promise<string> {
  const id = randomUUID();
  await database.run(
    {
      name: 'test_insert_history_end',
      text: `
WITH journal AS (
  INSERT INTO history (instance_id, turn, entries)
  SELECT $1::uuid, n, '[]' FROM generate_series(1, $2::integer) AS n)
INSERT INTO history_end (instance_id, ended_at) VALUES ($1::uuid, now() - $3::float8 * interval '1 millisecond')`,
    },
    [id, turns, endedMsAgo],
  );
  return id;
}

/** Many inbox rows, and ended instances of one turn each, of one age. */
export async function insertMany(
  database: Database,
  { inboxRows, instances, agedMs }: { inboxRows: number; instances: number; agedMs: number },
): Promise<void> {
  await database.run(
    {
      name: 'test_insert_many_inbox',
      text: `
INSERT INTO inbox (tenant, module, channel, dedup_key, instance_id, received_at)
SELECT 't', 'm', 'c', n::text, gen_random_uuid(), now() - $2::float8 * interval '1 millisecond'
FROM generate_series(1, $1::integer) AS n`,
    },
    [inboxRows, agedMs],
  );
  await database.run(
    {
      name: 'test_insert_many_instances',
      text: `
INSERT INTO instance (id, deployment_id, tenant, module, process_id, status, snapshot, turn, ended_at)
SELECT gen_random_uuid(), 'd', 't', 'm', 'p', 'completed', '{}', 2, now() - $2::float8 * interval '1 millisecond'
FROM generate_series(1, $1::integer) AS n`,
    },
    [instances, agedMs],
  );
  await database.run(
    {
      name: 'test_insert_many_history',
      text: `INSERT INTO history (instance_id, turn, entries) SELECT id, 1, '[]' FROM instance`,
    },
    [],
  );
}

export async function insertReceipt(database: Database, generation: number, agedMs: number): Promise<void> {
  await database.run(
    {
      name: 'test_insert_aged_receipt',
      text: `
INSERT INTO receipt (task_id, generation, outcome, channel, instance_id, created_at)
VALUES (gen_random_uuid(), $1::integer, 'completed', 'c', gen_random_uuid(), now() - $2::float8 * interval '1 millisecond')`,
    },
    [generation, agedMs],
  );
}

export async function countRows(database: Database, table: string): Promise<number> {
  const rows = await database.run<{ count: number }>(
    { name: `test_count_${table}`, text: `SELECT count(*)::integer AS count FROM ${table}` },
    [],
  );
  return rows[0]?.count ?? -1;
}

export async function clearAll(database: Database): Promise<void> {
  await database.knex.raw(
    'TRUNCATE instance, instance_part, instance_value, instance_call, history, history_end, incident, inbox, receipt',
  );
}
