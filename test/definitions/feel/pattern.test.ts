/** What is made of a pattern before re2js reads it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FeelEvaluationError } from '../../../definitions/feel/errors.ts';
import { readPattern } from '../../../definitions/feel/pattern.ts';

describe('white space in a pattern with the flag x', () => {
  const rows: readonly (readonly [pattern: string, source: string])[] = [
    ['hello world', 'helloworld'],
    ['a\tb\r\nc', 'abc'],
    ['hello\\ sworld', 'hello\\sworld'],
    ['\\ [ a ]', '\\[a]'],
    ['\\p{ L u }+', '\\p{Lu}+'],
    ['a{1, 2}', 'a{1,2}'],
    // A class keeps it.
    ['a [ b] c', 'a[ b]c'],
    ['[^ ] ]', '[^ ]]'],
    ['[] ] a', '[] ]a'],
    ['[\\] ] a', '[\\] ]a'],
    ['[a b', '[ab'],
  ];
  for (const [pattern, source] of rows) {
    it(`leaves ${JSON.stringify(source)} of ${JSON.stringify(pattern)}`, () => {
      assert.equal(readPattern(pattern, 'x').source, source);
      assert.notEqual(readPattern(pattern, '').source, source);
    });
  }
});

describe('a digit after a backslash', () => {
  for (const pattern of ['(a)\\1', '\\0', '(asd)[asd\\0]', '[\\1]', '(a)\\ 1']) {
    it(`is refused in ${pattern}`, () => {
      assert.throws(() => readPattern(pattern, 'x'), FeelEvaluationError);
    });
  }
});
