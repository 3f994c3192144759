/** What operators see and change of the records of data stores. */
import type { RecordName } from './data-records.ts';
import type { Database } from './database.ts';
import { decodeCursor, readPage, type Page, type PageRequest } from './operate-list.ts';

export interface RecordSummary extends RecordName {
  /** Of the stored text. */
  readonly sizeBytes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface DataRecord extends RecordName {
  /** Encoded (see `data-records.ts`). */
  readonly value: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** PostgreSQL has no text with a NUL; everything else can be a key. */
const KEY_PART = /^[^\0]+$/;

/** LIST_DATA_RECORDS by key. Uses the primary key. */
export function listDataRecords(
  database: Database,
  { tenant, store }: Omit<RecordName, 'key'>,
  page: PageRequest,
): Promise<Page<RecordSummary>> {
  const { knex } = database;
  const builder = knex('data_record')
    .select('tenant', 'store', 'key')
    .select(knex.raw('octet_length(value) AS "sizeBytes"'))
    .select({ createdAt: 'created_at', updatedAt: 'updated_at' })
    .where({ tenant, store })
    .orderBy('key');
  if (page.cursor !== null) {
    const [key = ''] = decodeCursor('list_data_records', page.cursor, [KEY_PART]);
    builder.where('key', '>', key);
  }
  return readPage<RecordSummary>(database, { list: 'list_data_records', builder, page }, (row) => [row.key]);
}

interface RecordColumns {
  readonly value: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Uses `data_record_pkey`. */
export const READ_DATA_RECORD = {
  name: 'read_data_record',
  text: `
SELECT value, created_at AS "createdAt", updated_at AS "updatedAt"
FROM data_record
WHERE tenant = $1::text AND store = $2::text AND key = $3::text`,
};

export async function readDataRecord(database: Database, name: RecordName): Promise<DataRecord | null> {
  const { tenant, store, key } = name;
  const [row] = await database.run<RecordColumns>(READ_DATA_RECORD, [tenant, store, key]);
  return row === undefined ? null : { tenant, store, key, ...row };
}

/** Uses `data_record_pkey`. Waits for a turn that has the record. */
export const PUT_DATA_RECORD = {
  name: 'put_data_record',
  text: `
INSERT INTO data_record (tenant, store, key, value)
VALUES ($1::text, $2::text, $3::text, $4::text)
ON CONFLICT (tenant, store, key) DO UPDATE SET value = EXCLUDED.value, updated_at = now()
RETURNING created_at AS "createdAt", updated_at AS "updatedAt"`,
};

/** Writes the record, whether there was one or not. `value` is encoded, and not null. */
export async function putDataRecord(
  database: Database,
  name: RecordName,
  value: string,
): Promise<DataRecord> {
  const { tenant, store, key } = name;
  const [row] = await database.run<Omit<RecordColumns, 'value'>>(PUT_DATA_RECORD, [
    tenant,
    store,
    key,
    value,
  ]);
  if (row === undefined) throw new Error('an upsert gave no row');
  return { tenant, store, key, value, ...row };
}

/** Uses `data_record_pkey`. Waits for a turn that has the record. */
export const REMOVE_DATA_RECORD = {
  name: 'remove_data_record',
  text: `
DELETE FROM data_record
WHERE tenant = $1::text AND store = $2::text AND key = $3::text
RETURNING key`,
};

/** Whether there was one. */
export async function removeDataRecord(database: Database, name: RecordName): Promise<boolean> {
  const { tenant, store, key } = name;
  const rows = await database.run(REMOVE_DATA_RECORD, [tenant, store, key]);
  return rows.length === 1;
}
