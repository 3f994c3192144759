/** The schema of a database as text: tables, columns, constraints, indexes and storage settings. */
import type { Database } from '../../engine/store/database.ts';

const OURS = `n.nspname = 'public'`;

/**
 * PostgreSQL 18 keeps NOT NULL in `pg_constraint`, older ones only in `pg_attribute`: it is taken from there
 * alone.
 */
const QUERIES: readonly string[] = [
  `SELECT 'table ' || c.relname || coalesce(' with (' || (
      SELECT string_agg(o, ', ' ORDER BY o) FROM unnest(c.reloptions) AS o) || ')', '') AS line
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE ${OURS} AND c.relkind IN ('r', 'p')
    ORDER BY 1`,
  `SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
     FROM pg_attribute a
     JOIN pg_class c ON c.oid = a.attrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE ${OURS} AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY c.relname, a.attnum`,
  `SELECT 'constraint ' || c.relname || '.' || k.conname || ' ' || pg_get_constraintdef(k.oid) AS line
     FROM pg_constraint k
     JOIN pg_class c ON c.oid = k.conrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE ${OURS} AND k.contype <> 'n'
    ORDER BY 1`,
  `SELECT 'index ' || pg_get_indexdef(i.indexrelid) AS line
     FROM pg_index i
     JOIN pg_class c ON c.oid = i.indrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE ${OURS}
    ORDER BY 1`,
];

export async function describeSchema(database: Database): Promise<string> {
  const lines: string[] = [];
  for (const [index, text] of QUERIES.entries()) {
    const rows = await database.run<{ line: string }>({ name: `catalogue_${index}`, text }, []);
    lines.push(...rows.map((row) => row.line), '');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
