/** Trees and data for the property tests of the compiler: trees that often mean something for the data. */
import fc from 'fast-check';
import type {
  Arguments,
  Expression,
  Identifier,
  Iteration,
  TypeExpression,
} from '../../../definitions/feel/ast.ts';
import { fromText } from '../../../definitions/feel/number-text.ts';
import { FeelRange, type FeelContext, type FeelValue } from '../../../definitions/feel/runtime.ts';
import { temporalFromText } from '../../../definitions/feel/temporal/functions.ts';

export const span = { from: 0, to: 0 };

/** Variables, keys, names that expressions declare. Some are each of them. */
const names = fc.constantFrom('a', 'b', 'c', 'n', 's', 'xs', 'rows', 'item', 'partial', 'nothing', 'count');
export const identifier = names.map((name): Identifier => ({ name, ...span }));
const temporalTexts = [
  ...[
    '2026-03-01',
    '2026-03-03',
    '10:00:00',
    '10:00:00Z',
    '2026-03-01T10:00:00',
    '2026-03-01T10:00:00+01:00',
  ],
  ...['10:00:00@Europe/Paris', '2026-03-29T02:30:00@Europe/Paris', 'P1D', '-PT36H', 'P1Y2M', 'no date'],
];
const numberTexts = [
  ...['0', '1', '2', '3', '-1', '-2', '0.5', '0.1', '1e20', '-1e-6176', '1e7000'],
  ...['9007199254740993', '0.1234567890123456789012345678901234', '9.999999999999999999999999999999999e6144'],
];
const texts = fc.constantFrom('', 'a', 'b', 'ab', '\u{1f642}', '\uffff');

export const numberLiteral = fc
  .constantFrom(...numberTexts)
  .map((text): Expression => ({ kind: 'number', text, ...span }));
const nameReference = names.map((name): Expression => ({ kind: 'name', name, ...span }));

export const leaf: fc.Arbitrary<Expression> = fc.oneof(
  { weight: 4, arbitrary: numberLiteral },
  { weight: 5, arbitrary: nameReference },
  texts.map((value): Expression => ({ kind: 'string', value, ...span })),
  { weight: 2, arbitrary: fc.boolean().map((value): Expression => ({ kind: 'boolean', value, ...span })) },
  fc.constant<Expression>({ kind: 'null', ...span }),
  fc.constantFrom(...temporalTexts).map((text): Expression => ({ kind: 'at', text, ...span })),
  fc.constant<Expression>({ kind: 'input', ...span }),
);

/** Those of functions are left out: how a function's type is found is the compiler's own (compile-functions.test.ts). */
const type = fc.letrec<{ type: TypeExpression }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 2 },
    fc
      .constantFrom(
        'number',
        'string',
        'boolean',
        'Any',
        'Null',
        'date',
        'time',
        'date and time',
        'days and time duration',
        'years and months duration',
        'list',
        'context',
        'function',
        'range',
        'T',
      )
      .map((name): TypeExpression => ({ kind: 'named-type', path: [name], ...span })),
    fc
      .tuple(fc.constantFrom('list-type' as const, 'range-type' as const), tie('type'))
      .map(([kind, element]): TypeExpression => ({ kind, element, ...span })),
    fc
      .array(fc.record({ name: identifier, type: tie('type') }), { minLength: 1, maxLength: 2 })
      .map((entries): TypeExpression => ({ kind: 'context-type', entries, ...span })),
  ),
})).type;

type Tied = 'node' | 'inner' | 'operator' | 'test' | 'boxed' | 'iteration' | 'other';
/** `inner` are those that are more than a leaf. */
type Trees = Record<Tied, fc.Arbitrary<Expression>>;

/** Trees that have `others` among their nodes, which may have any trees in them. */
export function treesWith(others: (node: fc.Arbitrary<Expression>) => fc.Arbitrary<Expression>): Trees {
  return fc.letrec<Record<Tied, Expression>>((tie) => {
    const node = tie('node');
    const some = (minLength: number): fc.Arbitrary<Expression[]> =>
      fc.array(node, { minLength, maxLength: minLength + 2 });
    return {
      node: fc.oneof(
        { maxDepth: 6, depthSize: 'medium' },
        { weight: 2, arbitrary: leaf },
        { weight: 3, arbitrary: tie('inner') },
      ),
      inner: fc.oneof(tie('operator'), tie('test'), tie('boxed'), tie('iteration'), tie('other')),
      operator: operators(node, some),
      test: tests(node, some),
      boxed: boxed(node, some),
      iteration: iterations(node),
      other: others(node),
    };
  });
}

/** Without most of the built-in functions (compile-calls.ts). */
export const trees = treesWith((node) => calls(node));

/** What is gone through: often a list. */
function listOr(node: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  const list = fc
    .constantFrom('xs', 'rows', 'partial')
    .map((name): Expression => ({ kind: 'name', name, ...span }));
  return fc.oneof({ weight: 2, arbitrary: list }, { weight: 3, arbitrary: node });
}

type Some = (minLength: number) => fc.Arbitrary<Expression[]>;

function operators(node: fc.Arbitrary<Expression>, some: Some): fc.Arbitrary<Expression> {
  return fc.oneof(
    fc
      .record({
        operator: fc.constantFrom('+' as const, '-' as const, '*' as const, '/' as const),
        left: node,
        right: node,
      })
      .map((parts): Expression => ({ kind: 'arithmetic', ...parts, ...span })),
    fc
      .record({ left: node, right: numberLiteral })
      .map((parts): Expression => ({ kind: 'arithmetic', operator: '**', ...parts, ...span })),
    node.map((operand): Expression => ({ kind: 'negation', operand, ...span })),
    fc
      .record({ kind: fc.constantFrom('conjunction' as const, 'disjunction' as const), operands: some(2) })
      .map((parts): Expression => ({ ...parts, ...span })),
    fc
      .record({ condition: node, consequent: node, alternative: node })
      .map((parts): Expression => ({ kind: 'if', ...parts, ...span })),
    fc.record({ value: node, type }).map((parts): Expression => ({ kind: 'instance-of', ...parts, ...span })),
  );
}

function tests(node: fc.Arbitrary<Expression>, some: Some): fc.Arbitrary<Expression> {
  const sign = fc.constantFrom(
    '=' as const,
    '!=' as const,
    '<' as const,
    '<=' as const,
    '>' as const,
    '>=' as const,
  );
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .record({ operator: sign, left: node, right: node })
        .map((parts): Expression => ({ kind: 'comparison', ...parts, ...span })),
    },
    fc
      .record({ value: node, low: node, high: node })
      .map((parts): Expression => ({ kind: 'between', ...parts, ...span })),
    {
      weight: 2,
      arbitrary: fc
        .record({ value: node, tests: some(1) })
        .map((parts): Expression => ({ kind: 'in', ...parts, ...span })),
    },
    fc
      .record({ start: node, end: node, isStartIncluded: fc.boolean(), isEndIncluded: fc.boolean() })
      .map((parts): Expression => ({ kind: 'range', ...parts, ...span })),
    fc.tuple(node, fc.boolean(), fc.boolean()).map(([end, isIncluded, isStart]): Expression => ({
      kind: 'range',
      start: isStart ? end : null,
      end: isStart ? null : end,
      isStartIncluded: isStart && isIncluded,
      isEndIncluded: !isStart && isIncluded,
      ...span,
    })),
    fc
      .record({ operator: fc.constantFrom('=' as const, '!=' as const), operand: node })
      .map((parts): Expression => ({ kind: 'equality-test', ...parts, ...span })),
  );
}

/** Of some functions, of what is defined on the spot, and of what is no function. */
function calls(node: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  const args: fc.Arbitrary<Arguments> = fc.oneof(
    fc.array(node, { maxLength: 2 }).map((values): Arguments => ({ kind: 'positional', values })),
    fc
      .array(fc.record({ name: fc.oneof(identifier, fc.constant({ name: 'list', ...span })), value: node }), {
        minLength: 1,
        maxLength: 2,
      })
      .map((entries): Arguments => ({ kind: 'named', entries })),
  );
  const builtin = fc
    .constantFrom('count', 'sum', 'not', 'append', 'apply')
    .map((name): Expression => ({ kind: 'name', name, ...span }));
  return fc
    .record({ callee: fc.oneof(builtin, definitions(node), node), arguments: args })
    .map((parts): Expression => ({ kind: 'invocation', ...parts, ...span }));
}

/** Of functions. */
export function definitions(
  node: fc.Arbitrary<Expression>,
  { maxLength = 2 } = {},
): fc.Arbitrary<Expression> {
  return fc
    .record({
      parameters: fc.array(fc.record({ name: identifier, type: fc.option(type) }), { maxLength }),
      body: node,
    })
    .map((parts): Expression => ({ kind: 'function', ...parts, ...span }));
}

function boxed(node: fc.Arbitrary<Expression>, some: Some): fc.Arbitrary<Expression> {
  return fc.oneof(
    fc
      .record({ source: listOr(node), property: identifier })
      .map((parts): Expression => ({ kind: 'path', ...parts, ...span })),
    {
      weight: 2,
      arbitrary: fc
        .record({ source: listOr(node), condition: node })
        .map((parts): Expression => ({ kind: 'filter', ...parts, ...span })),
    },
    fc
      .array(fc.record({ key: identifier, value: node }), { maxLength: 3 })
      .map((entries): Expression => ({ kind: 'context', entries, ...span })),
    some(0).map((items): Expression => ({ kind: 'list', items, ...span })),
    definitions(node),
  );
}

function iterations(node: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  const domain = fc.oneof(
    listOr(node),
    fc
      .record({ start: numberLiteral, end: numberLiteral })
      .map((parts) => ({ kind: 'iteration-range' as const, ...parts, ...span })),
  );
  const given = fc.array(fc.record<Iteration>({ variable: identifier, domain }), {
    minLength: 1,
    maxLength: 2,
  });
  return fc.oneof(
    fc
      .record({ iterations: given, body: node })
      .map((parts): Expression => ({ kind: 'for', ...parts, ...span })),
    fc
      .record({
        quantifier: fc.constantFrom('some' as const, 'every' as const),
        iterations: given,
        condition: node,
      })
      .map((parts): Expression => ({ kind: 'quantified', ...parts, ...span })),
  );
}

const scalar: fc.Arbitrary<FeelValue> = fc.oneof(
  fc.constantFrom(...numberTexts).map((text) => fromText(text)),
  texts,
  fc.boolean(),
  fc.constantFrom(...temporalTexts).map((text) => temporalFromText(text)),
  fc.constant(new FeelRange(1, true, 3, false)),
);

/** Values as variables hold them, and ranges. */
export const values = fc.letrec<{ value: FeelValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: scalar },
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** Variables of which most are what their names say. */
export const data: fc.Arbitrary<FeelContext> = fc.record(
  {
    a: values,
    n: fc.constantFrom(0, 1, 2, 3),
    s: texts,
    xs: fc.array(fc.constantFrom<FeelValue>(1, 2, 3, null), { maxLength: 4 }),
    rows: fc.array(fc.record<FeelContext>({ a: fc.constantFrom(1, 2), b: scalar }), { maxLength: 3 }),
  },
  { requiredKeys: ['n', 'xs'] },
);
