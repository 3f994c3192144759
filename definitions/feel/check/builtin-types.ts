/**
 * What built-in functions give, by what they are given; and of which kinds the items are that those take which take any
 * number of them. What is not here gives anything. A test holds the table against the functions themselves.
 */
import type { Expression } from '../ast.ts';
import type { ValueKind } from '../value-kind.ts';
import {
  anyType,
  describe,
  describeKind,
  elementsOf,
  listOf,
  mayBe,
  openContext,
  simple,
  unionOf,
  type StaticType,
} from './static-type.ts';

/** By the types of the arguments in the order of the parameters, and the nodes that they are. */
type Result = (types: readonly StaticType[], nodes: readonly Expression[]) => StaticType;

function always(type: StaticType): Result {
  return () => type;
}

const number = always(simple('number'));
const string = always(simple('string'));
const boolean = always(simple('boolean'));

/** The list that the first argument is, or the list of it. */
const sameList: Result = ([list = anyType]) => listOf(elementsOf(list));
/** A list of what is in the first, or of another item. */
const withItem: Result = ([list = anyType, ...items]) => listOf(unionOf([elementsOf(list), ...items]));
const joined: Result = (lists) => listOf(unionOf(lists.map(elementsOf)));

/** Of variadic arguments; a single list stands for its items. */
function itemsOf(types: readonly StaticType[]): StaticType {
  const [first = anyType] = types;
  return types.length === 1 ? elementsOf(first) : unionOf(types);
}

const duration = unionOf([simple('days-time-duration'), simple('years-months-duration')]);
const range: StaticType = { kind: 'range', element: anyType };
const entries = listOf({
  kind: 'context',
  entries: new Map([
    ['key', simple('string')],
    ['value', anyType],
  ]),
  others: 'impossible',
});

/** The property of a context by a key that is written. */
const valueOf: Result = ([context = anyType], [, key]) => {
  if (context.kind !== 'context' || key?.kind !== 'string') return anyType;
  return context.entries.get(key.value) ?? anyType;
};

/** By the functions' names. */
const results: ReadonlyMap<string, Result> = new Map<string, Result>([
  ...named('number', number),
  ...named('string', string),
  ...named('date', always(simple('date'))),
  ...named('time', always(simple('time'))),
  ...named('date and time, now', always(simple('date-time'))),
  ...named('today', always(simple('date'))),
  ...named('duration', always(duration)),
  ...named('years and months duration', always(simple('years-months-duration'))),
  ...named('range', always(range)),
  ...named('not, is', boolean),
  ...named('substring, upper case, lower case, substring before, substring after, replace', string),
  ...named('string join, day of week, month of year', string),
  ...named('string length, count, day of year, week of year', number),
  ...named('contains, starts with, ends with, matches, list contains, all, any, odd, even', boolean),
  ...named('split', always(listOf(simple('string')))),
  ...named('index of, mode', always(listOf(simple('number')))),
  ...named('sum, mean, product, median, stddev', number),
  ...named('decimal, floor, ceiling, round up, round down, round half up, round half down', number),
  ...named('modulo, sqrt, log, exp', number),
  ...named('abs', ([n = anyType]) => (['any', 'list'].includes(n.kind) ? anyType : n)),
  ...named('min, max', itemsOf),
  ...named('sublist, remove, reverse, distinct values, sort', sameList),
  ...named('append', withItem),
  ...named('insert before, list replace', ([list = anyType, , item = anyType]) =>
    listOf(unionOf([elementsOf(list), item])),
  ),
  ...named('concatenate, union', joined),
  ...named('flatten', always(listOf(anyType))),
  ...named('before, after, meets, met by, overlaps, overlaps before, overlaps after', boolean),
  ...named('finishes, finished by, includes, during, starts, started by, coincides', boolean),
  ...named('get value', valueOf),
  ...named('get entries', always(entries)),
  ...named('context, context put, context merge', always(openContext)),
]);

function named(names: string, result: Result): [string, Result][] {
  return names.split(', ').map((name) => [name, result]);
}

export function resultOf(
  name: string,
  types: readonly StaticType[],
  nodes: readonly Expression[],
): StaticType {
  return results.get(name)?.(types, nodes) ?? anyType;
}

const pointKinds: readonly ValueKind[] = [
  'number',
  'string',
  'date',
  'time',
  'date-time',
  'days-time-duration',
  'years-months-duration',
];

/** What the items of variadic functions must be, and how that is said. */
export const itemKinds: ReadonlyMap<string, readonly ValueKind[]> = new Map<string, readonly ValueKind[]>([
  ...['sum', 'mean', 'product', 'median', 'stddev', 'mode'].map((name): [string, ValueKind[]] => [
    name,
    ['number'],
  ]),
  ...['all', 'any'].map((name): [string, ValueKind[]] => [name, ['boolean']]),
  ...['min', 'max'].map((name): [string, readonly ValueKind[]] => [name, pointKinds]),
]);

/** One item may decide what they give, whatever the others are. */
const decidedByOne: ReadonlySet<string> = new Set(['all', 'any']);

/** The first item that is of no such kind. A single list stands for its items. Null: there is nothing wrong with them. */
export function itemsFault(
  name: string,
  types: readonly StaticType[],
): { readonly index: number; readonly message: string } | null {
  const wanted = itemKinds.get(name);
  if (wanted === undefined) return null;
  const items = types.length === 1 ? types.map(elementsOf) : types;
  const wrong = items.map((item) => !mayBe(item, ...wanted));
  const index = wrong.indexOf(true);
  const item = items[index];
  if (item === undefined || (decidedByOne.has(name) && wrong.includes(false))) return null;
  const what = wanted.length === 1 ? wanted.map(describeKind).join('') : 'what has an order';
  return { index, message: `the items of ${name}() must each be ${what}, not ${describe(item)}` };
}
