/**
 * The dedup key of a message. Order: the start event's own expression, the channel's expression, the
 * `Idempotency-Key` header, the CloudEvent's source and id, else none.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { CompiledExpression, TurnBudget } from '../../definitions/feel.ts';
import type { SourceDefinition } from '../../definitions/model.ts';
import type { ChannelDefinition } from '../../definitions/package-model.ts';
import type { Value } from '../../definitions/value.ts';
import { keyText } from '../core/aliases.ts';
import type { InboundMessage } from '../core/stimulus.ts';

const maxKeyLength = 255;

/** Evaluates over `payload`, `header` and `event` of a message. @throws SUTRA.INBOUND.EXPRESSION_FAILED */
export function evaluateOverMessage(
  expression: CompiledExpression,
  message: InboundMessage,
  payloadName: string,
  budget: TurnBudget,
  what: string,
): Value {
  try {
    return expression.evaluate((name) => {
      if (name === 'payload' || name === payloadName) return message.payload;
      if (name === 'header') return message.headers;
      if (name === 'event') return message.event;
      return undefined;
    }, budget);
  } catch (cause) {
    throw new EngineError(
      'SUTRA.INBOUND.EXPRESSION_FAILED',
      `The ${what} \`${expression.text}\` failed over this message: ${cause instanceof Error ? cause.message : 'unknown'}`,
      { cause },
    );
  }
}

/** @throws EngineError SUTRA.INBOUND.DEDUP_KEY_INVALID, SUTRA.INBOUND.EXPRESSION_FAILED */
export function dedupKeyOf(
  channel: ChannelDefinition,
  start: SourceDefinition | null,
  message: InboundMessage,
  budget: TurnBudget,
): string | null {
  const expression = start?.dedupKey ?? channel.dedupKey;
  if (expression !== null) {
    const value = evaluateOverMessage(
      expression,
      message,
      start?.variable ?? 'payload',
      budget,
      `dedup key of channel ${channel.name}`,
    );
    if (value === null) {
      throw invalid(
        `The dedup key \`${expression.text}\` of channel ${channel.name} is null for this message.`,
      );
    }
    return checkKey(textOf(value, channel.name), `The dedup key \`${expression.text}\``);
  }
  const header = idempotencyKeyOf(message.headers['idempotency-key']);
  if (header !== null) return header;
  const { source, id } = message.event;
  if (typeof id === 'string') {
    return checkKey(typeof source === 'string' ? `${source} ${id}` : id, "The CloudEvent's source and id");
  }
  return null;
}

/** The message with what its turn's history says of its key. */
export function withKey(
  message: InboundMessage,
  text: string | null,
  expression: CompiledExpression | null = null,
): InboundMessage {
  return { ...message, dedupKey: text === null ? null : { text, expression } };
}

/** The key of an `Idempotency-Key` header. @throws EngineError SUTRA.INBOUND.DEDUP_KEY_INVALID */
export function idempotencyKeyOf(header: string | undefined): string | null {
  return header === undefined ? null : checkKey(header, 'The Idempotency-Key header');
}

function textOf(value: Value, channel: string): string {
  const text = keyText(value);
  if (text !== null) return text;
  throw invalid(`The dedup key of channel ${channel} must be text, a number or a boolean.`);
}

function checkKey(key: string, what: string): string {
  if (key.length === 0 || key.trim() === '') throw invalid(`${what} is blank.`);
  if (key.length > maxKeyLength) {
    throw invalid(
      `${what} has ${String(key.length)} characters; at most ${String(maxKeyLength)} are allowed.`,
    );
  }
  if (key.includes('\u0000') || !key.isWellFormed()) {
    throw invalid(`${what} contains a NUL character or half of a surrogate pair.`);
  }
  return key;
}

function invalid(message: string): EngineError {
  return new EngineError('SUTRA.INBOUND.DEDUP_KEY_INVALID', message);
}
