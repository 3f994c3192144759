/** What the JSON Schemas of the routes are put together from. */
import type { Schema } from './query-parameters.ts';

export const text: Schema = { type: 'string' };
export const name: Schema = { type: 'string', minLength: 1, maxLength: 255 };
export const count: Schema = { type: 'integer', minimum: 0 };
export const flag: Schema = { type: 'boolean' };
export const uuid: Schema = { type: 'string', format: 'uuid' };
export const instant: Schema = { type: 'string', format: 'date-time' };
export const duration: Schema = {
  type: 'string',
  format: 'duration',
  description: 'ISO-8601, weeks to seconds.',
};
export const anyJson: Schema = { description: 'Any JSON value.' };
export const stringMap: Schema = { type: 'object', additionalProperties: text };

export function oneOf(values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** A closed object. Names that end in `?` are optional. */
export function object(properties: Readonly<Record<string, Schema>>, description?: string): Schema {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(entries.map(([key, schema]) => [key.replace(/\?$/, ''), schema])),
    required: entries.map(([key]) => key).filter((key) => !key.endsWith('?')),
    additionalProperties: false,
  };
}
