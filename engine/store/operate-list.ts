/**
 * Filtered lists for operators: composed with knex, run as named statements like every other.
 *
 * O1 A page is `limit` rows after the cursor in the list's order; the cursor names the last row seen, so
 *    rows that come or go between pages never shift the others.
 * O2 The statement's name says which filters it has: the same name is always the same text.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { EngineError } from '../../config/engine-error.ts';
import type { Database } from './database.ts';

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Null: this is the last page. */
  readonly nextCursor: string | null;
}

export interface PageRequest {
  /** 1 or more; the route checks it. */
  readonly limit: number;
  readonly cursor: string | null;
}

export interface ListQuery {
  /** Names the list, and its cursors: one list's cursor is refused by another. */
  readonly list: string;
  readonly builder: Knex.QueryBuilder;
  readonly page: PageRequest;
}

/** Runs the composed query with one row more than the page, which tells whether another page follows. */
export async function readPage<Row>(
  database: Database,
  query: ListQuery,
  keyOf: (row: Row) => readonly string[],
): Promise<Page<Row>> {
  const found = await runComposed<Row>(database, query.list, query.builder.limit(query.page.limit + 1));
  const rows = found.slice(0, query.page.limit);
  const last = rows.at(-1);
  const hasMore = found.length > rows.length && last !== undefined;
  return { rows, nextCursor: hasMore ? encodeCursor(query.list, keyOf(last)) : null };
}

/** `name` is what the statement's name begins with (O2). */
export async function runComposed<Row>(
  database: Database,
  name: string,
  builder: Knex.QueryBuilder,
): Promise<readonly Row[]> {
  const { sql, bindings } = builder.toSQL().toNative();
  const digest = createHash('sha256').update(sql).digest('hex').slice(0, 16);
  return database.run<Row>({ name: `${name}_${digest}`, text: sql }, bindings);
}

export function encodeCursor(list: string, key: readonly string[]): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url');
}

/**
 * The key of the last row seen. `shape` says what each part must look like, so that a forged cursor is
 * refused here and not by PostgreSQL.
 * @throws EngineError SUTRA.OPERATE.CURSOR_INVALID
 */
export function decodeCursor(list: string, cursor: string, shape: readonly RegExp[]): readonly string[] {
  const parts = parseCursor(cursor);
  if (parts !== null && parts.length === shape.length + 1 && parts[0] === list) {
    const key = parts.slice(1);
    if (key.every((part, index) => shape[index]?.test(part) === true)) return key;
  }
  throw new EngineError('SUTRA.OPERATE.CURSOR_INVALID', 'the cursor was not given out by this list');
}

/** The longest one: the key of a record, 512 characters, each of them escaped in JSON, then in base64. */
export const MAX_CURSOR_CHARACTERS = 4_200;

function parseCursor(cursor: string): readonly string[] | null {
  if (cursor.length > MAX_CURSOR_CHARACTERS || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parsed) && parsed.every((part) => typeof part === 'string') ? parsed : null;
  } catch {
    return null;
  }
}

export const UUID_PART = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const DIGITS_PART = /^\d{1,17}$/;
