/** Sums, differences, products and quotients of FEEL numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import {
  absolute,
  add,
  divide,
  multiply,
  negate,
  subtract,
} from '../../../definitions/feel/number-arithmetic.ts';
import { compare, equals, type FeelNumber } from '../../../definitions/feel/number.ts';
import { toText } from '../../../definitions/feel/number-text.ts';
import {
  assertCanonical,
  exact,
  feelNumbers,
  mediumNumbers,
  negated,
  number,
  product,
  quotient,
  rounded,
  shortNumbers,
  spelledNumber,
  sum,
} from './number-oracle.ts';

type Operation = (a: FeelNumber, b: FeelNumber) => FeelNumber | null;

function text(n: FeelNumber | null): string | null {
  return n === null ? null : toText(n);
}

/** For the laws: fails when there is no result. */
function some(n: FeelNumber | null): FeelNumber {
  assert.ok(n !== null);
  return n;
}

/** Compares texts: a failing `assert.ok` reads its own source each time, and shrinking fails often. */
function assertSame(a: FeelNumber | null, b: FeelNumber | null): void {
  assert.equal(spelledNumber(a), spelledNumber(b));
}

/** Sums of three and products of two of these have at most 34 digits. */
const exactNumbers: fc.Arbitrary<FeelNumber> = fc
  .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 9 }))
  .map(([integer, places]) => number(`${integer}e-${places}`));

describe('arithmetic', () => {
  const rows: readonly (readonly [a: string, sign: string, b: string, expected: string | null])[] = [
    ['0.1', '+', '0.2', '0.3'],
    ['1.2345', '+', '2.234', '3.4685'],
    ['-10', '+', '-5', '-15'],
    ['0.1', '+', '-0.1', '0'],
    ['9007199254740991', '+', '1', '9007199254740992'],
    ['9007199254740991', '+', '0.5', '9007199254740991.5'],
    ['9.99999999999999', '+', '9.99999999999999', '19.99999999999998'],
    ['100', '+', '-99.9999999999999', '0.0000000000001'],
    ['123456789012345', '+', '0.000001', '123456789012345.000001'],
    ['1e20', '+', '1', '100000000000000000001'],
    ['1e34', '+', '1', '10000000000000000000000000000000000'],
    ['1e34', '+', '5', '10000000000000000000000000000000000'],
    ['1e34', '+', '5.1', '10000000000000000000000000000000010'],
    ['1e34', '+', '15', '10000000000000000000000000000000020'],
    ['1.1234', '-', '0.2345', '0.8889'],
    ['-1.1234', '-', '-0.2345', '-0.8889'],
    ['0.3', '-', '0.1', '0.2'],
    ['1e34', '-', '0.4', '10000000000000000000000000000000000'],
    ['1e34', '-', '0.6', '9999999999999999999999999999999999'],
    ['1.1', '*', '1.1', '1.21'],
    ['0', '*', '-5', '0'],
    ['-0.5', '*', '0', '0'],
    ['9007199254740991', '*', '9007199254740991', '81129638414606663681390495662081'],
    ['0.1', '*', '3', '0.3'],
    ['19.99', '*', '3', '59.97'],
    ['10', '/', '4', '2.5'],
    ['1', '/', '3', '0.3333333333333333333333333333333333'],
    ['2', '/', '3', '0.6666666666666666666666666666666667'],
    // Its double is that of a decimal of 15 digits.
    ['73', '/', '9', '8.111111111111111111111111111111111'],
    ['0.3', '/', '0.1', '3'],
    ['0', '/', '-3', '0'],
    ['1', '/', '0', null],
    ['0', '/', '0', null],
    ['1e6144', '*', '10', null],
    ['-1e6144', '*', '10', null],
    ['9e6144', '+', '1e6144', null],
    ['-9e6144', '-', '1e6144', null],
    ['1e6144', '/', '0.1', null],
    ['1e-6176', '/', '1e6144', '0'],
    ['-1e-6176', '*', '0.1', '0'],
    ['1e-6176', '/', '2', '0'],
  ];
  const operations: Readonly<Record<string, Operation>> = {
    '+': add,
    '-': subtract,
    '*': multiply,
    '/': divide,
  };
  for (const [a, sign, b, expected] of rows) {
    it(`${a} ${sign} ${b} is ${expected ?? 'null'}`, () => {
      const result = operations[sign]?.(number(a), number(b)) ?? null;
      assertCanonical(result);
      assert.equal(text(result), expected);
    });
  }

  it('rounds once where numbers have fewer digits (N5)', () => {
    assert.equal(spelledNumber(divide(number('3e-6176'), 2)), '2e-6176');
    assert.equal(spelledNumber(divide(number('5e-6176'), 2)), '2e-6176');
    // A bit less than one and a half of the last unit: 34 digits alone would say it is a half.
    const factor = number(`0.4${'9'.repeat(33)}`);
    assert.equal(spelledNumber(multiply(number('3e-6176'), factor)), '1e-6176');
    assert.equal(spelledNumber(divide(number('1.5e-6100'), number(`1.${'0'.repeat(32)}1e76`))), '1e-6176');
    assert.equal(
      spelledNumber(multiply(number(`1.${'1'.repeat(33)}e-3100`), number('1e-3050'))),
      `${'1'.repeat(27)}e-6176`,
    );
  });
});

describe('every result', () => {
  const expected: readonly (readonly [string, Operation, (a: FeelNumber, b: FeelNumber) => string | null])[] =
    [
      ['sum', add, (a, b) => rounded(sum(exact(a), exact(b)))],
      ['difference', subtract, (a, b) => rounded(sum(exact(a), negated(exact(b))))],
      ['product', multiply, (a, b) => rounded(product(exact(a), exact(b)))],
      ['quotient', divide, (a, b) => (b === 0 ? null : quotient(exact(a), exact(b)))],
    ];
  const kinds = { short: shortNumbers, medium: mediumNumbers, any: feelNumbers };
  for (const [name, operation, oracle] of expected) {
    for (const [kind, arbitrary] of Object.entries(kinds)) {
      it(`that is a ${name} of ${kind} numbers is the exact one, rounded once, in canonical form`, () => {
        fc.assert(
          fc.property(arbitrary, arbitrary, (a, b) => {
            const result = operation(a, b);
            assertCanonical(result);
            assert.equal(spelledNumber(result), oracle(a, b));
          }),
          { numRuns: 1_500 },
        );
      });
    }
  }

  it('of integers and short decimals is that of the library, which the fast path leaves out', () => {
    const Reference = Decimal.clone({ defaults: true, precision: 34, rounding: Decimal.ROUND_HALF_EVEN });
    fc.assert(
      fc.property(shortNumbers, shortNumbers, (a, b) => {
        const [left, right] = [new Reference(toText(a)), new Reference(toText(b))];
        const pairs: [FeelNumber | null, Decimal][] = [
          [add(a, b), left.plus(right)],
          [subtract(a, b), left.minus(right)],
          [multiply(a, b), left.times(right)],
          ...(b === 0 ? [] : [[divide(a, b), left.dividedBy(right)] satisfies [FeelNumber | null, Decimal]]),
        ];
        for (const [result, reference] of pairs) {
          assert.equal(text(result), reference.isZero() ? '0' : reference.toFixed());
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('leaves its operands as they are', () => {
    const frozen = (n: FeelNumber): FeelNumber => {
      if (typeof n !== 'number') Object.freeze(n.d);
      return Object.freeze(n);
    };
    fc.assert(
      fc.property(feelNumbers, feelNumbers, (a, b) => {
        const [left, right] = [frozen(a), frozen(b)];
        for (const operation of [add, subtract, multiply, divide, compare]) operation(left, right);
        negate(left);
        absolute(right);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the laws of arithmetic', () => {
  it('sums and products do not depend on the order of two', () => {
    fc.assert(
      fc.property(feelNumbers, feelNumbers, (a, b) => {
        assertSame(add(a, b), add(b, a));
        assertSame(multiply(a, b), multiply(b, a));
      }),
      { numRuns: 1_000 },
    );
  });

  it('exact sums do not depend on the order of three, and exact products distribute', () => {
    const factors = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => number(`${n}e-3`));
    fc.assert(
      fc.property(exactNumbers, exactNumbers, exactNumbers, factors, (a, b, c, factor) => {
        assertSame(add(some(add(a, b)), c), add(a, some(add(b, c))));
        const [ofA, ofB] = [some(multiply(factor, a)), some(multiply(factor, b))];
        assertSame(multiply(factor, some(add(a, b))), add(ofA, ofB));
      }),
      { numRuns: 1_000 },
    );
  });

  it('what is added can be taken away, and a factor divided by, when nothing was rounded', () => {
    fc.assert(
      fc.property(exactNumbers, exactNumbers, (a, b) => {
        assertSame(subtract(some(add(a, b)), b), a);
        assertSame(add(some(subtract(a, b)), b), a);
        if (b !== 0) assertSame(divide(some(multiply(a, b)), b), a);
      }),
      { numRuns: 2_000 },
    );
  });

  it('order is that of the difference, and only equal numbers have none (N5)', () => {
    fc.assert(
      fc.property(feelNumbers, feelNumbers, (a, b) => {
        const difference = subtract(a, b);
        if (difference !== null) assert.equal(compare(a, b), compare(difference, 0));
        assert.equal(difference === 0, equals(a, b));
        assertSame(subtract(a, a), 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('negative and absolute values', () => {
    fc.assert(
      fc.property(feelNumbers, (n) => {
        const [negative, size] = [negate(n), absolute(n)];
        assertCanonical(negative);
        assertCanonical(size);
        assertSame(negate(negative), n);
        assert.equal(spelledNumber(negative), spelledNumber(subtract(0, n)));
        assert.notEqual(compare(size, 0), -1);
        assertSame(size, compare(n, 0) < 0 ? negative : n);
      }),
      { numRuns: 1_000 },
    );
  });
});
