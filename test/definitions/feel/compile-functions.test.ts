/** Functions: definitions, closures, calls, and types. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FeelEvaluationError } from '../../../definitions/feel/errors.ts';
import type { FeelType } from '../../../definitions/feel/compile/conformance.ts';
import { run, show, type Given } from './compile-run.ts';

type Rows = readonly (readonly [expression: string, value: string])[];

function check(rows: Rows, given: Given = {}): void {
  for (const [expression, value] of rows) assert.equal(show(run(expression, given).value), value, expression);
}

describe('functions', () => {
  it('are called with what they are defined for', () => {
    check([
      ['(function(a, b) a - b)(3, 1)', '2'],
      ['(function() 7)()', '7'],
      ['{f: function(a) a + 1, r: f(2)}.r', '3'],
      ['{f: function(a) a + 1, r: f(a: 2)}.r', '3'],
      ['{f: function(a, b) a - b, r: f(b: 1, a: 3)}.r', '2'],
      ['{m: {f: function(a) a * 2}, r: m.f(4)}.r', '8'],
      ['[function(a) a, function(a) -a][2](1)', '-1'],
      ['(function(a) function(b) function(c) a + b * c)(1)(2)(3)', '7'],
      ['apply(function(x) x * 2, 4)', '8'],
      ['(function(f) f(3))(function(x) x + 1)', '4'],
      ['(function(a) (function(a) a + 1)(a * 10))(2)', '21'],
    ]);
  });

  it('keep what they have seen', () => {
    check([
      ['{a: 1, f: function(x) x + a, g: {a: 100, r: f(1)}}.g.r', '2'],
      ['for f in (for i in 1..3 return function(x) x * i) return f(10)', '[10, 20, 30]'],
      ['[{a: 5}][(function() a)() = 5]', '[{a: 5}]'],
      ['([{a: 5, f: 1}][(function(x) x + a)(1) = 6])[1].f', '1'],
      ['3 in ((function(x) x + ? = 4)(1))', 'true'],
      ['{a: 1, f: function() {a: a + 1, b: function() a}, r: f().b()}.r', '2'],
    ]);
    check([['(function(x) x + outer)(1)', '3']], { variables: { outer: 2 } });
  });

  it('that call themselves are given themselves', () => {
    check([
      ['{f: function(f, n) if n = 0 then 1 else n * f(f, n - 1), r: f(f, 20)}.r', '2432902008176640000'],
      ['{fib: function(g, n) if n < 2 then n else g(g, n - 1) + g(g, n - 2), r: fib(fib, 15)}.r', '610'],
    ]);
  });

  it('that call each other too deep end the evaluation', () => {
    const tooDeep = /call each other, or themselves, too deep/;
    const loops = [
      '(function(f) f(f))(function(f) f(f))',
      '{f: function(f, n) f(f, n + 1) + 1, r: f(f, 0)}.r',
      '{f: function(f) [for x in [1] return {a: f(f)}][a = 1], r: f(f)}.r',
      '{f: function(f) 1 in (? = f(f)), r: f(f)}.r',
      '{f: function(f) apply(f, f), r: f(f)}.r',
    ];
    for (const loop of loops) {
      assert.throws(
        () => run(loop),
        (error) => error instanceof FeelEvaluationError && tooDeep.test(error.message),
        loop,
      );
    }
  });

  it('of any height, and of whatever takes the stack, end before the stack does', () => {
    const wraps: readonly ((inner: string) => string)[] = [
      (inner) => `[${inner}]`,
      (inner) => `{a: ${inner}}`,
      (inner) => `for x in [1] return ${inner}`,
      (inner) => `for y in [1], x in ${inner} return x`,
      (inner) => `some x in [1] satisfies ${inner}`,
      (inner) => `[1][${inner}]`,
      (inner) => `count(list: ${inner})`,
      (inner) => `append(1, ${inner})`,
      (inner) => `(function(x) x)(${inner})`,
      (inner) => `1 in (? = ${inner})`,
      (inner) => `(true and true and ${inner})`,
      (inner) => `if ${inner} then 1 else 2`,
      (inner) => `(1 + ${inner})`,
      (inner) => `(1 between 0 and ${inner})`,
    ];
    for (const wrap of wraps) {
      for (const depth of [1, 10, 45]) {
        let body = 'f(f)';
        for (let level = 0; level < depth; level += 1) body = wrap(body);
        assert.throws(() => run(`{f: function(f) ${body}, r: f(f)}.r`), FeelEvaluationError, body);
      }
    }
  });

  it('may call themselves some hundred times', () => {
    check([['{f: function(f, n) if n = 0 then 0 else 1 + f(f, n - 1), r: f(f, 200)}.r', '200']]);
  });
});

describe('calls', () => {
  it('find the signature by the number or the names of the arguments', () => {
    check([
      ['substring("abcd", 2)', '"bcd"'],
      ['substring("abcd", 2, 1)', '"b"'],
      ['substring(start position: 2, string: "abcd")', '"bcd"'],
      ['substring(length: 1, string: "abcd", start position: 3)', '"c"'],
      ['sum([1, 2, 3])', '6'],
      ['sum(1, 2, 3)', '6'],
      ['sum(list: [1, 2])', '3'],
      ['append([1], 2, 3)', '[1, 2, 3]'],
      ['append(item: 2, list: [1])', '[1, 2]'],
      ['(function(a, b) [a, b])(b: 1)', '[null, 1]'],
    ]);
  });

  it('are null where nothing fits', () => {
    check([
      ['substring("abcd")', 'null'],
      ['substring("abcd", 1, 1, 1)', 'null'],
      ['substring(text: "abcd", start position: 1)', 'null'],
      ['substring(string: "abcd", string: "efgh", start position: 1)', 'null'],
      ['sum()', 'null'],
      ['(function(a) a)()', 'null'],
      ['(function(a) a)(1, 2)', 'null'],
      ['(function(a) a)(b: 1)', 'null'],
      ['missing(1)', 'null'],
      ['null()', 'null'],
      ['"sum"([1])', 'null'],
      ['123()', 'null'],
      ['{a: 1}.a()', 'null'],
    ]);
  });

  it('of built-in functions are not hidden by properties of elements', () => {
    check([
      ['[{count: 2, xs: [1, 2]}, {count: 1, xs: []}][count(xs) = count].count', '[2]'],
      ['[{count: 9}][(function() count([1]))() = 1].count', '[9]'],
    ]);
  });
});

describe('parameters with types', () => {
  it('take what is of the type, or can be made so, and null instead of anything else', () => {
    check([
      ['(function(a: number) a)(1)', '1'],
      ['(function(a: number) a)("1")', 'null'],
      ['(function(a: number) a)(null)', 'null'],
      ['(function(a: number) a)([1])', '1'],
      ['(function(a: number) a)([1, 2])', 'null'],
      ['(function(a: number) a)(["1"])', 'null'],
      ['(function(a: list<number>) a)(1)', '[1]'],
      ['(function(a: list<number>) a)("1")', 'null'],
      ['(function(a: list<number>) a)([1, "1"])', 'null'],
      ['(function(a: list<number>) a)([1, null])', '[1, null]'],
      ['(function(a: context<x: number>) a)({x: 1, y: 2})', '{x: 1, y: 2}'],
      ['(function(a: context<x: number>) a)({y: 2})', 'null'],
      ['(function(a: date and time) a)(@"2026-03-01")', '2026-03-01T00:00:00Z'],
      ['(function(a: Any) a)([[]])', '[[]]'],
      ['(function(a: unheard) a)(1)', 'null'],
    ]);
  });

  it('may be those of a model', () => {
    const tLoan: FeelType = { kind: 'context', entries: new Map([['rate', { kind: 'number' }]]) };
    const types = (path: readonly string[]): FeelType | null =>
      path.join('.') === 'loans.tLoan' ? tLoan : null;
    check(
      [
        ['(function(a: loans.tLoan) a.rate)({rate: 3})', '3'],
        ['(function(a: loans.tLoan) a)({rate: "3"})', 'null'],
        ['[{rate: 1}] instance of list<loans.tLoan>', 'true'],
      ],
      { types },
    );
  });
});

describe('instance of', () => {
  it('tells the types of values', () => {
    check([
      ['1 instance of number', 'true'],
      ['9007199254740993 instance of number', 'true'],
      ['1 instance of string', 'false'],
      ['"a" instance of string', 'true'],
      ['true instance of boolean', 'true'],
      ['@"2026-03-01" instance of date', 'true'],
      ['@"2026-03-01" instance of date and time', 'false'],
      ['@"10:00:00" instance of time', 'true'],
      ['@"2026-03-01T10:00:00" instance of date and time', 'true'],
      ['@"P1D" instance of days and time duration', 'true'],
      ['@"P1D" instance of years and months duration', 'false'],
      ['@"P1Y" instance of years and months duration', 'true'],
      ['1 instance of Any', 'true'],
      ['[] instance of list', 'true'],
      ['[1, "a"] instance of list<Any>', 'true'],
      ['[1, 2] instance of list<number>', 'true'],
      ['[1, "a"] instance of list<number>', 'false'],
      ['[1, null] instance of list<number>', 'true'],
      ['1 instance of list<number>', 'false'],
      ['{} instance of context', 'true'],
      ['[] instance of context', 'false'],
      ['@"P1D" instance of context', 'false'],
      ['{a: "x"} instance of context<a: string>', 'true'],
      ['{a: null} instance of context<a: string>', 'true'],
      ['{a: 1, b: 2} instance of context<a: number>', 'true'],
      ['{b: 2} instance of context<a: number>', 'false'],
      ['{a: {b: 1}} instance of context<a: context<b: string>>', 'false'],
      ['[1..3] instance of range<number>', 'true'],
      ['(< 3) instance of range<number>', 'true'],
      ['["a".."b"] instance of range<number>', 'false'],
      ['[1..3] instance of context', 'false'],
      ['1 instance of unheard', 'null'],
    ]);
  });

  it('of null is false for all types but its own', () => {
    check([
      ['null instance of Any', 'false'],
      ['null instance of number', 'false'],
      ['null instance of list<Any>', 'false'],
      ['null instance of Null', 'true'],
      ['1 instance of Null', 'false'],
    ]);
  });

  it('of functions looks at their parameters, and at what they give', () => {
    check([
      ['(function() "a") instance of function<> -> Any', 'true'],
      ['(function() "a") instance of function<> -> string', 'true'],
      ['(function() "a") instance of function<> -> number', 'false'],
      ['(function() missing) instance of function<> -> number', 'false'],
      ['(function() null) instance of function<> -> number', 'true'],
      ['(function(a: number) a + 1) instance of function<number> -> number', 'true'],
      ['(function(a: number) a > 1) instance of function<number> -> boolean', 'true'],
      ['(function(a: string) a + "b") instance of function<string> -> string', 'true'],
      ['(function(a: string) a) instance of function<number> -> string', 'false'],
      ['(function(a: string, b: string) a) instance of function<string> -> string', 'false'],
      ['(function(a) if a then 1 else 2) instance of function<boolean> -> number', 'true'],
      ['(function(a: number) [a, -1]) instance of function<number> -> list<number>', 'true'],
      ['(function(a) for x in [1] return "s") instance of function<Any> -> list<string>', 'true'],
      [
        '(function(a: context<x: string>) {b: 1, c: a}) instance of function<context<x: string, y: string>> -> context<b: number>',
        'true',
      ],
      [
        '(function(a: context<x: string, y: string>) "a") instance of function<context<x: string>> -> string',
        'false',
      ],
      [
        '(function(a) function(b) @"P1D") instance of function<Any> -> function<Any> -> days and time duration',
        'true',
      ],
      ['count instance of function<list> -> Any', 'true'],
      ['count instance of function<list> -> number', 'false'],
      ['1 instance of function<> -> Any', 'false'],
    ]);
  });
});
