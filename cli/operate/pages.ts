/** Lists of the engine, read a page at a time. */
import type { EngineClient, Query } from './client.ts';
import { rowsOf, textOf, type Row } from './row.ts';

/** A route that lists, and the field of its answer that has the rows. */
export interface ListRoute {
  readonly path: string;
  readonly field: string;
}

export const instanceList: ListRoute = { path: '/sutra/instances', field: 'instances' };
export const taskList: ListRoute = { path: '/sutra/external-tasks', field: 'tasks' };
export const incidentList: ListRoute = { path: '/sutra/incidents', field: 'incidents' };
export const incidentSummary: ListRoute = { path: '/sutra/incidents/summary', field: 'groups' };
export const deliveryList: ListRoute = { path: '/sutra/deliveries', field: 'deliveries' };

export const deadLetterList: ListRoute = { path: '/admin/dead-letters', field: 'deadLetters' };

export interface ListPage {
  readonly rows: readonly Row[];
  /** Null: the last one. */
  readonly nextCursor: string | null;
}

/** The most that the routes give at once. */
const MAX_PAGE_ROWS = 200;

export async function readPage(
  client: EngineClient,
  route: ListRoute,
  query: Query,
  wanted = MAX_PAGE_ROWS,
): Promise<ListPage> {
  const limit = String(Math.min(wanted, MAX_PAGE_ROWS));
  const answer = await client.get(route.path, { ...query, limit });
  return { rows: rowsOf(answer, route.field), nextCursor: textOf(answer, 'nextCursor') };
}

/** All pages, each read when the one before has been dealt with. */
export async function* readPages(
  client: EngineClient,
  route: ListRoute,
  query: Query,
): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined;
  do {
    const page = await readPage(client, route, { ...query, cursor });
    yield page.rows;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** So many rows from the cursor on; a limit of null: all of them. */
export async function readRows(
  client: EngineClient,
  route: ListRoute,
  query: Query,
  limit: number | null,
): Promise<ListPage> {
  const rows: Row[] = [];
  let cursor = query['cursor'];
  for (;;) {
    const wanted = limit === null ? undefined : limit - rows.length;
    const page = await readPage(client, route, { ...query, cursor }, wanted);
    rows.push(...page.rows);
    if (page.nextCursor === null || (limit !== null && rows.length >= limit)) {
      return { rows, nextCursor: page.nextCursor };
    }
    cursor = page.nextCursor;
  }
}
