/** JUEL of random trees and random texts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parser } from 'lezer-feel';
import { translateJuel, type JuelTranslation } from '../../../definitions/dialects/juel-translate.ts';
import { childExpressions, type Expression } from '../../../definitions/feel/ast.ts';
import { isFeelName } from '../../../definitions/dialects/juel-feel-text.ts';
import { compileExpression } from '../../../definitions/feel.ts';
import { builtins, refusedBuiltins } from '../../../definitions/feel/builtins/index.ts';
import { SyntaxFault } from '../../../definitions/feel/check-text.ts';
import { parseExpression } from '../../../definitions/feel/parse-expression.ts';
import { type Data, Differs, Fails, juelText, juelValue } from './juel-evaluator.ts';
import { evaluateFeel, plainNumbers } from './juel-run.ts';
import { composites, printJuel, printParts, scopes, values, variableNames } from './juel-trees.ts';

interface Counts {
  compared: number;
  differing: number;
  refused: number;
}

/** Compares with what JUEL gives, where it gives something, and nothing that is known to differ. */
function compare(
  juel: string,
  scope: Parameters<typeof evaluateFeel>[1],
  expect: () => Data,
  counts: Counts,
): void {
  const translation = translateJuel(juel);
  if (translation.kind === 'refused') {
    assert.equal(translation.reason, 'coercion', `${juel}: ${translation.message}`);
    counts.refused += 1;
    return;
  }
  const value = plainNumbers(evaluateFeel(translation.text, scope));
  try {
    const expected = expect();
    counts.compared += 1;
    // As a condition, and to who reads it, null is no more than false.
    if (expected === false && value === null) return;
    // No -0 in FEEL.
    assert.deepEqual(value, expected === 0 ? 0 : expected, `${juel} as ${translation.text}`);
  } catch (error) {
    if (!(error instanceof Fails || error instanceof Differs)) throw error;
    counts.differing += 1;
  }
}

describe('translated JUEL', () => {
  it('gives what JUEL gives', () => {
    const counts: Counts = { compared: 0, differing: 0, refused: 0 };
    fc.assert(
      fc.property(values, scopes, (tree, scope) => {
        compare(`\${${printJuel(tree)}}`, scope, () => juelValue(tree, scope), counts);
      }),
      { numRuns: 2_500 },
    );
    assert.ok(counts.compared > 1_200, JSON.stringify(counts));
  });

  it('joins texts as JUEL does', () => {
    const counts: Counts = { compared: 0, differing: 0, refused: 0 };
    fc.assert(
      fc.property(composites, scopes, (parts, scope) => {
        compare(printParts(parts), scope, () => juelText(parts, scope), counts);
      }),
      { numRuns: 1_000 },
    );
    assert.ok(counts.compared > 300, JSON.stringify(counts));
  });

  it('has the offset of each name', () => {
    let nameCount = 0;
    fc.assert(
      fc.property(values, (tree) => {
        const juel = `text \${ ${printJuel(tree)} }`;
        const translation = translateJuel(juel);
        if (translation.kind === 'refused') return;
        const { text, offsets } = translation;
        for (const { name, from } of namesIn(compileExpression(text).tree)) {
          const isParameter = /^function\((?:value|, |other)*\)/.test(
            text.slice(text.lastIndexOf('function(', from)),
          );
          if (!variableNames.includes(name) || (isParameter && ['value', 'other'].includes(name))) continue;
          nameCount += 1;
          assert.ok(juel.startsWith(name, offsets[from]), `${name} at ${from} of ${text}`);
        }
      }),
      { numRuns: 1_000 },
    );
    assert.ok(nameCount > 1_000, `${nameCount} names`);
  });
});

function namesIn(root: Expression): readonly { readonly name: string; readonly from: number }[] {
  const children = childExpressions(root).flatMap(namesIn);
  return root.kind === 'name' ? [root, ...children] : children;
}

describe('a name', () => {
  const words = [
    ...builtins.keys(),
    ...refusedBuiltins.keys(),
    ...parser.nodeSet.types.map(({ name }) => name),
  ]
    .flatMap((text) => text.split(/[^\p{L}\p{N}_]+/u))
    .filter((word) => word !== '');
  const names = fc.oneof(
    fc.constantFrom(...words, '__proto__', 'a__proto__', 'of', 'item', 'partial', '$a', 'a$', '_', '_1'),
    // To Java none begins with a digit.
    fc
      .string({ unit: fc.constantFrom('a', 'Z', '_', '1', '\u4e2d', '\u0663', '$'), maxLength: 4 })
      .map((text) => `x${text}`),
  );

  it('is one where FEEL reads it as a variable, and as a property', () => {
    const isReadAsName = (name: string): boolean => {
      try {
        const tree = parseExpression(`${name}.${name}`);
        return tree.kind === 'path' && tree.property.name === name && isName(tree.source, name);
      } catch (error) {
        if (error instanceof SyntaxFault) return false;
        throw error;
      }
    };
    fc.assert(
      fc.property(names, (name) => assert.equal(isFeelName(name), isReadAsName(name), name)),
      { numRuns: 1_000 },
    );
  });
});

function isName(node: Expression, name: string): boolean {
  return node.kind === 'name' && node.name === name;
}

describe('any text', () => {
  const pieces = fc.constantFrom(
    ...[
      '${',
      '#{',
      '}',
      '(',
      ')',
      '[',
      ']',
      '.',
      ',',
      '?',
      ':',
      '!',
      '-',
      '->',
      '+',
      '*',
      '%',
      '/',
      '=',
      '==',
    ],
    ...[
      '<',
      '>=',
      '&&',
      '||',
      'and',
      'or',
      'not ',
      'empty ',
      'div',
      'mod',
      'true',
      'null',
      'a',
      'b.c',
      'for',
      '$',
    ],
    ...[
      '5',
      '0.5',
      '1e3',
      "'x'",
      '"y"',
      "'",
      '"',
      '\\',
      ' ',
      '\n',
      'execution',
      '.getVariable(',
      'f:g(',
      '\u00e9',
    ],
  );
  const texts: readonly (readonly [string, fc.Arbitrary<string>])[] = [
    ['of the words of JUEL', fc.array(pieces, { maxLength: 14 }).map((words) => words.join(''))],
    [
      'of the words of JUEL, in braces',
      fc.array(pieces, { maxLength: 8 }).map((words) => `\${${words.join(' ')}}`),
    ],
    ['of any characters', fc.string({ unit: 'binary', maxLength: 30 })],
    ['of any code units in an expression', fc.string({ unit: 'binary' }).map((text) => `x\${'${text}'}`)],
    [
      'of halves of characters',
      fc.array(fc.integer({ min: 0xd700, max: 0xe100 })).map((codes) => String.fromCharCode(...codes)),
    ],
  ];
  for (const [what, arbitrary] of texts) {
    it(`${what} is translated into what compiles, or refused with a place`, () => {
      fc.assert(
        fc.property(arbitrary, (juel) => checkShape(juel, translateJuel(juel))),
        { numRuns: 1_000 },
      );
    });
  }
});

function checkShape(juel: string, translation: JuelTranslation): void {
  if (translation.kind === 'feel') {
    const { text, offsets } = translation;
    assert.equal(compileExpression(text).text, text);
    assert.equal(offsets.length, text.length + 1);
    for (const offset of offsets) assert.ok(offset >= 0 && offset <= juel.length, `${offset}`);
  } else {
    const { message, offset, reason } = translation;
    assert.ok(offset >= 0 && offset <= juel.length, `${offset}`);
    assert.ok(message.length > 15 && /[;,:]/.test(message + (reason === 'syntax' ? ';' : '')), message);
  }
}
