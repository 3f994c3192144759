/** What operators read of deliveries on their way: never a body or a header, which may hold what is secret. */
import type { Database } from './database.ts';
import { decodeCursor, readPage, UUID_PART, type Page, type PageRequest } from './operate-list.ts';

export const DELIVERY_STATES = ['open', 'poisoned'] as const;

/** Null: not filtered by. */
export interface DeliveryFilter {
  readonly state: string | null;
  readonly channel: string | null;
  readonly instanceId: string | null;
  readonly elementId: string | null;
}

export interface DeliveryRow {
  readonly id: string;
  readonly deploymentId: string;
  readonly tenant: string;
  readonly module: string;
  readonly version: string;
  readonly channel: string;
  readonly transport: string;
  readonly processId: string;
  readonly instanceId: string;
  readonly elementId: string;
  readonly idempotencyKey: string;
  readonly expectsAnswer: boolean;
  readonly state: (typeof DELIVERY_STATES)[number];
  readonly attempts: number;
  /** When an open one is tried (again). */
  readonly visibleAt: Date;
  /** From then on it is not tried any more. */
  readonly deadline: Date | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
}

/** LIST_DELIVERIES, oldest first. Uses the primary key, `outbox_poisoned` or `outbox_instance`. */
export function listDeliveries(
  database: Database,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<Page<DeliveryRow>> {
  const builder = database
    .knex('outbox')
    .select('id', 'tenant', 'module', 'version', 'channel', 'transport', 'state', 'attempts', 'deadline')
    .select({
      deploymentId: 'deployment_id',
      processId: 'process_id',
      instanceId: 'instance_id',
      elementId: 'element_id',
      idempotencyKey: 'idempotency_key',
      expectsAnswer: 'expects_answer',
      visibleAt: 'visible_at',
      lastError: 'last_error',
      createdAt: 'created_at',
    })
    .orderBy('id', 'asc');
  // As text of the statement, so that a plan for any values can use the partial index.
  if (filter.state === 'poisoned') builder.whereRaw(`state = 'poisoned'`);
  else if (filter.state !== null) builder.where('state', filter.state);
  if (filter.channel !== null) builder.where('channel', filter.channel);
  if (filter.instanceId !== null) builder.where('instance_id', filter.instanceId);
  if (filter.elementId !== null) builder.where('element_id', filter.elementId);
  if (page.cursor !== null) {
    const [id = ''] = decodeCursor('list_deliveries', page.cursor, [UUID_PART]);
    builder.where('id', '>', id);
  }
  return readPage<DeliveryRow>(database, { list: 'list_deliveries', builder, page }, (row) => [row.id]);
}

/** Uses the primary key. */
export const READ_DELIVERY_STATE = {
  name: 'read_delivery_state',
  text: `
SELECT state
FROM outbox
WHERE id = $1::uuid`,
};

/** Null: there is no such delivery, or it has left. */
export async function readDeliveryState(
  database: Database,
  id: string,
): Promise<DeliveryRow['state'] | null> {
  const [row] = await database.run<Pick<DeliveryRow, 'state'>>(READ_DELIVERY_STATE, [id]);
  return row?.state ?? null;
}
