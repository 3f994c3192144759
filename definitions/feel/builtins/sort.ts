/**
 * `sort`: a list in the order of a function.
 *
 * S1 It is stable: of two that neither precedes the other, the first stays first.
 * S2 It ends, and loses and repeats nothing, whatever the function says.
 * S3 Of n elements it calls the function fewer than n log2 n times. The function pays for itself.
 *
 * Source: DMN 1.5, 10.3.4.10, table 80.
 */
import type { FeelFunction, FeelValue, Run } from '../runtime.ts';
import { callbackOf, type Callback } from './call-function.ts';
import { binary, type Builtin } from './define.ts';
import { callable, described, list, refuse } from './parameter.ts';

/** Units to move an element once, without what the function takes. */
const MERGE_UNITS = 3;

/** Null, with a warning: the function is none that orders. */
function sorted(items: readonly FeelValue[], precedes: FeelFunction, run: Run): FeelValue {
  const callback = callbackOf(precedes, 2);
  if (callback === null) return refuse(run, '"precedes" of sort() must take two arguments');
  run.meter.makeElements(items.length);
  let runs: readonly FeelValue[] = items;
  for (let width = 1; width < items.length; width *= 2) {
    const merged = mergeRuns(runs, width, callback, run);
    if (merged === null) return null;
    runs = merged;
  }
  return runs;
}

/** Pairs of neighbouring runs of `width` elements, which are in order, made one. */
function mergeRuns(
  items: readonly FeelValue[],
  width: number,
  precedes: Callback,
  run: Run,
): readonly FeelValue[] | null {
  run.meter.spend(items.length * MERGE_UNITS);
  const result: FeelValue[] = [];
  for (let start = 0; start < items.length; start += 2 * width) {
    const middle = Math.min(start + width, items.length);
    const end = Math.min(start + 2 * width, items.length);
    if (!mergeInto(result, items.slice(start, middle), items.slice(middle, end), precedes, run)) return null;
  }
  return result;
}

/** False: the function gave no boolean. */
function mergeInto(
  result: FeelValue[],
  left: readonly FeelValue[],
  right: readonly FeelValue[],
  precedes: Callback,
  run: Run,
): boolean {
  let taken = 0;
  for (const item of right) {
    for (; taken < left.length; taken += 1) {
      const first = left[taken] ?? null;
      const isBefore = precedes([item, first], run);
      if (typeof isBefore !== 'boolean') {
        refuse(run, `"precedes" of sort() must give a boolean, and gave ${described(isBefore)}`);
        return false;
      }
      if (isBefore) break;
      result.push(first);
    }
    result.push(item);
  }
  for (const item of left.slice(taken)) result.push(item);
  return true;
}

export const sorting: readonly Builtin[] = [binary('sort', ['list', list], ['precedes', callable], sorted)];
