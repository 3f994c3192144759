/** Bodies on the wire: JSON values, texts and bytes, in and out. */
import { NonRetryableError, messageOf } from './errors.ts';

/** A result with a content type of its own. */
export class TaskResult {
  /** Bytes go as they are; a text goes as text; anything else as JSON. */
  readonly body: unknown;
  readonly contentType: string;

  /**
   * @param body a `Uint8Array` is sent as these bytes, whatever the type (so JSON that is written already keeps all digits
   *   of its numbers); a string needs a text type, or is a JSON string under a JSON type.
   */
  constructor(body: unknown, contentType: string) {
    this.body = body;
    this.contentType = contentType;
  }
}

export type Stringify = (value: unknown) => string;

/**
 * The fields of a completion that carry `result`; none for undefined.
 * @param stringify null: the runtime's own.
 * @throws NonRetryableError when it cannot be written as JSON: the next attempt's would be no better.
 */
export function resultFields(
  result: unknown,
  stringify: Stringify | null,
): Readonly<Record<string, unknown>> {
  const { body, contentType } =
    result instanceof TaskResult ? result : { body: result, contentType: undefined };
  const type = contentType === undefined ? {} : { contentType };
  if (body === undefined) {
    if (contentType === undefined) return {};
    throw new NonRetryableError('the result has a content type and no body');
  }
  if (body instanceof Uint8Array) return { resultBase64: encodeBase64(body), ...type };
  if (typeof body === 'string' && contentType !== undefined && !isJsonType(contentType)) {
    return { result: body, contentType };
  }
  const text = writeJson(body, stringify ?? JSON.stringify);
  return stringify === null
    ? { result: body, ...type }
    : {
        resultBase64: encodeBase64(new TextEncoder().encode(text)),
        contentType: contentType ?? 'application/json',
      };
}

function writeJson(value: unknown, stringify: Stringify): string {
  let text: unknown;
  try {
    text = stringify(value);
  } catch (error) {
    throw new NonRetryableError(`the result cannot be written as JSON: ${messageOf(error)}`);
  }
  if (typeof text !== 'string') throw new NonRetryableError('the result cannot be written as JSON');
  return text;
}

function isJsonType(contentType: string): boolean {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  return type === 'application/json' || type.endsWith('+json');
}

/** Of so many bytes at a time: a call takes only some ten thousand arguments. */
const CHUNK_BYTES = 8_190;

export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    // A multiple of three bytes has no padding, so the pieces join.
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES)));
  }
  return text;
}

/** @throws when it is no base64. */
export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
