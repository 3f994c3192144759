/** A person's two decisions about a poisoned delivery, with the refusals that say why there is none to make. */
import { EngineError } from '../config/engine-error.ts';
import type { Log } from '../engine/observe.ts';
import type { Database } from '../engine/store/database.ts';
import { readDeliveryState } from '../engine/store/operate-deliveries.ts';
import { discardDelivery, requeueDelivery } from '../engine/store/outbox-repair.ts';
import type { ServerCode } from './codes.ts';
import type { DeliveryCommands } from './operations.ts';

export interface DeliveryCommandOptions {
  readonly database: Database;
  readonly log: Log;
  /** Called after the commit with the transport that has a row due: its relay loop need not wait for a tick. */
  readonly wake: (transport: string) => void;
}

export function deliveryCommands({ database, log, wake }: DeliveryCommandOptions): DeliveryCommands {
  return {
    requeue: async (deliveryId) => {
      const requeued = await requeueDelivery(database, deliveryId);
      if (requeued === null) throw await refusal(database, deliveryId);
      log.info('outbox.delivery-requeued', { deliveryId, transport: requeued.transport });
      wake(requeued.transport);
      return requeued;
    },
    discard: async (deliveryId) => {
      const discarded = await discardDelivery(database, deliveryId);
      if (discarded === null) throw await refusal(database, deliveryId);
      log.info('outbox.delivery-discarded', { deliveryId, transport: discarded.transport });
      return discarded;
    },
  };
}

/** Why nothing was changed: the row is not there, or the relay has not given it up. */
async function refusal(database: Database, deliveryId: string): Promise<EngineError> {
  const isThere = (await readDeliveryState(database, deliveryId)) !== null;
  const code: ServerCode = isThere ? 'SUTRA.DELIVERY.NOT_POISONED' : 'SUTRA.DELIVERY.NOT_FOUND';
  const detail = isThere
    ? `delivery ${deliveryId} is not poisoned; it is still being tried`
    : `there is no delivery ${deliveryId}`;
  return new EngineError(code, detail, { attributes: { deliveryId } });
}
