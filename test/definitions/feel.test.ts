import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  compileExpression,
  FeelEvaluationError,
  FeelSyntaxError,
  TurnBudget,
  type VariableLookup,
} from '../../definitions/feel.ts';
import { defaultCostLimits } from '../../definitions/feel.ts';
import { builtins } from '../../definitions/feel/builtins/index.ts';
import { Temporal, type Context, type Value } from '../../definitions/value.ts';

const MAX_ITERATIONS = defaultCostLimits.iterations;
const NOW_MS = Date.UTC(2026, 2, 1, 10, 30);

function lookupIn(scope: Context): VariableLookup {
  return (name) => (Object.hasOwn(scope, name) ? scope[name] : undefined);
}

function evaluate(text: string, scope: Context = {}, nowMs = NOW_MS): Value {
  return compileExpression(text).evaluate(lookupIn(scope), new TurnBudget(nowMs));
}

function deepFreeze<Type>(value: Type): Type {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

const scope = deepFreeze<Context>({
  payload: JSON.parse(
    '{"a":{"b":5},"xs":[1,2,3],"__proto__":{"evil":1},"order id":7,"a-b":9,"nothing":null}',
  ) as Context,
  items: [
    { sku: 'x', price: 1 },
    { sku: 'y', price: 5 },
  ],
  count: 4,
  before: null,
  'order total': 10,
  wait: new Temporal('days-time-duration', 'PT90M'),
  due: new Temporal('date-time', '2026-01-01T00:00:00Z'),
});

describe('expressions give values', () => {
  const rows: readonly (readonly [string, Value])[] = [
    ['= payload.a.b', 5],
    ['payload.a.b + 1', 6],
    ['payload.missing.deeper', null],
    ['payload.order id', 7],
    ['order total > 3', true],
    ['get value(payload, "a-b")', 9],
    ['payload.a.b >= 5 and count(items) = 2', true],
    ['items[price > 3].sku', ['y']],
    ['items[item.price > 3]', [{ sku: 'y', price: 5 }]],
    ['payload.xs[-1]', 3],
    ['for x in payload.xs return x * 2', [2, 4, 6]],
    ['some x in payload.xs satisfies x > 2', true],
    ['{ f: function(x) x + 1, r: f(2) }.r', 3],
    ['if count > 3 then "many" else "few"', 'many'],
    ['if before = null then 1 else before + 1', 1],
    ['payload.nothing = null', true],
    ['due + wait', new Temporal('date-time', '2026-01-01T01:30:00Z')],
    ['duration("P1Y2M")', new Temporal('years-months-duration', 'P1Y2M')],
    ['time("10:00:00+01:00")', new Temporal('time', '10:00:00+01:00')],
    ['@"2026-01-01T10:00:00@Europe/Paris"', new Temporal('date-time', '2026-01-01T10:00:00@Europe/Paris')],
    ['date("2026-03-01").month', 3],
    ['1e3', 1000],
    ['[1.5e-3, .5, 2E2]', [0.0015, 0.5, 200]],
    ['context merge({a: 1}, {b: 2})', { a: 1, b: 2 }],
    ['context put({a: {b: 1}}, ["a", "b"], 2)', { a: { b: 2 } }],
    ['context put(context: {}, key: "k", value: 1)', { k: 1 }],
    ['context([{key: "k", value: 1}, {key: "k", value: 2}])', null],
    ['payload.a.b // the answer', 5],
    ['1 / 0', null],
    ['-0', 0],
    ['10 ** 7000', null],
    ['0.1 + 0.2 = 0.3', true],
    ['"a" + 1', null],
    ['list', null],
  ];
  for (const [text, expected] of rows) {
    it(`evaluates ${text}`, () => {
      assert.deepStrictEqual(evaluate(text, scope), expected);
    });
  }

  it('keeps the text of a duration that only passes through', () => {
    assert.deepStrictEqual(evaluate('{w: wait}', scope), { w: new Temporal('days-time-duration', 'PT90M') });
  });

  it('reads the time it is given and never the clock of the machine', () => {
    assert.deepStrictEqual(evaluate('now()'), new Temporal('date-time', '2026-03-01T10:30:00Z'));
    assert.deepStrictEqual(evaluate('today()'), new Temporal('date', '2026-03-01'));
    const expression = compileExpression('[now()][1]');
    assert.notDeepStrictEqual(
      expression.evaluate(() => undefined, new TurnBudget(0)),
      expression.evaluate(() => undefined, new TurnBudget(60_000)),
    );
  });

  it('takes a variable that lies in a function of the same name only where it is not called', () => {
    assert.equal(evaluate('count + 1', scope), 5);
    assert.deepStrictEqual(compileExpression('count(items)').names, ['items']);
  });

  it('does not hand over what the expression does not name', () => {
    const asked: string[] = [];
    compileExpression('payload.a + total').evaluate((name) => {
      asked.push(name);
      return undefined;
    }, new TurnBudget(0));
    assert.deepStrictEqual(asked, ['payload', 'total']);
  });

  it('evaluates a large payload again without walking it again, to the same result', () => {
    const big = deepFreeze<Context>({ xs: Array.from({ length: 500 }, (_, id) => ({ id, tags: ['a'] })) });
    const expression = compileExpression('payload.xs[id = 499].tags');
    for (let run = 0; run < 3; run += 1) {
      assert.deepStrictEqual(expression.evaluate(lookupIn({ payload: big }), new TurnBudget(0)), [['a']]);
    }
    assert.equal(compileExpression('payload').evaluate(lookupIn({ payload: big }), new TurnBudget(0)), big);
  });
});

describe('free variables', () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['payload.a + b', ['payload', 'b']],
    ['for x in xs return x + y', ['xs', 'y']],
    ['for x in xs, y in x.ys return x + y', ['xs']],
    ['for x in 1..3 return partial', []],
    ['every p in items satisfies p.price > limit', ['items', 'limit']],
    ['{a: 1, b: a + c}.b', ['c']],
    ['function(x) x + z', ['z']],
    ['xs[item > a]', ['xs', 'a']],
    ['sort(xs, function(a, b) a < b)', ['xs']],
    ['order total + order', ['order total', 'order']],
    ['date(day).year', ['day']],
    ['x instance of number', ['x']],
    ['"constant"', []],
  ];
  for (const [text, names] of rows) {
    it(`of ${text}`, () => {
      assert.deepStrictEqual(compileExpression(text).names, names);
    });
  }
});

describe('expressions that are refused', () => {
  const rows: readonly (readonly [text: string, line: number, column: number, message: RegExp])[] = [
    ['', 1, 1, /empty/],
    ['  = ', 1, 5, /empty/],
    ['1 +', 1, 4, /not complete/],
    ['=1 +\n  )', 2, 3, /unexpected '\)'/],
    ['a == b', 1, 4, /unexpected '=' after a comparison/],
    ['a && b', 1, 3, /FEEL writes 'and'/],
    ["'x'", 1, 1, /quotes strings with "/],
    ['${x}', 1, 1, /no '\$\{…\}'/],
    ['a; b', 1, 2, /unexpected ';'/],
    ['x + score(1)', 1, 5, /no function 'score'/],
    ['random number()', 1, 1, /random number\(\) is refused/],
    ['cout(items)', 1, 1, /no function 'cout'; did you mean 'count'/],
    ['__proto__', 1, 1, /__proto__/],
    ['{__proto__: 1}', 1, 2, /__proto__/],
    ['{"__proto__": 1}', 1, 2, /__proto__/],
    ['{"\\u005f_proto__": 1}', 1, 2, /__proto__/],
    ['function(__proto__) 1', 1, 10, /__proto__/],
    ['for __proto__ in xs return 1', 1, 5, /__proto__/],
    [`${'('.repeat(200)}1${')'.repeat(200)}`, 1, 151, /deeper than 150/],
    ['a'.repeat(10_001), 1, 1, /longer than 10000/],
    [`={a:\n${'{a: '.repeat(1_900)}1`, 2, 597, /deeper than 150/],
    [`1 /* ((( */ + "\\"((("\n+ ${'['.repeat(151)}`, 2, 153, /deeper than 150/],
    [`1 + ${'-'.repeat(200)}1`, 1, 154, /deeper than 150/],
    [`1 +\n${'a '.repeat(4_000)}`, 2, 101, /a name has more than 50 words/],
    [`[1${', 1'.repeat(1_500)}]`, 1, 4_500, /more than 3000 words and signs/],
    [
      `[${Array.from({ length: 500 }, (_, index) => `n${index}`).join('+')}]`,
      1,
      1_892,
      /more than 400 different/,
    ],
  ];
  for (const [text, line, column, message] of rows) {
    it(`refuses ${text.slice(0, 40)}`, () => {
      assert.throws(
        () => compileExpression(text),
        (error) => {
          assert.ok(error instanceof FeelSyntaxError);
          assert.match(error.message, message);
          assert.deepStrictEqual([error.line, error.column], [line, column]);
          return true;
        },
      );
    });
  }

  it('never throws anything but FeelSyntaxError, whatever the text', () => {
    const pieces = fc.constantFrom(
      ...['a', ' ', 'b c', '1', '.', '..', '(', ')', '[', ']', '{', '}', ':', ',', '"', '\\', '+', '-', '='],
      ...[
        'for',
        'in',
        'return',
        'if',
        'then',
        'else',
        'not',
        'and',
        'x',
        '@',
        '?',
        '\n',
        '//',
        '/*',
        '🙂',
        '<',
      ],
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join('')),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (source) => {
        try {
          compileExpression(source).evaluate(() => 1, new TurnBudget(0));
        } catch (error) {
          assert.ok(error instanceof FeelSyntaxError || error instanceof FeelEvaluationError, String(error));
        }
      }),
      { numRuns: 600 },
    );
  });
});

describe('results that no variable can hold', () => {
  for (const text of ['[1..3]', '> 5', 'function(x) x', 'sum', '{f: function() 1}']) {
    it(`refuses the result of ${text}`, () => {
      assert.throws(() => evaluate(text, scope), FeelEvaluationError);
    });
  }

  it('refuses a result that is nested too deep', () => {
    let deep: Value = 1;
    for (let level = 0; level < 400; level += 1) deep = [deep];
    assert.throws(() => evaluate('[x]', { x: deep }), /nested deeper than 256/);
    assert.equal(evaluate('count(x)', { x: deep }), 1);
  });

  it('refuses a result of half a million values that is many times the same object, and counts it', () => {
    let doubled: Value = 1;
    for (let level = 0; level < 20; level += 1) doubled = [doubled, doubled];
    assert.throws(() => evaluate('[x]', { x: doubled }), /does more work than one evaluation may/);
    assert.equal(evaluate('count(x)', { x: doubled }), 2);
  });
});

describe('iterations end', () => {
  const rows: readonly (readonly [string, Value])[] = [
    ['for i in 3..1 return i', [3, 2, 1]],
    ['for i in 2..0 return i', [2, 1, 0]],
    ['for i in (1..4) return i', [2, 3]],
    ['for i in [1..4), j in 1..2 return i * j', [1, 2, 2, 4, 3, 6]],
    ['for i in "a".."c" return i', null],
    ['for i in 1e1..1.2e1 return i + 1e1', [20, 21, 22]],
    ['for i in for j in 1..2 return j * 2 return i', [2, 4]],
    ['for i in (for j in [1..3] return j)[item > 1] return i', [2, 3]],
    ['every i in [1..3] satisfies i > 0', true],
    ['for i in 1..2.5 return i', null],
    ['for i in [1.5..3] return i', null],
    ['for i in 1..payload.missing return i', null],
    ['for i in date("2020-01-01")..date("2020-01-02") return string(i)', ['2020-01-01', '2020-01-02']],
    ['{r: [1.5..3], z: for i in r return i}.z', null],
    ['5[item > 1]', [5]],
    ['null[item > 1]', null],
  ];
  for (const [text, expected] of rows) {
    it(`gives the value of ${text}`, () => {
      assert.deepStrictEqual(evaluate(text, scope), expected);
    });
  }

  for (const text of [
    `for i in 1..${MAX_ITERATIONS + 1} return i`,
    'for i in 1..1e15 return i',
    'some i in [1..1e15] satisfies i < 0',
    'for i in 1..500, j in 1..500 return 1',
    'for i in 1..500 return count(for j in 1..500 return 1)',
    '(for i in 1..500 return i)[count((for j in 1..500 return j)[item > 1]) < 0]',
  ]) {
    it(`refuses to go on with ${text}`, () => {
      assert.throws(() => evaluate(text, scope), new RegExp(`more than ${MAX_ITERATIONS} elements`));
    });
  }

  it('counts anew for each evaluation', () => {
    const expression = compileExpression('count(for i in 1..n return i)');
    for (let run = 0; run < 12; run += 1)
      assert.equal(
        expression.evaluate(() => 100_000, new TurnBudget(0)),
        100_000,
      );
  });
});

describe('prototypes stay out of reach', () => {
  const rows = [
    'constructor',
    'toString',
    'payload.constructor',
    'payload.a.__proto__',
    'payload.xs.constructor',
  ];
  for (const text of [
    ...rows,
    'payload.hasOwnProperty',
    'get value(payload.a, "__proto__")',
    '"x".constructor',
  ]) {
    it(`finds nothing at ${text}`, () => {
      const value = evaluate(text, scope);
      assert.deepStrictEqual(Array.isArray(value) ? value.filter((item) => item !== null) : [value], [
        ...(Array.isArray(value) ? [] : [null]),
      ]);
    });
  }

  it('reads an own key __proto__ as data and copies it as data', () => {
    assert.equal(evaluate('payload.__proto__.evil', scope), 1);
    for (const text of ['context merge(payload, {z: 1})', 'context put(payload, "z", 1)', 'payload']) {
      const value = evaluate(text, scope) as Context;
      assert.ok(Object.hasOwn(value, '__proto__'), text);
      assert.equal(Object.getPrototypeOf(value), Object.prototype);
    }
    const made = evaluate('context([{key: "__proto__", value: 1}])') as Context;
    assert.deepStrictEqual(Object.keys(made), ['__proto__']);
    assert.ok(Object.hasOwn(evaluate('context put({}, "__proto__", 1)') as Context, '__proto__'));
  });
});

describe('evaluation', () => {
  // No value is -0.
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Value);

  it('gives back any JSON value as it was, and leaves its input alone', () => {
    fc.assert(
      fc.property(json, (value) => {
        const frozen = deepFreeze(structuredClone(value));
        const expected = structuredClone(frozen);
        assert.deepStrictEqual(evaluate('payload', { payload: frozen }), expected);
        assert.deepStrictEqual(evaluate('[payload][1]', { payload: [frozen] }), [expected]);
      }),
    );
  });

  it('is the same for the same input, however often', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 0, max: 4e12 }), (value, nowMs) => {
        const expression = compileExpression('{p: payload, s: string(payload), t: now(), n: payload.a > 1}');
        const run = (): Value => expression.evaluate(() => value, new TurnBudget(nowMs));
        assert.deepStrictEqual(run(), run());
      }),
    );
  });

  it('knows every function in its table', () => {
    for (const name of builtins.keys()) {
      // Called without arguments a known function answers null or fails; it is never unknown.
      assert.doesNotThrow(() => compileExpression(`${name}()`), name);
    }
    for (const name of builtins.keys()) {
      // Uncalled, these are two terms with 'and' between them.
      if (name.includes(' and ')) continue;
      assert.throws(() => evaluate(name), /is a function/, name);
    }
  });
});
