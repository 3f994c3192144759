/**
 * The one place that decides how PostgreSQL values look in JavaScript, for both databases.
 *
 * V1 Results: `bigint` is a number (beyond 2^53 the statement rejects), `timestamptz` a `Date`, `bytea` a
 *    `Buffer`, `json` and `jsonb` parsed, `date`, `timestamp`, `interval` and `numeric` the server's text, and
 *    arrays hold elements of these.
 * V2 Parameters: string, number, bigint, boolean, null, `Date`, `Uint8Array`, and arrays of these. A `json` or
 *    `jsonb` parameter is JSON text: an object or a nested array is refused, because an array could mean
 *    either a PostgreSQL array or a JSON one. `undefined` is refused: it is a forgotten value, not a null.
 */
import pg from 'pg';
import { arrayTypesOf, encodeArray } from './array-parameters.ts';
import type { Statement } from './database.ts';

type Parse = (text: string) => unknown;

const oid = {
  json: 114,
  jsonb: 3802,
  bytea: 17,
  int8: 20,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  interval: 1186,
} as const;

/** Array types by the element's parser; those missing here are read as arrays of text. */
const arrayOid = {
  bool: 1000,
  bytea: 1001,
  int2: 1005,
  int4: 1007,
  text: 1009,
  int8: 1016,
  float4: 1021,
  float8: 1022,
  timestamp: 1115,
  timestamptz: 1185,
  date: 1182,
  interval: 1187,
  numeric: 1231,
  json: 199,
  jsonb: 3807,
} as const;

/** The driver's own; its parser of text[] gives strings and nulls, nested as the array was. */
const driverParser = (dataType: number): Parse => pg.types.getTypeParser(dataType, 'text') as Parse;

const asText: Parse = (text) => text;
const asJson: Parse = (text) => JSON.parse(text);

function asInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`bigint ${text} is beyond the exact range of a number (2^53 - 1)`);
  }
  return value;
}

function asInstant(text: string): Date {
  const value: unknown = driverParser(oid.timestamptz)(text);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value;
  throw new RangeError(`timestamptz ${text} is not an instant that a Date can hold`);
}

function asBytes(text: string): Buffer {
  // `bytea_output` is set to hex for every session.
  return Buffer.from(text.slice(2), 'hex');
}

/** Reads the text form of an array, nested or not, its elements by `parse`. */
function asArrayOf(parse: Parse): Parse {
  const convert = (element: unknown): unknown => {
    if (Array.isArray(element)) return element.map(convert);
    return typeof element === 'string' ? parse(element) : null;
  };
  return (text) => convert(driverParser(arrayOid.text)(text));
}

const parsers = new Map<number, Parse>([
  [oid.int8, asInteger],
  [oid.timestamptz, asInstant],
  [oid.bytea, asBytes],
  [oid.json, asJson],
  [oid.jsonb, asJson],
  [oid.date, asText],
  [oid.timestamp, asText],
  [oid.interval, asText],
  [arrayOid.bool, asArrayOf((text) => text === 't')],
  [arrayOid.int2, asArrayOf(Number)],
  [arrayOid.int4, asArrayOf(Number)],
  [arrayOid.int8, asArrayOf(asInteger)],
  [arrayOid.float4, asArrayOf(Number)],
  [arrayOid.float8, asArrayOf(Number)],
  [arrayOid.bytea, asArrayOf(asBytes)],
  [arrayOid.timestamptz, asArrayOf(asInstant)],
  [arrayOid.json, asArrayOf(asJson)],
  [arrayOid.jsonb, asArrayOf(asJson)],
  [arrayOid.date, asArrayOf(asText)],
  [arrayOid.timestamp, asArrayOf(asText)],
  [arrayOid.interval, asArrayOf(asText)],
  [arrayOid.numeric, asArrayOf(asText)],
]);

/** The driver's `types` option. */
export const resultTypes = {
  getTypeParser(dataType: number, format?: string): Parse {
    const parse = format === 'binary' ? undefined : parsers.get(dataType);
    return parse ?? driverParser(dataType);
  },
};

/**
 * What every session of either database is set to: what the text form of results depends on, and how
 * statements are planned.
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'iso_8601',
  bytea_output: 'hex',
  extra_float_digits: '1',
  search_path: 'public',
  // A queue table is empty one moment and full the next. The plan of a prepared statement that is made while
  // the table is empty reads it whole, which is cheap then, and is kept until the next ANALYZE, whatever the
  // table holds meanwhile. Every hot statement has an index made for it; what has none (a few small tables)
  // is still read whole, because there is no other way. For such a planner, to read another index from end to
  // end is as good: what the setting cannot prevent, the statements do (test/store/empty-table-plans.test.ts).
  enable_seqscan: 'off',
  // A statement for one row or two looks cheaper to the planner when it knows the values, so it would plan each of them
  // anew, which takes longer than to run it. All hot statements are written for any values.
  plan_cache_mode: 'force_generic_plan',
};

function refuse(name: string, position: number, what: string): never {
  throw new TypeError(`parameter $${position + 1} of ${name} is ${what}`);
}

function instantText(value: Date, name: string, position: number): string {
  if (Number.isNaN(value.getTime())) refuse(name, position, 'an invalid Date');
  return value.toISOString();
}

function prepareElement(value: unknown, name: string, position: number): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date) return instantText(value, name, position);
  if (value === undefined) refuse(name, position, 'undefined');
  return refuse(
    name,
    position,
    `of a type that is not bound as it is (${typeof value}); pass JSON as its text`,
  );
}

/**
 * Checks the values of a statement and turns them into what the driver binds the same way everywhere.
 * @throws TypeError for a value that V2 refuses.
 */
export function prepareValues(statement: Statement, values: readonly unknown[]): unknown[] {
  const types = arrayTypesOf(statement);
  const { name } = statement;
  return values.map((value, position) => {
    if (!Array.isArray(value)) return prepareElement(value, name, position);
    const type = types.get(position);
    const encoded = type === undefined ? null : encodeArray(type, value);
    return encoded ?? value.map((element: unknown) => prepareElement(element, name, position));
  });
}
