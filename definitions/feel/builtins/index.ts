/**
 * The built-in functions of FEEL. Source: DMN 1.5, 10.3.4.
 *
 * B1 Equal arguments give equal results and cost the same, in whatever evaluation: no function reads a clock but that of
 *    the turn, or keeps anything that could be seen.
 * B2 A function pays for what it goes through and makes; none takes more than n log n time (../budget.ts).
 * B3 A wrong argument gives null, and a warning that says which and why.
 */
import type { FeelFunction } from '../runtime.ts';
import { aggregates } from './aggregates.ts';
import { contexts } from './contexts.ts';
import { conversions } from './conversions.ts';
import { lists } from './lists.ts';
import { numbers } from './numbers.ts';
import { ranges } from './ranges.ts';
import { sorting } from './sort.ts';
import { strings } from './strings.ts';
import { temporalFunctions } from './temporals.ts';

export { usePatterns } from './patterns.ts';

/** By their FEEL names, with spaces. */
export const builtins: ReadonlyMap<string, FeelFunction> = new Map([
  ...conversions,
  ...strings,
  ...lists,
  ...aggregates,
  ...sorting,
  ...numbers,
  ...ranges,
  ...temporalFunctions,
  ...contexts,
]);

/** Functions that other engines have and this one refuses, by name, and why. */
export const refusedBuiltins: ReadonlyMap<string, string> = new Map([
  [
    'random number',
    'random number() is refused: a turn may be repeated, and must have the same results; let a worker draw the number',
  ],
]);
