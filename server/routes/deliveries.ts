/** Deliveries on their way, and those that the relay gave up. */
import { EngineError } from '../../config/engine-error.ts';
import { DELIVERY_STATES, listDeliveries } from '../../engine/store/operate-deliveries.ts';
import { jsonAnswer } from '../exchange.ts';
import type { ServerDeps } from '../operations.ts';
import { isUuid, pagingParameters } from '../query-parameters.ts';
import { defineRoute, jsonDoc, schemaRef, type Route } from '../route.ts';

export function deliveryRoutes({ database }: Pick<ServerDeps, 'database'>): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/sutra/deliveries',
      operationId: 'listDeliveries',
      tag: 'deliveries',
      summary: 'Deliveries that have not left, oldest first, without their bodies.',
      query: {
        state: {
          kind: 'choice',
          values: DELIVERY_STATES,
          description: 'Only in this state; `poisoned` waits for a person.',
        },
        channel: { kind: 'text', description: 'Only on this channel.' },
        instanceId: { kind: 'uuid', description: 'Only of this instance.' },
        elementId: { kind: 'text', description: 'Only of this element.' },
        ...pagingParameters,
      },
      answers: { 200: jsonDoc('A page of deliveries.', schemaRef('DeliveryPage')) },
      codes: ['SUTRA.OPERATE.CURSOR_INVALID'],
      handle: async (_request, { limit, cursor, ...filter }) => {
        const page = await listDeliveries(database, filter, { limit, cursor });
        return jsonAnswer(200, { deliveries: page.rows, nextCursor: page.nextCursor });
      },
    }),
  ];
}

/** @throws EngineError SUTRA.OPERATE.ID_INVALID */
export function requireDeliveryId(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  const shown = JSON.stringify(text.slice(0, 100));
  throw new EngineError('SUTRA.OPERATE.ID_INVALID', `${shown} is not a delivery id, which is a UUID`);
}
