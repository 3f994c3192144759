/** `decimal`, `floor`, `ceiling` and `round ...` on numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compare, equals } from '../../../definitions/feel/number.ts';
import { toText } from '../../../definitions/feel/number-text.ts';
import { round, type RoundingMode } from '../../../definitions/feel/number-rounding.ts';
import {
  assertCanonical,
  exact,
  feelNumbers,
  mediumNumbers,
  number,
  rounded,
  roundedAt,
  shortNumbers,
  spelledNumber,
} from './number-oracle.ts';

const modes: readonly RoundingMode[] = [
  'floor',
  'ceiling',
  'up',
  'down',
  'half-up',
  'half-down',
  'half-even',
];

describe('rounding', () => {
  type Row = readonly [mode: RoundingMode, n: string, scale: string, expected: string | null];
  const rows: readonly Row[] = [
    ['half-even', '0.3333333333333333333333333333333333', '2', '0.33'],
    ['half-even', '1.5', '0', '2'],
    ['half-even', '2.5', '0', '2'],
    ['half-even', '0.515', '2', '0.52'],
    ['half-even', '0.525', '2', '0.52'],
    ['half-even', '-2.5', '0', '-2'],
    ['half-even', '65.123456', '6', '65.123456'],
    ['half-even', '1.005', '2', '1'],
    ['half-even', '0', '1', '0'],
    ['floor', '1.5', '0', '1'],
    ['floor', '-1.5', '0', '-2'],
    ['floor', '-1.56', '1', '-1.6'],
    ['floor', '-0.3', '0', '-1'],
    ['ceiling', '1.5', '0', '2'],
    ['ceiling', '-1.5', '0', '-1'],
    ['ceiling', '-0.3', '0', '0'],
    ['ceiling', '-1.56', '1', '-1.5'],
    ['up', '5.5', '0', '6'],
    ['up', '-5.5', '0', '-6'],
    ['up', '1.121', '2', '1.13'],
    ['up', '-1.126', '2', '-1.13'],
    ['up', '0.0000001', '0', '1'],
    ['down', '5.9', '0', '5'],
    ['down', '-5.9', '0', '-5'],
    ['down', '-0.9', '0', '0'],
    ['half-up', '5.5', '0', '6'],
    ['half-up', '-5.5', '0', '-6'],
    ['half-up', '1.005', '2', '1.01'],
    ['half-up', '-1.126', '2', '-1.13'],
    ['half-down', '5.5', '0', '5'],
    ['half-down', '-5.5', '0', '-5'],
    ['half-down', '5.51', '0', '6'],
    // A scale below 0, and one beyond the digits.
    ['half-up', '1250', '-2', '1300'],
    ['half-even', '1250', '-2', '1200'],
    ['half-even', '1234567.5', '-6', '1000000'],
    ['up', '1', '-3', '1000'],
    ['up', '1', '-30', '1000000000000000000000000000000'],
    ['ceiling', '-1', '-30', '0'],
    ['half-up', '499', '-3', '0'],
    ['half-up', '500', '-3', '1000'],
    ['half-up', '9007199254740991', '-1', '9007199254740990'],
    ['up', '9007199254740991', '-1', '9007199254741000'],
    ['half-up', '5.5', '6176', '5.5'],
    ['half-up', '5.5', '6177', null],
    ['up', '0', '-6111', '0'],
    ['half-up', '5.5', '-6111', '0'],
    ['half-up', '5.5', '-6112', null],
    ['half-up', '5.5', '1e40', null],
    ['half-up', '5.5', '-1e40', null],
    // A fraction of a scale does not count.
    ['half-even', '0.3333333333333333333333333333333333', '2.5', '0.33'],
    ['half-even', '0.55', '0.9999999999999999999999', '1'],
    ['half-even', '15.5', '-0.5', '16'],
  ];
  for (const [mode, n, scale, expected] of rows) {
    it(`${mode} of ${n} at ${scale} is ${expected ?? 'null'}`, () => {
      const result = round(number(n), number(scale), mode);
      assertCanonical(result);
      assert.equal(result === null ? null : toText(result), expected);
    });
  }

  it('stays in the range at its ends', () => {
    const largest = number('9.999999999999999999999999999999999e6144');
    assert.equal(spelledNumber(round(largest, -6111, 'up')), `${'9'.repeat(34)}e6111`);
    assert.equal(spelledNumber(round(number('1e6144'), -6111, 'half-up')), '1e6144');
    assert.equal(spelledNumber(round(number('1e-6176'), -6111, 'up')), '1e6111');
    assert.equal(spelledNumber(round(number('1e-6176'), 6175, 'up')), '1e-6175');
  });
});

describe('every way of rounding', () => {
  const scales = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -3, max: 12 }) },
    { weight: 2, arbitrary: fc.integer({ min: -40, max: 60 }) },
    { weight: 1, arbitrary: fc.integer({ min: -6_111, max: 6_176 }) },
  );
  const kinds = { short: shortNumbers, medium: mediumNumbers, any: feelNumbers };
  for (const mode of modes) {
    for (const [kind, arbitrary] of Object.entries(kinds)) {
      it(`${mode} of ${kind} numbers is exact, in canonical form`, () => {
        fc.assert(
          fc.property(arbitrary, scales, (n, scale) => {
            const result = round(n, scale, mode);
            assertCanonical(result);
            assert.equal(spelledNumber(result), rounded(roundedAt(exact(n), -scale, mode)));
          }),
          { numRuns: 600 },
        );
      });
    }
  }

  it('changes nothing the second time, and lies between floor and ceiling', () => {
    fc.assert(
      fc.property(mediumNumbers, scales, fc.constantFrom(...modes), (n, scale, mode) => {
        const once = round(n, scale, mode);
        const [low, high] = [round(n, scale, 'floor'), round(n, scale, 'ceiling')];
        assert.ok(once !== null && low !== null && high !== null);
        const twice = round(once, scale, mode);
        assert.ok(twice !== null && equals(once, twice));
        assert.ok(compare(low, n) <= 0 && compare(n, high) <= 0);
        assert.ok(equals(once, low) || equals(once, high));
      }),
      { numRuns: 1_500 },
    );
  });
});
