/** Warnings: what is said, and which part of the text says it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { run, type Given } from './compile-run.ts';

const variables = { n: 5, secret: 'hunter2', items: [{ a: 1 }, { a: 'hunter2' }] };

/** `code at "part of the text": message` */
function warningsOf(text: string, given: Given = { variables }): string[] {
  return run(text, given).warnings.map(
    ({ code, from, to, message }) => `${code} at '${text.slice(from, to)}': ${message}`,
  );
}

describe('warnings', () => {
  it('name what gave null, and where it is', () => {
    const rows: readonly (readonly [expression: string, ...warnings: readonly string[]])[] = [
      ['n + 1'],
      [
        '1 + (n + secret)',
        "OPERAND at '(n + secret)': '+' does not take a number and a string",
        "OPERAND at '1 + (n + secret)': '+' does not take a number and null",
      ],
      ['[1, n / 0]', "NUMBER at 'n / 0': there is no such number, or it is too large"],
      [
        'if missing then 1 else 2',
        "NAME at 'missing': there is no variable 'missing'",
        "CONDITION at 'missing': the condition of 'if' is null, which counts as false",
      ],
      ['items[1].b', "PROPERTY at 'b': a context has no property 'b'"],
      ['n.b', "PROPERTY at 'b': a number has no property 'b'"],
      ['items.b'],
      ['items[3]', "INDEX at '3': a list of 2 has no element of this number"],
      ['items[a > 0].a', "COMPARE at 'a > 0': a string and a number have no order"],
      [
        'items["x"]',
        'CONDITION at \'"x"\': the condition is a string, neither true nor false',
        'CONDITION at \'"x"\': the condition is a string, neither true nor false',
      ],
      ['n = secret', "COMPARE at 'n = secret': a number and a string cannot be equal"],
      ['nothing(1)', "CALL at 'nothing': there is no function 'nothing'"],
      ['n(1)', "CALL at 'n': 'n' is a number, not a function"],
      ['null(1)', "CALL at 'null': what is called is null, not a function"],
      ['count()', "CALL at 'count()': 'count' does not take 0 arguments"],
      [
        '(function(a) a)(b: 1)',
        "CALL at '(function(a) a)(b: 1)': the function does not take these arguments: b",
      ],
      [
        '(function(a: number) a)(secret)',
        "ARGUMENT at 'a': a string is not of the type of the parameter 'a'",
      ],
      [
        'n + count(n)',
        "ARGUMENT at 'count(n)': the argument is no list",
        "OPERAND at 'n + count(n)': '+' does not take a number and null",
      ],
      ['{a: 1, a: 2}', "PROPERTY at 'a': the context has the key 'a' twice"],
      ['[1.."b"]', 'OPERAND at \'[1.."b"]\': a range does not go to a number and a string'],
      ['for x in null return x', "OPERAND at 'null': null cannot be iterated over"],
      ['@"x"', 'ARGUMENT at \'@"x"\': the text is no date, time or duration'],
      ['n instance of unheard', "NAME at 'unheard': there is no type of this name"],
      ['-secret', "OPERAND at '-secret': '-' does not take a string"],
    ];
    for (const [expression, ...warnings] of rows)
      assert.deepEqual(warningsOf(expression), warnings, expression);
  });

  it('of a built-in function come from its call, also after it has called a function of the expression', () => {
    assert.deepEqual(warningsOf('[apply(function(x) count(x), n)]'), [
      "ARGUMENT at 'count(x)': the argument is no list",
      "ARGUMENT at 'apply(function(x) count(x), n)': the function gave null",
    ]);
  });

  it('are not given for what is only tried', () => {
    assert.deepEqual(warningsOf('[[][missing], [][missing + 1], other]'), [
      "NAME at 'other': there is no variable 'other'",
    ]);
  });

  it('never tell what a variable holds', () => {
    const texts = [
      'secret + 1',
      'secret.a',
      'secret[2]',
      'secret > 1',
      'secret(1)',
      'for x in 1..secret return x',
      'if secret then 1 else 2',
    ];
    for (const text of texts) {
      const { warnings } = run(text, { variables });
      assert.ok(warnings.length > 0, text);
      assert.ok(!JSON.stringify(warnings).includes('hunter2'), text);
    }
  });
});
