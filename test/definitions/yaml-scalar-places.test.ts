/** Where the characters of YAML scalars are. The numbers are those at the top of yaml-scalar-places.ts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isScalar, parseDocument, stringify, visit, type Scalar } from 'yaml';
import { offsetInScalar } from '../../definitions/yaml-scalar-places.ts';

/** The first scalar whose value is text, but for keys. */
function scalarOf(text: string): Scalar.Parsed {
  const document = parseDocument(text);
  assert.deepEqual(document.errors, []);
  let found: Scalar | undefined;
  visit(document, {
    Scalar: (key, node) => {
      if (key !== 'key') found ??= node;
    },
  });
  assert.ok(isParsed(found));
  return found;
}

function isParsed(node: unknown): node is Scalar.Parsed {
  return isScalar(node) && Array.isArray(node.range);
}

/** In each text the `X` of the value is where `▮` stands. */
const rows: readonly (readonly [name: string, text: string])[] = [
  ['plain', 'a: =b + ▮X'],
  ['plain, at the end of a flow mapping', '{a: =b + ▮X}'],
  ['plain over several lines', 'a: =b +\n  c +\n\n  ▮X'],
  ['with CRLF', 'a: =b +\r\n  c +\r\n  ▮X\r\n'],
  ['a number', 'a: 1.50 ▮X'],
  ['single quotes', "a: '=b + ▮X'"],
  ['single quotes with quotes inside', "a: '=''b'' + ''▮X'''"],
  ['single quotes over several lines', "a: '=b +\n\n   c ''d''  \n  + ▮X'"],
  ['double quotes', 'a: "=b + ▮X"'],
  ['double quotes with escapes', 'a: "=\\"b\\"\\t\\n\\x41\\u00e4\\U0001F600\\/\\_ + ▮X"'],
  ['double quotes over several lines', 'a: "=b +\n\n   c \\\n  \\ d +  \n  ▮X"'],
  ['double quotes with white space by escapes behind a line break', 'a: "=b \n \\t ▮X"'],
  ['an escape itself', 'a: "=b + ▮\\x58"'],
  ['a literal block', 'a: |\n  =b\n    + c\n\n    + ▮X\n'],
  ['a literal block with a header', 'a: |2- # why\n    =b\n    + ▮X\n'],
  ['a folded block', 'a: >-\n  =b\n  + c\n\n  + d\n    + e\n  + ▮X\n'],
  ['behind a pair of surrogates', 'a: =😀 + ▮X'],
];

describe('a character is found in', () => {
  for (const [name, marked] of rows) {
    test(name, () => {
      const [before = '', after = ''] = marked.split('▮');
      const scalar = scalarOf(before + after);
      const index = String(scalar.value).indexOf('X');
      assert.notEqual(index, -1);
      assert.equal(offsetInScalar(before + after, scalar, index), before.length);
    });
  }
});

test('S2: an index out of the value is at its start or end', () => {
  const text = 'a: "bcd"';
  const scalar = scalarOf(text);
  assert.deepEqual(
    [-1, 0, 3, 4].map((index) => offsetInScalar(text, scalar, index)),
    [4, 4, 7, 7],
  );
});

test('S1: what is no white space is where it stands in the source, or at its escape', () => {
  const unit = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      ' ',
      '\n',
      '\t',
      "'",
      '"',
      '\\',
      ':',
      '#',
      '-',
      '{',
      ']',
      '😀',
      'ä',
      '\u0007',
      '\u2028',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
  );
  const value = fc.array(unit, { minLength: 1, maxLength: 60 }).map((units) => units.join(''));
  const type = fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED');
  let followed = 0;
  fc.assert(
    fc.property(value, type, fc.constantFrom(0, 20), (content, defaultStringType, lineWidth) => {
      const text = stringify({ a: [content] }, { defaultStringType, lineWidth, minContentWidth: 0 });
      const scalar = scalarOf(text);
      if (scalar.value !== content) return;
      for (let index = 0; index < content.length; index += 1) {
        const character = content[index] ?? '';
        if (character.trim() === '') continue;
        const at = offsetInScalar(text, scalar, index);
        const isLow = /[\udc00-\udfff]/.test(character);
        assert.ok(
          text[at] === character || text[at] === '\\' || isLow,
          `${JSON.stringify(character)} of ${JSON.stringify(text)} is said to be at ${at}`,
        );
        followed += 1;
      }
    }),
    { numRuns: 1_000 },
  );
  assert.ok(followed > 5_000, `${followed}`);
});
