/** `matches`, `replace` and `split`: what they give, and what they refuse. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  compileExpression,
  defaultCostLimits,
  FeelEvaluationError,
  TurnBudget,
} from '../../../definitions/feel.ts';
import type { Context, Value } from '../../../definitions/value.ts';

function evaluate(text: string, scope: Context = {}): Value {
  return compileExpression(text).evaluate((name) => scope[name], new TurnBudget(0));
}

/** What is said about a result that is null. */
function warningOf(text: string, scope: Context = {}): string {
  const warnings: string[] = [];
  const lookup = (name: string): Value | undefined => scope[name];
  const value = compileExpression(text).evaluate(lookup, new TurnBudget(0), ({ message }) => {
    warnings.push(message);
  });
  assert.equal(value, null);
  return warnings.join('\n');
}

/** A FEEL string literal. */
function literal(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
}

describe('patterns', () => {
  const rows: readonly (readonly [text: string, pattern: string, flags: string, expected: boolean | null])[] =
    [
      ['abc', 'b', '', true],
      ['abc', '^b', '', false],
      ['abc', '^a.c$', '', true],
      ['a\nc', 'a.c', '', false],
      ['a\rc', 'a.c', '', false],
      ['a\nc', 'a.c', 's', true],
      ['a\nc', '^c', '', false],
      ['a\nc', '^c', 'm', true],
      ['a\nc', 'a$', 'm', true],
      ['a\n', 'a$', '', false],
      ['ABC', 'b', '', false],
      ['ABC', 'b', 'i', true],
      ['ÄÖ', 'äö', 'i', true],
      ['hello world', 'hello world', 'x', false],
      ['helloworld', 'hello world', 'x', true],
      ['a b', 'a [ ] b', 'x', true],
      ['A\nB', 'a . b', 'six', true],
      ['a.c', 'a[.]c', '', true],
      ['abc', 'a[.]c', '', false],
      ['a]', 'a[]]', '', true],
      ['a[', '[[]', '', true],
      ['x1', '^\\w\\d$', '', true],
      ['ä', '^\\w$', '', false],
      ['ä', '^\\p{L}$', '', true],
      ['5', '^[^\\p{L}]$', '', true],
      ['😀', '^.$', '', true],
      ['aaa', '^(a{1,2}){2}$', '', true],
      ['aaaaa', '^(a{1,2}){2}$', '', false],
      ['', 'a*', '', true],
      ['a', '', '', true],
      // What is no pattern, and no flags.
      ['a', '(', '', null],
      ['a', '[a', '', null],
      ['a', '*', '', null],
      ['a', 'a{2,1}', '', null],
      ['a', '\\', '', null],
      ['a', 'a', 'g', null],
      ['a', 'a', 'q', null],
    ];
  for (const [text, pattern, flags, expected] of rows) {
    it(`matches ${JSON.stringify(text)} with ${pattern} ${flags}`, () => {
      const given = `matches(${literal(text)}, ${literal(pattern)}, ${literal(flags)})`;
      assert.equal(evaluate(given), expected);
      // A pattern that the expression does not spell out is the same pattern.
      assert.equal(evaluate('matches(t, p, f)', { t: text, p: pattern, f: flags }), expected);
    });
  }

  for (const [what, pattern] of [
    ['a back-reference', '(a)\\\\1'],
    ['looking ahead', 'a(?=b)'],
    ['looking ahead for what is not there', 'a(?!b)'],
    ['looking behind', '(?<=a)b'],
    ['looking behind for what is not there', '(?<!a)b'],
    ['a subtraction of classes', '[a-z-[aeiou]]'],
    ['the escape', '\\\\i\\\\c*'],
  ] as const) {
    it(`refuses ${what}, and says so`, () => {
      for (const call of ['matches("ab", p)', 'replace("ab", p, "x")', 'split("ab", p)']) {
        assert.match(warningOf(call.replace(', p', `, "${pattern}"`)), /which is not supported$/);
      }
    });
  }

  for (const pattern of [
    '(a{100}){100}',
    'a{1001}',
    '((a{20}){20}){20}',
    'a{1000}b{1000}c{1000}',
    'a'.repeat(2_001),
    '\\p{L}{500}',
    '([^\\p{L}]{50}){10}',
  ]) {
    it(`refuses the pattern ${pattern.slice(0, 30)}, which is too large`, () => {
      assert.match(warningOf('matches("a", p)', { p: pattern }), /a pattern is longer than|repeats more/);
    });
  }

  it('agree with those of JavaScript', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '.',
      'a*',
      'b+?',
      '(a|b)',
      '(?:ab)?',
      '[ab]',
      '[^a]',
      '^',
      '$',
      'a{1,2}',
    );
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), text, (pieces, input) => {
        const pattern = pieces.join('');
        const scope = { t: input, p: pattern };
        assert.equal(evaluate('matches(t, p)', scope), new RegExp(pattern, 'u').test(input));
        assert.equal(
          evaluate('replace(t, p, "<$0>")', scope),
          input.replace(new RegExp(pattern, 'gu'), '<$&>'),
        );
        const uncaptured = pattern.replaceAll('(a', '(?:a');
        assert.deepEqual(evaluate('split(t, p)', scope), input.split(new RegExp(uncaptured, 'u')));
      }),
      { numRuns: 500 },
    );
  });
});

describe('replacements', () => {
  const rows: readonly (readonly [
    text: string,
    pattern: string,
    replacement: string,
    expected: string | null,
  ])[] = [
    ['abcd', 'b', 'x', 'axcd'],
    ['abab', 'b', '', 'aa'],
    ['ab', '(a)(b)', '$2$1', 'ba'],
    ['ab', '(a)(b)', '[$0]', '[ab]'],
    ['ab', 'a', '\\$1\\\\', '$1\\b'],
    ['ab', '(a)', '$10', 'a0b'],
    ['ab', '(a)', '$12', 'a2b'],
    ['ab', '(a)', '<$2>', '<>b'],
    ['ab', 'a|(b)', '<$1>', '<><b>'],
    ['abc', 'x*', '-', '-a-b-c-'],
    ['abc', 'z', '$1', 'abc'],
    ['a$b', '\\$', '\\$\\$', 'a$$b'],
    // What is no replacement.
    ['ab', 'a', '$', null],
    ['ab', 'a', '$x', null],
    ['ab', 'a', '\\n', null],
    ['ab', 'a', '\\', null],
  ];
  for (const [text, pattern, replacement, expected] of rows) {
    it(`replaces ${pattern} in ${text} with ${replacement}`, () => {
      assert.equal(evaluate('replace(t, p, r)', { t: text, p: pattern, r: replacement }), expected);
      const given = [text, pattern, replacement].map(literal).join(', ');
      assert.equal(evaluate(`replace(${given})`), expected);
    });
  }

  it('keep to flags', () => {
    assert.equal(evaluate('replace("aAb", "a", "x", "i")'), 'xxb');
    assert.equal(evaluate('replace("aAb", "a", "x", "g")'), null);
  });
});

describe('splits', () => {
  const rows: readonly (readonly [text: string, delimiter: string, expected: readonly string[]])[] = [
    ['John Doe', '\\s', ['John', 'Doe']],
    ['a;b;c;;', ';', ['a', 'b', 'c', '', '']],
    ['a1b22c', '\\d+', ['a', 'b', 'c']],
    ['a-b', '(-)', ['a', 'b']],
    ['abc', '', ['a', 'b', 'c']],
    ['', ',', ['']],
    ['', 'a*', []],
    ['abc', 'x', ['abc']],
  ];
  for (const [text, delimiter, expected] of rows) {
    it(`splits ${text} at ${delimiter}`, () => {
      assert.deepEqual(evaluate('split(t, d)', { t: text, d: delimiter }), expected);
    });
  }
});

describe('arguments', () => {
  const rows: readonly (readonly [string, Value])[] = [
    ['matches(["abc"], ["b"])', true],
    ['matches(input: "abc", pattern: "B", flags: "i")', true],
    ['matches("abc", "b", null)', true],
    ['matches("abc", 1)', null],
    ['matches(1, "b")', null],
    ['matches(null, "b")', null],
    ['matches(["a", "b"], "b")', null],
    ['matches("abc")', null],
    ['replace("abc", "b", 1)', null],
    ['replace("abc", "b")', null],
    ['replace(input: "abc", pattern: "b", replacement: "x")', 'axc'],
    ['split("a b", 1)', null],
    ['split(string: "a b", delimiter: " ")', ['a', 'b']],
    ['matches("abc", "b", "i", "x")', null],
  ];
  for (const [text, expected] of rows) {
    it(`gives the value of ${text}`, () => {
      assert.deepEqual(evaluate(text), expected);
    });
  }
});

describe('a search', () => {
  const long = 'abc '.repeat(500_000);
  for (const [text, scope] of [
    ['replace(t, "a.*z|a", "b")', { t: long }],
    ['split(t, "[abc ]*z|b")', { t: long }],
    ['matches(t, "(a{1,30}){1,30}$")', { t: long }],
    ['replace(t, "a", t)', { t: long }],
    ['for i in 1..100000 return matches("a", "a" + string(i))', {}],
    ['for i in 1..1000 return matches("a", "[a-z]{300}" + string(i))', {}],
  ] as const) {
    it(`ends by the budget in ${text}`, () => {
      assert.throws(
        () => evaluate(text, scope),
        (error) => error instanceof FeelEvaluationError && /more work/.test(error.message),
      );
    });
  }

  it('costs whole units: the same, whatever the turn has left', () => {
    for (const text of [
      'replace("abcd", "(ab)|(a)", "[$1]")',
      'split("a, b; c", "[,;] ")',
      'matches("ab", "a[^b]")',
    ]) {
      const { evaluate: run } = compileExpression(text);
      const costs = [1, 0.9, 0.1].map((share) => {
        const turn = new TurnBudget(0, { ...defaultCostLimits, turnUnits: 12_000_000 * share });
        const { unitsLeft } = turn;
        run(() => undefined, turn);
        return unitsLeft - turn.unitsLeft;
      });
      assert.ok(
        costs.every((units) => Number.isInteger(units) && units === costs[0]),
        `${text}: ${costs.join(', ')}`,
      );
    }
  });

  it('that is linear goes through a long text', () => {
    assert.equal(evaluate('matches(t, "z$")', { t: long }), false);
    const lines = evaluate('split(t, "\\r?\\n")', { t: 'a,b,c\r\n'.repeat(10_000) });
    assert.equal(Array.isArray(lines) && lines.length, 10_001);
  });
});
