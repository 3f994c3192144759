/**
 * Arrays of parameters in PostgreSQL's binary form: a batch sends its rows as columns, and as text each element would be
 * quoted here and parsed there, bodies in hexadecimal. The form is that of `array_recv` in PostgreSQL: the number of
 * dimensions, whether there are nulls, the element's type, length and lower bound, then each element with its length.
 *
 * P1 An array that this module does not encode goes as text, which means the same; what is wrong with it, such as an id
 *    that is none, is the server's to say.
 */
import type { Statement } from './database.ts';

interface ElementType {
  readonly oid: number;
  /** The bytes that the element takes, or -1: it is not one that is encoded here. */
  readonly sizeOf: (value: unknown) => number;
  /** Writes an element of known size. */
  readonly write: (into: Buffer, offset: number, value: never) => void;
}

const UUID_DASHES: ReadonlySet<number> = new Set([8, 13, 18, 23]);
const JSONB_VERSION = 1;

const textType = (oid: number): ElementType => ({
  oid,
  sizeOf: (value) => (typeof value === 'string' ? Buffer.byteLength(value) : -1),
  write: (into, offset, value: string) => {
    into.write(value, offset);
  },
});

/** By the name in a statement's cast. */
const elementTypes: Readonly<Record<string, ElementType>> = {
  text: textType(25),
  uuid: {
    oid: 2950,
    sizeOf: (value) => (typeof value === 'string' && isUuid(value) ? 16 : -1),
    write: writeUuid,
  },
  integer: {
    oid: 23,
    sizeOf: (value) => (typeof value === 'number' && (value | 0) === value ? 4 : -1),
    write: (into, offset, value: number) => {
      into.writeInt32BE(value, offset);
    },
  },
  'double precision': {
    oid: 701,
    sizeOf: (value) => (typeof value === 'number' ? 8 : -1),
    write: (into, offset, value: number) => {
      into.writeDoubleBE(value, offset);
    },
  },
  boolean: {
    oid: 16,
    sizeOf: (value) => (typeof value === 'boolean' ? 1 : -1),
    write: (into, offset, value: boolean) => {
      into.writeUInt8(value ? 1 : 0, offset);
    },
  },
  jsonb: {
    oid: 3802,
    sizeOf: (value) => (typeof value === 'string' ? 1 + Buffer.byteLength(value) : -1),
    write: (into, offset, value: string) => {
      into.writeUInt8(JSONB_VERSION, offset);
      into.write(value, offset + 1);
    },
  },
  bytea: {
    oid: 17,
    sizeOf: (value) => (value instanceof Uint8Array ? value.byteLength : -1),
    write: (into, offset, value: Uint8Array) => {
      into.set(value, offset);
    },
  },
};

const ARRAY_CAST = /\$(\d+)::([a-z ]+)\[\]/g;

/** By statement: the types of its array parameters, by position. Statements are constants. */
const known = new WeakMap<Statement, ReadonlyMap<number, ElementType>>();

/** The types of the statement's array parameters that are encoded here, by position from 0. */
export function arrayTypesOf(statement: Statement): ReadonlyMap<number, ElementType> {
  const found = known.get(statement);
  if (found !== undefined) return found;
  const types = new Map<number, ElementType>();
  for (const [, number, name = ''] of statement.text.matchAll(ARRAY_CAST)) {
    if (Object.hasOwn(elementTypes, name)) types.set(Number(number) - 1, elementTypes[name] as ElementType);
  }
  known.set(statement, types);
  return types;
}

/** Null: an element is none of the type. */
export function encodeArray({ oid, sizeOf, write }: ElementType, values: readonly unknown[]): Buffer | null {
  const header = values.length === 0 ? 12 : 20;
  let size = header;
  let hasNulls = false;
  const sizes: number[] = [];
  for (const value of values) {
    const elementSize = value === null ? 0 : sizeOf(value);
    if (elementSize < 0) return null;
    if (value === null) hasNulls = true;
    sizes.push(elementSize);
    size += 4 + elementSize;
  }
  const bytes = Buffer.allocUnsafe(size);
  bytes.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(hasNulls ? 1 : 0, 4);
  bytes.writeInt32BE(oid, 8);
  if (values.length === 0) return bytes;
  bytes.writeInt32BE(values.length, 12);
  // SQL arrays begin at 1.
  bytes.writeInt32BE(1, 16);
  let offset = header;
  for (const [index, value] of values.entries()) {
    const elementSize = sizes[index] ?? 0;
    bytes.writeInt32BE(value === null ? -1 : elementSize, offset);
    offset += 4;
    if (value === null) continue;
    write(bytes, offset, value as never);
    offset += elementSize;
  }
  return bytes;
}

function isUuid(text: string): boolean {
  if (text.length !== 36) return false;
  for (let index = 0; index < 36; index += 1) {
    const isWanted = UUID_DASHES.has(index) ? text[index] === '-' : digitOf(text, index) >= 0;
    if (!isWanted) return false;
  }
  return true;
}

function writeUuid(into: Buffer, offset: number, text: string): void {
  let at = offset;
  for (let index = 0; index < 36; index += 2) {
    if (UUID_DASHES.has(index)) index += 1;
    into[at] = (digitOf(text, index) << 4) | digitOf(text, index + 1);
    at += 1;
  }
}

/** -1: no hexadecimal digit. */
function digitOf(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code >= 48 && code <= 57) return code - 48;
  // Letters in either case.
  const letter = (code | 32) - 97;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}
