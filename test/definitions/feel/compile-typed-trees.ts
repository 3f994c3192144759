/**
 * Trees whose parts go together: a sum of numbers, a filter by a truth value. Of trees of any parts most are null early.
 *
 * Now and then a part is of any kind, or null.
 */
import fc from 'fast-check';
import type { Expression, Iteration } from '../../../definitions/feel/ast.ts';
import { builtinCalls } from './compile-calls.ts';
import { identifier, leaf, numberLiteral, span } from './compile-trees.ts';

type Tree = fc.Arbitrary<Expression>;
type Kind = 'number' | 'truth' | 'text' | 'numbers' | 'rows' | 'row' | 'date' | 'hours' | 'any' | 'call';
type Trees = Record<Kind, Tree>;

function name(...names: readonly string[]): Tree {
  return fc.constantFrom(...names).map((text): Expression => ({ kind: 'name', name: text, ...span }));
}

function literal(kind: 'at' | 'string', ...texts: readonly string[]): Tree {
  return fc
    .constantFrom(...texts)
    .map((text): Expression => (kind === 'at' ? { kind, text, ...span } : { kind, value: text, ...span }));
}

function binary(operators: readonly ('+' | '-' | '*' | '/' | '**')[], left: Tree, right: Tree): Tree {
  return fc
    .record({ operator: fc.constantFrom(...operators), left, right })
    .map((parts): Expression => ({ kind: 'arithmetic', ...parts, ...span }));
}

function choice(condition: Tree, either: Tree): Tree {
  return fc
    .record({ condition, consequent: either, alternative: either })
    .map((parts): Expression => ({ kind: 'if', ...parts, ...span }));
}

function path(source: Tree, ...properties: readonly string[]): Tree {
  return fc
    .record({ source, property: fc.constantFrom(...properties) })
    .map(({ source: of, property }): Expression => ({
      kind: 'path',
      source: of,
      property: { name: property, ...span },
      ...span,
    }));
}

function filter(source: Tree, condition: Tree): Tree {
  return fc.record({ source, condition }).map((parts): Expression => ({ kind: 'filter', ...parts, ...span }));
}

function range(start: Tree, end: Tree): Tree {
  return fc
    .record({ start, end, isStartIncluded: fc.boolean(), isEndIncluded: fc.boolean() })
    .map((parts): Expression => ({ kind: 'range', ...parts, ...span }));
}

function call(callee: string, ...args: readonly Tree[]): Tree {
  return fc.tuple(...args).map((values): Expression => ({
    kind: 'invocation',
    callee: { kind: 'name', name: callee, ...span },
    arguments: { kind: 'positional', values },
    ...span,
  }));
}

/** Few steps, so that loops in loops end. */
const steps = fc
  .constantFrom('-1', '0', '1', '2', '3')
  .map((text): Expression => ({ kind: 'number', text, ...span }));

function iterations(list: Tree): fc.Arbitrary<readonly Iteration[]> {
  const stepped = fc
    .record({ start: steps, end: steps })
    .map((parts) => ({ kind: 'iteration-range' as const, ...parts, ...span }));
  const domain = fc.oneof(list, stepped);
  return fc.array(fc.record<Iteration>({ variable: identifier, domain }), { minLength: 1, maxLength: 2 });
}

function loop(list: Tree, body: Tree): Tree {
  return fc
    .record({ iterations: iterations(list), body })
    .map((parts): Expression => ({ kind: 'for', ...parts, ...span }));
}

function context(value: Tree): Tree {
  return fc
    .array(fc.record({ key: identifier, value }), { maxLength: 3 })
    .map((entries): Expression => ({ kind: 'context', entries, ...span }));
}

function truths({ number, truth, text, numbers, rows, date, hours, any }: Trees): readonly Tree[] {
  const sign = fc.constantFrom(
    '=' as const,
    '!=' as const,
    '<' as const,
    '<=' as const,
    '>' as const,
    '>=' as const,
  );
  const compared = (of: Tree): Tree =>
    fc
      .record({ operator: sign, left: of, right: of })
      .map((parts): Expression => ({ kind: 'comparison', ...parts, ...span }));
  const between = (of: Tree): Tree =>
    fc
      .record({ value: of, low: of, high: of })
      .map((parts): Expression => ({ kind: 'between', ...parts, ...span }));
  const oneSided = (of: Tree): Tree =>
    fc.record({ end: of, isEndIncluded: fc.boolean() }).map(({ end, isEndIncluded }): Expression => ({
      kind: 'range',
      start: null,
      end,
      isStartIncluded: false,
      isEndIncluded,
      ...span,
    }));
  const tests = (of: Tree): Tree =>
    fc
      .record({
        value: of,
        tests: fc.array(fc.oneof(of, range(of, of), oneSided(of), truth, numbers), {
          minLength: 1,
          maxLength: 3,
        }),
      })
      .map((parts): Expression => ({ kind: 'in', ...parts, ...span }));
  const many = (kind: 'conjunction' | 'disjunction'): Tree =>
    fc
      .array(truth, { minLength: 2, maxLength: 4 })
      .map((operands): Expression => ({ kind, operands, ...span }));
  const quantified = (list: Tree): Tree =>
    fc
      .record({
        quantifier: fc.constantFrom('some' as const, 'every' as const),
        iterations: iterations(list),
        condition: truth,
      })
      .map((parts): Expression => ({ kind: 'quantified', ...parts, ...span }));
  return [
    ...[
      compared(number),
      compared(text),
      compared(date),
      compared(hours),
      compared(any),
      between(number),
      between(date),
    ],
    ...[
      tests(number),
      tests(text),
      tests(date),
      many('conjunction'),
      many('disjunction'),
      call('not', truth),
    ],
    ...[quantified(numbers), quantified(rows), choice(truth, truth)],
  ];
}

function numbersOf({ number, truth, numbers, rows, row, any }: Trees): readonly Tree[] {
  return [
    ...[loop(numbers, number), loop(rows, path(row, 'a')), filter(numbers, truth), path(rows, 'a')],
    ...[call('concatenate', numbers, numbers), call('append', numbers, number), call('reverse', numbers)],
    ...[call('distinct values', numbers), choice(truth, numbers), range(steps, steps)],
    fc
      .array(fc.oneof(number, any), { maxLength: 3 })
      .map((items): Expression => ({ kind: 'list', items, ...span })),
  ];
}

function applied(body: Tree, argument: Tree): Tree {
  return fc
    .record({ parameter: identifier, body, argument })
    .map(({ parameter, body: of, argument: value }): Expression => ({
      kind: 'invocation',
      callee: { kind: 'function', parameters: [{ name: parameter, type: null }], body: of, ...span },
      arguments: { kind: 'positional', values: [value] },
      ...span,
    }));
}

/** What is more than a leaf, by its kind. */
function compounds(trees: Trees): Readonly<Record<Exclude<Kind, 'any' | 'call'>, readonly Tree[]>> {
  const { number, truth, text, numbers, rows, row, date, hours, any } = trees;
  return {
    number: [
      ...[binary(['+', '-', '*', '/'], number, number), binary(['**'], number, steps), choice(truth, number)],
      ...[call('count', numbers), call('sum', numbers), filter(numbers, steps), path(row, 'a')],
      ...[path(date, 'day', 'weekday'), path(hours, 'days'), binary(['/'], hours, hours)],
      ...[call('string length', text), applied(number, number)],
      number.map((operand): Expression => ({ kind: 'negation', operand, ...span })),
    ],
    truth: truths(trees),
    text: [
      ...[
        binary(['+'], text, text),
        choice(truth, text),
        call('string', any),
        call('substring', text, steps),
      ],
      ...[call('upper case', text), path(row, 'b'), applied(text, any)],
    ],
    numbers: numbersOf(trees),
    rows: [
      ...[filter(rows, truth), loop(numbers, row), call('concatenate', rows, rows), choice(truth, rows)],
      fc.array(row, { maxLength: 3 }).map((items): Expression => ({ kind: 'list', items, ...span })),
    ],
    row: [context(number), context(any), filter(rows, steps)],
    date: [
      ...[binary(['+', '-'], date, hours), choice(truth, date), call('date', date), applied(date, date)],
    ],
    hours: [
      ...[binary(['+', '-'], hours, hours), binary(['*', '/'], hours, number), binary(['-'], date, date)],
      hours.map((operand): Expression => ({ kind: 'negation', operand, ...span })),
    ],
  };
}

const simplest = {
  number: fc.oneof(numberLiteral, name('n', 'item', 'a', 'b')),
  truth: fc.boolean().map((value): Expression => ({ kind: 'boolean', value, ...span })),
  text: fc.oneof(literal('string', '', 'a', 'b', 'ab', '\u{1f642}'), name('s')),
  numbers: name('xs', 'xs', 'xs', 'partial'),
  rows: name('rows'),
  row: filter(name('rows'), steps),
  date: literal('at', '2026-03-01', '2024-02-29'),
  hours: literal('at', 'P1D', '-PT36H', 'PT0.5S'),
};

/** Of a kind nearly always. */
function sized(leaves: Tree, any: Tree, others: readonly Tree[]): Tree {
  return fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    { weight: 3 * others.length, arbitrary: leaves },
    { weight: 1, arbitrary: fc.constant<Expression>({ kind: 'null', ...span }) },
    { weight: 1, arbitrary: any },
    ...others.map((arbitrary) => ({ weight: 4, arbitrary })),
  );
}

type Root = Kind | 'root';

/** At the root is what is more than a leaf. */
export const typedTrees: Tree = fc.letrec<Record<Root, Expression>>((tie) => {
  const [number, truth, text, numbers, rows] = [
    tie('number'),
    tie('truth'),
    tie('text'),
    tie('numbers'),
    tie('rows'),
  ];
  const [row, date, hours, any, builtin] = [tie('row'), tie('date'), tie('hours'), tie('any'), tie('call')];
  const trees: Trees = { number, truth, text, numbers, rows, row, date, hours, any, call: builtin };
  const others = compounds(trees);
  const byKind = { number, string: text, boolean: truth, date, 'days-time-duration': hours, context: row };
  return {
    number: sized(simplest.number, any, others.number),
    truth: sized(simplest.truth, any, others.truth),
    text: sized(simplest.text, any, others.text),
    numbers: sized(simplest.numbers, any, others.numbers),
    rows: sized(simplest.rows, any, others.rows),
    row: sized(simplest.row, any, others.row),
    date: sized(simplest.date, any, others.date),
    hours: sized(simplest.hours, any, others.hours),
    any: fc.oneof(
      { maxDepth: 6, depthSize: 'small' },
      leaf,
      number,
      truth,
      text,
      numbers,
      rows,
      row,
      date,
      hours,
      builtin,
    ),
    call: builtinCalls(any, {
      ...byKind,
      list: fc.oneof({ weight: 3, arbitrary: numbers }, { weight: 1, arbitrary: rows }),
    }),
    root: fc.oneof(
      { weight: 3, arbitrary: fc.oneof(...Object.values(others).flat()) },
      { weight: 1, arbitrary: builtin },
    ),
  };
}).root;
