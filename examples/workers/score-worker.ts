/**
 * A worker for the channel `score-request` with the SDK: locks are extended, lost answers are repeated, and SIGTERM lets
 * the tasks in hand finish.
 *
 *     node --import tsx examples/workers/score-worker.ts http://127.0.0.1:8080
 */
// In a project of your own: from 'sutra-engine/worker'.
import { NonRetryableError, Worker } from '../../worker/index.ts';

interface Order {
  readonly orderId: string;
  readonly amount: number;
  readonly country: string;
}

const worker = new Worker({
  baseUrl: process.argv[2] ?? 'http://127.0.0.1:8080',
  concurrency: 5,
  channels: {
    'score-request': async (task) => {
      const order = task.body as Order;
      // The same order will have no amount the next time: no retry is worth it.
      if (typeof order.amount !== 'number') throw new NonRetryableError('the order has no amount');
      const score = Math.max(
        0,
        Math.min(100, Math.round(100 - order.amount / 100 - (order.country === 'DE' ? 0 : 10))),
      );
      return { score };
    },
  },
});

const stop = (): void => void worker.stop();
process.once('SIGTERM', stop).once('SIGINT', stop);
await worker.start();
