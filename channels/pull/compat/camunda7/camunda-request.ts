/**
 * Requests and answers of the facade: strict reading of what clients of Camunda 7 send, and the one content type that all
 * of them read.
 *
 * Q1 `null` is as good as absent: clients in Java and Python write what they do not say as `null`.
 * Q2 What is unknown is refused by its name: a filter that is passed over answers another question.
 * Q3 The content type of an answer is exactly `application/json`: with a charset the JavaScript client reads no body.
 */
import { EngineError } from '../../../../config/engine-error.ts';
import { quoteText } from '../../../../config/quote-text.ts';
import { parseExactJson } from '../../../../definitions/exact-json.ts';
import type { CompatCode } from '../codes.ts';
import type { SurfaceAnswer, SurfaceRequest } from '../surface.ts';

export type WriteJson = (value: unknown) => string;

export function jsonAnswer(writeJson: WriteJson, value: unknown, status = 200): SurfaceAnswer {
  return { status, content: { type: 'application/json', bytes: Buffer.from(writeJson(value)) } };
}

export const noContent: SurfaceAnswer = { status: 204, content: null };

export function requestInvalid(field: string, reason: string): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.REQUEST_INVALID';
  return new EngineError(code, `${field} ${reason}`, { attributes: { field: field.slice(0, 100) } });
}

export function notFound(message: string): EngineError {
  const code: CompatCode = 'SUTRA.COMPAT.NOT_FOUND';
  return new EngineError(code, message);
}

/** Null for an empty body, and for the JSON text `null`. @throws EngineError SUTRA.COMPAT.MEDIA_TYPE, SUTRA.COMPAT.REQUEST_INVALID */
export async function readJson(request: SurfaceRequest): Promise<unknown> {
  const bytes = await request.readBody();
  if (bytes.length === 0) return null;
  const contentType = request.headers['content-type'] ?? '';
  if (!/^\s*application\/(?:json|[^;/\s]+\+json)\s*(?:;|$)/i.test(contentType)) {
    const code: CompatCode = 'SUTRA.COMPAT.MEDIA_TYPE';
    throw new EngineError(code, `the body is ${quoteText(contentType.slice(0, 100))}; send application/json`);
  }
  const parsed = parseExactJson(bytes);
  if (!parsed.ok) throw requestInvalid('the body', `cannot be taken as JSON: ${parsed.message}`);
  return parsed.value;
}

const UNSTORABLE = 'holds a NUL character or half of a surrogate pair';

/** Whether PostgreSQL can hold the text, or be asked for it. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** A whole number of a query parameter. */
export interface IntegerBounds {
  readonly min: number;
  readonly max: number;
}

/** The fields of a JSON object, or the parameters of a query, by one set of rules. */
export class CamundaFields {
  readonly #fields: ReadonlyMap<string, unknown>;
  readonly #place: string;

  /** `place` names the object in messages, such as `modifications.`; empty: the body. */
  constructor(value: unknown, known: readonly string[], place = '') {
    if (!isObject(value)) throw requestInvalid(place === '' ? 'the body' : place, 'must be a JSON object');
    this.#fields = new Map(Object.entries(value));
    this.#place = place;
    this.#refuseUnknown(known);
  }

  static ofQuery(query: URLSearchParams, known: readonly string[]): CamundaFields {
    const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const name of query.keys()) {
      const values = query.getAll(name);
      if (values.length > 1) throw requestInvalid(name, 'is given more than once');
      fields[name] = values[0];
    }
    return new CamundaFields({ ...fields }, known);
  }

  has(name: string): boolean {
    return this.raw(name) !== null;
  }

  raw(name: string): unknown {
    return this.#fields.get(name) ?? null;
  }

  /** Null: absent. Empty texts are refused: they are never what was meant. */
  text(name: string, maxLength = 4_000): string | null {
    const value = this.raw(name);
    if (value === null) return null;
    if (typeof value !== 'string') throw this.refuse(name, 'must be a string');
    if (value === '') throw this.refuse(name, 'is empty');
    if (value.length > maxLength) throw this.refuse(name, `has more than ${String(maxLength)} characters`);
    if (!isStorable(value)) throw this.refuse(name, UNSTORABLE);
    return value;
  }

  /** Of a body a boolean, of a query its text. */
  flag(name: string): boolean | null {
    const value = this.raw(name);
    if (value === null) return null;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw this.refuse(name, 'must be true or false');
  }

  integer(name: string, { min, max }: IntegerBounds): number | null {
    const value = this.raw(name);
    if (value === null) return null;
    const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number))
      throw this.refuse(name, 'must be a whole number');
    if (number < min || number > max) {
      throw this.refuse(name, `is ${String(number)}; from ${String(min)} to ${String(max)} is taken`);
    }
    return number;
  }

  /** Of a body an array of strings, of a query texts with commas between. */
  texts(name: string): readonly string[] | null {
    const value = this.raw(name);
    if (value === null) return null;
    const list: unknown = typeof value === 'string' ? value.split(',') : value;
    if (!Array.isArray(list) || !list.every((item): item is string => typeof item === 'string')) {
      throw this.refuse(name, 'must be a list of strings');
    }
    if (!list.every(isStorable)) throw this.refuse(name, UNSTORABLE);
    return list;
  }

  refuse(name: string, reason: string): EngineError {
    return requestInvalid(`${this.#place}${name}`, reason);
  }

  #refuseUnknown(known: readonly string[]): void {
    for (const name of this.#fields.keys()) {
      if (known.includes(name)) continue;
      throw requestInvalid(
        `${this.#place}${quoteText(name.slice(0, 100))}`,
        `is not supported here; these are: ${known.join(', ')}`,
      );
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
