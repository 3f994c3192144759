/**
 * Which decimal number literals a double holds exactly enough to give the same decimal back.
 *
 * N1 Accepted means: the literal's decimal value equals the shortest decimal form of its double, so
 *    reading and writing it again changes nothing (`0.1`, `1e3`, `100`; not `9007199254740993`).
 */

const LITERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Significant digits without leading and trailing zeros, and the power of ten of the last one. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

function toDecimal(literal: string): Decimal | null {
  const match = LITERAL.exec(literal);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const all = whole + fraction;
  let end = all.length;
  while (end > 0 && all.charCodeAt(end - 1) === 48) end -= 1;
  let start = 0;
  while (start < end && all.charCodeAt(start) === 48) start += 1;
  const digits = all.slice(start, end);
  return {
    isNegative: sign === '-',
    digits,
    exponent: digits === '' ? 0 : Number(power) - fraction.length + (all.length - end),
  };
}

/** True when a double keeps the literal (JSON's number grammar; leading zeros allowed) as it is (N1). */
export function isExactNumberLiteral(literal: string): boolean {
  const written = toDecimal(literal);
  if (written === null) return false;
  // Zero in any spelling; its sign is not kept, because no value is -0.
  if (written.digits === '') return true;
  // A double has at most 17 significant digits in its shortest form.
  if (written.digits.length > 17) return false;
  const double = Number(literal);
  if (!Number.isFinite(double)) return false;
  const kept = toDecimal(String(double));
  return (
    kept !== null &&
    kept.isNegative === written.isNegative &&
    kept.digits === written.digits &&
    kept.exponent === written.exponent
  );
}
