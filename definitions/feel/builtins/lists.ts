/**
 * List functions: what is in a list, and lists made of lists.
 *
 * L1 Positions start at 1; those from -1 downwards count from the end. A position that no element has gives null.
 * L2 Elements are found by `=`: those for which it says true (../equality.ts).
 *
 * Source: DMN 1.5, 10.3.4.4, table 75.
 */
import { equalValues } from '../equality.ts';
import type { FeelNumber } from '../number.ts';
import type { FeelFunction, FeelValue, Run } from '../runtime.ts';
import { isList } from '../value-kind.ts';
import { callbackOf } from './call-function.ts';
import {
  binary,
  custom,
  givenOf,
  signatureOf,
  ternary,
  unary,
  variadicSignatureOf,
  type Builtin,
} from './define.ts';
import {
  any,
  callable,
  described,
  list,
  number,
  optional,
  readArgument,
  refuse,
  wholeNumber,
  wrong,
  type Parameter,
} from './parameter.ts';
import { ValueKeys } from './value-key.ts';

type List = readonly FeelValue[];

const listParameter: Parameter<List> = ['list', list];
const position: Parameter<FeelNumber> = ['position', number];
const newItem: Parameter<FeelValue> = ['newItem', any];

/** The index of a position in a list (L1). Null, with a warning: there is no such element. */
function indexAt(name: string, items: List, position: FeelNumber, run: Run): number | null {
  const whole = wholeNumber(position);
  if (whole === null || whole === 0 || Math.abs(whole) > items.length) {
    return refuse(run, `the position given to ${name}() is not in the list`);
  }
  return whole > 0 ? whole - 1 : items.length + whole;
}

function sublist(items: List, start: FeelNumber, length: FeelNumber | null, run: Run): FeelValue {
  const from = indexAt('sublist', items, start, run);
  if (from === null) return null;
  const available = items.length - from;
  const count = length === null ? available : wholeNumber(length);
  if (count === null || count < 1 || count > available) {
    return refuse(run, '"length" of sublist() must be from 1 to as many as there are');
  }
  run.meter.makeElements(count);
  return items.slice(from, from + count);
}

function append([given, item]: readonly (FeelValue | undefined)[], run: Run): FeelValue {
  const items = readArgument('append', listParameter, given, run);
  if (items === wrong) return null;
  const appended = givenOf(item);
  run.meter.makeElements(items.length + appended.length);
  return [...items, ...appended];
}

/** Lists one after the other; what is no list stands for the list of it. Null, with a warning: one is null. */
function concatenated(name: string, lists: List, run: Run): FeelValue[] | null {
  const result: FeelValue[] = [];
  for (const given of lists) {
    const items = readArgument(name, listParameter, given, run);
    if (items === wrong) return null;
    run.meter.makeElements(items.length + 1);
    for (const item of items) result.push(item);
  }
  return result;
}

function insertBefore(items: List, position: FeelNumber, item: FeelValue, run: Run): FeelValue {
  const index = indexAt('insert before', items, position, run);
  if (index === null) return null;
  run.meter.makeElements(items.length + 1);
  return items.toSpliced(index, 0, item);
}

function remove(items: List, position: FeelNumber, run: Run): FeelValue {
  const index = indexAt('remove', items, position, run);
  if (index === null) return null;
  run.meter.makeElements(items.length);
  return items.toSpliced(index, 1);
}

function replaceAt(items: List, position: FeelNumber, item: FeelValue, run: Run): FeelValue {
  const index = indexAt('list replace', items, position, run);
  if (index === null) return null;
  run.meter.makeElements(items.length);
  return items.with(index, item);
}

function replaceMatching(items: List, match: FeelFunction, item: FeelValue, run: Run): FeelValue {
  const matches = callbackOf(match, 2);
  if (matches === null) return refuse(run, '"match" of list replace() must take two arguments');
  run.meter.makeElements(items.length);
  const result: FeelValue[] = [];
  for (const old of items) {
    const isMatch = matches([old, item], run);
    if (typeof isMatch !== 'boolean') {
      return refuse(run, `"match" of list replace() must give a boolean, and gave ${described(isMatch)}`);
    }
    result.push(isMatch ? item : old);
  }
  return result;
}

/** The second argument tells which of the two functions it is. */
function listReplace(args: readonly (FeelValue | undefined)[], run: Run): FeelValue {
  const [given, selector, replacement] = args;
  const items = readArgument('list replace', listParameter, given, run);
  if (items === wrong) return null;
  const item = readArgument('list replace', newItem, replacement, run);
  if (item === wrong) return null;
  const match = callable.read(selector);
  if (match !== wrong) return replaceMatching(items, match, item, run);
  const place = readArgument('list replace', position, selector, run);
  return place === wrong ? null : replaceAt(items, place, item, run);
}

function isIn(items: List, element: FeelValue, run: Run): boolean {
  return items.some((item) => equalValues(item, element, run) === true);
}

function positionsOf(items: List, match: FeelValue, run: Run): FeelValue {
  const positions: number[] = [];
  for (const [index, item] of items.entries()) {
    if (equalValues(item, match, run) === true) positions.push(index + 1);
  }
  run.meter.makeElements(positions.length);
  return positions;
}

/** Of equal elements the first stays. */
function distinct(items: List, run: Run): FeelValue {
  const keys = new ValueKeys(run);
  const seen = new Set<string | number>();
  return items.filter((item) => {
    const key = keys.keyOf(item);
    if (seen.has(key)) return false;
    run.meter.makeElements(1);
    seen.add(key);
    return true;
  });
}

function flattened(items: List, run: Run): FeelValue {
  const result: FeelValue[] = [];
  const open = [items.values()];
  run.meter.makeElements(items.length);
  // Not by recursion: the stack ends before the lists do.
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const { value, done } = inner.next();
    if (done === true) open.pop();
    else if (!isList(value)) result.push(value);
    else {
      run.meter.makeElements(value.length + 1, result.length);
      open.push(value.values());
    }
  }
  return result;
}

export const lists: readonly Builtin[] = [
  binary('list contains', listParameter, ['element', any], isIn),
  custom(
    'list replace',
    [signatureOf(listParameter, position, newItem), signatureOf(listParameter, ['match', callable], newItem)],
    listReplace,
  ),
  unary('count', listParameter, (items) => items.length),
  ternary('sublist', listParameter, ['start position', number], ['length', optional(number)], sublist),
  custom('append', [variadicSignatureOf(1, listParameter, ['item', any])], append),
  variadicLists('concatenate', (lists, run) => concatenated('concatenate', lists, run)),
  variadicLists('union', (lists, run) => {
    const all = concatenated('union', lists, run);
    return all === null ? null : distinct(all, run);
  }),
  ternary('insert before', listParameter, position, newItem, insertBefore),
  binary('remove', listParameter, position, remove),
  unary('reverse', listParameter, (items, run) => {
    run.meter.makeElements(items.length);
    return items.toReversed();
  }),
  binary('index of', listParameter, ['match', any], positionsOf),
  unary('distinct values', listParameter, distinct),
  unary('flatten', listParameter, flattened),
];

/** Of any number of lists. One list alone is one of them, and does not stand for all. */
function variadicLists(name: string, body: (lists: List, run: Run) => FeelValue): Builtin {
  return custom(name, [variadicSignatureOf(1, listParameter)], ([given], run) => body(givenOf(given), run));
}
