/** Unary tests, by tables. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FeelContext, FeelValue } from '../../../definitions/feel/runtime.ts';
import { temporalFromText } from '../../../definitions/feel/temporal/functions.ts';
import { test } from './compile-run.ts';

type Rows = readonly (readonly [tests: string, input: FeelValue, result: boolean | null])[];

const variables: FeelContext = { limit: 10, codes: ['a', 'b'], isOpen: true, isShut: false };

function check(rows: Rows): void {
  for (const [tests, input, result] of rows) {
    assert.equal(test(tests, input, { variables }).value, result, `${tests} for ${JSON.stringify(input)}`);
  }
}

describe('unary tests', () => {
  it('compare with values and ranges', () => {
    check([
      ['5', 5, true],
      ['5', 6, false],
      ['5', '5', false],
      ['5', null, false],
      ['null', null, true],
      ['"a", "b"', 'b', true],
      ['"a", "b"', 'c', false],
      ['< 5', 4, true],
      ['<= 5', 5, true],
      ['> limit', 10, false],
      ['>= limit', 10, true],
      ['[1..limit)', 10, false],
      ['= 5', 5, true],
      ['!= 5', 5, false],
      ['1, [3..5], > limit', 4, true],
      ['1, [3..5], > limit', 2, false],
      ['limit + 1', 11, true],
      ['@"2026-03-01"', temporalFromText('2026-03-01'), true],
      ['> @"2026-03-01"', temporalFromText('2026-03-02'), true],
      ['codes', 'b', true],
      ['codes', ['a', 'b'], true],
      ['codes', 'c', false],
      ['["a", "c"]', 'c', true],
    ]);
  });

  it('pass everything with -', () => {
    check([
      ['-', 1, true],
      ['-', null, true],
    ]);
  });

  it('are turned around by not', () => {
    check([
      ['not(5)', 5, false],
      ['not(5)', 6, true],
      ['not("a", "b")', 'c', true],
      ['not([1..5])', 3, false],
      ['not([1..5])', null, null],
      ['not(< limit, 20)', 20, false],
    ]);
  });

  it('are conditions where they name the input', () => {
    check([
      ['? > 5', 6, true],
      ['? > 5', 5, false],
      ['? > 5 and ? < limit', 7, true],
      ['? = "a" or ? = "b"', 'b', true],
      ['? > 5', null, null],
      ['not(? > 5)', 6, false],
      ['? in [1..3]', 2, true],
      ['? * 2', 0, true],
      ['?', true, true],
      ['?', false, false],
      ['? = true', false, false],
      ['count(?) > 1', [1, 2], true],
      ['some x in ? satisfies x > 1', [1, 2], true],
      ['function(x) x > 5', 6, true],
      ['function(x) x > 5', 5, false],
    ]);
  });

  it('are conditions where they give a truth value and the input is none', () => {
    check([
      ['limit > 5', 'x', true],
      ['limit > 50', 'x', false],
      ['isOpen', 1, true],
      ['isOpen', true, true],
      ['isOpen', false, false],
      ['isShut', false, true],
      ['true', 1, false],
      ['true', true, true],
      ['true', false, false],
      ['false', false, true],
      ['false', null, false],
    ]);
  });

  it('are null where it cannot be told', () => {
    check([
      ['< 5', null, null],
      ['< 5', 'a', null],
      ['< 5, "a"', 'a', true],
      ['< 5, "b"', 'a', null],
      ['[1..limit]', 'a', null],
    ]);
  });
});
