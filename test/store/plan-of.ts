import type { Connection, Statement } from '../../engine/store/database.ts';
import type { TestTarget } from '../support/database.ts';

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

/**
 * How many rows a plan is made with, where PostgreSQL has `count`. The embedded database takes ten times as long to
 * fill, and has a fifth: the harder test, because a planner reads a small table whole sooner than a large one.
 */
export function seededRows(target: TestTarget, count: number): number {
  return target.name === 'embedded' ? count / 5 : count;
}
