/** Powers, roots, logarithms, remainders and parity of FEEL numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compare, equals, type FeelNumber } from '../../../definitions/feel/number.ts';
import { toText } from '../../../definitions/feel/number-text.ts';
import { absolute, multiply, negate, subtract } from '../../../definitions/feel/number-arithmetic.ts';
import {
  exponential,
  isEven,
  isOdd,
  logarithm,
  modulo,
  power,
  squareRoot,
} from '../../../definitions/feel/number-functions.ts';
import {
  assertCanonical,
  exact,
  exactOf,
  feelNumbers,
  floorRest,
  mediumNumbers,
  number,
  product,
  quotient,
  rounded,
  shortNumbers,
  spelled,
  spelledNumber,
  sum,
} from './number-oracle.ts';

const LARGEST = '9.999999999999999999999999999999999e6144';
const ABOVE_ONE = '1.000000000000000000000000000000001';
const BELOW_ONE = '0.9999999999999999999999999999999999';

/** Texts of any spelling are compared as values. */
function assertIs(result: FeelNumber | null, expected: string | null): void {
  assertCanonical(result);
  assert.equal(spelledNumber(result), expected === null ? null : spelled(exactOf(expected)));
}

describe('power', () => {
  const rows: readonly (readonly [base: string, exponent: string, expected: string | null])[] = [
    ['3', '4', '81'],
    ['81', '5', '3486784401'],
    ['-3', '2', '9'],
    ['-3', '3', '-27'],
    ['-1', '9007199254740991', '-1'],
    ['-1', '1e300', '1'],
    ['10', '-5', '0.00001'],
    ['2', '53', '9007199254740992'],
    ['2', '200', '1.606938044258990275541962092341163e60'],
    ['7', '-3', '0.002915451895043731778425655976676385'],
    ['1.1', '10', '2.5937424601'],
    ['1.0033333333333333', '-360', '0.3017958651526950599442842140445013'],
    ['-1.5', '101', '-609841766302822856.0959195613505625'],
    ['1.234567890123456789012345678901235', '3', '1.881676372353657772546716040595289'],
    ['4', '0.5', '2'],
    ['0.0081', '0.25', '0.3'],
    ['2', '0.5', '1.414213562373095048801688724209698'],
    ['3', '0.3333333333333333333333333333333333', '1.442249570307408382321638310780110'],
    ['1234.5678901234567', '12.3456789', '1.468423151957636151606360709453752e38'],
    ['-4', '0.5', null],
    ['-8', '0.3333333333333333333333333333333333', null],
    ['0', '0', '1'],
    ['5', '0', '1'],
    ['0', '2.5', '0'],
    ['0', '-1', null],
    ['5', '1', '5'],
    ['1', '1e6144', '1'],
    // At the ends of the range.
    ['10', '6144', '1e6144'],
    ['10', '6145', null],
    ['10', '-6176', '1e-6176'],
    ['10', '-6177', '0'],
    ['2', '-20510', '7.5e-6175'],
    ['0.5', '20500', '7.6752e-6172'],
    ['2', '20411', '2.104948610194403319502617879570360e6144'],
    ['2', '20414', null],
    ['1e-6176', '0.25', '1e-1544'],
    [LARGEST, LARGEST, null],
    [LARGEST, `-${LARGEST}`, '0'],
    [LARGEST, '1e-6176', '1'],
    ['1e-6176', LARGEST, '0'],
    ['1e-6176', `-${LARGEST}`, null],
    [`-${LARGEST}`, '9007199254740991', null],
    ['-2', '-9007199254740993', '0'],
    // Close to one the exponent counts, however large it is.
    [ABOVE_ONE, '1.3e37', '6.733870222748883223736288967541097e5645'],
    [ABOVE_ONE, '1.5e37', null],
    [ABOVE_ONE, '-1.5e37', '0'],
    [ABOVE_ONE, LARGEST, null],
    [BELOW_ONE, '1e37', '5.075958897549456765291809479574083e-435'],
    [BELOW_ONE, LARGEST, '0'],
    [BELOW_ONE, `-${LARGEST}`, null],
    // The doubles of these are a third and almost twice as far from one.
    ['1.00000000000000015', '7.6e19', '9.059280296915372016928589432033358e4950'],
    ['0.99999999999999994', '1.5e20', '2.236983963488380707111360691606908e-3909'],
    ['1.000000000000000001', '9007199254740991', '1.009047886140496953654348286595108'],
  ];
  for (const [base, exponent, expected] of rows) {
    it(`${base} ** ${exponent} is ${expected ?? 'null'}`, () => {
      assertIs(power(number(base), number(exponent)), expected);
    });
  }

  it('to small integers is the exact product, rounded once', () => {
    fc.assert(
      fc.property(feelNumbers, fc.integer({ min: -6, max: 6 }), (base, exponent) => {
        const factors = Array.from({ length: Math.abs(exponent) }, () => exact(base));
        const exactPower = factors.reduce(product, { coefficient: 1n, exponent: 0 });
        const inverse = base === 0 ? null : quotient(exactOf('1'), exactPower);
        const result = power(base, exponent);
        assertCanonical(result);
        assert.equal(spelledNumber(result), exponent < 0 ? inverse : rounded(exactPower));
      }),
      { numRuns: 1_500 },
    );
  });

  it('of anything to anything ends, in canonical form', () => {
    fc.assert(
      fc.property(feelNumbers, feelNumbers, (base, exponent) => {
        assertCanonical(power(base, exponent));
      }),
      { numRuns: 500 },
    );
    const ones = fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 34 }), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(ones, fc.maxSafeInteger(), ([isAbove, places, size], digits) => {
        const base = isAbove ? `1.${'1'.padStart(Math.min(places, 33), '0')}` : `0.${'9'.repeat(places)}`;
        assertCanonical(power(number(base), number(`${digits}e${size - 16}`)));
      }),
      { numRuns: 300 },
    );
  });

  it('to a fraction multiplies the logarithm by it', () => {
    const bases = mediumNumbers.map(absolute).filter((n) => n !== 0);
    const exponents = fc.integer({ min: -5_000_000, max: 5_000_000 }).map((n) => number(`${n}e-6`));
    fc.assert(
      fc.property(bases, exponents, (base, exponent) => {
        const raised = power(base, exponent);
        const factor = logarithm(base);
        assert.ok(raised !== null && factor !== null);
        const [result, expected] = [logarithm(raised), multiply(factor, exponent)];
        assert.ok(result !== null && expected !== null);
        assertNear(result, expected, '1e-32');
      }),
      { numRuns: 200 },
    );
  });
});

/** Differ by at most so much, or by so much of their size. */
function assertNear(a: FeelNumber, b: FeelNumber, tolerance: string): void {
  const difference = subtract(a, b);
  const size = compare(absolute(a), 1) > 0 ? absolute(a) : 1;
  const limit = multiply(size, number(tolerance));
  assert.ok(difference !== null && limit !== null);
  assert.ok(compare(absolute(difference), limit) <= 0, `${toText(a)} is near ${toText(b)}`);
}

describe('roots, exponentials and logarithms', () => {
  type Row = readonly [
    name: string,
    of: (n: FeelNumber) => FeelNumber | null,
    n: string,
    expected: string | null,
  ];
  const rows: readonly Row[] = [
    ['sqrt', squareRoot, '0', '0'],
    ['sqrt', squareRoot, '4', '2'],
    ['sqrt', squareRoot, '0.0001', '0.01'],
    ['sqrt', squareRoot, '2', '1.414213562373095048801688724209698'],
    ['sqrt', squareRoot, '15241578750190521', '123456789'],
    ['sqrt', squareRoot, '1e-6176', '1e-3088'],
    ['sqrt', squareRoot, '1e6143', '3.162277660168379331998893544432719e3071'],
    ['sqrt', squareRoot, LARGEST, '3.162277660168379331998893544432718e3072'],
    ['sqrt', squareRoot, '-1e-6176', null],
    ['exp', exponential, '0', '1'],
    ['exp', exponential, '1', '2.718281828459045235360287471352662'],
    ['exp', exponential, '4', '54.59815003314423907811026120286088'],
    ['exp', exponential, '-1', '0.3678794411714423215955237701614609'],
    ['exp', exponential, '10', '22026.46579480671651695790064528424'],
    ['exp', exponential, '1e-6176', '1'],
    ['exp', exponential, '14149.4', null],
    ['exp', exponential, LARGEST, null],
    ['exp', exponential, '-14140', '1.191313019325863114753741469233083e-6141'],
    ['exp', exponential, '-14200', '1.043174528e-6167'],
    ['exp', exponential, '-14221', '1e-6176'],
    ['exp', exponential, '-14222.5', '0'],
    ['exp', exponential, `-${LARGEST}`, '0'],
    ['log', logarithm, '1', '0'],
    ['log', logarithm, '4', '1.386294361119890618834464242916353'],
    ['log', logarithm, '0.5', '-0.6931471805599453094172321214581766'],
    ['log', logarithm, '123456789.123456789', '18.63140176716801803269393334829654'],
    ['log', logarithm, '1e-6176', '-14220.76553433122614449511522413063'],
    ['log', logarithm, LARGEST, '14149.38539644841072829055748903542'],
    ['log', logarithm, ABOVE_ONE, '9.999999999999999999999999999999995e-34'],
    ['log', logarithm, BELOW_ONE, '-1e-34'],
    ['log', logarithm, '0', null],
    ['log', logarithm, '-4', null],
  ];
  for (const [name, operation, n, expected] of rows) {
    it(`${name} of ${n} is ${expected ?? 'null'}`, () => {
      assertIs(operation(number(n)), expected);
    });
  }

  it('a square root is the nearest number to the true one', () => {
    fc.assert(
      fc.property(feelNumbers, (n) => {
        const root = squareRoot(n);
        assertCanonical(root);
        assert.equal(root === null, compare(n, 0) < 0);
        if (root === null || root === 0) return;
        // The squares of the middles between it and its neighbours lie on both sides.
        const { coefficient, exponent } = exact(root);
        const shift = 35 - coefficient.toString().length;
        const digits = coefficient * 10n ** BigInt(shift);
        const unit = { coefficient: 1n, exponent: exponent - shift };
        const [low, high] = [-5n, 5n].map((half) => {
          const middle = { coefficient: digits + half, exponent: unit.exponent };
          return sum(product(middle, middle), { ...exact(n), coefficient: -exact(n).coefficient })
            .coefficient;
        });
        assert.ok(low !== undefined && high !== undefined && low <= 0n && high >= 0n);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of anything end, in canonical form', () => {
    fc.assert(
      fc.property(feelNumbers, (n) => {
        for (const operation of [exponential, logarithm, squareRoot]) assertCanonical(operation(n));
      }),
      { numRuns: 1_000 },
    );
  });

  it('a logarithm undoes an exponential', () => {
    fc.assert(
      fc.property(fc.integer({ min: -14_000_000, max: 14_000_000 }), (thousandths) => {
        const n = number(`${thousandths}e-3`);
        const raised = exponential(n);
        assert.ok(raised !== null);
        const back = logarithm(raised);
        assert.ok(back !== null);
        assertNear(back, n, '1e-32');
      }),
      { numRuns: 300 },
    );
  });
});

describe('modulo', () => {
  const rows: readonly (readonly [dividend: string, divisor: string, expected: string | null])[] = [
    ['12', '5', '2'],
    ['-12', '5', '3'],
    ['12', '-5', '-3'],
    ['-12', '-5', '-2'],
    ['10.1', '4.5', '1.1'],
    ['-10.1', '4.5', '3.4'],
    ['10.1', '-4.5', '-3.4'],
    ['-10.1', '-4.5', '-1.1'],
    ['0', '5', '0'],
    ['-10', '5', '0'],
    ['10', '-5', '0'],
    ['0.3', '0.1', '0'],
    ['5', '0', null],
    ['0', '0', null],
    ['9007199254740993', '2', '1'],
    ['1e6144', '7', '1'],
    ['3', '1e6144', '3'],
    ['-1e-6176', '1e6144', '1e6144'],
  ];
  for (const [dividend, divisor, expected] of rows) {
    it(`of ${dividend} and ${divisor} is ${expected ?? 'null'}`, () => {
      assertIs(modulo(number(dividend), number(divisor)), expected);
    });
  }

  for (const [kind, arbitrary] of Object.entries({
    short: shortNumbers,
    medium: mediumNumbers,
    any: feelNumbers,
  })) {
    it(`of ${kind} numbers is the exact rest, rounded once`, () => {
      fc.assert(
        fc.property(arbitrary, arbitrary, (dividend, divisor) => {
          const result = modulo(dividend, divisor);
          assertCanonical(result);
          const rest = divisor === 0 ? null : rounded(floorRest(exact(dividend), exact(divisor)));
          assert.equal(spelledNumber(result), rest);
        }),
        { numRuns: 1_000 },
      );
    });
  }
});

describe('odd and even', () => {
  const rows: readonly (readonly [n: string, parity: 'odd' | 'even' | 'neither'])[] = [
    ['0', 'even'],
    ['1', 'odd'],
    ['-1', 'odd'],
    ['-2', 'even'],
    ['5.5', 'neither'],
    ['2.5', 'neither'],
    ['0.1', 'neither'],
    ['9007199254740991', 'odd'],
    ['9007199254740993', 'odd'],
    ['1234567890123456789012345678901234', 'even'],
    ['1234567890123456789012345678901235', 'odd'],
    ['1234567890123456789012345678901235e1', 'even'],
    ['123456789012345678901234567890123.5', 'neither'],
    ['1e16', 'even'],
    ['1e6144', 'even'],
    ['1e-6176', 'neither'],
  ];
  for (const [n, parity] of rows) {
    it(`${n} is ${parity}`, () => {
      const value = number(n);
      assert.equal(isOdd(value) ? 'odd' : isEven(value) ? 'even' : 'neither', parity);
      assert.equal(isOdd(negate(value)), isOdd(value));
      assert.equal(isEven(negate(value)), isEven(value));
    });
  }

  it('are told by the rest of a division by two', () => {
    fc.assert(
      fc.property(feelNumbers, (n) => {
        const rest = modulo(n, 2);
        assert.ok(rest !== null);
        assert.equal(isOdd(n), equals(rest, 1));
        assert.equal(isEven(n), equals(rest, 0));
      }),
      { numRuns: 1_000 },
    );
  });
});
