import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { childExpressions, type Expression } from '../../../definitions/feel/ast.ts';
import { SyntaxFault } from '../../../definitions/feel/check-text.ts';
import {
  MAX_EXPRESSION_DEPTH,
  parseExpression,
  parseExpressionList,
  parseUnaryTests,
} from '../../../definitions/feel/parse-expression.ts';

function faultOf(parse: () => unknown): SyntaxFault {
  try {
    parse();
  } catch (error) {
    assert.ok(error instanceof SyntaxFault, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: 'it was read' });
}

type Rows = readonly (readonly [text: string, offset: number, message: string])[];

function refuses(rows: Rows, parse: (text: string) => unknown): void {
  for (const [text, offset, message] of rows) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const fault = faultOf(() => parse(text));
      assert.deepEqual([fault.offset, fault.message], [offset, message]);
    });
  }
}

describe('expressions that are not complete', () => {
  refuses(
    [
      ['', 0, 'the expression is empty'],
      [' \n ', 0, 'the expression is empty'],
      ['// nothing', 10, 'the expression is not complete'],
      ['1 +', 3, 'the expression is not complete'],
      ['a and ', 6, 'the expression is not complete'],
      ['a = ', 4, 'the expression is not complete'],
      ['a between 1', 11, 'the expression is not complete'],
      ['a instance of', 13, 'the expression is not complete'],
      ['(a', 2, "the expression is not complete; a '(' is not closed"],
      ['f(a, b', 6, "the expression is not complete; a '(' is not closed"],
      ['f(a', 3, "the expression is not complete; a '(' is not closed"],
      ['[1, 2', 5, "the expression is not complete; a '[' is not closed"],
      ['a[1', 3, "the expression is not complete; a '[' is not closed"],
      ['{a: 1', 5, "the expression is not complete; a '{' is not closed"],
      ['{a: [1, (2', 10, "the expression is not complete; a '(' is not closed"],
      ['if a then b', 11, "the expression is not complete; 'if' goes with 'then' and 'else'"],
      ['for a in b', 10, "the expression is not complete; 'for' goes with 'in' and 'return'"],
      ['some a in b', 11, "the expression is not complete; 'some' and 'every' go with 'in' and 'satisfies'"],
      ['function(a', 10, "the expression is not complete; a function is written 'function(a, b) …'"],
      ['{a\udc00b: 1}', 2, 'half of a surrogate pair is no character'],
      ['"\u{1f600}" + "\ud83d"', 8, 'half of a surrogate pair is no character'],
      ['"abc', 0, 'this string does not end; close it with "'],
      ['"abc\\"', 0, 'this string does not end; close it with "'],
      ['a + "b\nc"', 4, 'a string ends on its line; write \\n for a line break'],
      ['a /* b', 2, 'this comment does not end; close it with */'],
      ['a /*/', 2, 'this comment does not end; close it with */'],
    ],
    parseExpression,
  );
});

describe('expressions with something unexpected', () => {
  refuses(
    [
      [')', 0, "unexpected ')'"],
      ['a)', 1, "unexpected ')'"],
      ['1 2', 2, "unexpected '2'"],
      ['1 abc', 2, "unexpected 'abc'"],
      ['a "b"', 2, 'unexpected \'"b"\''],
      ['a; b', 1, "unexpected ';'"],
      ['1 .. 2', 2, "unexpected '..'"],
      ['[1, , 2]', 4, "unexpected ','"],
      ['{a: 1,}', 6, "unexpected '}'"],
      ['{a 1}', 4, "unexpected '}'"],
      ['f(,)', 2, "unexpected ','"],
      ['f(1, a: 2)', 6, "unexpected ':'"],
      ['f(a: 1, 2)', 8, "unexpected '2'"],
      ['+ a', 0, "unexpected '+'"],
      ['a * + b', 4, "unexpected '+'"],
      ['1 + < 5', 4, "unexpected '<'"],
      ['= = a', 2, "unexpected '='"],
      ['or a', 0, "unexpected 'or'"],
      ['a in', 4, 'the expression is not complete'],
      ['(a, b)', 2, "unexpected ','"],
      ['x in (1..2, 3)', 10, "unexpected ','"],
      ['a.for', 2, 'unexpected \'for\'; a name follows the dot, or get value(…, "…") where it is a keyword'],
      ['if a b else c', 7, "unexpected 'else'; 'if' goes with 'then' and 'else'"],
      ['every in b', 6, "unexpected 'in'; 'some' and 'every' go with 'in' and 'satisfies'"],
      ['function a', 9, "unexpected 'a'; a function is written 'function(a, b) …'"],
      ['@a', 1, 'unexpected \'a\'; a date or time is written @"…"'],
      ['function(a) external {}', 12, 'external functions are not supported'],
    ],
    parseExpression,
  );
});

describe('signs of other languages', () => {
  refuses(
    [
      ['a && b', 2, "unexpected '&&'; FEEL writes 'and'"],
      ['a || b', 2, "unexpected '||'; FEEL writes 'or'"],
      ['!a', 0, "unexpected '!'; FEEL writes 'not(…)'"],
      ['a == b', 3, "unexpected '=' after a comparison; FEEL writes '='"],
      ['a <> b', 3, "unexpected '>' after a comparison; FEEL writes '!='"],
      ['a => b', 3, "unexpected '>' after a comparison; FEEL writes '>='"],
      ['a =< b', 3, "unexpected '<' after a comparison; FEEL writes '<='"],
      ['a ^ 2', 2, "unexpected '^'; FEEL writes '**'"],
      ['a % 2', 2, "unexpected '%'; FEEL writes 'modulo(…, …)'"],
      ['a ? b : c', 2, "unexpected '?'; FEEL writes 'if … then … else …'"],
      ["'a'", 0, "unexpected '''; FEEL quotes strings with \""],
      ['`a`', 0, "unexpected '`'; names are written without quotes"],
      ['${a}', 0, "unexpected '$'; FEEL has no '${…}'"],
    ],
    parseExpression,
  );
});

describe('names, strings and tests that are refused', () => {
  const reserved = "'__proto__' cannot be used as a name";
  refuses(
    [
      ['__proto__', 0, reserved],
      ['a + b __proto__', 4, reserved],
      ['{__proto__: 1}', 1, reserved],
      ['{"__proto__": 1}', 1, reserved],
      ['{"\\u005f_proto__": 1}', 1, reserved],
      ['function(__proto__) 1', 9, reserved],
      ['for __proto__ in a return 1', 4, reserved],
      ['"a\\u12"', 2, '\\u takes four hexadecimal digits'],
      ['"\\U110000"', 1, 'there is no character \\U110000'],
      ['a + "\\uD83D"', 4, 'this string has half of a surrogate pair; write both, or one \\U'],
    ].map(([text, offset, message]) => [String(text), Number(offset), String(message)]),
    parseExpression,
  );
  refuses(
    [
      ['', 0, 'the expression is empty'],
      ['-, 1', 1, "unexpected ','"],
      ['not(-)', 5, "unexpected ')'"],
      ['not(a', 5, "the expression is not complete; a '(' is not closed"],
      ['a, ', 3, 'the expression is not complete'],
      ['in [1..2]', 0, "unexpected 'in'"],
    ],
    parseUnaryTests,
  );
  refuses([['-', 0, "unexpected '-'"]], parseExpressionList);
});

function depthOf(root: Expression): number {
  let depth = 0;
  for (let level: readonly Expression[] = [root]; level.length > 0; level = level.flatMap(childExpressions))
    depth += 1;
  return depth;
}

describe('depth', () => {
  const deepest = MAX_EXPRESSION_DEPTH;
  const shapes: Readonly<Record<string, (levels: number) => string>> = {
    sums: (levels) => `a${' + a'.repeat(levels - 1)}`,
    'negative signs': (levels) => `${'-'.repeat(levels - 1)}a`,
    paths: (levels) => `a${'.a'.repeat(levels - 1)}`,
    calls: (levels) => `a${'()'.repeat(levels - 1)}`,
    comparisons: (levels) => `a${' = a'.repeat(levels - 1)}`,
    lists: (levels) => `${'['.repeat(levels - 1)}a${']'.repeat(levels - 1)}`,
    conditions: (levels) => `${'if a then b else '.repeat(levels - 1)}c`,
    loops: (levels) => `${'for a in b return '.repeat(levels - 1)}c`,
    functions: (levels) => `${'function() '.repeat(levels - 1)}c`,
    'sums in parentheses': (levels) => `${'1 + ('.repeat(levels - 1)}a${')'.repeat(levels - 1)}`,
    'tests in parentheses': (levels) => `${'a in ('.repeat(levels - 1)}b${')'.repeat(levels - 1)}`,
    tests: (levels) => `${'a in '.repeat(levels - 1)}b`,
    'comparisons in parentheses': (levels) => `${'a = ('.repeat(levels - 1)}b${')'.repeat(levels - 1)}`,
  };
  for (const [what, shape] of Object.entries(shapes)) {
    it(`of ${what} has a bound`, () => {
      assert.equal(depthOf(parseExpression(shape(deepest))), deepest);
      assert.match(faultOf(() => parseExpression(shape(deepest + 1))).message, /deeper than 150 levels/);
    });
  }

  it('does not grow with parentheses, nor with the operands of and and or', () => {
    assert.equal(depthOf(parseExpression(`${'('.repeat(150)}a${')'.repeat(150)}`)), 1);
    assert.equal(depthOf(parseExpression(`a${' and a'.repeat(300)}`)), 2);
    assert.equal(depthOf(parseExpression(`a in b${' or a in b'.repeat(200)}`)), 3);
  });

  it('of operators in a row is told when there are too many for the parser', () => {
    const fault = faultOf(() => parseExpression(`a = 1${' or a = 1'.repeat(600)}`));
    assert.match(
      fault.message,
      /^unexpected '.*'; where there are hundreds of operators in a row, divide them/,
    );
  });

  it('of types has a bound', () => {
    const type = (levels: number): string =>
      `a instance of ${'list<'.repeat(levels - 1)}b${'>'.repeat(levels - 1)}`;
    assert.equal(parseExpression(type(40)).kind, 'instance-of');
    assert.match(faultOf(() => parseExpression(type(41))).message, /a type is nested deeper than 40 levels/);
  });
});

describe('hostile texts end in a fault or a tree', () => {
  const repeated = [
    ...[
      '(',
      '[',
      '{',
      '(]',
      '[(',
      '{a:',
      'f(',
      'f(a:',
      'a[',
      '-',
      '- ',
      'a-',
      'a.',
      'a b ',
      '1..',
      '[1..',
      ']1..',
    ],
    ...[
      'if ',
      'if a then ',
      'for a in ',
      'for a-b in ',
      'some a in b satisfies ',
      'function(a) ',
      'function(a-b) ',
    ],
    ...[
      'a in ',
      'a in (',
      '< ',
      'a between ',
      'not(',
      '@',
      '"a" ',
      'date and ',
      'a instance of ',
      'list<',
      'range<',
    ],
    ...[
      ') ',
      '] ',
      '} ',
      ', ',
      '. ',
      ': ',
      '? ',
      '/*',
      '*/',
      '//\n',
      "'",
      '\\',
      '🙂 ',
      '\ud800',
      'a,',
      '{a-b: 1, c: [',
    ],
  ];
  for (const piece of repeated) {
    it(`of ${JSON.stringify(piece)}`, () => {
      const endsWell = (parse: typeof parseExpression | typeof parseUnaryTests, count: number): void => {
        try {
          parse(`${piece.repeat(count)}a`, { knownNames: ['a-b'] });
        } catch (error) {
          assert.ok(error instanceof SyntaxFault, String(error));
        }
      };
      endsWell(parseUnaryTests, 60);
      endsWell(parseExpression, 60);
      endsWell(parseExpression, 700);
    });
  }

  it('of contexts that hold each other twice, as often as one likes', () => {
    const steps = Array.from(
      { length: 60 },
      (_, level) => `v${level + 1}: {a: [v${level}, {b: v${level}}], b: [{a: v${level}}, v${level}]}`,
    );
    const path = '.a.b'.repeat(30);
    const text = `{v0: {a: 1, b: 2}, ${steps.join(', ')}, x-y: [v60, v59, v58]${path}}`;
    try {
      assert.equal(parseExpression(text).kind, 'context');
    } catch (error) {
      assert.ok(
        error instanceof SyntaxFault && /hold each other too often/.test(error.message),
        String(error),
      );
    }
  });

  const pieces = fc.constantFrom(
    ...[
      'a',
      ' ',
      'b c',
      '1',
      '.',
      '..',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      ':',
      ',',
      '"',
      '\\',
      '+',
      '-',
      '*',
      '/',
      '=',
    ],
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
      ' between ',
      '?',
      '@',
      '\n',
    ],
    ...[
      '<',
      '>',
      '!',
      'some ',
      ' satisfies ',
      'function(',
      'external',
      ' instance of ',
      'range<',
      'list<',
      '->',
      '|',
    ],
    ...[
      '//',
      '/*',
      '*/',
      '"s"',
      '"\\u00',
      '@"x"',
      'date',
      'date and time(',
      'a-b',
      'x in y',
      '🙂',
      "'",
      '^',
      'null',
    ],
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );

  it('of pieces in any order; an offset is always in the text', () => {
    fc.assert(
      fc.property(text, fc.boolean(), (source, hasNames) => {
        const knownNames = hasNames ? ['a-b', 'x in y', 'b c.a'] : [];
        for (const parse of [parseExpression, parseUnaryTests, parseExpressionList]) {
          try {
            parse(source, { knownNames });
          } catch (error) {
            assert.ok(error instanceof SyntaxFault, String(error));
            assert.ok(error.offset >= 0 && error.offset <= source.length, `${error.offset}`);
            assert.match(error.message, /^\S.*\S$/su);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
