/**
 * Bytes to values and back, by the channel's codec or the content type.
 *
 * K1 A number is kept exactly or the payload is refused; text that PostgreSQL cannot store (NUL, lone
 *    surrogates) is refused. Nothing is repaired.
 */
import { EngineError } from '../../config/engine-error.ts';
import { parseExactJson } from '../../definitions/exact-json.ts';
import type { ChannelDefinition, Codec } from '../../definitions/package-model.ts';
import { toPlainJson } from '../../definitions/plain-json.ts';
import { isContext, type Context, type Value } from '../../definitions/value.ts';
import { yamlToJson } from './yaml-body.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** What of a channel says how its bodies are read. */
export type DecodedChannel = Pick<ChannelDefinition, 'name' | 'codec' | 'schemaName'>;

/** The media type without parameters, in lower case. */
export function mediaType(contentType: string | null): string | null {
  if (contentType === null) return null;
  const end = contentType.indexOf(';');
  const type = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  return type === '' ? null : type;
}

export function isJsonType(type: string | null): boolean {
  return type !== null && (type === 'application/json' || type.endsWith('+json'));
}

function codecOf(channel: DecodedChannel, contentType: string | null): Codec {
  if (channel.codec !== null) return channel.codec;
  if (channel.schemaName !== null) return 'json';
  const type = mediaType(contentType);
  if (type === null || isJsonType(type)) return 'json';
  if (type === 'application/yaml' || type === 'application/x-yaml' || type === 'text/yaml') return 'yaml';
  if (type.startsWith('text/')) return 'text';
  if (type === 'application/octet-stream') return 'bytes';
  throw new EngineError(
    'SUTRA.CODEC.CONTENT_TYPE_UNSUPPORTED',
    `Channel ${channel.name} has no codec for content type ${type}; send application/json, text/*, application/yaml or application/octet-stream, or set codec: in channels.yaml.`,
    { attributes: { channel: channel.name, contentType: type } },
  );
}

/** @throws EngineError SUTRA.CODEC.* when the body is not what the codec reads. */
export function decodeBody(channel: DecodedChannel, contentType: string | null, body: Uint8Array): Value {
  const codec = codecOf(channel, contentType);
  if (codec === 'bytes') return Buffer.from(body).toString('base64');
  if (codec === 'json') {
    // An empty body carries no payload: the message is the mere fact.
    if (body.length === 0) return null;
    return decodeJson(body, `the body on channel ${channel.name}`);
  }
  const text = decodeText(body, channel.name);
  if (codec === 'text') return text;
  if (codec === 'yaml') {
    return decodeJson(Buffer.from(yamlToJson(text, channel.name)), `the body on channel ${channel.name}`);
  }
  throw new EngineError(
    'SUTRA.CODEC.CONTENT_TYPE_UNSUPPORTED',
    `Codec ${codec} of channel ${channel.name} is not built in.`,
    { attributes: { channel: channel.name, codec } },
  );
}

/** Values for variables, by name. @throws EngineError SUTRA.CODEC.* when `json` is not the bytes of an object. */
export function decodeVariables(json: Uint8Array): Context {
  const value = decodeJson(json, 'the variables');
  if (isContext(value)) return value;
  throw new EngineError('SUTRA.CODEC.PAYLOAD_INVALID', 'The variables are no JSON object.');
}

function decodeJson(body: Uint8Array, what: string): Value {
  const parsed = parseExactJson(body);
  if (parsed.ok) return parsed.value as Value;
  throw new EngineError(parsed.code, `Cannot read ${what}: ${parsed.message}`);
}

function decodeText(body: Uint8Array, channel: string): string {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (cause) {
    throw new EngineError('SUTRA.CODEC.PAYLOAD_INVALID', `The body on channel ${channel} is not UTF-8.`, {
      cause,
    });
  }
  if (text.includes('\u0000')) {
    throw new EngineError(
      'SUTRA.CODEC.PAYLOAD_INVALID',
      `The body on channel ${channel} contains a NUL character.`,
    );
  }
  return text;
}

/** What a delivery carries for a value: JSON, or the text itself for a text type. */
export function encodeBody(
  contentType: string | null,
  value: Value,
): { contentType: string; body: Uint8Array } {
  const type = mediaType(contentType);
  if (type !== null && !isJsonType(type) && typeof value === 'string') {
    return {
      contentType: contentType ?? 'text/plain',
      body: type === 'application/octet-stream' ? Buffer.from(value, 'base64') : Buffer.from(value, 'utf8'),
    };
  }
  return { contentType: contentType ?? 'application/json', body: Buffer.from(toPlainJson(value), 'utf8') };
}
