/**
 * FEEL, as the rest of the engine uses it: expressions that are compiled once and evaluated over variables.
 *
 * F1 What an expression means depends on its text alone, never on the data.
 * F2 Evaluation reads no clock but the turn's, keeps nothing, and changes and copies nothing it is given.
 * F3 Only the variables that the expression names are asked for, each at most once.
 * F4 An evaluation ends soon: what it does is paid for from the turn's budget (feel/budget.ts).
 * F5 What a compiled expression calls exists: an unknown function is a syntax error.
 */
import { childExpressions, type Expression } from './feel/ast.ts';
import { Meter, type TurnBudget } from './feel/budget.ts';
import { builtins, refusedBuiltins, usePatterns } from './feel/builtins/index.ts';
import { SyntaxFault } from './feel/check-text.ts';
import { Evaluation, type Warning } from './feel/compile/evaluation.ts';
import { compileProgram, type Program } from './feel/compile/program.ts';
import { FeelSyntaxError } from './feel/errors.ts';
import { parseExpression } from './feel/parse-expression.ts';
import { RegularExpressions } from './feel/regular-expression.ts';
import { toVariableValue } from './feel/result.ts';
import { nearestName } from './nearest-name.ts';
import type { Value } from './value.ts';

export { defaultCostLimits, TurnBudget, TurnBudgetError, type CostLimits } from './feel/budget.ts';
export { FeelEvaluationError, FeelSyntaxError } from './feel/errors.ts';
export type { Warning } from './feel/compile/evaluation.ts';

/** Gives the value of a variable, or undefined when the scope has none of that name. */
export type VariableLookup = (name: string) => Value | undefined;

export interface CompiledExpression {
  /** As written, without a leading `=`. */
  readonly text: string;
  /** With offsets into `text`. */
  readonly tree: Expression;
  /**
   * The free variables the expression names, in order of appearance. A built-in's name counts only where
   * it is not called: `count > 3` names the variable `count`.
   */
  readonly names: readonly string[];
  /**
   * Evaluates over `lookup`. `turn` has the time that `now()` and `today()` read, and pays for it: pass the same
   * one to all that is evaluated for one stimulus. FEEL is total: what has no value is null, and `onWarning` is told
   * why.
   * @throws FeelEvaluationError for what costs too much or nests too deep, and for a range or a function as the result
   * @throws TurnBudgetError when the turn has nothing left
   */
  readonly evaluate: (
    lookup: VariableLookup,
    turn: TurnBudget,
    onWarning?: (warning: Warning) => void,
  ) => Value;
}

/** Compiles an expression; a leading `=` is stripped. @throws FeelSyntaxError with line and column. */
export function compileExpression(text: string): CompiledExpression {
  const lead = /^\s*=?\s*/.exec(text)?.[0].length ?? 0;
  const source = text.slice(lead).trimEnd();
  try {
    const tree = parseExpression(source);
    const program = compileProgram(tree, { builtins });
    refuseUnknownFunctions(program);
    const evaluate = evaluatorOf(program, patternsOf(tree));
    return { text: source, tree, names: program.names, evaluate };
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    throw syntaxError(error, text, lead);
  }
}

function syntaxError(fault: SyntaxFault, text: string, lead: number): FeelSyntaxError {
  const before = text.slice(0, lead + fault.offset).split(/\r\n|\r|\n/);
  return new FeelSyntaxError(fault.message, before.length, (before.at(-1)?.length ?? 0) + 1);
}

/** A variable never holds a function, so what is called and is no built-in function is a mistake (F5). */
function refuseUnknownFunctions({ calledNames }: Program): void {
  for (const [name, { from }] of calledNames) {
    const refusal = refusedBuiltins.get(name);
    if (refusal !== undefined) throw new SyntaxFault(refusal, from);
    const similar = nearestName(name, builtins.keys());
    const hint = similar === null ? '' : `; did you mean '${similar}'?`;
    throw new SyntaxFault(`there is no function '${name}'${hint}`, from);
  }
}

function evaluatorOf(program: Program, patterns: RegularExpressions | null): CompiledExpression['evaluate'] {
  return (lookup, turn, onWarning) => {
    const meter = new Meter(turn);
    const run = new Evaluation(meter, onWarning);
    if (patterns !== null) {
      patterns.beginEvaluation();
      usePatterns(run, patterns);
    }
    try {
      return toVariableValue(program.evaluate(run, lookup), meter);
    } finally {
      meter.end();
    }
  };
}

/** Functions that take regular expressions. */
const matchers: readonly string[] = ['matches', 'replace', 'split'];

/** Where patterns that the expression spells out stay compiled. Null: it has no use for any. */
function patternsOf(tree: Expression): RegularExpressions | null {
  const literals = new Set<string>();
  const names = new Set<string>();
  const visit = (node: Expression): void => {
    if (node.kind === 'string') literals.add(node.value);
    if (node.kind === 'name') names.add(node.name);
    childExpressions(node).forEach(visit);
  };
  visit(tree);
  return matchers.some((name) => names.has(name)) ? new RegularExpressions(literals) : null;
}
