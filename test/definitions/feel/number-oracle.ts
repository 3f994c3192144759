/**
 * What FEEL numbers must be, computed another way: exactly, with integers of any size, and rounded once at the end.
 * And numbers to try: all sizes, many halves, nines and zeros.
 */
import assert from 'node:assert/strict';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { isFeelNumber, type FeelNumber } from '../../../definitions/feel/number.ts';
import { fromText, toText } from '../../../definitions/feel/number-text.ts';

/** `coefficient` times 10^`exponent`. */
export interface Exact {
  readonly coefficient: bigint;
  readonly exponent: number;
}

export const LAST_EXPONENT = -6_176;
const DIGITS = 34;
const FIRST_EXPONENT = 6_144;

export type Direction = 'floor' | 'ceiling' | 'up' | 'down' | 'half-up' | 'half-down' | 'half-even';

export function exact(n: FeelNumber): Exact {
  return exactOf(toText(n));
}

/** Of `-12.50`, `5e-3` and the like. */
export function exactOf(text: string): Exact {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const kept = withoutZeros(digits);
  const coefficient = BigInt(kept === '' || kept === '-' ? '0' : kept);
  const exponent = Number(power) - fraction.length + digits.length - kept.length;
  return coefficient === 0n ? { coefficient, exponent: 0 } : { coefficient, exponent };
}

/** Without those at the end. A regular expression would look at each run of zeros again and again. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  return digits.slice(0, end);
}

function tenTo(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** At the power of ten `unit`. `isMore`: the true value is a bit further from 0 than `n`. */
export function roundedAt(n: Exact, unit: number, direction: Direction, isMore = false): Exact {
  if (n.exponent >= unit && !isMore) return n;
  const isNegative = n.coefficient < 0n;
  const size = isNegative ? -n.coefficient : n.coefficient;
  const divisor = unit > n.exponent ? tenTo(unit - n.exponent) : 1n;
  const quotient = size / divisor;
  const twice = 2n * (size % divisor);
  const half = twice > divisor ? 1 : twice < divisor ? -1 : isMore ? 1 : 0;
  const hasRest = twice > 0n || isMore;
  const isAway = {
    floor: hasRest && isNegative,
    ceiling: hasRest && !isNegative,
    up: hasRest,
    down: false,
    'half-up': half >= 0,
    'half-down': half > 0,
    'half-even': half > 0 || (half === 0 && quotient % 2n === 1n),
  }[direction];
  const result = isAway ? quotient + 1n : quotient;
  return { coefficient: isNegative ? -result : result, exponent: unit };
}

/** As a number of 34 digits. Null: too large. */
export function rounded(n: Exact, isMore = false): string | null {
  const digitCount = digitsOf(n.coefficient).length;
  const unit = Math.max(n.exponent, n.exponent + digitCount - DIGITS, LAST_EXPONENT);
  const result = roundedAt(n, unit, 'half-even', isMore);
  const digits = digitsOf(result.coefficient);
  if (digits.length - 1 + result.exponent > FIRST_EXPONENT) return null;
  return spelled(result);
}

function digitsOf(coefficient: bigint): string {
  return coefficient.toString().replace('-', '');
}

/** One text for equal values. */
export function spelled({ coefficient, exponent }: Exact): string {
  const digits = coefficient.toString();
  const kept = coefficient === 0n ? '0' : withoutZeros(digits);
  return kept === '0' ? '0' : `${kept}e${exponent + digits.length - kept.length}`;
}

/** The same for a result. */
export function spelledNumber(n: FeelNumber | null): string | null {
  return n === null ? null : spelled(exact(n));
}

export function sum(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  const aligned = (n: Exact): bigint => n.coefficient * tenTo(n.exponent - exponent);
  return { coefficient: aligned(a) + aligned(b), exponent };
}

export function negated(n: Exact): Exact {
  return { ...n, coefficient: -n.coefficient };
}

export function product(a: Exact, b: Exact): Exact {
  return { coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent };
}

/** Rounded to 34 digits. */
export function quotient(a: Exact, b: Exact): string | null {
  const shift = 80 + digitsOf(b.coefficient).length;
  const dividend = a.coefficient * tenTo(shift);
  const result = { coefficient: dividend / b.coefficient, exponent: a.exponent - b.exponent - shift };
  return rounded(result, dividend % b.coefficient !== 0n);
}

/** `a - b * floor(a / b)`, exactly. */
export function floorRest(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  const dividend = a.coefficient * tenTo(a.exponent - exponent);
  const divisor = b.coefficient * tenTo(b.exponent - exponent);
  const rest = dividend % divisor;
  const coefficient = rest !== 0n && rest < 0n !== divisor < 0n ? rest + divisor : rest;
  return { coefficient, exponent };
}

/** Fails unless it is a number in canonical form. */
export function assertCanonical(n: FeelNumber | null): void {
  if (n === null) return;
  assert.ok(isFeelNumber(n));
  if (n instanceof Decimal) assert.ok(n.isFinite(), 'a decimal is finite');
  else assert.ok(Number.isFinite(n) && !Object.is(n, -0), `${n} is finite and not -0`);
  const { coefficient, exponent } = exact(n);
  const digitCount = digitsOf(coefficient).length;
  const first = digitCount - 1 + exponent;
  assert.ok(digitCount <= DIGITS && exponent >= LAST_EXPONENT && first <= FIRST_EXPONENT, toText(n));
  const value = exponent >= 0 && exponent < 16 ? coefficient * tenTo(exponent) : null;
  const isSafe = value !== null && value <= 2n ** 53n - 1n && value >= 1n - 2n ** 53n;
  const isShort = digitCount <= 15 && Math.abs(first) <= 300;
  assert.equal(typeof n === 'number', isSafe || isShort, `the form of ${toText(n)}`);
}

/** `fromText` of what is known to be a number. */
export function number(text: string): FeelNumber {
  const n = fromText(text);
  assert.ok(n !== null, text);
  return n;
}

/** Digits, of which many are such that rounding them is not the usual case. */
function digits(maxLength: number): fc.Arbitrary<string> {
  const char = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('0', '9', '5') },
    { weight: 2, arbitrary: fc.nat(9).map(String) },
  );
  const runs = fc
    .tuple(fc.constantFrom('1', '5', '9', '12', '25'), fc.constantFrom('0', '9', '5'), fc.nat(maxLength))
    .map(([head, filler, count]) => (head + filler.repeat(count)).slice(0, maxLength));
  return fc.oneof(
    { weight: 4, arbitrary: fc.array(char, { minLength: 1, maxLength }).map((chars) => chars.join('')) },
    { weight: 1, arbitrary: runs },
  );
}

/** Numbers of up to `maxDigits` digits, the last at one of the powers of ten. */
function numbers(maxDigits: number, exponents: fc.Arbitrary<number>): fc.Arbitrary<FeelNumber> {
  return fc
    .tuple(fc.boolean(), digits(maxDigits), exponents)
    .map(([isNegative, text, exponent]) => fromText(`${isNegative ? '-' : ''}${text}e${exponent}`))
    .filter((n): n is FeelNumber => n !== null);
}

const safeIntegers: fc.Arbitrary<FeelNumber> = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.constantFrom(0, 1, -1, 10, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);

/** Of up to 15 digits, and integers: what is written in processes. */
export const shortNumbers: fc.Arbitrary<FeelNumber> = fc.oneof(
  safeIntegers,
  numbers(7, fc.integer({ min: -6, max: 0 })),
  numbers(15, fc.integer({ min: -15, max: 3 })),
);

/** Of any digits, close enough together that their sums and products are of all their digits. */
export const mediumNumbers: fc.Arbitrary<FeelNumber> = fc.oneof(
  shortNumbers,
  numbers(34, fc.integer({ min: -40, max: 10 })),
);

const edges: fc.Arbitrary<FeelNumber> = fc
  .constantFrom(
    ...['1e-6176', '9e-6176', '1e-6143', '9.999999999999999999999999999999999e-6144', '1e6144'],
    ...['9.999999999999999999999999999999999e6144', '1e300', '1e301', '1e-300', '1e-301', '9007199254740992'],
    ...['999999999999999', '1000000000000001', '9.99999999999999e300', '1e15', '1e16', '1e22', '1e23'],
  )
  .chain((text) => fc.constantFrom(number(text), number(`-${text}`)));

/** Any number. */
export const feelNumbers: fc.Arbitrary<FeelNumber> = fc.oneof(
  mediumNumbers,
  numbers(34, fc.integer({ min: -330, max: 310 })),
  numbers(34, fc.integer({ min: -6_176, max: 6_144 })),
  numbers(34, fc.integer({ min: -6_190, max: -6_130 })),
  numbers(34, fc.integer({ min: -3_110, max: -3_060 })),
  edges,
);
