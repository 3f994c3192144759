import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { childExpressions, type Expression } from '../../../definitions/feel/ast.ts';
import {
  parseExpression,
  parseExpressionList,
  parseUnaryTests,
} from '../../../definitions/feel/parse-expression.ts';
import { showExpression, showUnaryTests } from '../../support/feel-print.ts';

/** Texts and their trees, in the form of `showExpression`. */
type Rows = readonly (readonly [text: string, tree: string])[];

const trees: Readonly<Record<string, Rows>> = {
  literals: [
    ['1', '1'],
    ['-1', '-1'],
    ['- 1', '-1'],
    ['.5', '.5'],
    ['1.50e-3', '1.50e-3'],
    ['9007199254740993', '9007199254740993'],
    ['"a b"', '"a b"'],
    ['"\\"\\\\\\n\\t\\\'"', '"\\"\\\\\\n\\t\'"'],
    ['"\\u0041\\U01F40E\\uD83D\\uDC0E"', '"A🐎🐎"'],
    // A backslash before anything else is one.
    ['"\\d \\N"', '"\\\\d \\\\N"'],
    ['true', 'true'],
    ['false', 'false'],
    ['null', 'null'],
    ['@"2026-03-01"', '@"2026-03-01"'],
    ['?', '?'],
  ],
  'names and white space': [
    ['a', 'a'],
    ['a b  c', "'a b c'"],
    ['a\nb', "'a b'"],
    ['a\r\n  b', "'a b'"],
    ['a\u00a0b\u3000c', "'a b c'"],
    ['a /* one\ntwo */ b', "'a b'"],
    ['a // one\n+ b', '(+ a b)'],
    ['"//" + "/*"', '(+ "//" "/*")'],
    ['Part 2', "'Part 2'"],
    ['nullable', 'nullable'],
    ['not a', "'not a'"],
    ['🙂 é', "'🙂 é'"],
    ['time offset', "'time offset'"],
    ['list', 'list'],
    ['date', 'date'],
  ],
  'arithmetic: minus binds tightest, all is left-associative': [
    ['1 + 2 * 3 - 4 / 5', '(- (+ 1 (* 2 3)) (/ 4 5))'],
    ['a - b - c', '(- (- a b) c)'],
    ['a-b', '(- a b)'],
    ['a -1', '(- a 1)'],
    ['a - -1', '(- a -1)'],
    ['-10--5', '(- -10 -5)'],
    ['2 ** 3 ** 4', '(** (** 2 3) 4)'],
    ['-2 ** 2', '(** -2 2)'],
    ['-a ** 2', '(** (neg a) 2)'],
    ['a ** -b ** c', '(** (** a (neg b)) c)'],
    ['5 + 2 ** 5 + 3', '(+ (+ 5 (** 2 5)) 3)'],
    ['--a', '(neg (neg a))'],
    ['- - 1', '(neg -1)'],
    ['-(1)', '(neg 1)'],
    ['-a.b', '(neg (. a b))'],
    ['-a[1] * -f(x)', '(* (neg (filter a 1)) (neg (call f x)))'],
    ['(a + b) * c', '(* (+ a b) c)'],
    ['a * (b + c)', '(* a (+ b c))'],
  ],
  'comparisons: left-associative, below sums': [
    ['a = b', '(= a b)'],
    ['a = b = c', '(= (= a b) c)'],
    ['a < b < c', '(< (< a b) c)'],
    ['a = (b = c)', '(= a (= b c))'],
    ['a + 1 >= b * 2', '(>= (+ a 1) (* b 2))'],
    ['a between 1 and 2', '(between a 1 2)'],
    ['a between 1 and 2 and b', '(and (between a 1 2) b)'],
    ['a between b + 1 and c * 2 or d', '(or (between a (+ b 1) (* c 2)) d)'],
    ['a between 1 and 2 = b', '(= (between a 1 2) b)'],
    ['a between b and c between d and e', '(between (between a b c) d e)'],
    ['a between b and c and d between e and f', '(and (between a b c) (between d e f))'],
  ],
  'in: one test or several, at the level of comparisons': [
    ['x in 1', '(in x 1)'],
    ['x in (1)', '(in x 1)'],
    ['x in (1, 2)', '(in x 1 2)'],
    ['x in [1, 2]', '(in x [1 2])'],
    ['x in ([1, 2])', '(in x [1 2])'],
    ['x in [1..2]', '(in x [1..2])'],
    ['x in (1..2)', '(in x (1..2))'],
    ['x in ]1..2[ and y', '(and (in x (1..2)) y)'],
    ['x in ((1..2], < 5, "a")', '(in x (1..2] (..5) "a")'],
    ['x in < 5', '(in x (..5))'],
    ['x in !="a"', '(in x (test!= "a"))'],
    ['x in (= 1)', '(in x (test= 1))'],
    ['x in a + 1', '(in x (+ a 1))'],
    ['x in a and b', '(and (in x a) b)'],
    ['x in (a) and (b)', '(and (in x a) b)'],
    ['x in [1..2) and y in (3..4]', '(and (in x [1..2)) (in y (3..4]))'],
    ['x and a in b or c', '(or (and x (in a b)) c)'],
    ['x or a in b and c or d', '(or x (and (in a b) c) d)'],
    ['x in a = b', '(= (in x a) b)'],
    ['x = a in b', '(in (= x a) b)'],
    ['x in a in b', '(in (in x a) b)'],
    ['x in < a + 1 and b', '(and (in x (..(+ a 1))) b)'],
    ['x in not(a)', '(in x (call not a))'],
    ['x in (a.b)[1].c', '(in x (. (filter (. a b) 1) c))'],
    ['x in (if a then b else c, d)', '(in x (if a b c) d)'],
    ['f(x in (a, b), c in d, e)', '(call f (in x a b) (in c d) e)'],
  ],
  'and, or': [
    ['a and b and c', '(and a b c)'],
    ['a and (b and c)', '(and a (and b c))'],
    ['a or b and c or d', '(or a (and b c) d)'],
    ['(a or b) and c', '(and (or a b) c)'],
    ['not(a) and b', '(and (call not a) b)'],
    ['a = 1 and b != 2 or c', '(or (and (= a 1) (!= b 2)) c)'],
    ['> 5 and < 7', '(and (5..) (..7))'],
    ['true and null', '(and true null)'],
  ],
  'ranges and one-sided comparisons': [
    ['[1..3]', '[1..3]'],
    ['(1..3)', '(1..3)'],
    [']1..3[', '(1..3)'],
    [']1..3]', '(1..3]'],
    ['[1..3[', '[1..3)'],
    ['(null..a + 1]', '(null..(+ a 1)]'],
    ['[@"P1D"..f(x))', '[@"P1D"..(call f x))'],
    ['< 5', '(..5)'],
    ['<= 5', '(..5]'],
    ['(> 5)', '(5..)'],
    ['>= -5', '[-5..)'],
    ['= 5', '(test= 5)'],
    ['(!= a)', '(test!= a)'],
    ['< a + 1 or b', '(or (..(+ a 1)) b)'],
    ['a = (< 5)', '(= a (..5))'],
    ['[1..3].start included', "(. [1..3] 'start included')"],
    ['f([1..2), < 3)', '(call f [1..2) (..3))'],
    ['[[1..2], (3..4)]', '[[1..2] (3..4)]'],
  ],
  'paths, filters, calls: in the order in which they are written': [
    ['a.b.c', '(. (. a b) c)'],
    ['a b.c d', "(. 'a b' 'c d')"],
    ['a . b', '(. a b)'],
    ['"a".b', '(. "a" b)'],
    ['1.b', '(. 1 b)'],
    ['@"P1D".days', '(. @"P1D" days)'],
    ['[1, 2].a', '(. [1 2] a)'],
    ['{a: 1}.a', '(. {a: 1} a)'],
    ['?.a', '(. ? a)'],
    ['(a + b).c', '(. (+ a b) c)'],
    ['a[1][b = 2].c[-1].d', '(. (filter (. (filter (filter a 1) (= b 2)) c) -1) d)'],
    ['a[> 1]', '(filter a (1..))'],
    ['a[[1..2]]', '(filter a [1..2])'],
    ['f()', '(call f)'],
    ['f(1, [2])', '(call f 1 [2])'],
    ['f(a: 1, b c: 2)', "(call f a: 1 'b c': 2)"],
    ['f (x) (y)', '(call (call f x) y)'],
    ['f(1)[2].a', '(. (filter (call f 1) 2) a)'],
    ['a.b(1).c', '(. (call (. a b) 1) c)'],
    ['"f"()', '(call "f")'],
    ['(function(a) a)(1)', '(call (function (a) a) 1)'],
    ['string length("a")', '(call \'string length\' "a")'],
    ['date("x").year', '(. (call date "x") year)'],
    ['date and time(date: a, time: b)', "(call 'date and time' date: a time: b)"],
    ['date  and\n time("x")', '(call \'date and time\' "x")'],
    ['years and months duration(from: a, to: b)', "(call 'years and months duration' from: a to: b)"],
  ],
  'if, for, some, every: as far as they can go': [
    ['if a then b else c + 1 or d', '(if a b (or (+ c 1) d))'],
    ['if a then if b then c else d else e', '(if a (if b c d) e)'],
    ['if a then b else if c then d else e', '(if a b (if c d e))'],
    ['1 + if a then b else c', '(+ 1 (if a b c))'],
    ['(if a then b else c) + 1', '(+ (if a b c) 1)'],
    ['if a then b else c[1].d(2) instance of e', '(if a b (instance (call (. (filter c 1) d) 2) e))'],
    ['if a\nthen b\nelse c', '(if a b c)'],
    ['for a in b return c or d', '(for (a b) (or c d))'],
    ['for a in b, c in a.d return e', '(for (a b) (c (. a d)) e)'],
    ['for a in 1..n + 1 return a', '(for (a 1..(+ n 1)) a)'],
    ['for a in -1..-2 return a', '(for (a -1..-2) a)'],
    ['for a in [1..3] return a', '(for (a [1..3]) a)'],
    ['for a in (b)..(c) return a', '(for (a b..c) a)'],
    ['for a in b return for c in d return e', '(for (a b) (for (c d) e))'],
    ['for a in if b then c else d return e', '(for (a (if b c d)) e)'],
    ['for a b in c in d return a b', "(for ('a b' (in c d)) 'a b')"],
    ['[for a in b return c, d]', '[(for (a b) c) d]'],
    ['some a in b satisfies c and d', '(some (a b) (and c d))'],
    ['every a in b, c in 1..2 satisfies some d in e satisfies f', '(every (a b) (c 1..2) (some (d e) f))'],
    ['a or some b in c satisfies d or e', '(or a (some (b c) (or d e)))'],
  ],
  'contexts and lists': [
    ['{}', '{}'],
    ['{a: 1, b c: a + 1, "d \\"": 2}', "{a: 1 'b c': (+ a 1) 'd \"': 2}"],
    ['{if: 1, in: 2}', '{if: 1 in: 2}'],
    ['{if: 1, b: if a then null else true}', '{if: 1 b: (if a null true)}'],
    ['{a: {b: []}}', '{a: {b: []}}'],
    ['{a: b in c, d: e}', '{a: (in b c) d: e}'],
    ['[]', '[]'],
    ['[1, [a or b], {c: 2}]', '[1 [(or a b)] {c: 2}]'],
  ],
  'functions and types': [
    ['function() 1', '(function () 1)'],
    ['function(a, b c) a + b c or d', "(function (a 'b c') (or (+ a 'b c') d))"],
    ['function(a: number, b: tA.tB) a', '(function (a:number b:tA.tB) a)'],
    ['function(a) function(b) a[b]', '(function (a) (function (b) (filter a b)))'],
    ['a instance of number', '(instance a number)'],
    ['a instance of list', '(instance a list)'],
    ['a instance of date and time', '(instance a date and time)'],
    ['a instance of days and  time duration', '(instance a days and time duration)'],
    ['a instance of years and months duration', '(instance a years and months duration)'],
    ['a instance of date and b', '(and (instance a date) b)'],
    ['a instance of list<list<number>>', '(instance a list<list<number>>)'],
    ['a instance of range<number>', '(instance a range<number>)'],
    ['a instance of range< range <date and time> >', '(instance a range<range<date and time>>)'],
    ['a instance of context<b c: d, e: range<f>>', '(instance a context<b c: d, e: range<f>>)'],
    ['a instance of function<range<b>, list<c>> -> d', '(instance a function<range<b>, list<c>> -> d)'],
    [
      'function(a: range<b>, c: function<> -> range<d>) a',
      '(function (a:range<b> c:function<> -> range<d>) a)',
    ],
    ['-a + b.c instance of d', '(+ (neg a) (instance (. b c) d))'],
    ['-a instance of b', '(neg (instance a b))'],
    ['a instance of b = c', '(= (instance a b) c)'],
    ['a ** b instance of c', '(** a (instance b c))'],
    // Only in a type is it one.
    [
      '{a: range < 5, b: [c, range <5], d: f(range, range < e)}',
      '{a: (< range 5) b: [c (< range 5)] d: (call f range (< range e))}',
    ],
  ],
};

for (const [topic, rows] of Object.entries(trees)) {
  describe(`expressions: ${topic}`, () => {
    for (const [text, tree] of rows) {
      it(`reads ${JSON.stringify(text)}`, () => {
        assert.equal(showExpression(parseExpression(text)), tree);
      });
    }
  });
}

describe('unary tests', () => {
  const rows: Rows = [
    ['-', '-'],
    [' - ', '-'],
    ['-1', '(tests -1)'],
    ['1, "a", null', '(tests 1 "a" null)'],
    ['< 5, >= a + 1', '(tests (..5) [(+ a 1)..))'],
    ['[1..3), (4..5], ]6..7[', '(tests [1..3) (4..5] (6..7))'],
    ['= 1, != 2', '(tests (test= 1) (test!= 2))'],
    ['not(1, < 2)', '(not 1 (..2))'],
    ['not (a)', '(not a)'],
    ['not(not(a))', '(not (call not a))'],
    ['not(a) and b', '(tests (and (call not a) b))'],
    ['not(a), b', '(tests (call not a) b)'],
    ['? > 5 and ? < 10, f(?)', '(tests (and (> ? 5) (< ? 10)) (call f ?))'],
    ['x in (1, 2), 3', '(tests (in x 1 2) 3)'],
    ['< a and b', '(tests (and (..a) b))'],
    ['if a then b else c, d', '(tests (if a b c) d)'],
    ['[0..999], null', '(tests [0..999] null)'],
    ['Flu Symptoms', "(tests 'Flu Symptoms')"],
  ];
  for (const [text, tree] of rows) {
    it(`reads ${text}`, () => {
      assert.equal(showUnaryTests(parseUnaryTests(text)), tree);
    });
  }
});

describe('lists of expressions', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['1', ['1']],
    ['"a", b + 1', ['"a"', '(+ b 1)']],
    ['-1, not(a), [1..2]', ['-1', '(call not a)', '[1..2]']],
    ['not(a, b)', ['(call not a b)']],
  ];
  for (const [text, expected] of rows) {
    it(`reads ${text}`, () => {
      assert.deepEqual(parseExpressionList(text).map(showExpression), expected);
    });
  }
});

describe('the place of a node', () => {
  /** The text of each node, outside in. */
  function texts(text: string): readonly string[] {
    const found: string[] = [];
    const visit = (node: Expression): void => {
      found.push(text.slice(node.from, node.to));
      childExpressions(node).forEach(visit);
    };
    visit(parseExpression(text));
    return found;
  }

  const rows: readonly (readonly [string, readonly string[]])[] = [
    [' a +  b ', ['a +  b', 'a', 'b']],
    ['(a + b) * c', ['(a + b) * c', '(a + b)', 'a', 'b', 'c']],
    ['a and /* x */ b or c', ['a and /* x */ b or c', 'a and /* x */ b', 'a', 'b', 'c']],
    ['x in (1, < 2)', ['x in (1, < 2)', 'x', '1', '< 2', '2']],
    ['a b[1].c d', ['a b[1].c d', 'a b[1]', 'a b', '1']],
    ['- - a', ['- - a', '- a', 'a']],
    ['date and time("x")', ['date and time("x")', 'date and time', '"x"']],
    ['{a: range < 5}', ['{a: range < 5}', 'range < 5', 'range', '5']],
    ['a instance of range<b> or c', ['a instance of range<b> or c', 'a instance of range<b>', 'a', 'c']],
    ['for a in 1 .. b return ?', ['for a in 1 .. b return ?', '1', 'b', '?']],
    ['a between (1) and 2', ['a between (1) and 2', 'a', '(1)', '2']],
  ];
  for (const [text, expected] of rows) {
    it(`in ${text}`, () => {
      assert.deepEqual(texts(text), expected);
    });
  }

  it('is that of the words where something is declared or chosen', () => {
    const text = '{"a b": f(c d: e.g h)}';
    const tree = parseExpression(text);
    assert.ok(tree.kind === 'context');
    const [entry] = tree.entries;
    assert.ok(entry?.value.kind === 'invocation' && entry.value.arguments.kind === 'named');
    const [argument] = entry.value.arguments.entries;
    assert.ok(argument?.value.kind === 'path');
    const identifiers = [entry.key, argument.name, argument.value.property];
    assert.deepEqual(
      identifiers.map(({ name, from, to }) => [name, text.slice(from, to)]),
      [
        ['a b', '"a b"'],
        ['c d', 'c d'],
        ['g h', 'g h'],
      ],
    );
  });
});
