/**
 * String functions. Positions and lengths count code points.
 *
 * Source: DMN 1.5, 10.3.4.3, table 74. By its first footnote a length that reaches beyond the end is outside of the
 * domain; here it means the rest, as it does in other engines.
 */
import { compare, type FeelNumber } from '../number.ts';
import type { FeelValue, Run } from '../runtime.ts';
import { codePointCount, offsetAfter } from './code-points.ts';
import { binary, quaternary, ternary, unary, type Builtin } from './define.ts';
import { described, list, number, optional, refuse, text, wholeNumber, type Parameter } from './parameter.ts';
import { patternOf } from './patterns.ts';
import { indexOfText } from './text-search.ts';

const string: Parameter<string> = ['string', text];
const match: Parameter<string> = ['match', text];
const input: Parameter<string> = ['input', text];
const pattern: Parameter<string> = ['pattern', text];
const flags: Parameter<string | null> = ['flags', optional(text)];

/** Characters are counted one by one: 6 ns each. */
const COUNT_COST = 2;
/** Units to copy a text into a longer one: 100 ns. */
const JOIN_UNITS = 4;
/** Letters change their case through tables: some 10 ns each. */
const CASE_COST = 4;

function substring(text: string, start: FeelNumber, length: FeelNumber | null, run: Run): FeelValue {
  run.meter.spendCharacters(text.length * 2 * COUNT_COST);
  const position = wholeNumber(start);
  const count = codePointCount(text);
  if (position === null || position === 0 || Math.abs(position) > count) {
    return refuse(
      run,
      '"start position" of substring() must be from 1 to the length, or from -1 to minus that',
    );
  }
  const from = offsetAfter(text, 0, position > 0 ? position - 1 : count + position);
  if (length === null) return text.slice(from);
  // A length that is no JS number is as good as one that reaches to the end, unless it is negative.
  const taken = wholeNumber(length) ?? (compare(length, 0) > 0 ? count : 0);
  if (taken < 1) return refuse(run, '"length" of substring() must be 1 or more');
  return text.slice(from, offsetAfter(text, from, taken));
}

function stringJoin(items: readonly FeelValue[], delimiter: string | null, run: Run): FeelValue {
  run.meter.spend(items.length * JOIN_UNITS);
  const parts: string[] = [];
  let length = 0;
  for (const item of items) {
    if (item === null) continue;
    if (typeof item !== 'string') {
      return refuse(run, `"list" of string join() must have strings only, and has ${described(item)}`);
    }
    parts.push(item);
    length += item.length + (delimiter?.length ?? 0);
  }
  run.meter.spendCharacters(length);
  return parts.join(delimiter ?? '');
}

function replace(
  text: string,
  patternText: string,
  replacement: string,
  flagsText: string | null,
  run: Run,
): FeelValue {
  run.meter.spendCharacters(replacement.length);
  const expression = patternOf('replace', patternText, flagsText, text, run);
  if (expression === null) return null;
  return (
    expression.replaceIn(text, replacement, run.meter) ??
    refuse(run, '"replacement" of replace() has a $ or a \\ that stands for nothing')
  );
}

function split(text: string, delimiter: string, run: Run): FeelValue {
  const parts = patternOf('split', delimiter, null, text, run)?.split(text, run.meter) ?? null;
  if (parts !== null) run.meter.makeElements(parts.length);
  return parts;
}

export const strings: readonly Builtin[] = [
  ternary(
    'substring',
    string,
    ['start position', number],
    ['length', optional(number)],
    (text, start, length, run) => substring(text, start, length, run),
  ),
  unary('string length', string, (text, run) => {
    run.meter.spendCharacters(text.length * COUNT_COST);
    return codePointCount(text);
  }),
  unary('upper case', string, (text, run) => {
    run.meter.spendCharacters(text.length * CASE_COST);
    return text.toUpperCase();
  }),
  unary('lower case', string, (text, run) => {
    run.meter.spendCharacters(text.length * CASE_COST);
    return text.toLowerCase();
  }),
  binary('substring before', string, match, (text, searched, run) => {
    const at = indexOfText(text, searched, run.meter);
    return at < 0 ? '' : text.slice(0, at);
  }),
  binary('substring after', string, match, (text, searched, run) => {
    const at = indexOfText(text, searched, run.meter);
    return at < 0 ? '' : text.slice(at + searched.length);
  }),
  binary('contains', string, match, (text, searched, run) => indexOfText(text, searched, run.meter) >= 0),
  binary('starts with', string, match, (text, searched, run) => {
    run.meter.spendCharacters(searched.length);
    return text.startsWith(searched);
  }),
  binary('ends with', string, match, (text, searched, run) => {
    run.meter.spendCharacters(searched.length);
    return text.endsWith(searched);
  }),
  ternary('matches', input, pattern, flags, (text, patternText, flagsText, run) => {
    const expression = patternOf('matches', patternText, flagsText, text, run);
    return expression === null ? null : expression.isIn(text, run.meter);
  }),
  quaternary('replace', input, pattern, ['replacement', text], flags, replace),
  binary('split', string, ['delimiter', text], split),
  binary('string join', ['list', list], ['delimiter', optional(text)], stringJoin),
];
