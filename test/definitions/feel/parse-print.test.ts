/** What is printed is read back to the same tree, whatever the tree. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type {
  Arguments,
  Expression,
  Identifier,
  Iteration,
  TypeExpression,
  UnaryTests,
} from '../../../definitions/feel/ast.ts';
import { parseExpression, parseUnaryTests } from '../../../definitions/feel/parse-expression.ts';
import {
  printExpression,
  printUnaryTests,
  showExpression,
  showUnaryTests,
  withoutSpans,
} from '../../support/feel-print.ts';

const span = { from: 0, to: 0 };

/** Names with signs and keywords that the parser is told of. No other name is a part of one. */
const knownNames = ['net-worth', 'rate/12', "it's here", 'values in use', 'if so', 'Rule 2.1 of B'];
const words = fc.constantFrom(
  'a',
  'b1',
  'order total',
  'Monthly Salary',
  'é',
  '🙂 x',
  '_',
  'item',
  'time offset',
);
const identifier = words.map((name): Identifier => ({ name, ...span }));
const literalText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('"', '\\', 'a\nb', '\t\r\u0001', '\\u0041', '//', '/*', '🐎', 'a"b\\'),
);

const type = fc.letrec<{ type: TypeExpression }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 2 },
    fc
      .constantFrom(
        ['number'],
        ['string'],
        ['Any'],
        ['date and time'],
        ['days and time duration'],
        ['tA', 'b c'],
        ['list'],
      )
      .map((path): TypeExpression => ({ kind: 'named-type', path, ...span })),
    fc
      .tuple(fc.constantFrom('list-type' as const, 'range-type' as const), tie('type'))
      .map(([kind, element]): TypeExpression => ({ kind, element, ...span })),
    fc
      .array(fc.record({ name: identifier, type: tie('type') }), { minLength: 1, maxLength: 2 })
      .map((entries): TypeExpression => ({ kind: 'context-type', entries, ...span })),
    fc
      .tuple(fc.array(tie('type'), { maxLength: 2 }), tie('type'))
      .map(([parameters, result]): TypeExpression => ({
        kind: 'function-type',
        parameters,
        result,
        ...span,
      })),
  ),
})).type;

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc
    .constantFrom('0', '1', '-1', '1.50', '.5', '-.25', '1e3', '2.5E-7', '9007199254740993')
    .map((text): Expression => ({ kind: 'number', text, ...span })),
  literalText.map((value): Expression => ({ kind: 'string', value, ...span })),
  fc.boolean().map((value): Expression => ({ kind: 'boolean', value, ...span })),
  fc.constant<Expression>({ kind: 'null', ...span }),
  literalText.map((text): Expression => ({ kind: 'at', text, ...span })),
  fc
    .oneof(words, fc.constantFrom(...knownNames))
    .map((name): Expression => ({ kind: 'name', name, ...span })),
  fc.constant<Expression>({ kind: 'input', ...span }),
);

const trees = fc.letrec<{ node: Expression; inner: Expression }>((tie) => {
  const node = tie('node');
  const nodes = (minLength: number): fc.Arbitrary<Expression[]> =>
    fc.array(node, { minLength, maxLength: minLength + 2 });
  const args: fc.Arbitrary<Arguments> = fc.oneof(
    nodes(0).map((values): Arguments => ({ kind: 'positional', values })),
    fc
      .array(fc.record({ name: identifier, value: node }), { minLength: 1, maxLength: 2 })
      .map((entries): Arguments => ({ kind: 'named', entries })),
  );
  const iterations = fc.array(
    fc.record<Iteration>({
      variable: identifier,
      domain: fc.oneof(
        node,
        fc
          .tuple(node, node)
          .map(([start, end]) => ({ kind: 'iteration-range' as const, start, end, ...span })),
      ),
    }),
    { minLength: 1, maxLength: 2 },
  );
  const key = fc.oneof(words, literalText).map((name): Identifier => ({ name, ...span }));
  const operator = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('+' as const, '-' as const, '*' as const, '/' as const, '**' as const),
        node,
        node,
      )
      .map(([sign, left, right]): Expression => ({
        kind: 'arithmetic',
        operator: sign,
        left,
        right,
        ...span,
      })),
    fc
      .tuple(
        fc.constantFrom(
          '=' as const,
          '!=' as const,
          '<' as const,
          '<=' as const,
          '>' as const,
          '>=' as const,
        ),
        node,
        node,
      )
      .map(([sign, left, right]): Expression => ({
        kind: 'comparison',
        operator: sign,
        left,
        right,
        ...span,
      })),
    node.map((operand): Expression => ({ kind: 'negation', operand, ...span })),
    fc
      .tuple(node, node, node)
      .map(([value, low, high]): Expression => ({ kind: 'between', value, low, high, ...span })),
    fc.tuple(node, nodes(1)).map(([value, tests]): Expression => ({ kind: 'in', value, tests, ...span })),
    fc
      .tuple(fc.constantFrom('conjunction' as const, 'disjunction' as const), nodes(2))
      .map(([kind, operands]): Expression => ({ kind, operands, ...span })),
    fc
      .tuple(fc.constantFrom('=' as const, '!=' as const), node)
      .map(([sign, operand]): Expression => ({ kind: 'equality-test', operator: sign, operand, ...span })),
    fc
      .tuple(node, type)
      .map(([value, given]): Expression => ({ kind: 'instance-of', value, type: given, ...span })),
  );
  const range = fc.oneof(
    fc
      .tuple(node, node, fc.boolean(), fc.boolean())
      .map(([start, end, isStartIncluded, isEndIncluded]): Expression => ({
        kind: 'range',
        start,
        end,
        isStartIncluded,
        isEndIncluded,
        ...span,
      })),
    fc.tuple(node, fc.boolean()).map(([end, isEndIncluded]): Expression => ({
      kind: 'range',
      start: null,
      end,
      isStartIncluded: false,
      isEndIncluded,
      ...span,
    })),
    fc.tuple(node, fc.boolean()).map(([start, isStartIncluded]): Expression => ({
      kind: 'range',
      start,
      end: null,
      isStartIncluded,
      isEndIncluded: false,
      ...span,
    })),
  );
  const boxed = fc.oneof(
    fc
      .tuple(node, identifier)
      .map(([source, property]): Expression => ({ kind: 'path', source, property, ...span })),
    fc
      .tuple(node, node)
      .map(([source, condition]): Expression => ({ kind: 'filter', source, condition, ...span })),
    fc
      .tuple(node, args)
      .map(([callee, given]): Expression => ({ kind: 'invocation', callee, arguments: given, ...span })),
    fc.tuple(node, node, node).map(([condition, consequent, alternative]): Expression => ({
      kind: 'if',
      condition,
      consequent,
      alternative,
      ...span,
    })),
    fc
      .tuple(iterations, node)
      .map(([given, body]): Expression => ({ kind: 'for', iterations: given, body, ...span })),
    fc
      .tuple(fc.constantFrom('some' as const, 'every' as const), iterations, node)
      .map(([quantifier, given, condition]): Expression => ({
        kind: 'quantified',
        quantifier,
        iterations: given,
        condition,
        ...span,
      })),
    fc
      .array(fc.record({ key, value: node }), { maxLength: 3 })
      .map((entries): Expression => ({ kind: 'context', entries, ...span })),
    nodes(0).map((items): Expression => ({ kind: 'list', items, ...span })),
    fc
      .tuple(fc.array(fc.record({ name: identifier, type: fc.option(type) }), { maxLength: 2 }), node)
      .map(([parameters, body]): Expression => ({ kind: 'function', parameters, body, ...span })),
  );
  return {
    inner: fc.oneof(operator, range, boxed),
    node: fc.oneof({ maxDepth: 4, depthSize: 'small' }, leaf, tie('inner')),
  };
});

describe('printed trees', () => {
  it('of expressions are read back', () => {
    fc.assert(
      fc.property(trees.inner, (tree) => {
        const text = printExpression(tree);
        const read = parseExpression(text, { knownNames });
        assert.equal(showExpression(read), showExpression(tree), text);
        assert.deepEqual(withoutSpans(read), withoutSpans(tree));
      }),
      { numRuns: 700 },
    );
  });

  it('of unary tests are read back', () => {
    const negation = trees.node.map((value): Expression => ({
      kind: 'invocation',
      callee: { kind: 'name', name: 'not', ...span },
      arguments: { kind: 'positional', values: [value] },
      ...span,
    }));
    const tests = fc.oneof(
      fc
        .tuple(fc.boolean(), fc.array(fc.oneof(trees.node, negation), { minLength: 1, maxLength: 3 }))
        .map(([isNegated, list]): UnaryTests => ({ kind: 'tests', isNegated, tests: list, ...span })),
      fc.constant<UnaryTests>({ kind: 'any', ...span }),
    );
    fc.assert(
      fc.property(tests, (tree) => {
        const text = printUnaryTests(tree);
        const read = parseUnaryTests(text, { knownNames });
        assert.equal(showUnaryTests(read), showUnaryTests(tree), text);
        assert.deepEqual(withoutSpans(read), withoutSpans(tree));
      }),
      { numRuns: 300 },
    );
  });
});
