/** What operators read of dead letters: no body and no header in a list, which are whatever somebody has sent. */
import type { DeadLetterKind } from './dead-letters.ts';
import type { Database } from './database.ts';
import { decodeCursor, readPage, UUID_PART, type Page, type PageRequest } from './operate-list.ts';

/** Null: not filtered by. */
export interface DeadLetterFilter {
  readonly kind: string | null;
  readonly tenant: string | null;
  readonly module: string | null;
  readonly channel: string | null;
  readonly code: string | null;
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
}

export interface DeadLetterSummary {
  readonly id: string;
  readonly kind: DeadLetterKind;
  readonly tenant: string;
  readonly module: string;
  readonly channel: string | null;
  readonly messageKey: string | null;
  readonly signalName: string | null;
  readonly deploymentId: string | null;
  readonly processId: string | null;
  readonly startEventId: string | null;
  readonly contentType: string | null;
  readonly bodyBytes: number;
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface DeadLetterRow extends DeadLetterSummary {
  readonly trigger: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const SUMMARY_COLUMNS = `id, kind, tenant, module, channel, message_key AS "messageKey", signal_name AS "signalName",
  deployment_id AS "deploymentId", process_id AS "processId", start_event_id AS "startEventId",
  content_type AS "contentType", octet_length(body) AS "bodyBytes", code, message, attempts,
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** LIST_DEAD_LETTERS, oldest first. Uses the primary key; there are at most `sutra.dead-letter.max-count`. */
export function listDeadLetters(
  database: Database,
  filter: DeadLetterFilter,
  page: PageRequest,
): Promise<Page<DeadLetterSummary>> {
  const { knex } = database;
  const builder = knex('dead_letter').select(knex.raw(SUMMARY_COLUMNS)).orderBy('id', 'asc');
  for (const column of ['kind', 'tenant', 'module', 'channel', 'code'] as const) {
    const value = filter[column];
    if (value !== null) builder.where(column, value);
  }
  if (filter.createdAfter !== null) builder.where('created_at', '>', filter.createdAfter);
  if (filter.createdBefore !== null) builder.where('created_at', '<', filter.createdBefore);
  if (page.cursor !== null) {
    const [id = ''] = decodeCursor('list_dead_letters', page.cursor, [UUID_PART]);
    builder.where('id', '>', id);
  }
  return readPage<DeadLetterSummary>(database, { list: 'list_dead_letters', builder, page }, (row) => [
    row.id,
  ]);
}

/** Uses the primary key. */
export const READ_DEAD_LETTER = {
  name: 'read_dead_letter',
  text: `
SELECT ${SUMMARY_COLUMNS}, trigger, headers, body
FROM dead_letter
WHERE id = $1::uuid`,
};

/** Null: there is no such letter. */
export async function readDeadLetter(database: Database, id: string): Promise<DeadLetterRow | null> {
  const [row] = await database.run<DeadLetterRow>(READ_DEAD_LETTER, [id]);
  return row ?? null;
}
