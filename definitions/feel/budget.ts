/**
 * What expressions may cost: the work that one turn, and one evaluation in it, may do.
 *
 * K1 Cost is counted and never timed, and does not depend on what was evaluated before: equal input costs the
 *    same, so that it gives the same result (engine/core/advance.ts, A1).
 * K2 Work is paid for before it is done, or as it goes on: what grows by itself ends while it is small.
 */
import { FeelEvaluationError } from './errors.ts';

/** Units that a turn may spend. A unit is 20 to 40 ns on a busy 2-core machine: all of it is about half a second. */
export const TURN_UNITS = 12_000_000;
/** Units that one evaluation may spend: part of a turn, so that one that costs too much is told from too many. */
export const EVALUATION_UNITS = 5_000_000;
/**
 * Elements that one evaluation may go through, nested ones multiplied. 100,000 took 0.15 s (`for`) to 0.35 s
 * (`some`, a filter) of CPU on a busy 2-core machine, and nothing else runs meanwhile.
 */
export const MAX_ITERATIONS = 100_000;

/** What an evaluation costs whatever it does. */
const BASE_UNITS = 20;
/** Characters that are copied, compared or searched for one unit. */
const CHARACTERS_PER_UNIT = 8;

/** What it costs to copy, compare or search so many characters. */
export function characterUnits(count: number): number {
  return Math.ceil(count / CHARACTERS_PER_UNIT);
}

/** The turn has spent what its expressions may cost together. */
export class TurnBudgetError extends Error {
  constructor() {
    super(`the turn does more work than one turn may (${TURN_UNITS} units)`);
    this.name = 'TurnBudgetError';
  }
}

/** The time of a turn and what is left of its budget. All of its expressions are evaluated with the same one. */
export class TurnBudget {
  /** Read by `now()` and `today()`. */
  readonly nowMs: number;
  #unitsLeft = TURN_UNITS;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  get unitsLeft(): number {
    return this.#unitsLeft;
  }

  /** Nothing more can be evaluated. */
  get isSpent(): boolean {
    return this.#unitsLeft <= 0;
  }

  /** Takes units for what is being done. May go below zero: who does the work looks at `isSpent`. */
  spend(units: number): void {
    this.#unitsLeft -= units;
  }
}

/** Counts what one evaluation costs. One serves all evaluations of an expression, one after the other. */
export class Meter {
  #turn = new TurnBudget(0);
  #grantedUnits = 0;
  #unitsLeft = 0;
  #elementsLeft = 0;

  get nowMs(): number {
    return this.#turn.nowMs;
  }

  /** What the evaluation has cost so far. */
  get spentUnits(): number {
    return this.#grantedUnits - this.#unitsLeft;
  }

  /** @throws TurnBudgetError when the turn has nothing left */
  begin(turn: TurnBudget): void {
    this.#turn = turn;
    this.#grantedUnits = Math.min(turn.unitsLeft, EVALUATION_UNITS);
    this.#unitsLeft = this.#grantedUnits;
    this.#elementsLeft = MAX_ITERATIONS;
    this.spend(BASE_UNITS);
  }

  /** The evaluation is over, however it ended. */
  end(): void {
    this.#turn.spend(this.spentUnits);
  }

  /** @throws FeelEvaluationError, TurnBudgetError when that is more than is left */
  spend(units: number): void {
    this.#unitsLeft -= units;
    if (this.#unitsLeft >= 0) return;
    if (this.#grantedUnits < EVALUATION_UNITS) throw new TurnBudgetError();
    throw new FeelEvaluationError(
      `the expression does more work than one evaluation may (${EVALUATION_UNITS} units)`,
    );
  }

  /** For characters that are copied, compared or searched. @throws as `spend` */
  spendCharacters(count: number): void {
    this.spend(characterUnits(count));
  }

  /** For elements that are gone through. @throws as `spend` */
  iterate(count: number, unitsPerElement: number): void {
    this.#elementsLeft -= count;
    if (this.#elementsLeft < 0) {
      throw new FeelEvaluationError(`the expression goes through more than ${MAX_ITERATIONS} elements`);
    }
    this.spend(count * unitsPerElement);
  }
}
