/**
 * What must hold of an evaluation, whatever it gives.
 *
 * C1 It throws for its budget, for depth, for a range and for a function, and for nothing else.
 * C2 The same text over equal values gives the same result, warnings and cost; whether the values are the same objects or
 *    not, and whatever the turn has left beyond the cost.
 * C3 One unit less than the cost is not enough.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  FeelEvaluationError,
  TurnBudget,
  TurnBudgetError,
  type CostLimits,
  type Warning,
} from '../../../definitions/feel.ts';
import type { CallWatch } from '../call-watch.ts';
import { FuzzFailure } from '../fuzz-failure.ts';
import { SECRET } from './random-data.ts';

/** 2026-03-29T00:30:00Z: an hour before clocks are put forward. */
export const NOW_MS = 1_774_744_200_000;

export type Evaluate<Given, Result> = (
  given: Given,
  turn: TurnBudget,
  onWarning: (warning: Warning) => void,
) => Result;

/** What one evaluation did. */
export interface Outcome<Result> {
  /** Absent: it threw. */
  readonly result?: Result;
  /** `FeelEvaluationError: …`; absent: it did not throw. */
  readonly error?: string;
  readonly warnings: readonly Warning[];
  readonly units: number;
}

export interface Subject<Given, Result> {
  /** Of the call, for who reads what was slow. */
  readonly name: string;
  readonly text: string;
  readonly evaluate: Evaluate<Given, Result>;
  readonly given: Given;
  readonly limits: CostLimits;
  /** Equal to `given`, of other objects. */
  readonly copy: () => Given;
}

/** Runs above this cost are not repeated more than once. */
const CHEAP_UNITS = 30_000;

/** @throws FuzzFailure, and whatever else the evaluation throws that it should not */
export function checkEvaluation<Given, Result>(
  subject: Subject<Given, Result>,
  watch: CallWatch,
): Outcome<Result> {
  const { name, text, evaluate, given, limits, copy } = subject;
  const { turnUnits } = limits;
  const once = (values: Given, units: number): Outcome<Result> =>
    watch.time(name, () => run(evaluate, values, new TurnBudget(NOW_MS, { ...limits, turnUnits: units })));
  const first = once(given, turnUnits);
  checkWarnings(first.warnings, text.length);
  if (!Number.isSafeInteger(first.units))
    throw new FuzzFailure('a cost is no whole number', `${first.units} units`);
  if (first.error?.includes(SECRET) === true) throw new FuzzFailure('an error says data', first.error);
  expectSame(first, once(copy(), turnUnits), 'equal evaluations differ');
  const { units } = first;
  if (first.error !== undefined || units > CHEAP_UNITS) return first;
  expectSame(first, once(given, units), 'an evaluation with just enough differs');
  const short = once(given, units - 1);
  if (short.error?.startsWith('TurnBudgetError') !== true)
    throw new FuzzFailure('an evaluation ends with less than it costs', `${units} units`);
  return first;
}

function run<Given, Result>(
  evaluate: Evaluate<Given, Result>,
  given: Given,
  turn: TurnBudget,
): Outcome<Result> {
  const { unitsLeft } = turn;
  const warnings: Warning[] = [];
  const onWarning = (warning: Warning): void => {
    warnings.push(warning);
  };
  try {
    const result = evaluate(given, turn, onWarning);
    return { result, warnings, units: unitsLeft - turn.unitsLeft };
  } catch (error) {
    if (!(error instanceof FeelEvaluationError) && !(error instanceof TurnBudgetError)) throw error;
    return { error: `${error.name}: ${error.message}`, warnings, units: unitsLeft - turn.unitsLeft };
  }
}

function expectSame(first: Outcome<unknown>, second: Outcome<unknown>, check: string): void {
  if (isDeepStrictEqual(first, second)) return;
  const shown = ({ error, units, warnings }: Outcome<unknown>): string =>
    `${error ?? 'a value'}, ${units} units, ${warnings.length} warnings`;
  throw new FuzzFailure(check, `${shown(first)}; ${shown(second)}`);
}

function checkWarnings(warnings: readonly Warning[], length: number): void {
  for (const { code, message, from, to } of warnings) {
    if (!(from >= 0 && from < to && to <= length))
      throw new FuzzFailure(
        'a warning is outside of the text',
        `${code} ${from}-${to} of ${length}: ${message}`,
      );
    if (message.includes(SECRET) || /undefined|\[object|NaN/.test(message))
      throw new FuzzFailure('a warning says data, or is no sentence', message);
  }
}
