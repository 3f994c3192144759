import type { Connection, Statement } from '../../engine/store/database.ts';

/** The plan of a statement as it is prepared. `values` as SQL: `('a', 1)`, or nothing when it takes none. */
export async function planOf(connection: Connection, statement: Statement, values: string): Promise<string> {
  const sql = (text: string): Promise<Record<string, string>[]> => connection.run({ name: '', text }, []);
  await sql(`PREPARE planned AS ${statement.text}`);
  try {
    const rows = await sql(`EXPLAIN EXECUTE planned${values}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } finally {
    await sql('DEALLOCATE planned');
  }
}
