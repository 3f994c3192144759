/**
 * FEEL numbers as text.
 *
 * T1 `fromText(toText(n))` is `n`.
 * T2 Reading takes time linear in the text; of what it spells, 34 digits are kept.
 */
import { settleWide, WideDecimal, type FeelNumber } from './number.ts';
import { MAX_DIGITS } from './number-scaled.ts';

/** Digits that are read. Of those after them it only matters whether there is one that is not 0. */
const READ_DIGITS = 60;
/** Exponents beyond are above all numbers, or below. */
const MAX_READ_EXPONENT = 10_000;

/** As JavaScript and the library write it. */
const EXPONENTIAL = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/;

const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const LOWER_E = 0x65;

/**
 * The number that a numeric literal spells, with a `-` before it or not: `12`, `.5`, `1.50`, `1e-3`. Digits after the 34th
 * are rounded, half to even. Null: the text is no literal, or the number is too large.
 *
 * Source: DMN 1.5, 10.3.1.2, rule 37.
 */
export function fromText(text: string): FeelNumber | null {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  const wholeEnd = endOfDigits(text, start);
  let end = wholeEnd;
  let fraction = '';
  if (text.charCodeAt(wholeEnd) === POINT) {
    end = endOfDigits(text, wholeEnd + 1);
    fraction = text.slice(wholeEnd + 1, end);
    if (fraction === '') return null;
  } else if (wholeEnd === start) {
    return null;
  }
  const exponent = readExponent(text, end);
  if (exponent === null) return null;
  // So few characters have at most 15 digits: the double that stands for them is canonical.
  if (end === text.length && end - start <= MAX_DIGITS) return Number(text) + 0;
  return fromParts(start === 1, text.slice(start, wholeEnd), fraction, exponent);
}

/** Plain decimal notation, without an exponent: `0.0000001`. Up to some 6,200 characters. */
export function toText(n: FeelNumber): string {
  const text = typeof n === 'number' ? String(n) : n.toExponential();
  return text.includes('e') ? withoutExponent(text) : text;
}

/** The same of `1.5e-7`. The library's own adds zero by zero, which makes a text of 32 bytes for each of them. */
function withoutExponent(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = EXPONENTIAL.exec(text) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function endOfDigits(text: string, start: number): number {
  let at = start;
  while (at < text.length && isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(char: number): boolean {
  return char >= ZERO && char <= ZERO + 9;
}

/** What is written from `at` to the end: nothing, or an exponent. Null: neither. */
function readExponent(text: string, at: number): number | null {
  if (at === text.length) return 0;
  if ((text.charCodeAt(at) | 0x20) !== LOWER_E) return null;
  const sign = text.charCodeAt(at + 1);
  const start = sign === MINUS || sign === PLUS ? at + 2 : at + 1;
  const end = endOfDigits(text, start);
  if (end === start || end !== text.length) return null;
  const size = Number(text.slice(start));
  return sign === MINUS ? -size : size;
}

function fromParts(
  isNegative: boolean,
  whole: string,
  fraction: string,
  exponent: number,
): FeelNumber | null {
  const all = whole + fraction;
  let first = 0;
  while (first < all.length && all.charCodeAt(first) === ZERO) first += 1;
  if (first === all.length) return 0;
  const firstExponent = whole.length - 1 - first + exponent;
  if (firstExponent > MAX_READ_EXPONENT) return null;
  if (firstExponent < -MAX_READ_EXPONENT) return 0;
  let digits = all.slice(first, first + READ_DIGITS);
  if (hasMoreThanZeros(all, first + READ_DIGITS)) digits += '1';
  const power = firstExponent - digits.length + 1;
  return settleWide(new WideDecimal(`${isNegative ? '-' : ''}${digits}e${power}`));
}

function hasMoreThanZeros(digits: string, start: number): boolean {
  for (let at = start; at < digits.length; at += 1) if (digits.charCodeAt(at) !== ZERO) return true;
  return false;
}
