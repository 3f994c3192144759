/**
 * Strict reading of the JSON bodies of the facade.
 *
 * B1 As there, an unknown field is refused, and an optional field may be null, which is as if it were left out.
 * B2 A 64-bit number may come as a text of digits: that is how clients with their own checks on send it.
 * B3 Nothing is defaulted for being wrong; nothing is lowered to a bound.
 */
import { EngineError } from '../../../../config/engine-error.ts';
import { quoteText } from '../../../../config/quote-text.ts';
import { parseExactJson } from '../../../../definitions/exact-json.ts';
import { isFeelNumber } from '../../../../definitions/feel/number.ts';
import type { Context } from '../../../../definitions/value.ts';
import { bodyFormOf } from '../../media-type.ts';
import type { CompatCode } from '../codes.ts';
import type { SurfaceRequest } from '../surface.ts';

/** Far above any type, name or key; a body's variables are bounded by the body. */
const MAX_TEXT = 4_000;

export function invalidRequest(field: string, message: string): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.REQUEST_INVALID';
  return new EngineError(code, message, { attributes: { field } });
}

/** `undefined`: there is none. @throws SUTRA.COMPAT.MEDIA_TYPE, SUTRA.COMPAT.REQUEST_INVALID, SUTRA.HTTP.BODY_TOO_LARGE */
async function readJson(request: SurfaceRequest): Promise<unknown> {
  const bytes = await request.readBody();
  if (bytes.byteLength === 0) return undefined;
  const contentType = request.headers['content-type'];
  if (contentType === undefined || bodyFormOf(contentType) !== 'json') {
    const code: CompatCode = 'SUTRA.COMPAT.MEDIA_TYPE';
    const given = contentType === undefined ? 'no content type' : quoteText(contentType);
    throw new EngineError(code, `The body comes with ${given}; send application/json in UTF-8.`);
  }
  const parsed = parseExactJson(bytes);
  if (!parsed.ok) throw invalidRequest('body', `The body cannot be taken as JSON: ${parsed.message}.`);
  return parsed.value;
}

/** @param known the fields that there are; any other is refused */
export async function readBody(request: SurfaceRequest, known: readonly string[]): Promise<RequestBody> {
  const value = await readJson(request);
  if (value === undefined) throw invalidRequest('body', 'This request needs a JSON object as its body.');
  return new RequestBody(value, known);
}

/** As `readBody`; without a body it is an empty object. */
export async function readOptionalBody(
  request: SurfaceRequest,
  known: readonly string[],
): Promise<RequestBody> {
  return new RequestBody((await readJson(request)) ?? {}, known);
}

export class RequestBody {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #at: string;

  constructor(value: unknown, known: readonly string[], at = '') {
    if (!isObject(value))
      throw invalidRequest(at === '' ? 'body' : at, `${at || 'The body'} must be a JSON object.`);
    this.#fields = value;
    this.#at = at;
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      throw invalidRequest(
        this.#name(name.slice(0, 100)),
        `Request property [${this.#name(name.slice(0, 100))}] is unknown; known are ${known.join(', ')}.`,
      );
    }
  }

  /** Null: absent, or null. */
  raw(name: string): unknown {
    return (Object.hasOwn(this.#fields, name) ? this.#fields[name] : null) ?? null;
  }

  has(name: string): boolean {
    return this.raw(name) !== null;
  }

  optionalText(name: string): string | null {
    const value = this.raw(name);
    if (value === null) return null;
    if (typeof value !== 'string') throw this.#wrong(name, 'must be a string');
    if (value.length > MAX_TEXT) {
      throw this.#wrong(name, `has ${value.length} characters; at most ${MAX_TEXT} are taken`);
    }
    return value;
  }

  /** Not blank. */
  text(name: string): string {
    const value = this.optionalText(name);
    if (value === null || value.trim() === '') throw this.#wrong(name, 'is required and must not be blank');
    return value;
  }

  /** Diagnostics, which are kept as far as there is room. */
  optionalLongText(name: string): string | null {
    const value = this.raw(name);
    if (value === null || typeof value === 'string') return value;
    throw this.#wrong(name, 'must be a string');
  }

  optionalTexts(name: string, maxCount: number): readonly string[] | null {
    const value = this.raw(name);
    if (value === null) return null;
    if (!Array.isArray(value)) throw this.#wrong(name, 'must be an array of strings');
    if (value.length > maxCount) {
      throw this.#wrong(name, `has ${value.length} entries; at most ${maxCount} are taken`);
    }
    return value.map((entry: unknown) => {
      if (typeof entry !== 'string') throw this.#wrong(name, 'must be an array of strings');
      return entry;
    });
  }

  optionalBoolean(name: string): boolean | null {
    const value = this.raw(name);
    if (value === null || typeof value === 'boolean') return value;
    throw this.#wrong(name, 'must be true or false');
  }

  /** A whole number that a JS number holds. */
  optionalInteger(name: string): number | null {
    const value = this.raw(name);
    if (value === null) return null;
    const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
      throw this.#wrong(name, 'must be a whole number');
    }
    return number;
  }

  /** A mark of the caller's own. Null: absent. */
  optionalReference(name: string): number | null {
    const value = this.optionalInteger(name);
    if (value === null || value > 0) return value;
    throw this.#wrong(name, `is ${value}, but must be greater than 0`);
  }

  integer(name: string): number {
    const value = this.optionalInteger(name);
    if (value === null) throw this.#wrong(name, 'is required');
    return value;
  }

  /** Empty: absent. What the exact reader of JSON accepts is a context of plain values. */
  variables(name = 'variables'): Context {
    const value = this.raw(name);
    if (value === null) return {};
    if (!isObject(value)) throw this.#wrong(name, 'must be a JSON object');
    return value as Context;
  }

  /** An object of which `known` is all that it may have. */
  object(name: string, known: readonly string[]): RequestBody {
    return new RequestBody(this.raw(name), known, this.#name(name));
  }

  /** Takes what says nothing (absent, null, an empty list or object); @throws for anything else. */
  refuseUnlessEmpty(name: string, why: string): void {
    const value = this.raw(name);
    if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return;
    throw this.#wrong(name, why);
  }

  refusal(name: string, why: string): EngineError {
    return this.#wrong(name, why);
  }

  #wrong(name: string, why: string): EngineError {
    return invalidRequest(this.#name(name), `${this.#name(name)} ${why}.`);
  }

  #name(name: string): string {
    return this.#at === '' ? name : `${this.#at}.${name}`;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isFeelNumber(value);
}
