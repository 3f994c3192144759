/**
 * Input entries of decision tables: whether an input passes them, at little cost for what most of them are.
 *
 * C1 An entry of numbers and strings, and one that compares with numbers, is told by a look at the value. It gives what
 *    its unary tests give (feel/compile/unary-tests.ts), which tell what is left.
 */
import type { Expression, RangeLiteral, UnaryTests } from '../feel/ast.ts';
import { constantOf } from '../feel/compile/constants.ts';
import type { Test } from '../feel/compile/tests.ts';
import type { BoxedScope } from './compile-scope.ts';
import { compileTestText, type CompiledTests } from './compile-text.ts';
import { fail } from './decision-run.ts';
import type { ItemType } from './item-types.ts';
import type { SourceText } from './model.ts';

/** What is compared as it is. */
export type Key = string | number;

/** An input entry. */
export interface Cell {
  /** Null: everything passes. */
  readonly test: Test | null;
  /** What passes, and nothing else does. Null: other things may. */
  readonly keys: readonly Key[] | null;
  readonly units: number;
  readonly height: number;
}

const anything: Cell = { test: null, keys: null, units: 0, height: 1 };

/** @param source null: nothing is asked; @param input what is tested */
export function compileCell(source: SourceText | null, input: ItemType, scope: BoxedScope): Cell {
  if (source === null) return anything;
  const compiled = compileTestText(source, input, scope);
  if (compiled === null) return unreadable(source);
  const { tree, test, units, height } = compiled;
  if (tree.kind === 'any') return anything;
  const keys = keysOf(tree);
  if (keys !== null) return { test: keyTest(keys), keys, units: 1, height: 1 };
  const quick = quickTest(tree, compiled);
  return { test: quick ?? test, keys: null, units: quick === null ? units : 1, height };
}

function unreadable(source: SourceText): Cell {
  const test: Test = (frame) => {
    fail(frame, 'SUTRA.FEEL.SYNTAX_INVALID', source.placeAt(0), 'the input entry cannot be read');
    return false;
  };
  return { test, keys: null, units: 1, height: 1 };
}

/** Of `"a", "b"` and `1, 2`. */
function keysOf(tree: UnaryTests): readonly Key[] | null {
  if (tree.kind === 'any' || tree.isNegated) return null;
  const keys: Key[] = [];
  for (const node of tree.tests) {
    const value = constantOf(node);
    if (typeof value !== 'string' && typeof value !== 'number') return null;
    keys.push(value);
  }
  return keys;
}

function keyTest(keys: readonly Key[]): Test {
  const [key, ...others] = keys;
  if (others.length === 0) return (_, value) => value === key;
  const all = new Set<unknown>(keys);
  return (_, value) => all.has(value);
}

/** Of one range whose ends are numbers: `< 5`, `[1..5)`. Null: it is none. */
function quickTest(tree: UnaryTests, { test }: CompiledTests): Test | null {
  const [node, ...others] = tree.kind === 'any' || tree.isNegated ? [] : tree.tests;
  if (node?.kind !== 'range' || others.length > 0) return null;
  const isIn = numberTest(node);
  return isIn === null
    ? null
    : (frame, value) => (typeof value === 'number' ? isIn(value) : test(frame, value));
}

type NumberTest = (value: number) => boolean;

function numberTest({ start, end, isStartIncluded, isEndIncluded }: RangeLiteral): NumberTest | null {
  const low = boundOf(start);
  const high = boundOf(end);
  if (low === undefined || high === undefined) return null;
  if (low !== null && high !== null) {
    const isAbove = above(low, isStartIncluded);
    const isBelow = below(high, isEndIncluded);
    return (value) => isAbove(value) && isBelow(value);
  }
  if (low !== null) return above(low, isStartIncluded);
  return high === null ? null : below(high, isEndIncluded);
}

/** Null: there is no bound. Undefined: it is no number that compares as it is. */
function boundOf(node: Expression | null): number | null | undefined {
  if (node === null) return null;
  const value = constantOf(node);
  return typeof value === 'number' ? value : undefined;
}

function above(low: number, isIncluded: boolean): NumberTest {
  return isIncluded ? (value) => value >= low : (value) => value > low;
}

function below(high: number, isIncluded: boolean): NumberTest {
  return isIncluded ? (value) => value <= high : (value) => value < high;
}
