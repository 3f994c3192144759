/** Failures of a run, those of one signature together. */
import type { Failure } from './fuzz-failure.ts';

const EXAMPLES_SHOWN = 3;
const OTHERS_SHOWN = 50;

export interface FailureGroup {
  count: number;
  readonly examples: { readonly index: number; readonly failure: Failure }[];
  /** Of those that are no example, the first ones. */
  readonly others: number[];
}

/** By their signatures. */
export type FailureGroups = Map<string, FailureGroup>;

/** Whether the failure is an example of its group. */
export function addToGroup(groups: FailureGroups, index: number, failure: Failure): boolean {
  const group = groups.get(failure.signature) ?? { count: 0, examples: [], others: [] };
  groups.set(failure.signature, group);
  group.count += 1;
  const isExample = group.examples.length < EXAMPLES_SHOWN;
  if (isExample) group.examples.push({ index, failure });
  else if (group.others.length < OTHERS_SHOWN) group.others.push(index);
  return isExample;
}
