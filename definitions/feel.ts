/**
 * FEEL behind one module: the only place that knows the library (`feelin`, with `feel/` beside this file).
 *
 * F1 An expression is parsed once. Its meaning depends on its text alone, never on the data (feel/analyse.ts).
 * F2 Evaluation reads no clock but `nowMs`, keeps nothing, and changes nothing it is given.
 * F3 Only the named variables are handed over, and no prototype can be reached through them.
 * F4 An evaluation ends soon: what it does is paid for from a budget (feel/budget.ts), and a range is never
 *    open-ended (feel/iteration.ts).
 * F5 What a compiled expression calls exists: an unknown function is a syntax error.
 *
 * The library would parse at every evaluation. So the text is evaluated once as the body of a function
 * whose parameters are the free variables; that function is then what runs.
 */
import { FeelFunction, evaluate as evaluateFeel } from 'feelin';
import { analyse, type Analysis } from './feel/analyse.ts';
import { Meter, TurnBudgetError, type TurnBudget } from './feel/budget.ts';
import { SyntaxFault, checkText } from './feel/check-text.ts';
import { fromFeelValue, toFeelValue } from './feel/convert.ts';
import { applyEdits } from './feel/edits.ts';
import { FeelEvaluationError, FeelSyntaxError } from './feel/errors.ts';
import { Builtins } from './feel/metered-builtins.ts';
import { meteringFunctions } from './feel/metering.ts';
import { parseTree, shapeOf } from './feel/library-tree.ts';
import { RegularExpressions } from './feel/regular-expression.ts';
import type { Value } from './value.ts';

export { TurnBudget, TurnBudgetError } from './feel/budget.ts';
export { FeelEvaluationError, FeelSyntaxError } from './feel/errors.ts';

/** Gives the value of a variable, or undefined when the scope has none of that name. */
export type VariableLookup = (name: string) => Value | undefined;

export interface CompiledExpression {
  /** As written, without a leading `=`. */
  readonly text: string;
  /**
   * The free variables the expression names, in order of appearance. A built-in's name counts only where
   * it is not called: `count > 3` names the variable `count`.
   */
  readonly names: readonly string[];
  /**
   * Evaluates over `lookup`. `turn` has the time that `now()` and `today()` read, and pays for it: pass the same
   * one to all that is evaluated for one stimulus. FEEL is total: what has no value is null.
   * @throws FeelEvaluationError for what the library throws, and for what costs too much for one evaluation
   * @throws TurnBudgetError when the turn has nothing left
   */
  readonly evaluate: (lookup: VariableLookup, turn: TurnBudget) => Value;
}

/** Compiles an expression; a leading `=` is stripped. @throws FeelSyntaxError with line and column. */
export function compileExpression(text: string): CompiledExpression {
  const lead = /^\s*=?\s*/.exec(text)?.[0].length ?? 0;
  const source = text.slice(lead).trimEnd();
  try {
    checkText(source);
    return compileSource(source);
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    throw syntaxError(error, text, lead);
  }
}

function syntaxError(fault: SyntaxFault, text: string, lead: number): FeelSyntaxError {
  const before = text.slice(0, lead + fault.offset).split(/\r\n|\r|\n/);
  return new FeelSyntaxError(fault.message, before.length, (before.at(-1)?.length ?? 0) + 1);
}

function compileSource(source: string): CompiledExpression {
  const analysis = analyse(source, parseTree(source, {}));
  const { names, units } = analysis;
  const meter = new Meter();
  const patterns = new RegularExpressions(analysis.literals);
  const builtins = new Builtins(meter, patterns);
  const program = compileProgram(source, analysis, globalsOf(analysis, meter, builtins));

  const evaluate = (lookup: VariableLookup, turn: TurnBudget): Value => {
    meter.begin(turn);
    patterns.beginEvaluation();
    try {
      meter.spend(units);
      const args = names.map((name) => {
        const value = lookup(name);
        // A built-in's name that is not called is a variable, and the function when there is none. Without either
        // undefined stays, so that a property of a filtered element, or nothing, shows.
        return value === undefined ? builtins.get(name) : toFeelValue(value, meter);
      });
      return fromFeelValue(program(args), meter);
    } finally {
      meter.end();
    }
  };
  if (names.length > 0 || !analysis.isTimeless) return { text: source, names, evaluate };
  return { text: source, names, evaluate: onceEvaluated(evaluate) };
}

function globalsOf(
  { calledNames }: Analysis,
  meter: Meter,
  builtins: Builtins,
): Readonly<Record<string, unknown>> {
  const globals: Record<string, unknown> = { ...meteringFunctions(meter) };
  for (const name of calledNames) {
    const builtin = builtins.get(name);
    if (builtin !== undefined) globals[name] = builtin;
  }
  return globals;
}

/** An expression without variables and time always has the same value, and always costs the same (budget.ts, K1). */
function onceEvaluated(evaluate: CompiledExpression['evaluate']): CompiledExpression['evaluate'] {
  let kept: { readonly value: Value; readonly units: number } | null = null;
  return (lookup, turn) => {
    const { unitsLeft } = turn;
    if (kept === null) {
      const value = evaluate(lookup, turn);
      kept = { value, units: unitsLeft - turn.unitsLeft };
      return value;
    }
    turn.spend(Math.min(kept.units, unitsLeft + 1));
    if (kept.units > unitsLeft) throw new TurnBudgetError();
    return kept.value;
  };
}

type Program = (args: readonly unknown[]) => unknown;

function compileProgram(
  source: string,
  analysis: Analysis,
  globals: Readonly<Record<string, unknown>>,
): Program {
  const prefix = `function(${analysis.names.join(', ')}) `;
  // The names are known to the parser now, which must not change how it reads the text (F1).
  const body = parseTree(prefix + source, globals)
    .topNode.getChild('FunctionDefinition')
    ?.getChild('FunctionBody');
  if (!body || shapeOf(body, prefix.length) !== analysis.shape) {
    throw new SyntaxFault(
      'the names in this expression can be read in more than one way; rename a variable',
      0,
    );
  }
  const { value, warnings } = evaluateFeel(prefix + applyEdits(source, analysis.edits), globals);
  if (!(value instanceof FeelFunction)) throw new SyntaxFault('the expression cannot be compiled', 0);
  const run = value.fn;
  return (args) => {
    try {
      return run(...args) as unknown;
    } catch (error) {
      if (error instanceof FeelEvaluationError || error instanceof TurnBudgetError) throw error;
      throw new FeelEvaluationError(`the expression ${shorten(source)} could not be evaluated`, error);
    } finally {
      // The library collects warnings for as long as the function lives.
      warnings.length = 0;
    }
  };
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
