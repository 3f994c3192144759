import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FeelContext } from '../../../definitions/feel/runtime.ts';
import { context, decide, entry, faultsOf, invocation, it, literal, parameters } from './decide.ts';

/** Logic, the decision's inputs, and what it gives. */
type Row = readonly [name: string, logic: string, expected: string, inputs?: FeelContext];

function rows(...all: readonly Row[]): void {
  for (const [name, logic, expected, inputs = {}] of all) {
    test(name, () => {
      const { value, errors } = decide(it(logic, Object.keys(inputs)), 'it', inputs);
      assert.equal(value, expected);
      assert.deepEqual(errors, []);
    });
  }
}

function list(...items: readonly string[]): string {
  return `<list>${items.join('')}</list>`;
}

function relation(columns: readonly string[], ...cells: readonly (readonly string[])[]): string {
  const heads = columns.map((name) => `<column name="${name}"/>`).join('');
  return `<relation>${heads}${cells.map((row) => `<row>${row.map((cell) => literal(cell)).join('')}</row>`).join('')}</relation>`;
}

function iteration(kind: string, variable: string, domain: string, body: string): string {
  const tag = kind === 'for' ? 'return' : 'satisfies';
  return `<${kind} iteratorVariable="${variable}"><in>${domain}</in><${tag}>${body}</${tag}></${kind}>`;
}

function conditional(condition: string, consequent: string, alternative: string): string {
  return `<conditional><if>${condition}</if><then>${consequent}</then><else>${alternative}</else></conditional>`;
}

function filter(domain: string, match: string): string {
  return `<filter><in>${domain}</in><match>${match}</match></filter>`;
}

describe('boxed contexts, lists and relations', () => {
  rows(
    [
      'a context gives its entries in order',
      context(entry('b', literal('1')), entry('a', literal('2'))),
      '{b: 1, a: 2}',
    ],
    [
      'an entry sees those before it',
      context(entry('net price', literal('n * 2')), entry('gross', literal('net price + 1'))),
      '{net price: 6, gross: 7}',
      { n: 3 },
    ],
    [
      'an entry hides what is required under its name',
      context(entry('n', literal('n + 1')), entry('m', literal('n'))),
      '{n: 2, m: 2}',
      { n: 1 },
    ],
    [
      'the entry without a name is the result',
      context(entry('a', literal('2')), entry('b', literal('a + 1')), entry(null, literal('b * 10'))),
      '30',
    ],
    [
      'entries with signs in their names are found in other texts',
      context(
        entry('rate-1/x', context(entry('in+side', literal('5')))),
        entry(null, literal('rate-1/x.in+side + 1')),
      ),
      '6',
    ],
    [
      'an entry without an expression is null',
      context(entry('a', ''), entry('b', literal('a'))),
      '{a: null, b: null}',
    ],
    ['__proto__ of a literal key is a key like any other', literal('{"a": 1}'), '{a: 1}'],
    ['a list gives its items', list(literal('1'), list(literal('"a"')), literal('null')), '[1, ["a"], null]'],
    [
      'a relation is a list of contexts',
      relation(['name', 'age'], ['"Ann"', '30'], ['"Bob"', 'n']),
      '[{name: "Ann", age: 30}, {name: "Bob", age: 7}]',
      { n: 7 },
    ],
    [
      'columns with signs in their names are found in other texts',
      context(entry('people', relation(['a-b'], ['1'], ['2'])), entry(null, literal('people.a-b'))),
      '[1, 2]',
    ],
  );
});

describe('boxed conditionals, filters and iterations', () => {
  rows(
    ['true takes then', conditional(literal('n > 0'), literal('"yes"'), literal('"no"')), '"yes"', { n: 1 }],
    ['false takes else', conditional(literal('n > 0'), literal('"yes"'), literal('"no"')), '"no"', { n: 0 }],
    [
      'null takes else',
      conditional(literal('n > 0'), literal('"yes"'), literal('"no"')),
      '"no"',
      { n: null },
    ],
    ['a filter keeps what passes', filter(literal('[1, 2, 3]'), literal('item >= n')), '[2, 3]', { n: 2 }],
    [
      'a filter sees the properties of the element',
      filter(relation(['age'], ['1'], ['5']), literal('age > 2')),
      '[{age: 5}]',
    ],
    ['a filter takes an index', filter(literal('["a", "b"]'), literal('n')), '"b"', { n: -1 }],
    ['a filter of nothing is nothing', filter(literal('[]'), literal('item > 1')), '[]'],
    [
      'for gives the values of its body',
      iteration('for', 'i', literal('[1, 2]'), literal('i * n')),
      '[3, 6]',
      { n: 3 },
    ],
    [
      'for knows its results so far',
      iteration('for', 'i', literal('[1, 2, 3]'), literal('i + count(partial)')),
      '[1, 3, 5]',
    ],
    [
      'what is kept of the results so far does not grow',
      iteration('for', 'i', literal('[1, 2]'), literal('partial')),
      '[[], [[]]]',
    ],
    ['for goes through a range', iteration('for', 'i', literal('[1..3]'), literal('i')), '[1, 2, 3]'],
    [
      'iterations see the variables around them',
      iteration('for', 'i', literal('[1, 2]'), iteration('for', 'j', literal('[10, 20]'), literal('i + j'))),
      '[[11, 21], [12, 22]]',
    ],
    ['for of null is null', iteration('for', 'i', literal('n'), literal('i')), 'null', { n: null }],
    ['some is true when one is', iteration('some', 'i', literal('[1, 2]'), literal('i > 1')), 'true'],
    ['some is false when none is', iteration('some', 'i', literal('[1, 2]'), literal('i > 2')), 'false'],
    [
      'some is null when one is no condition',
      iteration('some', 'i', literal('["a", true]'), literal('i')),
      'null',
    ],
    [
      'some is true when one is and another is null',
      iteration('some', 'i', literal('[null, true]'), literal('i')),
      'true',
    ],
    [
      'some is null when none is and one is null',
      iteration('some', 'i', literal('[null, false]'), literal('i')),
      'null',
    ],
    [
      'every is null when one is no condition',
      iteration('every', 'i', literal('["a", false]'), literal('i')),
      'null',
    ],
    ['every is true when all are', iteration('every', 'i', literal('[1, 2]'), literal('i > 0')), 'true'],
    ['every is false when one is not', iteration('every', 'i', literal('[1, 2]'), literal('i > 1')), 'false'],
  );
});

describe('boxed functions and invocations', () => {
  const twice = `<functionDefinition>${parameters('x: number')}${literal('x * 2')}</functionDefinition>`;
  rows(
    ['a function is called by its name', context(entry('f', twice), entry(null, literal('f(4)'))), '8'],
    [
      'a function is invoked with bindings',
      context(entry('f', twice), entry(null, invocation('f', { x: literal('n') }))),
      '10',
      { n: 5 },
    ],
    [
      'a function keeps what it sees when it is made',
      context(
        entry('k', literal('n')),
        entry('f', `<functionDefinition>${parameters('x')}${literal('x + k')}</functionDefinition>`),
        entry(null, iteration('for', 'k', literal('[100]'), literal('f(1)'))),
      ),
      '[3]',
      { n: 2 },
    ],
    [
      'a function is a value for built-in functions',
      context(
        entry('less', `<functionDefinition>${parameters('a', 'b')}${literal('a > b')}</functionDefinition>`),
        entry(null, literal('sort([1, 3, 2], less)')),
      ),
      '[3, 2, 1]',
    ],
    ['a built-in function is invoked', invocation('abs', { n: literal('-3') }), '3'],
    [
      'a function of a text is invoked',
      invocation('function(a, b) a - b', { b: literal('1'), a: literal('3') }),
      '2',
    ],
    [
      'parameters that are not bound are null',
      context(entry('f', twice), entry(null, invocation('f', {}))),
      'null',
    ],
    [
      'a function without a body gives null',
      context(entry('f', '<functionDefinition/>'), entry(null, literal('f()'))),
      'null',
    ],
    [
      'parameters that the function does not have give null',
      context(entry('f', twice), entry(null, invocation('f', { y: literal('1') }))),
      'null',
    ],
    ['what is no function is not called', invocation('n', { x: literal('1') }), 'null', { n: 1 }],
  );

  test('an argument of another type is null, and an error at the parameter', () => {
    const logic = context(entry('f', twice), entry(null, literal('f("a")')));
    assert.deepEqual(decide(it(logic), 'it').errors, ['SUTRA.DMN.TYPE_MISMATCH 5']);
    assert.equal(decide(it(logic), 'it').value, 'null');
  });
});

describe('types of values', () => {
  const cases: readonly (readonly [string, string, string, string, readonly string[]])[] = [
    ['a value of the type stays', literal('5', 'number'), 'number', '5', []],
    [
      'one of another type is null',
      literal('"a"', 'number'),
      'number',
      'null',
      ['SUTRA.DMN.TYPE_MISMATCH 5'],
    ],
    ['null is of every type', literal('null', 'number'), 'number', 'null', []],
    ['a list of one is its element', literal('[5]', 'number'), 'number', '5', []],
    ['the variable says the type too', literal('"a"'), 'number', 'null', ['SUTRA.DMN.TYPE_MISMATCH 4']],
  ];
  for (const [name, logic, type, expected, errors] of cases) {
    test(name, () => {
      const decided = decide(it(logic, [], type), 'it');
      assert.equal(decided.value, expected);
      assert.deepEqual(decided.errors, errors);
    });
  }

  test('entries of contexts, cells and results of functions have types', () => {
    const mistyped = [
      context(entry('a: number', literal('"x"'))),
      `<relation><column name="a" typeRef="number"/><row>${literal('"x"')}</row></relation>`,
      context(
        entry('f', `<functionDefinition typeRef="number">${literal('"x"')}</functionDefinition>`),
        entry(null, literal('{a: f()}')),
      ),
    ];
    for (const logic of mistyped) {
      const { value, errors } = decide(it(logic), 'it');
      assert.match(value, /\{a: null\}/);
      assert.equal(errors.length, 1);
    }
  });
});

describe('filters and what is known outside', () => {
  test('an element may have a property of another type by a name that is known outside', () => {
    const logic = filter(literal('[{n: "x"}, {m: 1}]'), literal('n', 'number'));
    const { value, errors } = decide(it(logic, ['n: number']), 'it', { n: 2 });
    assert.equal(value, '[]');
    assert.deepEqual(errors, ['SUTRA.DMN.TYPE_MISMATCH 5']);
  });

  test('a condition that is evaluated for no element says nothing', () => {
    const logic = context(
      entry('f', `<functionDefinition>${parameters('x: number')}${literal('x')}</functionDefinition>`),
      entry(null, filter(literal('[]'), literal('f("a")'))),
    );
    assert.deepEqual(decide(it(logic), 'it'), { value: '[]', errors: [], warnings: [] });
  });
});

describe('texts', () => {
  test('a warning stands where its text does', () => {
    const logic = context(
      entry('a', literal('1')),
      entry('f', literal('function(x) x + "s"')),
      entry(null, literal('f(a)')),
    );
    assert.deepEqual(decide(it(logic), 'it').warnings, ['OPERAND 6']);
  });

  test('after another text a warning is about its own again', () => {
    const logic = context(
      entry('f', literal('function(x) x')),
      entry('a', literal('1')),
      entry(null, literal('f(a) + "s"')),
    );
    assert.deepEqual(decide(it(logic), 'it').warnings, ['OPERAND 7']);
  });

  test('what cannot be read is reported where it stands', () => {
    assert.deepEqual(faultsOf(it(literal('1 +\n  * 2'))), ['SUTRA.FEEL.SYNTAX_INVALID 6:3']);
  });

  test('a name that nothing has is reported where it stands, once', () => {
    const logic = context(entry('a', literal('1 + amuont')), entry('b', literal('amuont')));
    assert.deepEqual(faultsOf(it(logic)), ['SUTRA.FEEL.NAME_UNKNOWN 5:73', 'SUTRA.FEEL.NAME_UNKNOWN 6:60']);
  });

  const known: readonly (readonly [string, string])[] = [
    ['a built-in function', 'count([])'],
    ['a variable of an iteration', 'for i in [1] return i + count(partial)'],
    ['a key before', '{a: 1, b: a}'],
    ['a parameter', '(function(x) x)(1)'],
    ['what may be a property of an element', '[{a: 1}][a = 1 and item.a = 1]'],
    ['a name of an argument', 'abs(n: 1)'],
  ];
  for (const [name, text] of known) {
    test(`${name} is a known name`, () => {
      assert.deepEqual(faultsOf(it(literal(text))), []);
    });
  }

  const unknown: readonly (readonly [string, string])[] = [
    ['a variable behind its iteration', '[for i in [1] return i, i]'],
    ['a key after', '{a: b, b: 1}'],
    ['what is filtered', 'people[age > 1]'],
    ['a function', 'calculate(1)'],
  ];
  for (const [name, text] of unknown) {
    test(`${name} is reported`, () => {
      assert.equal(faultsOf(it(literal(text))).length, 1);
    });
  }
});
