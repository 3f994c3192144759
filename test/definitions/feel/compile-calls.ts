/** Trees that call all built-in functions, with arguments that mostly are what these take. */
import fc from 'fast-check';
import type { Arguments, Expression } from '../../../definitions/feel/ast.ts';
import { isBuiltinSignature } from '../../../definitions/feel/builtins/define.ts';
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import type { Signature } from '../../../definitions/feel/runtime.ts';
import type { ValueKind } from '../../../definitions/feel/value-kind.ts';
import { definitions, identifier, leaf, numberLiteral, span, treesWith } from './compile-trees.ts';

type Tree = fc.Arbitrary<Expression>;

function name(...names: readonly string[]): Tree {
  return fc.constantFrom(...names).map((text): Expression => ({ kind: 'name', name: text, ...span }));
}

function text(...texts: readonly string[]): Tree {
  return fc.constantFrom(...texts).map((value): Expression => ({ kind: 'string', value, ...span }));
}

function at(...texts: readonly string[]): Tree {
  return fc.constantFrom(...texts).map((each): Expression => ({ kind: 'at', text: each, ...span }));
}

const strings = fc.oneof(
  text('', 'a', 'ab', 'abcab', 'A b', '1', '-12.5', '1,234.5', ',', '.', ' ', 'i', 'x', '\u{1f642}a'),
  text('a+', '(a|b)*', '[a-c]{1,2}', '(', '$1', '\\', '2026-03-01', '10:00:00Z', '2026-03-01T10:00:00'),
  text('P1D', 'P1Y2M', '[1..3]', '(..@"P1D"]', '["a".."b")', 'key', 'value', '__proto__'),
  name('s'),
);
const days = at('2026-03-01', '2024-02-29', '-999999999-01-01', '999999999-12-31');
const moments = at('2026-03-01T10:00:00', '2026-03-01T10:00:00Z', '2026-10-25T02:30:00@Europe/Paris');

/** The simplest trees of a kind. */
const simple: TreesByKind = {
  number: fc.oneof({ weight: 2, arbitrary: numberLiteral }, { weight: 1, arbitrary: name('n') }),
  string: strings,
  boolean: fc.boolean().map((value): Expression => ({ kind: 'boolean', value, ...span })),
  date: days,
  time: at('10:00:00', '00:00:00Z', '23:59:59.999999999@Europe/Paris'),
  'date-time': moments,
  'days-time-duration': at('P1D', '-PT36H', 'PT0.000000001S', 'P100000D'),
  'years-months-duration': at('P1Y2M', '-P1M', 'P0M'),
};

const small = fc
  .constantFrom('0', '1', '2', '3', '4', '5', '2.5')
  .map((each): Expression => ({ kind: 'number', text: each, ...span }));

function rangeOf(ends: Tree): Tree {
  return fc
    .record({ start: ends, end: ends, isStartIncluded: fc.boolean(), isEndIncluded: fc.boolean() })
    .map((parts): Expression => ({ kind: 'range', ...parts, ...span }));
}

function range(node: Tree): Tree {
  return fc.oneof(
    { weight: 6, arbitrary: rangeOf(small) },
    { weight: 1, arbitrary: rangeOf(days) },
    { weight: 1, arbitrary: rangeOf(text('a', 'b', 'c')) },
    { weight: 1, arbitrary: rangeOf(at('P1D', 'P2D')) },
    { weight: 1, arbitrary: rangeOf(node) },
  );
}

function list(node: Tree): Tree {
  const listOf = (items: Tree): Tree =>
    fc.array(items, { maxLength: 4 }).map((all): Expression => ({ kind: 'list', items: all, ...span }));
  return fc.oneof(name('xs', 'rows'), listOf(small), listOf(leaf), listOf(node));
}

function context(node: Tree): Tree {
  const key = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('a', 'key').map((each) => ({ name: each, ...span })) },
    { weight: 1, arbitrary: identifier },
  );
  const entries = fc.array(fc.record({ key, value: node }), { maxLength: 3 });
  const entry = fc.record({ key: strings, value: node }).map(({ key, value }) => [
    { key: { name: 'key', ...span }, value: key },
    { key: { name: 'value', ...span }, value },
  ]);
  return fc.oneof(
    fc.oneof(entries, entry).map((all): Expression => ({ kind: 'context', entries: all, ...span })),
    name('a').map((source): Expression => ({
      kind: 'path',
      source,
      property: { name: 'a', ...span },
      ...span,
    })),
  );
}

/** What compares two, mostly. */
function callback(node: Tree): Tree {
  const operator = fc.constantFrom('<' as const, '>' as const, '=' as const);
  const body = operator.map((sign): Expression => {
    const [left, right] = (['a', 'b'] as const).map((each) => ({
      kind: 'name' as const,
      name: each,
      ...span,
    }));
    return left === undefined || right === undefined
      ? { kind: 'null', ...span }
      : { kind: 'comparison', operator: sign, left, right, ...span };
  });
  const parameters = ['a', 'b'].map((each) => ({ name: { name: each, ...span }, type: null }));
  return fc.oneof(
    {
      weight: 3,
      arbitrary: body.map((made): Expression => ({ kind: 'function', parameters, body: made, ...span })),
    },
    {
      weight: 2,
      arbitrary: node.map((made): Expression => ({ kind: 'function', parameters, body: made, ...span })),
    },
    definitions(node),
    name('is', 'before', 'count', 'matches', 'max'),
  );
}

/** Trees by the kinds of their values. */
export type TreesByKind = Readonly<Partial<Record<ValueKind, Tree>>>;

/** An argument for a parameter. */
function argument(what: string, takes: ReadonlySet<ValueKind> | null, node: Tree, byKind: TreesByKind): Tree {
  const others: TreesByKind = {
    ...simple,
    list: list(node),
    range: range(node),
    context: context(node),
    function: callback(node),
  };
  const ofKind = (kind: ValueKind): readonly Tree[] =>
    [byKind[kind], others[kind]].filter((tree) => tree !== undefined);
  const fitting =
    takes === null ? (what.includes('list') ? ofKind('list') : [node]) : [...takes].flatMap(ofKind);
  return fc.oneof(
    { weight: 14, arbitrary: fc.oneof(...fitting) },
    { weight: 1, arbitrary: node },
    { weight: 1, arbitrary: fc.constant<Expression>({ kind: 'null', ...span }) },
  );
}

function argumentsOf(signature: Signature, node: Tree, byKind: TreesByKind): fc.Arbitrary<Arguments> {
  const { names, least = names.length, isVariadic = false } = signature;
  const all = names.map((parameter, index) => {
    const [, kind] = (isBuiltinSignature(signature) ? signature.parameters[index] : undefined) ?? [];
    return argument(kind?.what ?? parameter, kind?.takes ?? null, node, byKind);
  });
  const last = all.at(-1);
  if (last === undefined) return fc.constant<Arguments>({ kind: 'positional', values: [] });
  const inOrder = fc
    .integer({ min: least, max: names.length + (isVariadic ? 2 : 0) })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => all[index] ?? last)));
  return fc.oneof(
    { weight: 5, arbitrary: inOrder.map((values): Arguments => ({ kind: 'positional', values })) },
    {
      weight: 2,
      arbitrary: fc.tuple(...all).map((values): Arguments => ({
        kind: 'named',
        entries: values.map((value, index) => ({ name: { name: names[index] ?? '', ...span }, value })),
      })),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(node, { maxLength: 4 })
        .map((values): Arguments => ({ kind: 'positional', values })),
    },
  );
}

/** Calls of all built-in functions, with any trees as arguments, or simple ones of the kind, or those of `byKind`. */
export function builtinCalls(node: Tree, byKind: TreesByKind = {}): Tree {
  const all = [...builtins].flatMap(([called, { signatures }]) =>
    signatures.map((signature) =>
      argumentsOf(signature, node, byKind).map((args): Expression => {
        const callee: Expression = { kind: 'name', name: called, ...span };
        return { kind: 'invocation', callee, arguments: args, ...span };
      }),
    ),
  );
  return fc.oneof(...all);
}

/** As `trees`, with calls of all built-in functions. */
export const treesWithCalls = treesWith((node) => builtinCalls(node));
