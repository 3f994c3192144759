import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  defaultJsonLimits,
  parseExactJson,
  parseExactJsonText,
  type ExactJsonResult,
} from '../../definitions/exact-json.ts';
import { canonical, Decimal128 } from '../../definitions/feel/number.ts';
import { findJsonFault } from '../../definitions/json-faults.ts';

const encoder = new TextEncoder();

function parse(text: string): ExactJsonResult {
  return parseExactJson(encoder.encode(text));
}

describe('JSON that is taken', () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ['{"a":[1,"x",null,true,{}]}', { a: [1, 'x', null, true, {}] }],
    [' \t\r\n1 ', 1],
    ['0.1', 0.1],
    ['1e22', 1e22],
    ['[1.50, 100e-2, 0e999]', [1.5, 1, 0]],
    ['9007199254740991', 9007199254740991],
    ['0.30000000000000004', new Decimal128('0.30000000000000004')],
    ['5e-324', new Decimal128('5e-324')],
    ['[-0, -0.0, -0e5, -0.5, {"a":-0}]', [0, 0, 0, -0.5, { a: 0 }]],
    ['[9007199254740993,1e400]', [new Decimal128('9007199254740993'), new Decimal128('1e400')]],
    [
      '{"\\u0061":[-12345678901234567890.12 , {"__proto__":1e-400}],"b":"12345678901234567890"}',
      Object.fromEntries([
        [
          'a',
          [
            new Decimal128('-12345678901234567890.12'),
            Object.fromEntries([['__proto__', new Decimal128('1e-400')]]),
          ],
        ],
        ['b', '12345678901234567890'],
      ]),
    ],
    ['["\\ud83d\\ude00", 0.12345678901234567]', ['😀', new Decimal128('0.12345678901234567')]],
    ['"\\ud83d\\ude00\\u00e9"', '😀é'],
    ['\ufeff{"a":1}', { a: 1 }],
    [`${'['.repeat(200)}${']'.repeat(200)}`, JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)],
  ];
  for (const [text, expected] of rows) {
    it(`takes ${text.slice(0, 40)}`, () => {
      const result = parse(text);
      assert.ok(result.ok, result.ok ? '' : result.message);
      assert.deepStrictEqual(result.value, expected);
    });
  }

  it('keeps __proto__ as a key like any other', () => {
    for (const text of [
      '{"__proto__":{"x":1}}',
      '{"__proto__":{"x":-0}}',
      '{"__proto__":12345678901234567890}',
    ]) {
      const result = parse(text);
      assert.ok(result.ok);
      assert.deepStrictEqual(Object.keys(result.value as object), ['__proto__']);
      assert.equal(({} as { x?: number }).x, undefined);
    }
  });

  it('takes whatever JSON.stringify writes of doubles and texts', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.array(fc.oneof(double, fc.integer(), fc.string({ unit: 'grapheme' }))), (values) => {
        const text = JSON.stringify(values).replaceAll('\\u0000', '');
        const result = parse(text);
        assert.ok(result.ok, result.ok ? '' : `${result.message}: ${text}`);
        const expected = JSON.parse(text, (_key, item: unknown) =>
          typeof item === 'number' ? canonical(item) : item,
        ) as unknown;
        assert.deepStrictEqual(result.value, expected);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('JSON that is refused', () => {
  const rows: readonly (readonly [
    text: string,
    code: string,
    line: number,
    column: number,
    message: RegExp,
  ])[] = [
    ['', 'JSON_INVALID', 1, 1, /empty/],
    [' \n ', 'JSON_INVALID', 2, 2, /empty/],
    ['[1,]', 'JSON_INVALID', 1, 4, /a value was expected/],
    ['{"a":1,}', 'JSON_INVALID', 1, 8, /a key in double quotes/],
    ['{\n  "a" 1}', 'JSON_INVALID', 2, 7, /":" was expected/],
    ['[1 2]', 'JSON_INVALID', 1, 4, /"," or "\]"/],
    ['01', 'JSON_INVALID', 1, 2, /the end was expected/],
    ['[1', 'JSON_INVALID', 1, 3, /the end was found/],
    ['"abc', 'JSON_INVALID', 1, 1, /not closed/],
    ['"\\x"', 'JSON_INVALID', 1, 1, /wrong character/],
    ['"\n"', 'JSON_INVALID', 1, 1, /wrong character/],
    ['NaN', 'JSON_INVALID', 1, 1, /a value was expected/],
    [`{"a":1${'0'.repeat(33)}1}`, 'NUMBER_INEXACT', 1, 6, /\$\.a /],
    [`{"a":[1,{"b c":1.${'0'.repeat(33)}1}]}`, 'NUMBER_INEXACT', 1, 16, /\$\.a\[1\]\["b c"\]/],
    ['1e6145', 'NUMBER_INEXACT', 1, 1, /\$ /],
    ['-1e-6177', 'NUMBER_INEXACT', 1, 1, /\$ /],
    ['[12345678901234567890, 1e9999]', 'NUMBER_INEXACT', 1, 24, /\$\[1\] /],
    ['{12345678901234567890:1}', 'JSON_INVALID', 1, 2, /a key in double quotes/],
    ['{-0:1}', 'JSON_INVALID', 1, 2, /a key in double quotes/],
    ['[01234567890123456789]', 'JSON_INVALID', 1, 3, /"," or "\]"/],
    ['["\\u00000", 12345678901234567890]', 'TEXT_INVALID', 1, 2, /holds a NUL/],
    ['{"a":1,"b":{},"a":2}', 'KEY_DUPLICATE', 1, 15, /\$\.a occurs twice/],
    ['{"a":1,"\\u0061":2}', 'KEY_DUPLICATE', 1, 8, /\$\.a occurs twice/],
    ['{"__proto__":1,"__proto__":2}', 'KEY_DUPLICATE', 1, 16, /__proto__ occurs twice/],
    ['{"x":"a\\u0000"}', 'TEXT_INVALID', 1, 6, /\$\.x holds a NUL/],
    ['{"\\u0000":1}', 'TEXT_INVALID', 1, 2, /a key of \$ holds a NUL/],
    ['["\\ud800"]', 'TEXT_INVALID', 1, 2, /\$\[0\] holds half/],
    ['["\\uDC00\\uD800"]', 'TEXT_INVALID', 1, 2, /half of a surrogate pair/],
    ['{"\\ud83d":1}', 'TEXT_INVALID', 1, 2, /a key of \$ holds half/],
    [`${'['.repeat(201)}${']'.repeat(201)}`, 'TOO_DEEP', 1, 201, /deeper than 200/],
    ['['.repeat(1_000_000), 'TOO_DEEP', 1, 201, /deeper than 200/],
    [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'TOO_DEEP', 1, 1001, /deeper than 200/],
  ];
  for (const [text, code, line, column, message] of rows) {
    it(`refuses ${JSON.stringify(text.slice(0, 30))} with ${code}`, () => {
      const result = parse(text);
      assert.ok(!result.ok);
      assert.equal(result.code, `SUTRA.CODEC.${code}`);
      assert.match(result.message, message);
      assert.deepStrictEqual([result.line, result.column], [line, column]);
    });
  }

  it('refuses bytes that are not UTF-8', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
    ]) {
      const result = parseExactJson(new Uint8Array(bytes));
      assert.ok(!result.ok);
      assert.equal(result.code, 'SUTRA.CODEC.TEXT_INVALID');
    }
  });

  it('holds the depth it is given', () => {
    const limits = { ...defaultJsonLimits, maxDepth: 2 };
    assert.ok(parseExactJsonText('[[1]]', limits).ok);
    assert.ok(!parseExactJsonText('[[[1]]]', limits).ok);
  });

  it('is refused in time proportional to its size, however large', () => {
    const hostile = `[${'"\\ud800",'.repeat(200_000)}1]`;
    const deepPath = `${'{"key":'.repeat(199)}[${'"a",'.repeat(400_000)}"\\u0000"]${'}'.repeat(199)}`;
    for (const text of [hostile, deepPath, `"${'\\n'.repeat(1_000_000)}\\u0000"`, '1'.repeat(2_000_000)]) {
      assert.ok(!parse(text).ok);
    }
  });

  it('shows nothing of the payload but the path', () => {
    const result = parse('{"card":"4111-secret" "x"}');
    assert.ok(!result.ok);
    assert.ok(!result.message.includes('4111'));
  });
});

describe('JSON for readers that know doubles alone', () => {
  const limits = { ...defaultJsonLimits, numbers: 'doubles' } as const;

  it('has the doubles of its literals', () => {
    const text = '[-0, 0.1, 0.30000000000000004, 1e301, 9007199254740992, 123456789012345680000]';
    const result = parseExactJsonText(text, limits);
    assert.ok(result.ok);
    assert.deepStrictEqual(
      result.value,
      [0, 0.1, 0.30000000000000004, 1e301, 9007199254740992, 123456789012345680000],
    );
  });

  for (const literal of ['9007199254740993', '1.00000000000000000001', '1e400', '1e-400']) {
    it(`is refused for ${literal}, with the place`, () => {
      const result = parseExactJsonText(`{"a": ${literal}}`, limits);
      assert.ok(!result.ok);
      assert.deepStrictEqual([result.code, result.column], ['SUTRA.CODEC.NUMBER_INEXACT', 7]);
    });
  }
});

describe('the fast and the explaining reader', () => {
  const pieces = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '"b":',
      '1',
      '-0',
      '1e5',
      '9007199254740993',
      '1e9999',
      '12345678901234567890.5',
      'true',
      'null',
    ],
    ...[' ', '\n', '\\', '\\u0000', '\\ud800', '"\\ud83d\\ude00"', '"k":1', '""', '.', '-', 'e'],
  );

  it('agree with each other and with JSON.parse about every text', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join('')),
        (text) => {
          const result = parseExactJsonText(text);
          assert.equal(findJsonFault(text, defaultJsonLimits) === null, result.ok, text);
          let isJson = true;
          try {
            JSON.parse(text);
          } catch {
            isJson = false;
          }
          if (isJson && !result.ok) assert.notEqual(result.code, 'SUTRA.CODEC.JSON_INVALID', text);
          if (!isJson) assert.ok(!result.ok, text);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('take any JSON value with distinct keys', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5, stringUnit: 'grapheme' }), (text) => {
        const cleaned = text.replaceAll('\\u0000', '');
        const hasTwins = findJsonFault(cleaned, defaultJsonLimits)?.code === 'SUTRA.CODEC.KEY_DUPLICATE';
        assert.equal(parse(cleaned).ok, !hasTwins);
      }),
    );
  });
});
