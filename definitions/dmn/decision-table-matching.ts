/**
 * Which rules of a decision table match.
 *
 * M1 Rules are looked at in order, and of each its entries from the left, up to the first that is not passed.
 * M2 What is looked at is paid for.
 * M3 In a large table whose entries of one input are all strings and numbers (or `-`), only the rules that have the
 *    input's value are looked at.
 */
import type { Frame } from '../feel/compile/evaluation.ts';
import type { FeelValue } from '../feel/runtime.ts';
import type { Cell, Key } from './decision-table-cells.ts';

/** Numbers of the rules that match, in order. @param limit no more than these are looked for */
export type Matcher = (inputs: readonly FeelValue[], frame: Frame, limit: number) => readonly number[];

/** Below that, looking at all rules costs less than two look-ups: a guess. */
const INDEXED_FROM_RULES = 16;

/** @param rules the entries of each */
export function createMatcher(rules: readonly (readonly Cell[])[]): Matcher {
  const all = rules.map((_, number) => number);
  const index = rules.length < INDEXED_FROM_RULES ? null : indexOf(rules);
  return (inputs, frame, limit) => {
    const candidates = index?.(inputs) ?? all;
    const found: number[] = [];
    for (const number of candidates) {
      frame.run.meter.spend(1);
      if (!matches(rules[number] ?? [], inputs, frame)) continue;
      found.push(number);
      if (found.length >= limit) break;
    }
    return found;
  };
}

function matches(cells: readonly Cell[], inputs: readonly FeelValue[], frame: Frame): boolean {
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at];
    if (cell === undefined || cell.test === null) continue;
    frame.run.meter.spend(cell.units);
    if (cell.test(frame, inputs[at] ?? null) !== true) return false;
  }
  return true;
}

type Index = (inputs: readonly FeelValue[]) => readonly number[];

/** By the first input whose entries allow it. Null: there is none. */
function indexOf(rules: readonly (readonly Cell[])[]): Index | null {
  const width = rules[0]?.length ?? 0;
  for (let column = 0; column < width; column += 1) {
    const cells = rules.map((cells) => cells[column]);
    const isIndexable = cells.every((cell) => cell?.test === null || (cell?.keys ?? null) !== null);
    if (isIndexable && cells.some((cell) => cell?.test !== null)) return indexBy(column, cells);
  }
  return null;
}

function indexBy(column: number, cells: readonly (Cell | undefined)[]): Index {
  const always: number[] = [];
  const byKey = new Map<unknown, number[]>();
  for (const [number, cell] of cells.entries()) {
    if (cell?.test === null) always.push(number);
    for (const key of new Set<Key>(cell?.keys ?? [])) {
      const having = byKey.get(key);
      if (having === undefined) byKey.set(key, [number]);
      else having.push(number);
    }
  }
  return (inputs) => merged(byKey.get(inputs[column] ?? null) ?? [], always);
}

/** Two rising rows as one. */
function merged(one: readonly number[], other: readonly number[]): readonly number[] {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  return [...one, ...other].sort((left, right) => left - right);
}
