/** Which refusals become dead letters, and what is kept of them. */
import type { EngineError } from '../../config/engine-error.ts';
import type { TurnBudget } from '../../definitions/feel.ts';
import type { ChannelRoute } from '../deployments/routing.ts';
import { newId } from '../new-id.ts';
import type { DeadLetterWrite } from '../store/dead-letters.ts';
import type { InboundDelivery } from '../transport.ts';
import { decodeMessage } from './decode.ts';
import { dedupKeyOf, idempotencyKeyOf } from './dedup.ts';
import { startsOf } from './route.ts';
import type { SignalSettlement, StartTimerSettlement } from './turn.ts';

/** A failure of the engine's own must not cost a start or a signal. */
export function isForGood(error: EngineError): boolean {
  return error.attributes['retryable'] === false && error.code !== 'SUTRA.INTAKE.TURN_FAILED';
}

/** What the channel could not take, whoever sends it again. What is too large to be read is too large to be kept. */
const refusedByChannel = /^SUTRA\.(?:CODEC|INBOUND)\./;

/** Does the message go to the dead letters, if its channel keeps them? */
export function isMessageForGood(error: EngineError): boolean {
  if (error.attributes['retryable'] !== undefined) return isForGood(error);
  return refusedByChannel.test(error.code) && error.code !== 'SUTRA.CODEC.PAYLOAD_TOO_LARGE';
}

/** Of our own messages none is longer; a guess. */
const maxReasonLength = 2_000;

/** Code and message of the refusal, as PostgreSQL can store them. */
export function reasonOf({ code, message }: EngineError): {
  readonly code: string;
  readonly message: string;
} {
  return { code, message: message.slice(0, maxReasonLength).toWellFormed().replaceAll('\u0000', '\uFFFD') };
}

export function messageLetter(
  route: ChannelRoute,
  { headers, contentType, body }: InboundDelivery,
  messageKey: string | null,
  error: EngineError,
): DeadLetterWrite {
  const { tenant, module, channel } = route;
  return {
    ...{ id: newId(), kind: 'message', tenant, module, channel: channel.name, messageKey },
    ...{ signalName: null, start: null, headers, contentType, body, ...reasonOf(error) },
  };
}

/** Null: the signal was for an instance, which does not wait for it any more. */
export function startLetter(
  settles: SignalSettlement | StartTimerSettlement,
  error: EngineError,
): DeadLetterWrite | null {
  const start = settles.kind === 'signal' ? settles.start : settles;
  if (start === null) return null;
  const { tenant, module, deploymentId, processId, startEventId, trigger } = start;
  const { name, payload } = 'payload' in start ? start : { name: null, payload: '' };
  return {
    ...{ id: newId(), kind: settles.kind === 'signal' ? 'signal' : 'timer', tenant, module },
    ...{ channel: null, messageKey: null, signalName: name },
    start: { deploymentId, processId, startEventId, trigger },
    ...{ headers: {}, contentType: null, body: Buffer.from(payload, 'utf8'), ...reasonOf(error) },
  };
}

/**
 * By what the sender's repetitions are known: the dedup key that the message would have had, or what of it can be
 * read without its body; null: none.
 */
export function keyOfRefused(
  route: ChannelRoute,
  delivery: InboundDelivery,
  budget: TurnBudget,
): string | null {
  const known = orNull(() => {
    const message = decodeMessage(route.channel, delivery);
    return dedupKeyOf(route.channel, startsOf(route, message)[0]?.source ?? null, message, budget);
  });
  return known ?? orNull(() => idempotencyKeyOf(delivery.headers['idempotency-key'])) ?? eventKeyOf(delivery);
}

/** Of a CloudEvent in binary mode, as its dedup key is made. */
function eventKeyOf({ headers }: InboundDelivery): string | null {
  const { 'ce-id': id, 'ce-source': source } = headers;
  if (id === undefined) return null;
  return orNull(() => idempotencyKeyOf(source === undefined ? id : `${source} ${id}`));
}

function orNull(key: () => string | null): string | null {
  try {
    return key();
  } catch {
    return null;
  }
}
