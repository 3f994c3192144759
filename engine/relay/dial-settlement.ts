/**
 * Makes the result of a dial durable, as long as its row is hidden from the other replicas.
 *
 * Y1 While the database is away or the engine has no room, it tries again; when the row's visibility timeout
 *    is about to pass it gives up: the row then comes due again and is dialled again under the same
 *    idempotency key.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../../config/engine-error.ts';
import type { Delivery, DeliveryResult } from '../transport.ts';
import { backoffDelayMs } from './backoff.ts';
import type { RelayCode } from './codes.ts';
import type { DeliveryPassOptions } from './delivery-pass.ts';
import { errorLabel, refusalKind } from './refusal.ts';

/** Between two tries. A guess: a busy instance is free within milliseconds, a database is not. */
const SETTLE_BACKOFF = { baseDelayMs: 50, maxDelayMs: 2_000, jitter: true } as const;

const REFUSED: RelayCode = 'SUTRA.OUTBOX.REFUSED';

type Answer = Extract<DeliveryResult, { readonly kind: 'answered' }>;

/**
 * @param settleBy by the monotonic clock of `node:perf_hooks`.
 * @param halt once aborted, there is no further try.
 */
export async function settleDial(
  options: DeliveryPassOptions,
  delivery: Delivery,
  result: DeliveryResult,
  settleBy: number,
  halt: AbortSignal,
): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    const obstacle = await trySettle(options, delivery, result);
    if (obstacle === null) return;
    const delayMs = backoffDelayMs(SETTLE_BACKOFF, failures, options.random);
    if (halt.aborted || performance.now() + delayMs >= settleBy) {
      const { transport, log } = options;
      log.warn('outbox.result-dropped', {
        transport,
        deliveryId: delivery.id,
        result: result.kind,
        obstacle,
      });
      return;
    }
    // Rejects only when halted; the next try is then the last.
    await sleep(delayMs, undefined, { signal: halt, ref: false }).catch(() => undefined);
  }
}

/** Null when settled, else what stood in the way. */
async function trySettle(
  options: DeliveryPassOptions,
  delivery: Delivery,
  result: DeliveryResult,
): Promise<string | null> {
  const { settlement, wakeIn } = options;
  try {
    switch (result.kind) {
      case 'answered':
        if (delivery.expectsAnswer) return await enterAnswer(options, delivery, result);
        await settlement.delivered(delivery);
        return null;
      case 'delivered':
        await settlement.delivered(delivery);
        return null;
      case 'retry': {
        const delayMs = await settlement.failed(delivery, result.error, result.retryAfterMs);
        if (delayMs !== null) wakeIn(delayMs);
        return null;
      }
      case 'refused':
        await settlement.poisoned(delivery, REFUSED, result.error);
        return null;
    }
  } catch (error) {
    return errorLabel(error);
  }
}

/** The answer's own turn deletes the row; only its refusal is settled here. */
async function enterAnswer(
  options: DeliveryPassOptions,
  delivery: Delivery,
  answer: Answer,
): Promise<string | null> {
  const { settlement, loopback, meter, transport, wakeIn } = options;
  try {
    const outcome = await loopback.deliverFromOutbox(delivery, answer);
    if (outcome === 'busy') return 'the instance is busy';
    if (outcome === 'done') meter.add('sutra_outbox_delivered_total', 1, { transport });
    return null;
  } catch (error) {
    const kind = refusalKind(error);
    if (kind === 'outage' || kind === 'pressed') return errorLabel(error);
    if (kind === 'refused' && error instanceof EngineError) {
      await settlement.poisoned(delivery, error.code, error.message);
      return null;
    }
    const delayMs = await settlement.failed(
      delivery,
      `taking the answer in failed: ${errorLabel(error)}`,
      null,
    );
    if (delayMs !== null) wakeIn(delayMs);
    return null;
  }
}
