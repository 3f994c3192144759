/** One dial of a network sink, bounded whatever the sink does. */
import { setTimeout, clearTimeout } from 'node:timers';
import type { Delivery, DeliveryResult, NetworkSink } from '../transport.ts';
import { errorLabel } from './refusal.ts';

/** What a sink gets to notice that its signal was aborted, before it is given up on. */
const ABANDON_AFTER_MS = 1_000;

/**
 * Resolves when the sink answers or, for a sink that does not heed its signal, a moment after `signal` was
 * aborted. Never rejects: a sink that throws has not delivered.
 */
export function dial(sink: NetworkSink, delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult> {
  return new Promise((resolve) => {
    let abandonTimer: NodeJS.Timeout | null = null;
    const finish = (result: DeliveryResult): void => {
      signal.removeEventListener('abort', onAbort);
      if (abandonTimer !== null) clearTimeout(abandonTimer);
      resolve(result);
    };
    const onAbort = (): void => {
      abandonTimer = setTimeout(() => finish(notDelivered('the dial was abandoned')), ABANDON_AFTER_MS);
      abandonTimer.unref();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    deliver(sink, delivery, signal).then(finish, (error: unknown) => {
      finish(
        notDelivered(signal.aborted ? 'the dial was ended' : `the transport failed: ${errorLabel(error)}`),
      );
    });
  });
}

/** A sink that throws before its first await rejects like any other. */
async function deliver(sink: NetworkSink, delivery: Delivery, signal: AbortSignal): Promise<DeliveryResult> {
  return await sink.deliver(delivery, signal);
}

function notDelivered(error: string): DeliveryResult {
  return { kind: 'retry', error, retryAfterMs: null };
}
