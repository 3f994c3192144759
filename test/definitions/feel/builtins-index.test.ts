/** Which built-in functions there are, and how they are called. Source: DMN 1.5, 10.3.4, tables 72 to 82. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import { FeelFunction, type FeelValue } from '../../../definitions/feel/runtime.ts';
import { bound, call, newRun, samples } from './builtins-calls.ts';

/** Parameters as the standard writes them; `?` may be left out, `...` takes any number. */
const standard: Readonly<Record<string, readonly string[]>> = {
  date: ['from', 'year, month, day'],
  'date and time': ['date, time', 'from'],
  time: ['from', 'hour, minute, second, offset?'],
  number: ['from, grouping separator, decimal separator'],
  string: ['from'],
  duration: ['from'],
  'years and months duration': ['from, to'],
  range: ['from'],
  not: ['negand'],
  substring: ['string, start position, length?'],
  'string length': ['string'],
  'upper case': ['string'],
  'lower case': ['string'],
  'substring before': ['string, match'],
  'substring after': ['string, match'],
  replace: ['input, pattern, replacement, flags?'],
  contains: ['string, match'],
  'starts with': ['string, match'],
  'ends with': ['string, match'],
  matches: ['input, pattern, flags?'],
  split: ['string, delimiter'],
  'string join': ['list, delimiter', 'list'],
  'list contains': ['list, element'],
  count: ['list'],
  min: ['list...'],
  max: ['list...'],
  sum: ['list...'],
  mean: ['list...'],
  all: ['list...'],
  any: ['list...'],
  sublist: ['list, start position, length?'],
  append: ['list, item...'],
  concatenate: ['list...'],
  'insert before': ['list, position, newItem'],
  remove: ['list, position'],
  'list replace': ['list, position, newItem', 'list, match, newItem'],
  reverse: ['list'],
  'index of': ['list, match'],
  union: ['list...'],
  'distinct values': ['list'],
  flatten: ['list'],
  product: ['list...'],
  median: ['list...'],
  stddev: ['list...'],
  mode: ['list...'],
  decimal: ['n, scale'],
  floor: ['n', 'n, scale'],
  ceiling: ['n', 'n, scale'],
  'round up': ['n, scale'],
  'round down': ['n, scale'],
  'round half up': ['n, scale'],
  'round half down': ['n, scale'],
  abs: ['n'],
  modulo: ['dividend, divisor'],
  sqrt: ['number'],
  log: ['number'],
  exp: ['number'],
  odd: ['number'],
  even: ['number'],
  is: ['value1, value2'],
  before: ['point1, point2', 'point, range', 'range, point', 'range1, range2'],
  after: ['point1, point2', 'point, range', 'range, point', 'range1, range2'],
  meets: ['range1, range2'],
  'met by': ['range1, range2'],
  overlaps: ['range1, range2'],
  'overlaps before': ['range1, range2'],
  'overlaps after': ['range1, range2'],
  finishes: ['point, range', 'range1, range2'],
  'finished by': ['range, point', 'range1, range2'],
  includes: ['range, point', 'range1, range2'],
  during: ['point, range', 'range1, range2'],
  starts: ['point, range', 'range1, range2'],
  'started by': ['range, point', 'range1, range2'],
  coincides: ['point1, point2', 'range1, range2'],
  'day of year': ['date'],
  'day of week': ['date'],
  'month of year': ['date'],
  'week of year': ['date'],
  sort: ['list, precedes'],
  'get value': ['m, key'],
  'get entries': ['m'],
  context: ['entries'],
  'context put': ['context, key, value', 'context, keys, value'],
  // The standard has one list; other engines take several contexts.
  'context merge': ['contexts...'],
  now: [''],
  today: [''],
};

interface Written {
  readonly names: readonly string[];
  readonly least: number;
  readonly isVariadic: boolean;
}

function read(signature: string): Written {
  const written = signature === '' ? [] : signature.split(', ');
  return {
    names: written.map((name) => name.replace(/\?|\.\.\.$/, '')),
    // Of any number of arguments there is one at least; a list may be added nothing to.
    least: written.filter((name) => !name.endsWith('?') && name !== 'item...').length,
    isVariadic: signature.endsWith('...'),
  };
}

function named(names: readonly string[]): Record<string, FeelValue> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

describe('the built-in functions', () => {
  it('are those of the standard', () => {
    assert.deepEqual([...builtins.keys()].toSorted(), Object.keys(standard).toSorted());
    for (const fn of builtins.values()) assert.ok(fn instanceof FeelFunction);
  });

  for (const [name, signatures] of Object.entries(standard)) {
    it(`${name} is called as the standard says: ${signatures.join('; ')}`, () => {
      const all = signatures.map(read);
      for (const { names, least, isVariadic } of all) {
        for (let count = least; count <= names.length; count += 1) {
          const values = Array.from({ length: count }, () => null);
          assert.ok(bound(name, values), `${count} in order`);
          if (count > 0)
            assert.ok(bound(name, named(names.slice(0, count))), names.slice(0, count).join(', '));
        }
        if (isVariadic)
          assert.ok(
            bound(
              name,
              Array.from({ length: 50 }, () => null),
            ),
          );
        if (names.length > 0) {
          assert.equal(bound(name, { ...named(names), 'another name': null }), null);
          assert.equal(bound(name, { ...named(names.slice(1)), 'another name': null }), null);
        }
      }
      const most = Math.max(...all.map(({ names }) => names.length));
      if (!all.some(({ isVariadic }) => isVariadic)) {
        assert.equal(
          bound(
            name,
            Array.from({ length: most + 1 }, () => null),
          ),
          null,
        );
      }
    });
  }

  it('give null or a value for arguments of all kinds, and throw for none', () => {
    const values: readonly FeelValue[] = Object.values(samples);
    for (const name of builtins.keys()) {
      for (const first of values) {
        if (bound(name, [first]) !== null) assert.notEqual(call(name, [first]), undefined, name);
        for (const second of values) {
          if (bound(name, [first, second]) !== null)
            assert.notEqual(call(name, [first, second]), undefined, name);
          for (const third of values) {
            if (bound(name, [first, second, third]) === null) continue;
            assert.notEqual(call(name, [first, second, third]), undefined, name);
          }
        }
      }
    }
  });

  it('warn when they give null for arguments that are none of theirs', () => {
    // What is null by the standard, and no mistake.
    const silent = new Set([
      'string',
      'not',
      'get value',
      'stddev',
      'all',
      'any',
      'min',
      'max',
      'sum',
      'mean',
      'product',
      'median',
    ]);
    for (const name of builtins.keys()) {
      if (silent.has(name)) continue;
      for (const value of Object.values(samples)) {
        const args = [value];
        if (bound(name, args) === null) continue;
        const run = newRun();
        const isNull = call(name, args, run) === null;
        assert.equal(run.warnings.length, isNull ? 1 : 0, `${name} of ${JSON.stringify(value)}`);
      }
    }
  });

  it('never say a value in a warning', () => {
    const secret = 'a secret';
    for (const name of builtins.keys()) {
      for (const args of [
        [secret],
        [secret, secret],
        [secret, secret, secret],
        [[secret], { secret }, secret],
      ]) {
        if (bound(name, args) === null) continue;
        const run = newRun();
        call(name, args, run);
        for (const { message } of run.warnings) assert.ok(!message.includes(secret), message);
      }
    }
  });

  it('do not change what they are given', () => {
    const frozen: readonly FeelValue[] = [
      Object.freeze([Object.freeze([2, 1]), Object.freeze({ key: 'a', value: 1 })]),
      Object.freeze({ a: Object.freeze({ b: 1 }) }),
      Object.freeze([3, 1, 2]),
    ];
    for (const name of builtins.keys()) {
      for (const first of frozen) {
        for (const args of [[first], [first, 1], [first, 1, 2], [first, 'a', 2], [first, samples.function]]) {
          if (bound(name, args) !== null) call(name, args);
        }
      }
    }
  });
});
