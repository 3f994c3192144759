/** Query parameters as data: declared once, checked strictly, typed for the handler, shown in OpenAPI. */
import { EngineError } from '../config/engine-error.ts';
import { MAX_CURSOR_CHARACTERS } from '../engine/store/operate-list.ts';

/** A JSON Schema 2020-12 document, as OpenAPI 3.1 uses it. */
export type Schema = Readonly<Record<string, unknown>>;

interface Described {
  readonly description: string;
}

export type QueryParameter = Described &
  /** `isRequired`: the request is refused without it. `max`: characters. Default: 1,000. */
  (
    | { readonly kind: 'text'; readonly isRequired?: true; readonly max?: number }
    | { readonly kind: 'uuid' }
    | { readonly kind: 'instant' }
    | { readonly kind: 'flag' }
    | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly initial: number }
    | { readonly kind: 'choice'; readonly values: readonly string[] }
  );

export type QueryParameters = Readonly<Record<string, QueryParameter>>;

type ParameterValue<P> = P extends { readonly kind: 'integer' }
  ? number
  : P extends { readonly kind: 'text'; readonly isRequired: true }
    ? string
    : P extends { readonly kind: 'flag' }
      ? boolean | null
      : P extends { readonly kind: 'instant' }
        ? Date | null
        : string | null;

/** Null: not given. An integer that is not given has its documented initial value. */
export type QueryValues<Q extends QueryParameters> = { readonly [K in keyof Q]: ParameterValue<Q[K]> };

const MAX_TEXT_CHARACTERS = 1_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

function refuse(name: string, reason: string): EngineError {
  return new EngineError('SUTRA.HTTP.QUERY_INVALID', `query parameter ${JSON.stringify(name)} ${reason}`, {
    attributes: { parameter: name },
  });
}

/** @throws EngineError SUTRA.HTTP.QUERY_INVALID for an unknown, repeated or invalid parameter. */
export function parseQuery<Q extends QueryParameters>(parameters: Q, given: URLSearchParams): QueryValues<Q> {
  const values: Record<string, unknown> = {};
  for (const name of given.keys()) {
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters);
      const hint = known.length === 0 ? 'this route takes none' : `known are ${known.join(', ')}`;
      throw refuse(name.slice(0, 100), `is unknown; ${hint}`);
    }
    if (given.getAll(name).length > 1) throw refuse(name, 'is given more than once');
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    const text = given.get(name);
    values[name] = text === null ? initialValue(name, parameter) : parseValue(name, parameter, text);
  }
  return values as QueryValues<Q>;
}

function initialValue(name: string, parameter: QueryParameter): number | null {
  if (isRequired(parameter)) throw refuse(name, 'is missing');
  return parameter.kind === 'integer' ? parameter.initial : null;
}

function parseValue(name: string, parameter: QueryParameter, text: string): unknown {
  const shown = JSON.stringify(text.slice(0, 100));
  if (text === '') throw refuse(name, 'is empty; leave it out instead');
  const max = maxCharacters(parameter);
  if (text.length > max) throw refuse(name, `is longer than ${String(max)} characters`);
  // PostgreSQL has no text with this character, so nothing stored can match it.
  if (text.includes('\u0000')) throw refuse(name, 'contains the character U+0000');
  switch (parameter.kind) {
    case 'text':
      return text;
    case 'uuid':
      if (!isUuid(text)) throw refuse(name, `is ${shown}, which is not a UUID`);
      return text.toLowerCase();
    case 'flag':
      if (text !== 'true' && text !== 'false') throw refuse(name, `is ${shown}; use true or false`);
      return text === 'true';
    case 'integer':
      return parseInteger(name, parameter, text, shown);
    case 'choice':
      if (!parameter.values.includes(text))
        throw refuse(name, `is ${shown}; use ${parameter.values.join(', ')}`);
      return text;
    case 'instant':
      return parseInstant(name, text, shown);
  }
}

function parseInteger(
  name: string,
  bounds: { readonly min: number; readonly max: number },
  text: string,
  shown: string,
): number {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= bounds.min && value <= bounds.max)) {
    throw refuse(name, `is ${shown}; use an integer from ${String(bounds.min)} to ${String(bounds.max)}`);
  }
  return value;
}

function parseInstant(name: string, text: string, shown: string): Date {
  const date = INSTANT.exec(text)?.[1];
  const value = new Date(text);
  // JavaScript turns 30 February into 1 March; the date alone must survive the round trip.
  const midnight = new Date(`${date ?? ''}T00:00:00Z`);
  const isReal =
    date !== undefined && !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
  if (!isReal || Number.isNaN(value.getTime())) {
    throw refuse(name, `is ${shown}; use an instant with an offset, such as 2026-03-01T10:00:00Z`);
  }
  return value;
}

export function isRequired(parameter: QueryParameter): boolean {
  return parameter.kind === 'text' && parameter.isRequired === true;
}

function maxCharacters(parameter: QueryParameter): number {
  return (parameter.kind === 'text' ? parameter.max : undefined) ?? MAX_TEXT_CHARACTERS;
}

export function schemaOf(parameter: QueryParameter): Schema {
  switch (parameter.kind) {
    case 'text':
      return { type: 'string', minLength: 1, maxLength: maxCharacters(parameter) };
    case 'uuid':
      return { type: 'string', format: 'uuid' };
    case 'instant':
      return { type: 'string', format: 'date-time' };
    case 'flag':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer', minimum: parameter.min, maximum: parameter.max, default: parameter.initial };
    case 'choice':
      return { type: 'string', enum: parameter.values };
  }
}

/** Paging of every list: newest or oldest first as the list says, a page at a time. */
export const pagingParameters = {
  limit: { kind: 'integer', min: 1, max: 200, initial: 50, description: 'How many rows a page has at most.' },
  cursor: { kind: 'text', max: MAX_CURSOR_CHARACTERS, description: '`nextCursor` of the page before.' },
} as const satisfies QueryParameters;
