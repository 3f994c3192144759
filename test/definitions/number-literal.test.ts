import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseExactJsonText } from '../../definitions/exact-json.ts';
import { Decimal128, equals } from '../../definitions/feel/number.ts';
import { numberLiteral, readDoubleLiteral, readNumberLiteral } from '../../definitions/number-literal.ts';
import { toPlainJson } from '../../definitions/plain-json.ts';
import { encodeValue, parseWithValues } from '../../definitions/value-codec.ts';
import type { Value } from '../../definitions/value.ts';
import { anyNumber, anyNumberLiteral } from '../support/any-value.ts';

/** A literal's decimal value as a fraction of integers: written independently of the code under test. */
function exactValue(literal: string): { readonly numerator: bigint; readonly power: number } {
  const [mantissa = '', power = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const numerator = BigInt(whole + fraction);
  return { numerator, power: numerator === 0n ? 0 : Number(power) - fraction.length };
}

function isSameDecimal(one: string, other: string): boolean {
  const a = exactValue(one);
  const b = exactValue(other);
  const low = Math.min(a.power, b.power);
  return a.numerator * 10n ** BigInt(a.power - low) === b.numerator * 10n ** BigInt(b.power - low);
}

/** Whether 34 digits, none of them below 1e-6176, spell it. Above, everything that is tried here is in range. */
function isKept(literal: string): boolean {
  const { numerator, power } = exactValue(literal);
  if (numerator === 0n) return true;
  const digits = String(numerator).replace('-', '').replace(/0+$/, '');
  const zeros = String(numerator).replace('-', '').length - digits.length;
  return digits.length <= 34 && power + zeros >= -6_176;
}

function passThrough(text: string): string {
  const read = parseExactJsonText(text);
  assert.ok(read.ok, read.ok ? '' : read.message);
  return toPlainJson(parseWithValues(encodeValue(read.value as Value)));
}

const digits34 = '1234567890123456789012345678901234';

describe('number literals that come in, are stored and go out', () => {
  /** Without a second: it goes out as it came in. Null: it is refused. */
  const rows: readonly (readonly [literal: string, written?: string | null])[] = [
    ['-0', '0'],
    ['-0.000e-99999', '0'],
    ['0e999999999999999999999', '0'],
    ['0.1'],
    ['-0.5'],
    ['1.0', '1'],
    ['1.50', '1.5'],
    ['1E5', '100000'],
    ['100e-2', '1'],
    ['9007199254740991'],
    ['9007199254740992'],
    ['9007199254740993'],
    ['-9007199254740993.0', '-9007199254740993'],
    ['0.30000000000000004'],
    ['12345678901234567890.12'],
    ['1e21', '1e+21'],
    ['1e300', '1e+300'],
    ['1e301', '1e+301'],
    ['1e400', '1e+400'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['5e-324'],
    ['0.0000001', '1e-7'],
    ['0.00000012345678901234567'],
    ['0.000000012345678901234567', '1.2345678901234567e-8'],
    [digits34],
    [`-0.${digits34}`],
    [`${digits34}0`, '1.234567890123456789012345678901234e+34'],
    [`${digits34}.000`, digits34],
    [`${digits34}5`, null],
    [`0.${digits34}5`, null],
    ['1e6144', '1e+6144'],
    [`9.${'9'.repeat(33)}e6144`, `9.${'9'.repeat(33)}e+6144`],
    ['1e6145', null],
    ['10e6144', null],
    ['1e-6176'],
    ['10e-6177', '1e-6176'],
    ['1e-6177', null],
    ['1.5e-6176', null],
    ['1e-99999999999999999999', null],
    ['1e99999999999999999999999', null],
    ['0.1e-1000000000000000000000000', null],
  ];
  for (const [literal, written = literal] of rows) {
    it(`${literal} ${written === null ? 'is refused' : `is ${written}`}`, () => {
      if (written !== null) {
        assert.equal(passThrough(literal), written);
        return;
      }
      assert.equal(readNumberLiteral(literal), null);
      const read = parseExactJsonText(`[${literal}]`);
      assert.equal(read.ok ? '' : read.code, 'SUTRA.CODEC.NUMBER_INEXACT');
    });
  }

  /** A text with `#` where its numbers go, and those numbers' literals. */
  const template = fc.letrec<{ node: string; list: string; context: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(
        '#',
        '#',
        '#',
        'null',
        'true',
        '"12345678901234567890"',
        '"\\ud83d\\ude00#"'.replace('#', ''),
      ),
      tie('list'),
      tie('context'),
    ),
    list: fc.array(tie('node'), { maxLength: 5 }).map((items) => `[${items.join(', ')}]`),
    context: fc
      .uniqueArray(
        fc.tuple(fc.constantFrom('a', 'b', '__proto__', '$temporal', 'text', 'toJSON'), tie('node')),
        {
          selector: ([key]) => key,
          maxLength: 5,
        },
      )
      .map((entries) => `{${entries.map(([key, item]) => `"${key}" :${item}`).join(',')}}`),
  })).node;

  it('spell the same number in the same place, wherever they stand', () => {
    fc.assert(
      fc.property(
        template,
        fc.array(anyNumberLiteral, { minLength: 60, maxLength: 60 }),
        (shape, literals) => {
          let used = 0;
          const sent = shape.replaceAll('#', () => literals[used++ % literals.length] ?? '0');
          const out = passThrough(sent);
          const found: string[] = [];
          const outShape = out.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => {
            if (token.startsWith('"')) return token;
            found.push(token);
            return '#';
          });
          assert.deepStrictEqual(
            JSON.parse(outShape.replaceAll('#', '0')),
            JSON.parse(shape.replaceAll('#', '0')),
          );
          assert.equal(found.length, used);
          for (const [index, literal] of found.entries()) {
            const given = literals[index % literals.length] ?? '0';
            assert.ok(isSameDecimal(given, literal), `${given} became ${literal}`);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  const anyLiteral = fc.stringMatching(/^-?(?:0|[1-9]\d{0,40})(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?$/);

  it('are taken exactly when 34 digits spell them', () => {
    fc.assert(
      fc.property(anyLiteral, (literal) => {
        assert.equal(readNumberLiteral(literal) !== null, isKept(literal), literal);
        assert.equal(parseExactJsonText(literal).ok, isKept(literal), literal);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are short, and read back as the very number', () => {
    fc.assert(
      fc.property(anyNumber, (n) => {
        const literal = numberLiteral(n);
        const read = readNumberLiteral(literal);
        assert.ok(read !== null && equals(read, n) && typeof read === typeof n, literal);
        assert.ok(literal.length <= 44, literal);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are nothing but what JSON spells so', () => {
    for (const text of [
      '',
      '-',
      '+1',
      '01',
      '.5',
      '5.',
      '1e',
      '0x1',
      'NaN',
      '1 ',
      '1e5-3',
      '1'.repeat(2_000_000),
    ]) {
      assert.equal(readNumberLiteral(text), null);
      assert.equal(readDoubleLiteral(text), null);
    }
  });

  it('are doubles exactly when the double writes the same decimal', () => {
    fc.assert(
      fc.property(anyLiteral, (literal) => {
        const double = Number(literal);
        const isDouble = Number.isFinite(double) && isSameDecimal(literal, String(double));
        assert.equal(readDoubleLiteral(literal), isDouble ? double + 0 : null, literal);
      }),
      { numRuns: 2_000 },
    );
  });

  it('with many digits are read in time proportional to their length', () => {
    const text = `[${Array.from({ length: 50_000 }, (_, index) => `${digits34}e-${String(index % 6_000)}`).join(',')}]`;
    const read = parseExactJsonText(text);
    assert.ok(read.ok && Array.isArray(read.value));
    assert.deepStrictEqual(read.value[7], new Decimal128(`${digits34}e-7`));
  });
});
