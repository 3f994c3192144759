/**
 * FEEL behind one module: the only place that knows the library (`feelin`, with `feel/` beside this file).
 *
 * F1 An expression is parsed once. Its meaning depends on its text alone, never on the data (feel/analyse.ts).
 * F2 Evaluation reads no clock but `nowMs`, keeps nothing, and changes nothing it is given.
 * F3 Only the named variables are handed over, and no prototype can be reached through them.
 * F4 An evaluation ends: iterations are counted, and a range is never open-ended (feel/iteration.ts).
 * F5 What a compiled expression calls exists: an unknown function is a syntax error.
 *
 * The library would parse at every evaluation. So the text is evaluated once as the body of a function
 * whose parameters are the free variables; that function is then what runs.
 */
import { FeelFunction, evaluate as evaluateFeel } from 'feelin';
import {
  MAX_EXPRESSION_LENGTH,
  SyntaxFault,
  analyse,
  parseTree,
  shapeOf,
  type Analysis,
  type Edit,
} from './feel/analyse.ts';
import { replacedBuiltins, type Run } from './feel/builtins.ts';
import { fromFeelValue, toFeelValue } from './feel/convert.ts';
import { FeelEvaluationError, FeelSyntaxError } from './feel/errors.ts';
import { MAX_ITERATIONS } from './feel/iteration.ts';
import type { Value } from './value.ts';

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
   * Evaluates over `lookup`. `nowMs` is the turn's time, read by `now()` and `today()`.
   * FEEL is total: what has no value is null. @throws FeelEvaluationError for what the library throws.
   */
  readonly evaluate: (lookup: VariableLookup, nowMs: number) => Value;
}

/** Compiles an expression; a leading `=` is stripped. @throws FeelSyntaxError with line and column. */
export function compileExpression(text: string): CompiledExpression {
  const lead = /^\s*=?\s*/.exec(text)?.[0].length ?? 0;
  const source = text.slice(lead).trimEnd();
  try {
    if (source === '') throw new SyntaxFault('the expression is empty', 0);
    if (source.length > MAX_EXPRESSION_LENGTH) {
      throw new SyntaxFault(`the expression is longer than ${MAX_EXPRESSION_LENGTH} characters`, 0);
    }
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
  const run: Run = { nowMs: 0, iterationsLeft: 0 };
  const globals = replacedBuiltins(run);
  const analysis = analyse(source, parseTree(source, globals));
  const { names } = analysis;
  const program = compileProgram(source, analysis, globals);

  const evaluate = (lookup: VariableLookup, nowMs: number): Value => {
    const args = names.map((name) => toFeelArgument(lookup(name)));
    run.nowMs = nowMs;
    run.iterationsLeft = MAX_ITERATIONS;
    return program(args);
  };
  if (names.length > 0 || !analysis.isTimeless) return { text: source, names, evaluate };
  return { text: source, names, evaluate: onceEvaluated(evaluate) };
}

/** Undefined stays: a parameter without a value lets a property of a filtered element, or nothing, show. */
function toFeelArgument(value: Value | undefined): unknown {
  return value === undefined ? undefined : toFeelValue(value);
}

/** An expression without variables and time always has the same value. */
function onceEvaluated(evaluate: CompiledExpression['evaluate']): CompiledExpression['evaluate'] {
  let kept: { readonly value: Value } | null = null;
  return (lookup, nowMs) => (kept ??= { value: evaluate(lookup, nowMs) }).value;
}

type Program = (args: readonly unknown[]) => Value;

function compileProgram(source: string, analysis: Analysis, globals: Record<string, unknown>): Program {
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
  const { value, warnings } = evaluateFeel(prefix + edited(source, analysis.edits), globals);
  if (!(value instanceof FeelFunction)) throw new SyntaxFault('the expression cannot be compiled', 0);
  const run = value.fn;
  return (args) => {
    try {
      return fromFeelValue(run(...args));
    } catch (error) {
      if (error instanceof FeelEvaluationError) throw error;
      throw new FeelEvaluationError(`the expression ${shorten(source)} could not be evaluated`, error);
    } finally {
      // The library collects warnings for as long as the function lives.
      warnings.length = 0;
    }
  };
}

/** From the end to the beginning; at one offset an insertion comes last, and so stands first. */
function edited(source: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((one, other) => other.from - one.from || other.to - one.to);
  return ordered.reduce((text, edit) => text.slice(0, edit.from) + edit.text + text.slice(edit.to), source);
}

function shorten(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`;
}
