/**
 * Numbers as JSON spells them, and what of those spellings can be kept.
 *
 * L1 A literal is read exactly or not at all: nothing is rounded.
 * L2 `readNumberLiteral(numberLiteral(n))` is `n`, and a literal is short, however large the number.
 *
 * Source: RFC 8259, section 6.
 */
import { Decimal128, MAX_PLACES, settle, type FeelNumber } from './feel/number.ts';
import { MAX_DIGITS } from './feel/number-scaled.ts';

const LITERAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Significant digits without leading and trailing zeros, and the power of ten of the last one. */
interface Spelled {
  readonly sign: string;
  readonly digits: string;
  readonly exponent: number;
}

function spelledBy(literal: string): Spelled | null {
  const match = LITERAL.exec(literal);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const all = whole + fraction;
  let end = all.length;
  while (end > 0 && all.charCodeAt(end - 1) === 48) end -= 1;
  let start = 0;
  while (start < end && all.charCodeAt(start) === 48) start += 1;
  const digits = all.slice(start, end);
  const exponent = digits === '' ? 0 : Number(power) - fraction.length + (all.length - end);
  return { sign, digits, exponent };
}

/** Far inside of what a JS number may hold by N1 of feel/number.ts, and most numbers are. */
const USUAL_EXPONENT = 100;

function isUsual({ digits, exponent }: Spelled): boolean {
  return digits.length <= MAX_DIGITS && Math.abs(exponent) <= USUAL_EXPONENT;
}

/**
 * The number that a JSON literal spells; -0 is 0, which it equals. Null: it is no literal, has more than 34 significant
 * digits, or is out of the range of decimal128.
 */
export function readNumberLiteral(literal: string): FeelNumber | null {
  const spelled = spelledBy(literal);
  if (spelled === null) return null;
  const { sign, digits, exponent } = spelled;
  if (digits === '') return 0;
  if (isUsual(spelled)) return Number(literal);
  // So far above, too, all is too large.
  if (digits.length > Decimal128.precision || Math.abs(exponent) > MAX_PLACES) return null;
  return settle(new Decimal128(`${sign}${digits}e${exponent}`));
}

/**
 * Whether `JSON.parse` may read the literal as another number than `readNumberLiteral`: a long one, one out of range, or
 * -0. False also for what is no literal, which it refuses.
 */
export function mayBeDecimal(literal: string): boolean {
  const spelled = spelledBy(literal);
  if (spelled === null) return false;
  const { sign, digits, exponent } = spelled;
  if (digits === '') return sign === '-';
  return !isUsual(spelled) && !(exponent >= 0 && Number.isSafeInteger(Number(literal)));
}

/** Powers of ten of the first digit that are written without an exponent: integers of 34 digits are integers to all. */
const PLAIN_EXPONENTS = { least: -7, most: 33 } as const;

/** The number with all its digits, in at most 44 characters. */
export function numberLiteral(n: FeelNumber): string {
  if (typeof n === 'number') return String(n);
  const isPlain = n.e >= PLAIN_EXPONENTS.least && n.e <= PLAIN_EXPONENTS.most;
  return isPlain ? n.toFixed() : n.toExponential();
}

/** The double that keeps a JSON literal: its shortest text spells the same decimal. Null for `9007199254740993`. */
export function readDoubleLiteral(literal: string): number | null {
  const written = spelledBy(literal);
  if (written === null) return null;
  if (written.digits === '') return 0;
  // A double has at most 17 significant digits in its shortest form.
  if (written.digits.length > 17) return null;
  const double = Number(literal);
  const kept = spelledBy(String(double));
  const isKept =
    kept !== null &&
    kept.sign === written.sign &&
    kept.digits === written.digits &&
    kept.exponent === written.exponent;
  return isKept ? double : null;
}
