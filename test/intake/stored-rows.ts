/** What the tables hold, for tests that look behind the routes. */
import assert from 'node:assert/strict';
import type { Database } from '../../engine/store/database.ts';

type StoredRow = Readonly<Record<string, unknown>>;

export async function rowsOf(
  database: Database,
  table: string,
  where: StoredRow,
): Promise<readonly StoredRow[]> {
  return database.knex(table).where(where).select();
}

/** Every row of every table, by table. */
export async function contentsOf(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = await database.run<{ name: string }>(
    {
      name: '',
      text: `SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    },
    [],
  );
  assert.ok(tables.length > 10);
  const contents: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const text = `SELECT to_jsonb(t)::text AS row FROM ${name} AS t ORDER BY 1`;
    contents[name] = (await database.run<{ row: string }>({ name: '', text }, [])).map(({ row }) => row);
  }
  return contents;
}

/** Until the relay has parked that many tasks of the instance. */
export async function parked(
  database: Database,
  instanceId: string,
  count: number,
): Promise<readonly StoredRow[]> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const rows = await rowsOf(database, 'external_task', { instance_id: instanceId });
    if (rows.length === count) return rows;
    assert.ok(performance.now() < deadline, `${String(rows.length)} of ${String(count)} tasks are parked`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
