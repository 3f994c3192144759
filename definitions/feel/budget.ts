/**
 * What expressions may cost: the work that one turn, and one evaluation in it, may do.
 *
 * K1 Cost is counted and never timed, and does not depend on what was evaluated before: equal input costs the
 *    same, so that it gives the same result (engine/core/advance.ts, A1). So units are whole numbers: what is left
 *    of a sum of fractions depends on what it is taken from.
 * K2 Work is paid for before it is done, or as it goes on: what grows by itself ends while it is small.
 * K3 The ceilings are the operator's (`sutra.feel.…`), and the same for all that is evaluated in one turn.
 */
import { FeelEvaluationError } from './errors.ts';

/** What an operator allows. All are 1 or more. */
export interface CostLimits {
  /** Units that a turn may spend. */
  readonly turnUnits: number;
  /** Units that one evaluation may spend: part of a turn, so that one that costs too much is told from too many. */
  readonly evaluationUnits: number;
  /** Elements that one evaluation may go through, nested ones multiplied. */
  readonly iterations: number;
  /** Elements of a list that an expression makes. */
  readonly listSize: number;
  /** Lists and contexts inside each other in what an expression gives. */
  readonly depth: number;
}

/**
 * A unit is 20 to 40 ns on a busy 2-core machine: a turn is about half a second. 100,000 iterations took 0.15 s (`for`)
 * to 0.35 s (`some`, a filter) of CPU there, and nothing else runs meanwhile.
 */
export const defaultCostLimits: CostLimits = {
  turnUnits: 12_000_000,
  evaluationUnits: 5_000_000,
  iterations: 100_000,
  listSize: 1_000_000,
  depth: 256,
};

/** What an evaluation costs whatever it does. */
const BASE_UNITS = 20;
/** Units for an element of a list that is made: it takes memory. */
const MADE_ELEMENT_UNITS = 3;
/** Characters that are copied, compared or searched for one unit. */
const CHARACTERS_PER_UNIT = 8;

/** What it costs to copy, compare or search so many characters. */
export function characterUnits(count: number): number {
  return Math.ceil(count / CHARACTERS_PER_UNIT);
}

/** The turn has spent what its expressions may cost together. */
export class TurnBudgetError extends Error {
  constructor(units: number) {
    super(`the turn does more work than one turn may (${units} units)`);
    this.name = 'TurnBudgetError';
  }
}

/** The time of a turn and what is left of its budget. All of its expressions are evaluated with the same one. */
export class TurnBudget {
  /** Read by `now()` and `today()`. */
  readonly nowMs: number;
  readonly limits: CostLimits;
  #unitsLeft: number;

  constructor(nowMs: number, limits: CostLimits = defaultCostLimits) {
    this.nowMs = nowMs;
    this.limits = limits;
    this.#unitsLeft = limits.turnUnits;
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

/** Counts what one evaluation costs. */
export class Meter {
  readonly #turn: TurnBudget;
  readonly #grantedUnits: number;
  #unitsLeft: number;
  #elementsLeft: number;

  /** @throws TurnBudgetError when the turn has nothing left */
  constructor(turn: TurnBudget) {
    const { evaluationUnits, iterations } = turn.limits;
    this.#turn = turn;
    this.#grantedUnits = Math.min(turn.unitsLeft, evaluationUnits);
    this.#unitsLeft = this.#grantedUnits;
    this.#elementsLeft = iterations;
    this.spend(BASE_UNITS);
  }

  get nowMs(): number {
    return this.#turn.nowMs;
  }

  get limits(): CostLimits {
    return this.#turn.limits;
  }

  /** What the evaluation has cost so far. */
  get spentUnits(): number {
    return this.#grantedUnits - this.#unitsLeft;
  }

  /** The evaluation is over, however it ended. */
  end(): void {
    this.#turn.spend(this.spentUnits);
  }

  /** @throws FeelEvaluationError, TurnBudgetError when that is more than is left */
  spend(units: number): void {
    this.#unitsLeft -= units;
    if (this.#unitsLeft < 0) this.#refuse();
  }

  #refuse(): never {
    const { evaluationUnits, turnUnits } = this.limits;
    if (this.#grantedUnits < evaluationUnits) throw new TurnBudgetError(turnUnits);
    throw new FeelEvaluationError(
      `the expression does more work than one evaluation may (${evaluationUnits} units)`,
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
      throw new FeelEvaluationError(
        `the expression goes through more than ${this.limits.iterations} elements`,
      );
    }
    this.spend(count * unitsPerElement);
  }

  /** For elements of a list that is made, after those that it has. @throws as `spend` */
  makeElements(count: number, madeCount = 0): void {
    const { listSize } = this.limits;
    if (madeCount + count > listSize) {
      throw new FeelEvaluationError(`the expression makes a list of more than ${listSize} elements`);
    }
    this.spend(count * MADE_ELEMENT_UNITS);
  }
}
