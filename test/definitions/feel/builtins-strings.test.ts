/** String functions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { indexOfText } from '../../../definitions/feel/builtins/text-search.ts';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import {
  anyText,
  assertSame,
  call,
  doNotFit,
  givesValues,
  newRun,
  num,
  refuses,
  samples,
} from './builtins-calls.ts';

const HORSE = '\u{1F40E}';

describe('substring', () => {
  givesValues([
    ['substring', ['keyboard', 4], 'board'],
    ['substring', ['keyboard', 4, 2], 'bo'],
    ['substring', ['keyboard', -5], 'board'],
    ['substring', ['keyboard', -5, 1], 'b'],
    ['substring', ['keyboard', 1, 8], 'keyboard'],
    ['substring', ['keyboard', 8], 'd'],
    ['substring', ['keyboard', -8, 3], 'key'],
    ['substring', ['keyboard', 4, null], 'board'],
    // A length beyond the end means the rest.
    ['substring', ['keyboard', 7, 20], 'rd'],
    ['substring', ['keyboard', 7, num('1e40')], 'rd'],
    // A fraction does not count.
    ['substring', ['keyboard', 4.9, 2.9], 'bo'],
    ['substring', ['keyboard', -1.9], 'd'],
    ['substring', [`${HORSE}ab`, 2], 'ab'],
    ['substring', [`a${HORSE}${HORSE}b`, 2, 2], `${HORSE}${HORSE}`],
    ['substring', [`a${HORSE}b`, -2, 1], HORSE],
    ['substring', [['keyboard'], [4], [2]], 'bo'],
    ['substring', { string: 'keyboard', 'start position': 4 }, 'board'],
    ['substring', { length: 2, 'start position': 4, string: 'keyboard' }, 'bo'],
  ]);
  refuses([
    ['substring', ['keyboard', 0]],
    ['substring', ['keyboard', 0.5]],
    ['substring', ['keyboard', 9]],
    ['substring', ['keyboard', -9]],
    ['substring', ['keyboard', num('1e40')]],
    ['substring', ['', 1]],
    ['substring', [HORSE, 2]],
    ['substring', ['keyboard', 1, 0]],
    ['substring', ['keyboard', 1, -1]],
    ['substring', ['keyboard', 1, num('-1e40')]],
    ['substring', ['keyboard', '4']],
    ['substring', ['keyboard', null]],
    ['substring', [null, 1]],
    ['substring', [12, 1]],
    ['substring', [['key', 'board'], 1]],
    ['substring', ['keyboard', 1, '2']],
  ]);
  doNotFit([
    ['substring', ['keyboard']],
    ['substring', ['keyboard', 1, 2, 3]],
    ['substring', { string: 'keyboard', start: 1 }],
  ]);

  it('is what the list of code points has there', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: -8, max: 8 }),
        fc.integer({ min: 1, max: 8 }),
        (text, start, length) => {
          const points = Array.from(text);
          fc.pre(start !== 0 && Math.abs(start) <= points.length);
          const from = start > 0 ? start - 1 : points.length + start;
          assert.equal(call('substring', [text, start, length]), points.slice(from, from + length).join(''));
          assert.equal(call('substring', [text, start]), points.slice(from).join(''));
        },
      ),
    );
  });
});

describe('string length, upper case and lower case', () => {
  givesValues([
    ['string length', [''], 0],
    ['string length', ['abc'], 3],
    ['string length', [`${HORSE}ab`], 3],
    ['string length', ['\ud83d'], 1],
    ['string length', ['e\u0301'], 2],
    ['string length', [['abc']], 3],
    ['string length', { string: 'ab ' }, 3],
    ['upper case', ['aBc4 ß'], 'ABC4 SS'],
    ['lower case', ['aBc4 Ä'], 'abc4 ä'],
    ['upper case', { string: 'é' }, 'É'],
    ['lower case', [''], ''],
  ]);
  refuses([
    ['string length', [null]],
    ['string length', [3]],
    ['string length', [[]]],
    ['string length', [['a', 'b']]],
    ['upper case', [true]],
    ['lower case', [samples.date]],
  ]);
  doNotFit([
    ['string length', []],
    ['string length', ['a', 'b']],
    ['upper case', { text: 'a' }],
  ]);

  it('counts as many characters as there are code points', () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        assert.equal(call('string length', [left + right]), Array.from(left + right).length);
      }),
    );
  });
});

describe('substring before, substring after, contains, starts with and ends with', () => {
  givesValues([
    ['substring before', ['keyboard', 'board'], 'key'],
    ['substring before', ['keyboard', 'x'], ''],
    ['substring before', ['keyboard', ''], ''],
    ['substring before', ['', ''], ''],
    ['substring before', ['a-b-c', '-'], 'a'],
    ['substring after', ['keyboard', 'key'], 'board'],
    ['substring after', ['keyboard', 'x'], ''],
    ['substring after', ['keyboard', ''], 'keyboard'],
    ['substring after', ['', 'x'], ''],
    ['substring after', ['a-b-c', '-'], 'b-c'],
    ['substring after', [`a${HORSE}b`, HORSE], 'b'],
    ['substring before', { match: 'b', string: 'abc' }, 'a'],
    ['contains', ['keyboard', 'boa'], true],
    ['contains', ['keyboard', 'bob'], false],
    ['contains', ['abc', ''], true],
    ['contains', ['', ''], true],
    ['contains', ['', 'ab'], false],
    ['contains', [['keyboard'], 'key'], true],
    ['contains', { string: 'abc', match: 'bc' }, true],
    ['starts with', ['keyboard', 'key'], true],
    ['starts with', ['keyboard', 'board'], false],
    ['starts with', ['key', 'keyboard'], false],
    ['ends with', ['keyboard', 'board'], true],
    ['ends with', ['keyboard', ''], true],
    ['ends with', { string: 'keyboard', match: 'key' }, false],
  ]);
  refuses([
    ['substring before', [null, 'a']],
    ['substring after', ['a', null]],
    ['contains', [null, null]],
    ['contains', ['a', 1]],
    ['starts with', [['a', 'b'], 'a']],
    ['ends with', [1, 'a']],
  ]);

  it('puts the text together again', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (before, match, after) => {
        const text = before + match + after;
        const [start, rest] = [
          call('substring before', [text, match]),
          call('substring after', [text, match]),
        ];
        assert.ok(typeof start === 'string' && typeof rest === 'string');
        assert.equal(start + match + rest, text);
        assert.equal(call('contains', [text, match]), true);
        assert.equal(call('starts with', [text, before]), true);
        assert.equal(call('ends with', [text, after]), true);
      }),
    );
  });
});

describe('searching', () => {
  it('finds what the runtime finds', () => {
    const repetitive = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 });
    fc.assert(
      fc.property(repetitive, repetitive, (text, searched) => {
        assert.equal(indexOfText(text, searched, newRun().meter), text.indexOf(searched));
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds a long text that begins over and over', () => {
    const text = `${'aaaaaaaaab'.repeat(40)}aaaaaaaaac`;
    assert.equal(indexOfText(text, 'aaaaaaaaac', newRun().meter), 400);
    assert.equal(indexOfText(text, 'aaaaaaaaabaaaaaaaaac', newRun().meter), 390);
    assert.equal(indexOfText(text, `${'a'.repeat(20)}b`, newRun().meter), -1);
  });
});

describe('matches, replace and split', () => {
  givesValues([
    ['matches', ['keyboard', '^k.*d$'], true],
    ['matches', ['keyboard', 'yb'], true],
    ['matches', ['keyboard', '^y'], false],
    ['matches', ['keyboard', 'KEY', 'i'], true],
    ['matches', ['keyboard', 'KEY', null], false],
    ['matches', ['a\nb', '^b$', 'm'], true],
    ['matches', ['a\nb', 'a.b'], false],
    ['matches', ['a\nb', 'a.b', 's'], true],
    ['matches', ['ab', ' a b ', 'x'], true],
    ['matches', [`a${HORSE}b`, '^a.b$'], true],
    ['matches', [['abc'], ['b']], true],
    ['matches', { input: 'abc', pattern: 'B', flags: 'i' }, true],
    ['replace', ['banana', 'an', 'o'], 'booa'],
    ['replace', ['banana', '[aeiou]', '<$0>'], 'b<a>n<a>n<a>'],
    ['replace', ['abcd', '(ab)|(a)', '[1=$1][2=$2]'], '[1=ab][2=]cd'],
    ['replace', ['Abc', 'a', 'x', 'i'], 'xbc'],
    ['replace', ['a.b', '\\.', '\\$'], 'a$b'],
    ['replace', { input: 'abc', pattern: 'b', replacement: '' }, 'ac'],
    ['split', ['Jane Roe', '\\s'], ['Jane', 'Roe']],
    ['split', ['a;b;c;;', ';'], ['a', 'b', 'c', '', '']],
    ['split', ['abc', ';'], ['abc']],
    ['split', { string: 'a1b22c', delimiter: '[0-9]+' }, ['a', 'b', 'c']],
  ]);
  refuses([
    ['matches', [null, 'a']],
    ['matches', ['a', null]],
    ['matches', ['a', []]],
    ['matches', ['a', '(']],
    ['matches', ['a', 'a', 'p']],
    ['matches', ['a', 'a', ' ']],
    ['matches', ['a', 'a', []]],
    // What may well be a pattern, and takes more than linear time.
    ['matches', ['aa', '(a)\\1']],
    ['matches', ['aa', 'a(?=b)']],
    ['matches', ['a', '(a{900}){900}']],
    ['replace', ['abc', 'b', '$']],
    ['replace', ['abc', 'b', '\\x']],
    ['replace', ['abc', 'b', null]],
    ['replace', ['abc', '[', 'x']],
    ['split', ['abc', '[']],
    ['split', [3, ';']],
    ['split', ['abc', null]],
  ]);
  doNotFit([
    ['matches', ['a']],
    ['matches', ['a', 'b', 'i', 'i']],
    ['replace', ['a', 'b']],
    ['split', ['a']],
    ['split', ['a', 'b', 'c']],
  ]);

  it('splits what was joined', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', HORSE), maxLength: 4 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 6 }), (words) => {
        const joined = call('string join', [words, ';']);
        assertSame(call('split', [joined, ';']), words);
      }),
    );
  });
});

describe('string join', () => {
  givesValues([
    ['string join', [['a', 'b', 'c'], '_and_'], 'a_and_b_and_c'],
    ['string join', [['a', 'b', 'c'], ''], 'abc'],
    ['string join', [['a', 'b', 'c'], null], 'abc'],
    ['string join', [['a', 'b', 'c']], 'abc'],
    ['string join', [['a'], 'x'], 'a'],
    ['string join', [['a', null, 'c'], 'x'], 'axc'],
    ['string join', [[null, null], 'x'], ''],
    ['string join', [[], 'x'], ''],
    ['string join', ['a', 'x'], 'a'],
    ['string join', { list: ['a', 'b'], delimiter: '-' }, 'a-b'],
  ]);
  refuses([
    ['string join', [['a', 1]]],
    ['string join', [[['a']]]],
    ['string join', [null, 'x']],
    ['string join', [['a'], 1]],
  ] satisfies readonly (readonly [string, readonly FeelValue[]])[]);
  doNotFit([
    ['string join', []],
    ['string join', [['a'], 'x', 'y']],
  ]);
});
