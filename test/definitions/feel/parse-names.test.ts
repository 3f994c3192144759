import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parser } from 'lezer-feel';
import fc from 'fast-check';
import {
  parseExpression,
  parseUnaryTests,
  type KnownNames,
} from '../../../definitions/feel/parse-expression.ts';
import { Words } from '../../../definitions/feel/parse-names.ts';
import { createNameTracker, plainTracker } from '../../../definitions/feel/parse-scope.ts';
import { showExpression, showUnaryTests } from '../../support/feel-print.ts';

interface Names {
  readonly [name: string]: Names | null;
}

function known(names: Names): KnownNames {
  return new Map(
    Object.entries(names).map(([name, inside]) => [name, inside === null ? null : known(inside)]),
  );
}

function show(text: string, knownNames: Iterable<string> | KnownNames): string {
  return showExpression(parseExpression(text, { knownNames }));
}

describe('names inside of what is tested', () => {
  const knownNames = known({ '?': { 'a-b': null } });
  const rows: readonly (readonly [text: string, tree: string])[] = [
    ['?.a-b > 1', "(tests (> (. ? 'a-b') 1))"],
    ['? = 1, ?[a-b > 1]', "(tests (= ? 1) (filter ? (> 'a-b' 1)))"],
    ['not(?.a-b)', "(not (. ? 'a-b'))"],
    ['some x in ? satisfies x.a-b > 1', "(tests (some (x ?) (> (. x 'a-b') 1)))"],
    ['a-b', '(tests (- a b))'],
  ];
  for (const [text, tree] of rows) {
    it(`are known by ?: ${text}`, () => {
      assert.equal(showUnaryTests(parseUnaryTests(text, { knownNames })), tree);
    });
  }
});

describe('a name that the caller knows', () => {
  const rows: readonly (readonly [text: string, names: readonly string[], tree: string])[] = [
    ['a-b + c', ['a-b'], "(+ 'a-b' c)"],
    ['a-b + c', ['b-c', 'x-a'], '(+ (- a b) c)'],
    ['a-b-c', ['a-b'], "(- 'a-b' c)"],
    ['a-b-c-d', ['a-b', 'a-b-c'], "(- 'a-b-c' d)"],
    ['a.b', ['a.b'], "'a.b'"],
    ['a/b/c', ['a/b'], "(/ 'a/b' c)"],
    ['a**b*c', ['a**b'], "(* 'a**b' c)"],
    ['a+1', ['a+1'], "'a+1'"],
    ["it's ok and a", ["it's ok"], "(and 'it's ok' a)"],
    ["Ann’s age + Bob's age", ['Ann’s age', "Bob's age"], "(+ 'Ann’s age' 'Bob's age')"],
    ["Ann's age", ['Ann’s age'], "'Ann’s age'"],
    ['decision A 2.1 + 1', ['decision A 2.1'], "(+ 'decision A 2.1' 1)"],
    ['a b c', ['a b'], "'a b c'"],
    ['12 * Monthly Salary', ['Monthly Salary'], "(* 12 'Monthly Salary')"],
    ['some i in values in a list satisfies i', ['values in a list'], "(some (i 'values in a list') i)"],
    ['if if x then then y else z', ['if x', 'then y'], "(if 'if x' 'then y' z)"],
    ['true story or true', ['true story'], "(or 'true story' true)"],
    ['[date and time, date]', ['date and time'], "['date and time' date]"],
    ['[a-b..c-d]', ['a-b', 'c-d'], "['a-b'..'c-d']"],
    ['x in (a-b, < c-d)', ['a-b', 'c-d'], "(in x 'a-b' (..'c-d'))"],
    ['x instance of a-b', ['a-b'], '(instance x a-b)'],
    ['🙂-é', ['🙂-é'], "'🙂-é'"],
    // Keywords stay what they are, whatever the caller knows.
    ['if a-b then null else true', ['if', 'null', 'true', 'a-b'], "(if 'a-b' null true)"],
    ['a-b instance of list<number>', ['list', 'number', 'a-b'], "(instance 'a-b' list<number>)"],
  ];
  for (const [text, names, tree] of rows) {
    it(`among ${names.join(', ')}: ${text}`, () => {
      assert.equal(show(text, names), tree);
    });
  }

  it('is spelled as the caller spells it, however it is written', () => {
    for (const text of ['a-b', 'a - b', 'a -b', 'a\n-\nb', 'a /* x */ - b']) {
      assert.equal(show(text, ['a- b']), "'a- b'");
    }
    assert.equal(show('Monthly Salary', ['Monthly   Salary']), "'Monthly   Salary'");
    assert.equal(show('a - b', ['a-b', 'a - b']), "'a - b'");
    assert.equal(show('a-b', ['a-b', 'a - b']), "'a-b'");
  });

  it('holds in unary tests too', () => {
    assert.equal(
      showUnaryTests(parseUnaryTests('< a-b, c - d', { knownNames: ['a-b'] })),
      "(tests (..'a-b') (- c d))",
    );
  });
});

describe('a name inside of what the caller knows', () => {
  const names = known({ x: { 'a-b': { 'c-d': null } }, y: { 'e-f': null }, f: { 'a-b': null } });
  const rows: readonly (readonly [text: string, tree: string])[] = [
    ['x.a-b', "(. x 'a-b')"],
    ['x.a - b', "(. x 'a-b')"],
    ['x.a-b.c-d', "(. (. x 'a-b') 'c-d')"],
    ['y.a-b', '(- (. y a) b)'],
    ['a-b', '(- a b)'],
    ['(x).a-b', "(. x 'a-b')"],
    ['f(1).a-b', "(. (call f 1) 'a-b')"],
    ['x[1].a-b', "(. (filter x 1) 'a-b')"],
    ['x[a-b > 1].a-b', "(. (filter x (> 'a-b' 1)) 'a-b')"],
    [
      'x[a-b.c-d = 1 and c or g(2)].a-b.c-d',
      "(. (. (filter x (or (and (= (. 'a-b' 'c-d') 1) c) (call g 2))) 'a-b') 'c-d')",
    ],
    ['x[item.a-b = 1]', "(filter x (= (. item 'a-b') 1))"],
    ['for p in x return p.a-b', "(for (p x) (. p 'a-b'))"],
    [
      'some p in x[c = 1], q in p.a-b satisfies q.c-d',
      "(some (p (filter x (= c 1))) (q (. p 'a-b')) (. q 'c-d'))",
    ],
    ['[x, y].e-f', "(. [x y] 'e-f')"],
    ['(if a = 1 then x else y).a-b', "(. (if (= a 1) x y) 'a-b')"],
    ['{z: x}.z.a-b', "(. (. {z: x} z) 'a-b')"],
  ];
  for (const [text, tree] of rows) {
    it(`in ${text}`, () => {
      assert.equal(show(text, names), tree);
    });
  }

  it('may go on without end', () => {
    const node = new Map<string, KnownNames | null>([['a-b', null]]);
    const other = new Map<string, KnownNames | null>([['next-one', node]]);
    node.set('next-one', other);
    const both = new Map([
      ['node', node],
      ['other', other],
    ]);
    assert.equal(show('node.next-one.next-one.a-b', both), "(. (. (. node 'next-one') 'next-one') 'a-b')");
    assert.equal(
      show('[node, other].next-one.next-one.a-b', both),
      "(. (. (. [node other] 'next-one') 'next-one') 'a-b')",
    );
  });
});

describe('a name that the text declares', () => {
  const rows: readonly (readonly [text: string, tree: string])[] = [
    ['for a-b in c return a-b', "(for ('a-b' c) 'a-b')"],
    ['for a-b in c-d return e', "(for ('a-b' (- c d)) e)"],
    ['some a-b in c satisfies a - b > 1', "(some ('a-b' c) (> 'a-b' 1))"],
    ['function(a-b, c) a-b-c', "(function ('a-b' c) (- 'a-b' c))"],
    ['{a-b: 1, c: a-b}', "{'a-b': 1 c: 'a-b'}"],
    ['{c: a-b, a-b: 1}', "{c: (- a b) 'a-b': 1}"],
    ['{"a-b": 1, c: a - b}', "{'a-b': 1 c: 'a-b'}"],
    ['{a - b: 1, c: a-b}', "{'a - b': 1 c: 'a - b'}"],
    ['{Ann’s: 1, c: Ann’s, d: "Ann’s"}', "{'Ann’s': 1 c: 'Ann’s' d: \"Ann’s\"}"],
    ['{a.b: 1, c: a.b}', "{'a.b': 1 c: 'a.b'}"],
    ['{a in b: 1, c: a in b}', "{'a in b': 1 c: 'a in b'}"],
    ['{a-b: 1}.a-b', "(. {'a-b': 1} 'a-b')"],
    ['{"a-b": {c-d: 1}}.a-b.c-d', "(. (. {'a-b': {'c-d': 1}} 'a-b') 'c-d')"],
    ['[{a-b: 1}, a-b]', "[{'a-b': 1} (- a b)]"],
    ['[{a-b: 1}][a-b = 1]', "(filter [{'a-b': 1}] (= 'a-b' 1))"],
    ['get value({"a-b": {c-d: 1}}, "a-b").c-d', "(. (call 'get value' {'a-b': {'c-d': 1}} \"a-b\") 'c-d')"],
    ['f(a-b: 1, c: a-b)', "(call f 'a-b': 1 c: (- a b))"],
    ['{a-b: 1, null: 2, true: 3, c: [null, true, d.e]}', "{'a-b': 1 null: 2 true: 3 c: [null true (. d e)]}"],
  ];
  for (const [text, tree] of rows) {
    it(`in ${text}`, () => {
      assert.equal(show(text, []), tree);
    });
  }
});

function nodesOf(tree: ReturnType<typeof parser.parse>): readonly string[] {
  const nodes: string[] = [];
  tree.iterate({ enter: ({ name, from, to }) => void nodes.push(`${name} ${from} ${to}`) });
  return nodes;
}

describe('without names that must be known', () => {
  const pieces = fc.constantFrom(
    ...['a', 'b c', '1', '.', '..', '(', ')', '[', ']', '{', '}', ':', ',', '"s"', '+', '-', '**', '='],
    ...[
      'for ',
      ' in ',
      ' return ',
      'if ',
      ' then ',
      ' else ',
      'not',
      ' and ',
      ' or ',
      '?',
      '<',
      '>',
      ' between ',
    ],
    ...[
      'some ',
      ' satisfies ',
      'function(',
      ' instance of ',
      'list<',
      'date',
      'date and time',
      'duration',
      '@"x"',
    ],
    ...['years and months duration', 'item', 'partial', 'null', ' ', "'"],
  );
  const soup = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''));
  const words = new Words('');

  for (const top of ['Expression', 'UnaryTests']) {
    it(`the short way to read ${top} leads where the long one does (K2)`, () => {
      const plain = parser.configure({ top, contextTracker: plainTracker });
      fc.assert(
        fc.property(soup, (text) => {
          // A key with a sign is a name that must be known.
          fc.pre(!/[{,(:]|for |some /.test(text) || !/['.+-]|\*|\/| (?:in|and|or) /.test(text));
          const tracked = parser.configure({ top, contextTracker: createNameTracker(words, new Map()) });
          assert.deepEqual(nodesOf(plain.parse(text)), nodesOf(tracked.parse(text)));
        }),
        { numRuns: 500 },
      );
    });
  }
});
