/**
 * Regular expressions for `matches`, `replace` and `split` (../regular-expression.ts).
 *
 * One evaluation compiles and pays for a pattern once. Those that an expression spells out can stay compiled from one
 * evaluation to the next: `usePatterns` says where they are.
 */
import { FeelEvaluationError } from '../errors.ts';
import { RegularExpressions, type Payer, type RegularExpression } from '../regular-expression.ts';
import type { Run } from '../runtime.ts';
import { refuse } from './parameter.ts';

/** Units to find a pattern and begin a search: 3 µs. */
const SEARCH_UNITS = 100;

const patternsByRun = new WeakMap<Run, RegularExpressions>();
const noLiterals: ReadonlySet<string> = new Set();

/** The evaluation finds its patterns there. Without it, it makes all of them itself. */
export function usePatterns(run: Run, patterns: RegularExpressions): void {
  patternsByRun.set(run, patterns);
}

function patternsOf(run: Run): RegularExpressions {
  const known = patternsByRun.get(run);
  if (known !== undefined) return known;
  const own = new RegularExpressions(noLiterals);
  patternsByRun.set(run, own);
  return own;
}

/**
 * The expression that a pattern is. Null, with a warning: it is none, or one that cannot be searched for in linear time.
 * Pays for the text that is searched as well, once.
 * @throws FeelEvaluationError, TurnBudgetError when the budget is used up
 */
export function patternOf(
  functionName: string,
  pattern: string,
  flags: string | null,
  searched: string,
  run: Run,
): RegularExpression | null {
  run.meter.spend(SEARCH_UNITS);
  run.meter.spendCharacters(searched.length + pattern.length);
  const payer = new WatchedPayer(run.meter);
  try {
    const found = patternsOf(run).get(pattern, flags ?? '', payer);
    return found ?? refuse(run, `${functionName}() was given a pattern or flags that are none`);
  } catch (error) {
    // The same class of errors, for two things: the data is wrong, or the budget is used up.
    if (payer.hasThrown || !(error instanceof FeelEvaluationError)) throw error;
    return refuse(run, `${functionName}(): ${error.message}`);
  }
}

/** Remembers whether it was the budget that threw. */
class WatchedPayer implements Payer {
  readonly #payer: Payer;
  #isSpending = false;

  constructor(payer: Payer) {
    this.#payer = payer;
  }

  get hasThrown(): boolean {
    return this.#isSpending;
  }

  spend(units: number): void {
    this.#isSpending = true;
    this.#payer.spend(units);
    this.#isSpending = false;
  }

  spendCharacters(count: number): void {
    this.#isSpending = true;
    this.#payer.spendCharacters(count);
    this.#isSpending = false;
  }
}
