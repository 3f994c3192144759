/** The form of FEEL numbers, their order and their texts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { canonical, compare, equals, isFeelNumber, isInteger } from '../../../definitions/feel/number.ts';
import { fromText, toText } from '../../../definitions/feel/number-text.ts';
import {
  assertCanonical,
  exact,
  exactOf,
  feelNumbers,
  mediumNumbers,
  negated,
  number,
  rounded,
  spelled,
  spelledNumber,
  sum,
} from './number-oracle.ts';

describe('the form of a number (N1)', () => {
  const rows: readonly (readonly [text: string, form: 'number' | 'decimal'])[] = [
    ['0', 'number'],
    ['-0', 'number'],
    ['0.1', 'number'],
    ['123456789.012345', 'number'],
    ['0.123456789012345', 'number'],
    ['0.1234567890123456', 'decimal'],
    ['9007199254740991', 'number'],
    ['-9007199254740991', 'number'],
    ['9007199254740992', 'decimal'],
    ['9007199254740993', 'decimal'],
    ['9007199254740990', 'number'],
    ['9999999999999999', 'decimal'],
    ['9007199254740991.0', 'number'],
    ['900719925474099.1', 'decimal'],
    ['10000000000000000', 'number'],
    ['1e300', 'number'],
    ['9.99999999999999e300', 'number'],
    ['1e301', 'decimal'],
    ['1e-300', 'number'],
    ['9.99e-301', 'decimal'],
    ['0.3333333333333333333333333333333333', 'decimal'],
  ];
  for (const [text, form] of rows) {
    it(`${text} is a ${form}`, () => {
      const n = number(text);
      assert.equal(n instanceof Decimal ? 'decimal' : typeof n, form);
      assertCanonical(n);
    });
  }

  it('is the only one of a value, and of no other', () => {
    fc.assert(
      fc.property(feelNumbers, (n) => {
        assertCanonical(n);
        const again = number(toText(n));
        assert.equal(equals(n, again), true);
        assert.equal(typeof again, typeof n);
      }),
      { numRuns: 2_000 },
    );
  });

  it('knows its own from what only looks like it', () => {
    assert.ok(isFeelNumber(1));
    assert.ok(isFeelNumber(number('1e301')));
    for (const other of [null, '1', true, 1n, {}, [], { toStringTag: '[object Decimal]' }, undefined]) {
      assert.ok(!isFeelNumber(other));
    }
  });
});

describe('a double from outside', () => {
  const rows: readonly (readonly [double: number, text: string | null])[] = [
    [0, '0'],
    [-0, '0'],
    [0.1, '0.1'],
    [0.1 + 0.2, '0.30000000000000004'],
    [1e21, '1000000000000000000000'],
    [2 ** 53, '9007199254740992'],
    [123456789012345680000, '123456789012345680000'],
    [-1.5e-7, '-0.00000015'],
    [Number.NaN, null],
    [Infinity, null],
    [-Infinity, null],
  ];
  for (const [double, text] of rows) {
    it(`${Object.is(double, -0) ? '-0' : double} is ${text ?? 'null'}`, () => {
      const n = canonical(double);
      assertCanonical(n);
      assert.equal(n === null ? null : toText(n), text);
    });
  }

  it('is the decimal that its shortest text spells (N2)', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        const n = canonical(double);
        assertCanonical(n);
        assert.equal(spelledNumber(n), spelled(exactOf(String(double))));
      }),
      { numRuns: 3_000 },
    );
  });

  it('that is in canonical form stays the same double', () => {
    fc.assert(
      fc.property(feelNumbers, (n) => {
        if (typeof n === 'number') assert.equal(canonical(n), n);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the text of a number', () => {
  const read: readonly (readonly [text: string, expected: string | null])[] = [
    ['00123', '123'],
    ['1.50', '1.5'],
    ['.872', '0.872'],
    ['-.872', '-0.872'],
    ['-0.0', '0'],
    ['1e3', '1000'],
    ['1.2E+3', '1200'],
    ['12e-3', '0.012'],
    ['1e00000000000000000003', '1000'],
    ['0e999999999999999999999', '0'],
    ['1e-999999999999999999999', '0'],
    ['1e999999999999999999999', null],
    ['1e6145', null],
    ['-1e6145', null],
    ['5e-6177', '0'],
    ['', null],
    ['-', null],
    ['.', null],
    ['1.', null],
    ['-.', null],
    ['+1', null],
    ['--1', null],
    ['1e', null],
    ['1e+', null],
    ['e5', null],
    ['1e5.0', null],
    ['1.2.3', null],
    ['1,000', null],
    ['1 000', null],
    [' 1', null],
    ['1 ', null],
    ['0x10', null],
    ['1_000', null],
    ['NaN', null],
    ['Infinity', null],
    ['١', null],
    ['1234567890123456789012345678901234.5', '1234567890123456789012345678901234'],
    ['1234567890123456789012345678901235.5', '1234567890123456789012345678901236'],
    [`1234567890123456789012345678901234.5${'0'.repeat(80)}1`, '1234567890123456789012345678901235'],
    [`${'0'.repeat(50)}7`, '7'],
    [`0.${'0'.repeat(50)}7`, `0.${'0'.repeat(50)}7`],
    [`7${'0'.repeat(50)}`, `7${'0'.repeat(50)}`],
    ['9'.repeat(35), `1${'0'.repeat(35)}`],
  ];
  for (const [text, expected] of read) {
    it(`${JSON.stringify(text)} reads as ${expected ?? 'null'}`, () => {
      const n = fromText(text);
      assertCanonical(n);
      assert.equal(n === null ? null : toText(n), expected);
    });
  }

  it('is read at the edges of the range', () => {
    assert.equal(
      spelledNumber(fromText('9.999999999999999999999999999999999e6144')),
      `${'9'.repeat(34)}e6111`,
    );
    assert.equal(fromText(`${'9'.repeat(35)}e6110`), null);
    assert.equal(spelledNumber(fromText('1e-6176')), '1e-6176');
    assert.equal(spelledNumber(fromText('5.1e-6177')), '1e-6176');
    assert.equal(spelledNumber(fromText('1.5e-6176')), '2e-6176');
    assert.equal(spelledNumber(fromText('2.5e-6176')), '2e-6176');
    // Rounded once: to 34 digits first it would be a half.
    assert.equal(spelledNumber(fromText(`2.4${'9'.repeat(60)}e-6176`)), '2e-6176');
  });

  it('has no exponent, whatever the number', () => {
    fc.assert(
      fc.property(feelNumbers, (n) => {
        assert.match(toText(n), /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
      }),
      { numRuns: 1_000 },
    );
    assert.equal(toText(1e-7), '0.0000001');
    assert.equal(toText(-1.25e21), '-1250000000000000000000');
    assert.equal(toText(number('1e-6176')), `0.${'0'.repeat(6175)}1`);
    assert.equal(toText(number('1e6144')), `1${'0'.repeat(6144)}`);
  });

  it('gives the same number again (T1)', () => {
    fc.assert(
      fc.property(feelNumbers, (n) => {
        assert.equal(equals(number(toText(n)), n), true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('spells what is read, rounded once', () => {
    const texts = fc.stringMatching(/^-?[0-9]{1,45}(\.[0-9]{1,45})?(e-?([0-9]{1,2}|61[4-9][0-9]))?$/);
    fc.assert(
      fc.property(texts, (text) => {
        const n = fromText(text);
        assertCanonical(n);
        assert.equal(spelledNumber(n), rounded(exactOf(text)));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('order and equality', () => {
  it('are those of the values', () => {
    fc.assert(
      fc.property(feelNumbers, feelNumbers, (a, b) => {
        const { coefficient } = sum(exact(a), negated(exact(b)));
        const order = coefficient < 0n ? -1 : coefficient > 0n ? 1 : 0;
        assert.equal(compare(a, b), order);
        assert.equal(compare(b, a), order === 0 ? 0 : -order);
        assert.equal(equals(a, b), order === 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('tell a number from its neighbour', () => {
    const neighbours = fc.tuple(mediumNumbers, fc.constantFrom('1e-45', '1e-20', '1e-15', '1'));
    fc.assert(
      fc.property(neighbours, ([n, text]) => {
        const next = fromText(rounded(sum(exact(n), exactOf(text))) ?? '');
        if (next === null) return assert.fail('there is a number close by');
        assert.equal(compare(n, next), equals(n, next) ? 0 : -1);
      }),
      { numRuns: 2_000 },
    );
  });

  it('know an integer', () => {
    fc.assert(
      fc.property(feelNumbers, (n) => {
        assert.equal(isInteger(n), exact(n).exponent >= 0);
      }),
      { numRuns: 1_000 },
    );
  });
});
