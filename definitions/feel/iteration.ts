/**
 * What `for`, `some`, `every` and filters go through, counted and bounded.
 *
 * The library steps through a range until the value equals its end: with `1..2.5` it never ends and takes
 * the whole process down when memory is gone, and the end may come from a message. So each iterated
 * expression is handed to this function first, which makes a list of a range and counts.
 */
import { FeelRange } from 'feelin';
import type { Meter } from './budget.ts';

/**
 * `start..end` as a list; a list or another value as it is.
 * @param units what one element costs
 * @throws FeelEvaluationError, TurnBudgetError over the budget
 */
export function iterate(meter: Meter, units: number, start: unknown, end: unknown): unknown {
  if (end !== undefined) return listOf(meter, units, start, end);
  if (start instanceof FeelRange) return rangeToList(meter, units, start);
  if (Array.isArray(start)) meter.iterate(start.length, units);
  return start;
}

function rangeToList(meter: Meter, units: number, range: FeelRange): readonly unknown[] | null {
  const list = listOf(meter, units, range.start as unknown, range.end as unknown);
  if (list === null) return null;
  return list.slice(range['start included'] ? 0 : 1, range['end included'] ? undefined : -1);
}

/** Steps of one, up or down, between whole numbers or single letters; null for anything else. */
function listOf(meter: Meter, units: number, start: unknown, end: unknown): readonly unknown[] | null {
  if (isLetter(start) && isLetter(end)) {
    const codes = listOf(meter, units, start.codePointAt(0), end.codePointAt(0)) as readonly number[] | null;
    return codes === null ? null : codes.map((code) => String.fromCodePoint(code));
  }
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return null;
  const [from, to] = [start as number, end as number];
  const count = Math.abs(to - from) + 1;
  meter.iterate(count, units);
  const step = to < from ? -1 : 1;
  return Array.from({ length: count }, (_, index) => from + index * step);
}

function isLetter(value: unknown): value is string {
  return typeof value === 'string' && /^.$/su.test(value);
}
