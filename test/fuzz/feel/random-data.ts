/**
 * Values of variables: of every type, odd, deep, wide and huge, under the names that a text speaks of.
 *
 * D1 Dates, times, durations and numbers are canonical, as those that the engine holds.
 */
import { fromText } from '../../../definitions/feel/number-text.ts';
import { temporalFromText } from '../../../definitions/feel/temporal/functions.ts';
import type { Context, Value } from '../../../definitions/value.ts';
import type { Random } from '../random.ts';

/** A text that no expression has: what is said of data must not hold it. */
export const SECRET = 'Zq7#secret';

/** The input is in an object, which is in the list of what is encoded. Values may have 1,000 levels. */
const MAX_DEPTH = 950;
const MAX_WIDTH = 20_000;
/** Values of all variables together: what is read for each input takes time, too. */
const MAX_VALUES = 30_000;
const MAX_NAMES = 16;

export const numberTexts = [
  ...['0', '1', '2', '3', '-1', '-2', '10', '100', '0.1', '0.5', '-0.25', '1.005', '12.50', '1e3', '1e-7'],
  ...[
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '1e15',
    '1e16',
    '1e20',
  ],
  ...['0.1234567890123456789012345678901234', '3.141592653589793238462643383279503', '1e300', '1e301'],
  ...[
    '1e-300',
    '1e-301',
    '9.999999999999999999999999999999999e6144',
    '-1e6144',
    '1e-6176',
    '-3e-6176',
    '1e6111',
  ],
  ...['123456789012345', '1234567890123456', '123456789.0123456', '2147483648', '4294967296', '100001'],
];

export const temporalTexts = [
  ...['2026-03-01', '2024-02-29', '1970-01-01', '0000-01-01', '-0001-12-31', '999999999-12-31'],
  ...['-999999999-01-01', '2026-12-31', '10:00:00', '00:00:00', '23:59:59.999999999', '10:00:00Z'],
  ...['10:00:00+14:00', '10:00:00-14:00', '12:00:00@Europe/Paris', '01:02:03.004@America/New_York'],
  ...['10:00:00+01:02:03', '2026-03-01T10:00:00', '2026-03-01T10:00:00Z', '2026-03-01T10:00:00.5+01:00'],
  ...['2026-03-29T02:30:00@Europe/Paris', '2026-10-25T02:30:00@Europe/Paris', '0000-01-01T00:00:00Z'],
  ...['999999999-12-31T23:59:59.999999999Z', '-999999999-01-01T00:00:00@Asia/Tokyo', 'P1D', '-PT36H', 'PT0S'],
  ...['PT0.000000001S', 'P115740740740740740DT16H', 'P1Y2M', 'P0M', '-P1Y', 'P750599937895082Y7M', 'P1M'],
];

const texts = [
  ...[
    '',
    'a',
    'b',
    'ab',
    'DE',
    'x',
    '1',
    '12.5',
    '-1e400',
    'true',
    'null',
    ' ',
    'a b c',
    '[1..5]',
    '(a)+',
    '^a*$',
  ],
  ...[
    '\u{1f642}',
    '\uffff',
    '\u{10ffff}',
    'e\u0301',
    'ß',
    'İ',
    'a\nb',
    '\\',
    '"',
    '$1',
    '\u0000',
    '__proto__',
  ],
  ...[...temporalTexts, ...numberTexts].filter((_, index) => index % 5 === 0),
];

/** Keys that are no names in an expression, or are more than keys to JavaScript. */
const oddKeys = [
  '__proto__',
  'constructor',
  'toString',
  'length',
  '0',
  '10',
  '',
  '$temporal',
  'two words',
  'a-b',
];

const keywords: ReadonlySet<string> = new Set(
  'for in return if then else some every satisfies or and between instance of function true false null not'.split(
    ' ',
  ),
);

/** The names in a text, also of several words, and some of no use. */
export function namesIn(text: string, random: Random): readonly string[] {
  const words = text.match(/[\p{L}_][\p{L}\p{N}_]*(?: [\p{L}_][\p{L}\p{N}_]*)*/gu) ?? [];
  const names = new Set<string>();
  for (const found of words) {
    for (const part of found.split(/ /).reduce<string[][]>(byKeyword, [[]])) {
      if (part.length > 0) names.add(part.join(' '));
      if (part.length > 1) names.add(part[0] ?? '');
    }
    if (names.size > MAX_NAMES * 4) break;
  }
  const all = [...names];
  while (all.length > MAX_NAMES) all.splice(random.below(all.length), 1);
  return all;
}

function byKeyword(parts: string[][], word: string): string[][] {
  if (keywords.has(word)) parts.push([]);
  else parts.at(-1)?.push(word);
  return parts;
}

/** Few of the names are absent: an expression over nothing shows little. */
export function randomVariables(names: readonly string[], random: Random): Context {
  const data = new RandomData(names, random);
  const size = random.weighted(sizes);
  const entries = names
    .filter(() => !random.chance(0.15))
    .map((name): readonly [string, Value] => [name, data.value(size.name, 0)]);
  return Object.fromEntries(entries);
}

export function randomInput(names: readonly string[], random: Random): Value {
  return new RandomData(names, random).value(random.weighted(sizes).name, 1);
}

type Size = 'small' | 'deep' | 'wide' | 'huge';

const sizes: readonly { readonly name: Size; readonly weight: number }[] = [
  { name: 'small', weight: 88 },
  { name: 'huge', weight: 8 },
  { name: 'deep', weight: 3 },
  { name: 'wide', weight: 1 },
];

class RandomData {
  readonly #keys: readonly string[];
  readonly #random: Random;
  #valuesLeft = MAX_VALUES;

  constructor(names: readonly string[], random: Random) {
    this.#keys = names.length > 0 ? names : ['a', 'b'];
    this.#random = random;
  }

  value(size: Size, depth: number): Value {
    const random = this.#random;
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0) return null;
    if (depth === 0 && size === 'deep' && random.chance(0.5))
      return this.#nested(random.magnitude(5, MAX_DEPTH));
    if (depth === 0 && size === 'wide' && random.chance(0.5))
      return this.#wide(random.magnitude(100, MAX_WIDTH));
    if (depth < 4 && random.chance(0.2)) {
      const alike = random.chance(0.5) ? this.#maker(size, depth + 1) : () => this.value(size, depth + 1);
      return Array.from({ length: random.magnitude(1, 12) - 1 }, alike);
    }
    if (depth < 4 && random.chance(0.25)) return this.#context(size, depth + 1);
    return this.#scalar(size);
  }

  /** Makes values that are alike: rows of a table, numbers. */
  #maker(size: Size, depth: number): () => Value {
    const random = this.#random;
    const keys = this.#keys.filter(() => random.chance(0.5)).slice(0, 4);
    const makers = keys.map((key) => [key, this.#scalarMaker(size)] as const);
    if (random.chance(0.5)) return this.#scalarMaker(size);
    if (random.chance(0.2)) return () => this.value(size, depth + 1);
    return () => Object.fromEntries(makers.map(([key, make]) => [key, make()]));
  }

  #context(size: Size, depth: number): Context {
    const random = this.#random;
    const keys = this.#keys.filter(() => random.chance(0.6));
    if (random.chance(0.1)) keys.push(random.pick(oddKeys));
    return Object.fromEntries(keys.map((key) => [key, this.value(size, depth)]));
  }

  #nested(depth: number): Value {
    const random = this.#random;
    const key = random.pick(this.#keys);
    const isMixed = random.chance(0.5);
    let value: Value = this.#scalar('small');
    for (let level = 0; level < depth; level += 1)
      value = isMixed && level % 2 === 0 ? { [key]: value } : [value];
    return value;
  }

  #wide(most: number): Value {
    const random = this.#random;
    const width = Math.min(most, Math.max(this.#valuesLeft, 0));
    this.#valuesLeft -= width;
    const make = this.#maker('small', 1);
    if (random.chance(0.3)) return 'ab '.repeat(width);
    if (random.chance(0.3))
      return Object.fromEntries(Array.from({ length: width }, (_, index) => [`k${index}`, make()]));
    return Array.from({ length: width }, make);
  }

  #scalar(size: Size): Value {
    return this.#scalarMaker(size)();
  }

  #scalarMaker(size: Size): () => Value {
    const random = this.#random;
    return random.weighted([
      { weight: 8, make: () => random.below(6) },
      { weight: 6, make: () => this.#number(size) },
      { weight: 5, make: () => random.pick(texts) },
      { weight: 1, make: () => SECRET + random.pick(['', ' 1', '-']) },
      { weight: 4, make: () => random.chance(0.5) },
      { weight: 3, make: () => null },
      { weight: 5, make: () => temporalFromText(random.pick(temporalTexts)) },
    ]).make;
  }

  #number(size: Size): Value {
    const random = this.#random;
    if (size !== 'huge' || random.chance(0.5)) return fromText(random.pick(numberTexts));
    const digits = Array.from({ length: random.between(1, 34) }, () => random.below(10)).join('');
    const exponent = random.chance(0.5) ? random.between(-6_150, 6_100) : random.between(-30, 10);
    return fromText(`${random.chance(0.3) ? '-' : ''}${digits}e${exponent}`);
  }
}
