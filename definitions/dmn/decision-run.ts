/**
 * One evaluation of decisions: what it may cost, and what it has to say.
 *
 * R1 What is evaluated only to see what it would be says nothing.
 * R2 At most MAX_PROBLEMS of each severity are kept; of a table of thousands of rules each may have the same to say.
 */
import type { Place } from '../../config/engine-error.ts';
import type { Meter } from '../feel/budget.ts';
import { Evaluation, type PlacedText } from '../feel/compile/evaluation.ts';
import type { DmnCode } from './codes.ts';

/** Codes of what is wrong with decisions and their texts. */
export type DecisionCode = DmnCode | 'SUTRA.FEEL.SYNTAX_INVALID' | 'SUTRA.FEEL.NAME_UNKNOWN';

/** Why there is no value, or none where it was expected. */
export interface DecisionProblem {
  /**
   * `error`: the rules say that there is no result: a hit policy is violated, a value is of another type or is not
   * allowed. `warning`: a FEEL expression gives null, by its warning's code.
   */
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** Names no data. */
  readonly message: string;
  readonly place: Place;
}

/** A guess: more than anybody reads. */
const MAX_PROBLEMS = 50;
/** Units for a problem: its sentence is put together, and somebody keeps it. */
const PROBLEM_UNITS = 10;

/** The problems so far, in the order in which they came up. */
export class Problems {
  readonly #all: DecisionProblem[] = [];
  readonly #counts = { error: 0, warning: 0 };

  get all(): readonly DecisionProblem[] {
    return this.#all;
  }

  /** @param placeOf finds the place: that takes a while, and is not done for what is not kept */
  add(severity: DecisionProblem['severity'], code: string, message: string, placeOf: () => Place): void {
    this.#counts[severity] += 1;
    if (this.#counts[severity] > MAX_PROBLEMS) return;
    this.#all.push({ severity, code, message, place: placeOf() });
  }
}

export class DecisionRun extends Evaluation {
  readonly problems: Problems;

  constructor(meter: Meter, problems: Problems = new Problems()) {
    super(meter, ({ code, message, from }, text) =>
      problems.add('warning', code, message, () => text?.placeAt(from) ?? {}),
    );
    this.problems = problems;
  }
}

/** Says why the rules have no result. Gives null, which the value is then. */
export function fail(
  { run }: { readonly run: Evaluation },
  code: DecisionCode,
  place: Place,
  message: string,
): null {
  run.meter.spend(PROBLEM_UNITS);
  if (run instanceof DecisionRun && !run.isMuted) {
    run.problems.add('error', code, message, () => place);
  }
  return null;
}

/** What stands at one place of a file, and has no text of its own. */
export function textAt(place: Place): PlacedText {
  return { placeAt: () => place };
}
