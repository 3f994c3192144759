/** Calls of built-in functions for the tests of `definitions/feel/builtins`. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Meter, TurnBudget } from '../../../definitions/feel/budget.ts';
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import { fromText, toText } from '../../../definitions/feel/number-text.ts';
import { isFeelNumber, type FeelNumber } from '../../../definitions/feel/number.ts';
import {
  FeelFunction,
  FeelRange,
  type FeelValue,
  type Run,
  type Signature,
} from '../../../definitions/feel/runtime.ts';
import { isList } from '../../../definitions/feel/value-kind.ts';
import { Temporal } from '../../../definitions/value.ts';
import { anyTemporal, at, NOW_MS } from './temporal-values.ts';

export interface Warned {
  readonly code: string;
  readonly message: string;
}

export interface TestRun extends Run {
  readonly warnings: Warned[];
}

/** One evaluation, with all of its budget. */
export function newRun(nowMs: number = NOW_MS): TestRun {
  const meter = new Meter(new TurnBudget(nowMs));
  const warnings: Warned[] = [];
  return { meter, warnings, warn: (code, message) => warnings.push({ code, message }) };
}

/** In order, or by their names. */
export type Args = readonly FeelValue[] | Readonly<Record<string, FeelValue>>;

function isInOrder(args: Args): args is readonly FeelValue[] {
  return Array.isArray(args);
}

export function builtin(name: string): FeelFunction {
  const fn = builtins.get(name);
  assert.ok(fn, `there is no function ${name}`);
  return fn;
}

/** The arguments as the function gets them. Null: the call does not fit. */
export function bound(name: string, args: Args): readonly (FeelValue | undefined)[] | null {
  for (const signature of builtin(name).signatures) {
    const fitting = isInOrder(args) ? inOrder(signature, args) : byNames(signature, args);
    if (fitting !== null) return fitting;
  }
  return null;
}

function inOrder({ names, least = names.length, isVariadic = false }: Signature, args: readonly FeelValue[]) {
  if (args.length < least || (args.length > names.length && !isVariadic)) return null;
  if (!isVariadic || args.length < names.length) return args;
  return [...args.slice(0, names.length - 1), args.slice(names.length - 1)];
}

function byNames(
  { names, least = names.length, isVariadic = false }: Signature,
  args: Readonly<Record<string, FeelValue>>,
) {
  const given = new Map(Object.entries(args));
  if ([...given.keys()].some((name) => !names.includes(name))) return null;
  if (names.slice(0, least).some((name) => !given.has(name))) return null;
  const values = names.map((name) => given.get(name));
  const last = values.at(-1);
  return isVariadic && last !== undefined ? [...values.slice(0, -1), [last]] : values;
}

/** What a function gives; the call must fit. */
export function call(name: string, args: Args, run: Run = newRun()): FeelValue {
  const values = bound(name, args);
  assert.ok(values, `${name} does not take ${Object.keys(args).join(', ')}`);
  return builtin(name).invoke(values, run);
}

/** Values as something that can be compared and printed: numbers and dates by their texts. */
export function shown(value: FeelValue): unknown {
  if (isFeelNumber(value)) return `number ${toText(value)}`;
  if (value instanceof Temporal) return `${value.kind} ${value.text}`;
  if (isList(value)) return value.map(shown);
  if (value instanceof FeelRange) {
    const { start, end, isStartIncluded, isEndIncluded } = value;
    return ['range', isStartIncluded, shown(start), shown(end), isEndIncluded];
  }
  if (typeof value !== 'object' || value === null || value instanceof FeelFunction) return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, shown(item)]));
}

export function assertSame(actual: FeelValue, expected: FeelValue, message?: string): void {
  assert.deepEqual(shown(actual), shown(expected), message);
}

export type Row = readonly [name: string, args: Args, expected: FeelValue];

function titleOf(name: string, args: Args): string {
  const text = JSON.stringify(args, (_key, value: unknown) =>
    value instanceof FeelFunction ? 'a function' : value,
  );
  return `${name} ${text.length > 90 ? `${text.slice(0, 90)}…` : text}`;
}

/** Each call gives what is expected, and warns of nothing. */
export function givesValues(rows: readonly Row[]): void {
  for (const [name, args, expected] of rows) {
    it(`${titleOf(name, args)} gives ${JSON.stringify(expected)}`, () => {
      const run = newRun();
      assertSame(call(name, args, run), expected);
      assert.deepEqual(run.warnings, []);
    });
  }
}

/** Each call gives null, and says why, once. */
export function refuses(rows: readonly (readonly [name: string, args: Args, code?: string])[]): void {
  for (const [name, args, code = 'ARGUMENT'] of rows) {
    it(`${titleOf(name, args)} is refused`, () => {
      const run = newRun();
      assert.equal(call(name, args, run), null);
      assert.deepEqual(
        run.warnings.map((warning) => warning.code),
        [code],
      );
      assert.ok(
        run.warnings[0]?.message.includes(name),
        `no function is named by: ${run.warnings[0]?.message ?? ''}`,
      );
    });
  }
}

/** No call fits the function. */
export function doNotFit(rows: readonly (readonly [name: string, args: Args])[]): void {
  for (const [name, args] of rows) {
    it(`${titleOf(name, args)} does not fit`, () => {
      assert.equal(bound(name, args), null);
    });
  }
}

/** A number by its digits: more than a literal of the language has. */
export function num(text: string): FeelNumber {
  const value = fromText(text);
  assert.ok(value !== null, `${text} is no number`);
  return value;
}

/** A function of two arguments, as an expression would define one. */
export function predicate(body: (a: FeelValue, b: FeelValue) => FeelValue): FeelFunction {
  return new FeelFunction([{ names: ['a', 'b'] }], ([a = null, b = null]) => body(a, b));
}

/** One of each kind. */
export const samples = {
  null: null,
  boolean: true,
  number: 3,
  string: 'text',
  date: at('2026-03-01'),
  time: at('10:00:00'),
  'date and time': at('2026-03-01T10:00:00'),
  duration: at('PT1H'),
  'duration of months': at('P1M'),
  list: [1, 2],
  'empty list': [],
  context: { a: 1 },
  range: new FeelRange(1, true, 3, true),
  function: predicate(() => true),
} as const satisfies Record<string, FeelValue>;

export const anyNumber: fc.Arbitrary<FeelNumber> = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.integer(),
  fc.integer({ min: -9_999, max: 9_999 }).map((n) => n / 100),
  fc.constantFrom('12345678901234567890.5', '-0.1234567890123456789', '1e400', '-1e-400').map(num),
);

/** Few different ones, so that some are equal, and texts whose order by units and by code points differs. */
export const anyText = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', '\u{1F40E}', '\u{FF5E}', '__proto__'),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

const anyKey = fc.constantFrom('a', 'b', 'key', 'value', '__proto__', '1', 'constructor', 'two words');

/** `__proto__` is defined, as everywhere. */
function contextOf(entries: readonly (readonly [string, FeelValue])[]): FeelValue {
  return Object.fromEntries(entries);
}

/** Any value but functions; contexts and lists a few levels deep. */
export const anyValue: fc.Arbitrary<FeelValue> = fc.letrec<{ value: FeelValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constant<FeelValue>(null),
    fc.boolean(),
    anyNumber,
    anyText,
    anyTemporal,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(anyKey, tie('value')), { maxLength: 4 }).map(contextOf),
    fc
      .tuple(fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.integer({ min: 3, max: 5 }), fc.boolean())
      .map(([start, isStart, end, isEnd]) => new FeelRange(start, isStart, end, isEnd)),
  ),
})).value;

export const anyContext = fc
  .uniqueArray(fc.tuple(anyKey, anyValue), { maxLength: 6, selector: ([key]) => key })
  .map((entries) => contextOf(entries));
