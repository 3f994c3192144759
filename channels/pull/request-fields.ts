/**
 * Strict reading of a request of the pull surface: the one parser between `unknown` and typed values.
 *
 * R1 An unknown field is refused, a wrongly typed one too; nothing is defaulted for being wrong, `null`
 *    included (leave the field out instead).
 * R2 A value over its ceiling is refused with field, value and limit; nothing is lowered.
 * R3 Text that PostgreSQL cannot keep exactly (NUL, half surrogate pairs) is refused.
 * R4 No message repeats a lock token.
 */
import { EngineError } from '../../config/engine-error.ts';
import { formatDuration, parseDuration } from '../../config/iso8601.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { PullCode } from './codes.ts';

export const MAX_ID_LENGTH = 255;

export function invalidRequest(
  field: string,
  message: string,
  attributes: Record<string, unknown> = {},
): EngineError {
  const code: PullCode = 'SUTRA.EXTERNAL_TASK.REQUEST_INVALID';
  return new EngineError(code, message, { attributes: { field, ...attributes } });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id in lower case, as the database writes it. */
export function readTaskId(text: string): string {
  const id = text.toLowerCase();
  if (!UUID.test(id)) {
    throw invalidRequest('id', `the task id ${quoteText(text)} is not a UUID`);
  }
  return id;
}

/** The id that `value` gives itself, whatever else is wrong with it; null: none. */
export function ownTaskId(value: unknown): string | null {
  const id = isObject(value) && Object.hasOwn(value, 'id') ? value['id'] : null;
  return typeof id === 'string' && UUID.test(id.toLowerCase()) ? id.toLowerCase() : null;
}

export interface DurationRule {
  readonly minMs: number;
  readonly maxMs: number;
  /** The key that sets `maxMs`. */
  readonly maxKey: string;
}

export interface IntegerRule {
  readonly min: number;
  readonly max: number;
  /** The key that sets `max`. */
  readonly maxKey: string;
}

export class RequestFields {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #prefix: string;

  /**
   * @param subject what `value` is, in messages
   * @param prefix stands before the names of fields in messages: where `value` is in the request
   * @throws EngineError when `value` is not an object or has a field that is not in `known`.
   */
  constructor(value: unknown, known: readonly string[], subject = 'body', prefix = '') {
    if (!isObject(value)) {
      throw invalidRequest(subject, `the ${subject} is ${kindOf(value)}, not a JSON object`);
    }
    this.#fields = value;
    this.#prefix = prefix;
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) {
        throw invalidRequest(
          prefix + name.slice(0, 100),
          `field ${quoteText(prefix + name)} is unknown; this operation takes ${known.join(', ')}`,
        );
      }
    }
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name);
  }

  /** The value as it came; undefined when absent. */
  raw(name: string): unknown {
    return this.has(name) ? this.#fields[name] : undefined;
  }

  /** A required string, any content. For diagnostics, which are cleaned rather than refused. */
  anyText(name: string): string {
    const value = this.raw(name);
    const place = this.#prefix + name;
    if (value === undefined) {
      throw invalidRequest(place, `${place} is required`);
    }
    if (typeof value !== 'string') {
      throw wrongType(place, value, 'a string');
    }
    return value;
  }

  /** A required string of 1 to `maxLength` characters that is not blank. */
  text(name: string, maxLength: number): string {
    const value = this.anyText(name);
    checkText(this.#prefix + name, value, maxLength);
    return value;
  }

  optionalText(name: string, maxLength: number): string | null {
    return this.has(name) ? this.text(name, maxLength) : null;
  }

  /** As `text`, without the white space around it. */
  trimmedText(name: string, maxLength: number): string {
    const value = this.anyText(name).trim();
    checkText(this.#prefix + name, value, maxLength);
    return value;
  }

  /** A required object, with whatever keys. */
  object(name: string): Readonly<Record<string, unknown>> {
    const value = this.raw(name);
    if (value === undefined) {
      throw invalidRequest(name, `${name} is required`);
    }
    if (!isObject(value)) {
      throw wrongType(name, value, 'an object');
    }
    return value;
  }

  /** A required array of 1 to `maxCount` values of any kind. `maxKey` is the key that sets `maxCount`, if one does. */
  list(name: string, maxCount: number, kind: string, maxKey: string | null = null): readonly unknown[] {
    const value = this.raw(name);
    if (value === undefined) {
      throw invalidRequest(name, `${name} is required`);
    }
    if (!Array.isArray(value)) {
      throw wrongType(name, value, `an array of ${kind}`);
    }
    if (value.length === 0 || value.length > maxCount) {
      const why = maxKey === null ? '' : `, as ${maxKey} says`;
      throw invalidRequest(
        name,
        `${name} has ${value.length} entries; from 1 to ${maxCount} are taken${why}`,
        { value: value.length, limit: maxCount },
      );
    }
    return value;
  }

  integer(name: string, rule: IntegerRule): number | null {
    if (!this.has(name)) {
      return null;
    }
    const value = this.raw(name);
    const place = this.#prefix + name;
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      throw wrongType(place, value, 'a whole number');
    }
    if (value > rule.max) {
      throw invalidRequest(place, `${place} ${value} exceeds ${rule.maxKey}, which is ${rule.max}`, {
        value,
        limit: rule.max,
      });
    }
    if (value < rule.min) {
      throw invalidRequest(place, `${place} ${value} is less than ${rule.min}`, { value, limit: rule.min });
    }
    return value;
  }

  /** In milliseconds. */
  duration(name: string, rule: DurationRule): number | null {
    if (!this.has(name)) {
      return null;
    }
    const value = this.raw(name);
    const place = this.#prefix + name;
    if (typeof value !== 'string') {
      throw wrongType(place, value, 'an ISO-8601 duration as a string');
    }
    const parsed = parseDuration(value);
    if (!parsed.ok) {
      throw invalidRequest(place, `${place}: ${parsed.message}`);
    }
    if (parsed.ms > rule.maxMs) {
      const limit = formatDuration(rule.maxMs);
      throw invalidRequest(place, `${place} ${value} exceeds ${rule.maxKey}, which is ${limit}`, {
        value,
        limit,
      });
    }
    if (parsed.ms < rule.minMs) {
      const limit = formatDuration(rule.minMs);
      throw invalidRequest(place, `${place} ${value} is shorter than ${limit}`, { value, limit });
    }
    return parsed.ms;
  }
}

/** @throws EngineError unless `value` has 1 to `maxLength` characters that can be stored, and is not blank. */
export function checkText(name: string, value: string, maxLength: number): void {
  if (value.trim() === '') {
    throw invalidRequest(name, `${name} must not be blank`);
  }
  if (value.length > maxLength) {
    throw invalidRequest(name, `${name} has ${value.length} characters; at most ${maxLength} are taken`, {
      value: value.length,
      limit: maxLength,
    });
  }
  if (value.includes('\u0000') || !value.isWellFormed()) {
    throw invalidRequest(name, `${name} has a NUL or half of a surrogate pair, which cannot be stored`);
  }
}

export function wrongType(name: string, value: unknown, wanted: string): EngineError {
  return invalidRequest(name, `${name} is ${kindOf(value)}, not ${wanted}`);
}

function kindOf(value: unknown): string {
  if (value === undefined) {
    return 'missing';
  }
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return 'an array';
  }
  if (typeof value === 'number') {
    return `the number ${value}`;
  }
  if (isObject(value)) return 'an object';
  return typeof value === 'object' ? 'a long number' : `a ${typeof value}`;
}

/** What else has a prototype is a number that no JS number holds: whoever reads requests makes nothing else. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
