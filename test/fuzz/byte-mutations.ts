/** Mutations that know nothing of XML: what a broken disk, editor or network does to a file. */
import type { Random } from './random.ts';

export interface ByteMutation {
  readonly name: string;
  readonly weight: number;
  readonly apply: (bytes: Uint8Array, random: Random) => Uint8Array;
}

/** Bytes that end, begin or forbid something in UTF-8 or XML. */
const BYTES = [
  0x00, 0x09, 0x0a, 0x0d, 0x1a, 0x20, 0x22, 0x26, 0x2f, 0x3c, 0x3e, 0x7f, 0x80, 0xbf, 0xc0, 0xed, 0xf5, 0xff,
];

/** Beginnings that name an encoding. */
const MARKS = [
  [0xef, 0xbb, 0xbf],
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0x00, 0x3c],
  [0x1f, 0x8b],
  [0x50, 0x4b, 3, 4],
];

const DECLARATIONS = [
  'utf-8',
  'UTF-16',
  'ISO-8859-1',
  'us-ascii',
  'windows-1252',
  'utf-7',
  '',
  'x'.repeat(300),
];

export const byteMutations: readonly ByteMutation[] = [
  { name: 'flip bits', weight: 3, apply: flipBits },
  { name: 'set bytes', weight: 3, apply: setBytes },
  { name: 'truncate', weight: 2, apply: (bytes, random) => bytes.slice(0, random.below(bytes.length)) },
  { name: 'cut the beginning', weight: 1, apply: (bytes, random) => bytes.slice(random.below(bytes.length)) },
  { name: 'delete a slice', weight: 2, apply: deleteSlice },
  { name: 'duplicate a slice', weight: 2, apply: duplicateSlice },
  { name: 'insert random bytes', weight: 1, apply: insertRandom },
  { name: 'set a byte order mark', weight: 1, apply: (bytes, random) => join(random.pick(MARKS), bytes) },
  { name: 'declare an encoding', weight: 1, apply: declareEncoding },
  { name: 'encode as UTF-16', weight: 1, apply: encodeUtf16 },
  { name: 'change line ends', weight: 1, apply: changeLineEnds },
];

function flipBits(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = Uint8Array.from(bytes);
  for (let count = random.magnitude(1, 30); count > 0 && changed.length > 0; count -= 1) {
    const at = random.below(changed.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
  }
  return changed;
}

function setBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = Uint8Array.from(bytes);
  for (let count = random.magnitude(1, 10); count > 0 && changed.length > 0; count -= 1) {
    changed[random.below(changed.length)] = random.pick(BYTES);
  }
  return changed;
}

function deleteSlice(bytes: Uint8Array, random: Random): Uint8Array {
  const [from, to] = slice(bytes, random);
  return join(bytes.subarray(0, from), bytes.subarray(to));
}

function duplicateSlice(bytes: Uint8Array, random: Random): Uint8Array {
  const [from, to] = slice(bytes, random);
  const at = random.chance(0.5) ? to : random.below(bytes.length + 1);
  return join(bytes.subarray(0, at), bytes.subarray(from, to), bytes.subarray(at));
}

function insertRandom(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  const inserted = Array.from({ length: random.magnitude(1, 100) }, () => random.below(256));
  return join(bytes.subarray(0, at), inserted, bytes.subarray(at));
}

function declareEncoding(bytes: Uint8Array, random: Random): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const encoding = random.pick(DECLARATIONS);
  const declared = `<?xml version="1.0" encoding="${encoding}"?>`;
  return Buffer.from(declared + text.replace(/^<\?xml[^>]*\?>/, ''), 'latin1');
}

function encodeUtf16(bytes: Uint8Array, random: Random): Uint8Array {
  const text = Buffer.from(bytes).toString('utf8');
  const body = Buffer.from(random.chance(0.7) ? text.replace(/^<\?xml[^>]*\?>/, '') : text, 'utf16le');
  return random.chance(0.5) ? join([0xff, 0xfe], body) : join([0xfe, 0xff], body.swap16());
}

function changeLineEnds(bytes: Uint8Array, random: Random): Uint8Array {
  const lineEnd = random.pick(['\r\n', '\r', '\u2028', '\n\n', '']);
  return Buffer.from(Buffer.from(bytes).toString('utf8').replaceAll('\n', lineEnd));
}

function slice(bytes: Uint8Array, random: Random): readonly [number, number] {
  const from = random.below(bytes.length);
  return [from, Math.min(bytes.length, from + random.magnitude(1, 2_000))];
}

function join(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  return Buffer.concat(parts.map((part) => Uint8Array.from(part)));
}
