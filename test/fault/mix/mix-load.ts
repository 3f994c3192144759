/** Orders and workers over the package of mix-package.ts. */
import { pause } from '../../support/fault-load.ts';
import { LoadOrders } from '../../support/load-orders.ts';
import { LoadWorkers, type Task } from '../../support/load-workers.ts';
import type { RetryLoadClient } from '../../support/retry-load-client.ts';
import { hasWeight } from './mix-package.ts';
import type { MixOperators } from './mix-operators.ts';

export class MixLoad {
  readonly orders: LoadOrders;
  readonly workers: LoadWorkers;

  constructor(client: RetryLoadClient, operators: MixOperators) {
    this.orders = new LoadOrders(client, {
      bodyOf: (n) => (hasWeight(n) ? { n, weight: 1 } : { n }),
      whenStarted: (_n, instanceId) => operators.note(instanceId),
    });
    this.workers = new LoadWorkers(client, {
      channels: ['picks', 'ships', 'packs'],
      handle: (workerId, task) => this.#handle(workerId, task),
    });
  }

  /** For a test that fails: nothing new begins, and nothing is waited for. */
  abandon(): void {
    this.orders.abandon();
    this.workers.abandon();
  }

  async #handle(workerId: string, task: Task): Promise<void> {
    const chance = Math.random();
    // Not answered: an attempt that times out, a shipment that is overdue, or a lock that runs out.
    if (chance < (task.channel === 'picks' ? 0.35 : 0.15)) return;
    // So that it is there for operators; some are too late for it then.
    await pause(Math.random() * 900);
    await this.workers.complete(workerId, task);
  }
}
