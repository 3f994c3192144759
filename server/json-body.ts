/** JSON bodies: the content type, the exact parse, and strict reading of an object's fields. */
import type { IncomingHttpHeaders } from 'node:http';
import { EngineError } from '../config/engine-error.ts';
import { parseExactJson } from '../definitions/exact-json.ts';
import { isFeelNumber } from '../definitions/feel/number.ts';
import type { Exchange } from './exchange.ts';
import { hasBody } from './read-body.ts';

/** The media type in lower case, without parameters; null when the header is missing or not one. */
export function mediaTypeOf(contentType: string | undefined): string | null {
  const match = /^\s*([!#$%&'*+\-.^_`|~0-9A-Za-z]+\/[!#$%&'*+\-.^_`|~0-9A-Za-z]+)\s*(?:;|$)/.exec(
    contentType ?? '',
  );
  return match?.[1]?.toLowerCase() ?? null;
}

function isJson(mediaType: string): boolean {
  return mediaType === 'application/json' || /^[^/]+\/[^/]+\+json$/.test(mediaType);
}

export function contentTypeRefusal(contentType: string | undefined, wanted: string): EngineError {
  const given = contentType === undefined ? 'no content type' : JSON.stringify(contentType.slice(0, 100));
  return new EngineError('SUTRA.HTTP.CONTENT_TYPE_UNSUPPORTED', `got ${given}; send ${wanted}`);
}

/** @throws EngineError SUTRA.HTTP.CONTENT_TYPE_UNSUPPORTED unless it is JSON in UTF-8. */
function checkJsonType(headers: IncomingHttpHeaders): void {
  const contentType = headers['content-type'];
  if (contentType === 'application/json') return;
  const mediaType = mediaTypeOf(contentType);
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)"?/i.exec(contentType ?? '')?.[1]?.toLowerCase();
  const isUtf8 = charset === undefined || charset === 'utf-8' || charset === 'utf8';
  if (mediaType === null || !isJson(mediaType) || !isUtf8) {
    throw contentTypeRefusal(contentType, 'application/json in UTF-8');
  }
}

/** `undefined` for an empty body. @throws EngineError SUTRA.HTTP.*, SUTRA.CODEC.* */
export async function readJsonBody(exchange: Exchange, maxBytes: number): Promise<unknown> {
  const { headers } = exchange.request;
  if (!hasBody(exchange.request) && headers['content-type'] === undefined) return undefined;
  checkJsonType(headers);
  const bytes = await exchange.readBody(maxBytes);
  if (bytes.byteLength === 0) return undefined;
  const parsed = parseExactJson(bytes);
  if (!parsed.ok) throw new EngineError(parsed.code, `the body cannot be taken as JSON: ${parsed.message}`);
  return parsed.value;
}

export function bodyRequired(): EngineError {
  return new EngineError('SUTRA.HTTP.BODY_REQUIRED', 'this route needs a JSON object as its body');
}

function fieldInvalid(field: string, reason: string): EngineError {
  return new EngineError('SUTRA.HTTP.FIELD_INVALID', `${field} ${reason}`, { attributes: { field } });
}

/** Reads an object's fields, each exactly once declared; anything else in it is refused. */
export class FieldReader {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #path: string;

  /** @throws EngineError SUTRA.HTTP.FIELD_UNKNOWN, SUTRA.HTTP.FIELD_INVALID. `path` names the object in messages. */
  constructor(value: unknown, known: readonly string[], path = '') {
    if (!isObject(value)) throw fieldInvalid(path === '' ? 'the body' : path, 'must be a JSON object');
    this.#fields = value;
    this.#path = path;
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      const field = this.#name(name.slice(0, 100));
      throw new EngineError(
        'SUTRA.HTTP.FIELD_UNKNOWN',
        `field ${JSON.stringify(field)} is unknown; known are ${known.join(', ')}`,
        { attributes: { field } },
      );
    }
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name);
  }

  /** The own field, or undefined. */
  raw(name: string): unknown {
    return this.has(name) ? this.#fields[name] : undefined;
  }

  text(name: string, maxCharacters: number): string {
    const value = this.raw(name);
    if (typeof value !== 'string') throw fieldInvalid(this.#name(name), 'must be a string');
    if (value.trim() === '') throw fieldInvalid(this.#name(name), 'must not be blank');
    if (value.length > maxCharacters) {
      throw fieldInvalid(
        this.#name(name),
        `has ${String(value.length)} characters; at most ${String(maxCharacters)} are taken`,
      );
    }
    return value;
  }

  optionalText(name: string, maxCharacters: number): string | null {
    return this.has(name) ? this.text(name, maxCharacters) : null;
  }

  object(name: string): Readonly<Record<string, unknown>> {
    const value = this.raw(name);
    if (!isObject(value)) throw fieldInvalid(this.#name(name), 'must be a JSON object');
    return value;
  }

  list(name: string): readonly unknown[] {
    const value = this.raw(name);
    if (!Array.isArray(value)) throw fieldInvalid(this.#name(name), 'must be an array');
    return value;
  }

  refuse(name: string, reason: string): EngineError {
    return fieldInvalid(this.#name(name), reason);
  }

  #name(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isFeelNumber(value);
}
