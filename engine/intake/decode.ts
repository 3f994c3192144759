/**
 * From a delivery as it came in to a decoded message: CloudEvents, message type, headers.
 * Source: CloudEvents 1.0 HTTP protocol binding §3.1 (binary) and §3.2 (structured).
 */
import { EngineError } from '../../config/engine-error.ts';
import { isContext, ownProperty, type Context, type Value } from '../../definitions/value.ts';
import type { InboundMessage } from '../core/stimulus.ts';
import type { InboundDelivery } from '../transport.ts';
import { decodeBody, mediaType, type DecodedChannel } from './codec.ts';

/** Never given to a process, whoever sends them. */
const reservedHeaders: ReadonlySet<string> = new Set(['sutra-park-deployment', 'sutra-park-instance']);

const cloudEventType = 'application/cloudevents+json';

/** @throws EngineError SUTRA.CODEC.* */
export function decodeMessage(channel: DecodedChannel, delivery: InboundDelivery): InboundMessage {
  const headers = cleanHeaders(delivery.headers);
  if (mediaType(delivery.contentType) === cloudEventType) return decodeStructured(channel, delivery, headers);
  const payload = decodeBody(channel, delivery.contentType, delivery.body);
  const event: Record<string, Value> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('ce-')) event[name.slice(3)] = value;
  }
  return { payload, headers, event, messageType: headers['message-type'] ?? text(event['type']) };
}

function decodeStructured(
  channel: DecodedChannel,
  delivery: InboundDelivery,
  headers: Readonly<Record<string, string>>,
): InboundMessage {
  const envelope = decodeBody({ ...channel, codec: 'json' }, delivery.contentType, delivery.body);
  if (!isContext(envelope) || typeof ownProperty(envelope, 'type') !== 'string') {
    throw new EngineError(
      'SUTRA.CODEC.PAYLOAD_INVALID',
      `The body on channel ${channel.name} is no CloudEvent: it must be a JSON object with id, source, specversion and type.`,
    );
  }
  const {
    data,
    data_base64: base64,
    ...attributes
  } = envelope as Context & { data?: Value; data_base64?: Value };
  return {
    payload: data ?? base64 ?? null,
    headers,
    event: attributes,
    messageType: headers['message-type'] ?? text(ownProperty(envelope, 'type')),
  };
}

function cleanHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!reservedHeaders.has(name)) kept[name] = value;
  }
  return kept;
}

function text(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
