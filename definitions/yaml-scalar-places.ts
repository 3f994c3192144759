/**
 * Where in a YAML file the characters of a scalar are: behind escapes, over folded lines, in blocks.
 *
 * S1 Every character of a value that is no white space stands in the source, or is spelled there by an escape, in the
 *    same order and with nothing between two of them but white space and escapes of it. So both are walked side by
 *    side, and no rule of folding or indentation is repeated here.
 * S2 White space is at the same white space of the source, or where the run of it begins. What cannot be followed is
 *    at the scalar's start.
 */
import type { Scalar } from 'yaml';

/** The offset in `source`, the text of the file, of the character at `index` of the value of `scalar`. */
export function offsetInScalar(source: string, scalar: Scalar.Parsed, index: number): number {
  const [start, end] = scalar.range;
  const value = typeof scalar.value === 'string' ? scalar.value : scalar.source;
  const offsets = known.get(scalar) ?? followScalar(source.slice(start, end), value, scalar.type);
  known.set(scalar, offsets);
  return start + (offsets[Math.min(Math.max(index, 0), value.length)] ?? 0);
}

const known = new WeakMap<Scalar.Parsed, readonly number[]>();

/** What stands at one place of the source, and how long it is there. */
interface Unit {
  readonly text: string;
  readonly length: number;
}

const HEX_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
/** What is not spelled by itself behind a `\`. */
const ESCAPES: Readonly<Record<string, string>> = {
  0: '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

/** For each character of `value`, and its end, the offset in `written`; empty when they cannot be followed. */
function followScalar(written: string, value: string, type: Scalar.Type | undefined): readonly number[] {
  const unitAt = type === 'QUOTE_DOUBLE' ? doubleQuoted : type === 'QUOTE_SINGLE' ? singleQuoted : verbatim;
  let at = type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED' ? written.indexOf('\n') + 1 : 0;
  if (unitAt !== verbatim) at += 1;
  const offsets: number[] = [];
  while (offsets.length < value.length) {
    const index = offsets.length;
    const isSpace = value[index]?.trim() === '';
    let unit = unitAt(written, at);
    while (unit.length > 0 && (unit.text === '' || (!isSpace && unit.text.trim() === ''))) {
      at += unit.length;
      unit = unitAt(written, at);
    }
    const isSame = unit.text !== '' && value.startsWith(unit.text, index);
    if (!isSame && !isSpace) return [];
    offsets.push(...Array.from({ length: isSame ? unit.text.length : 1 }, () => at));
    at += isSame ? unit.length : 0;
  }
  offsets.push(at);
  return offsets;
}

function verbatim(written: string, at: number): Unit {
  const text = written[at] ?? '';
  return { text, length: text.length };
}

function singleQuoted(written: string, at: number): Unit {
  return written.startsWith("''", at) ? { text: "'", length: 2 } : verbatim(written, at);
}

function doubleQuoted(written: string, at: number): Unit {
  if (written[at] !== '\\') return verbatim(written, at);
  const continuation = /\\\r?\n[ \t]*/y;
  continuation.lastIndex = at;
  const continued = continuation.exec(written);
  // A line that goes on: nothing is there.
  if (continued !== null) return { text: '', length: continued[0].length };
  const kind = written[at + 1] ?? '';
  const hexLength = HEX_LENGTHS[kind];
  if (hexLength === undefined) return { text: ESCAPES[kind] ?? kind, length: 2 };
  const point = Number.parseInt(written.slice(at + 2, at + 2 + hexLength), 16);
  return { text: point <= 0x10ffff ? String.fromCodePoint(point) : '', length: 2 + hexLength };
}
