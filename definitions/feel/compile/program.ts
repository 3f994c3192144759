/**
 * Compiled expressions and unary tests, as a caller runs them.
 *
 * P1 A program is compiled once and serves any number of evaluations, also inside each other. It keeps nothing of them.
 * P2 An evaluation costs what its text and its data say (../budget.ts, K1).
 */
import type { Expression, Span, UnaryTests } from '../ast.ts';
import type { FeelFunction, FeelValue } from '../runtime.ts';
import { heightOf, heightOfAll, unitsOf } from './cost.ts';
import { Frame, Variables, type Evaluation, type ValueLookup } from './evaluation.ts';
import { compileTree } from './expression.ts';
import { ProgramScope, RootScope, type TypeLookup } from './scope.ts';
import { compileUnaryTests } from './unary-tests.ts';

export interface CompileOptions {
  readonly builtins: ReadonlyMap<string, FeelFunction>;
  /** What the types of a model are. Those of the standard are known. Default: there are no others. */
  readonly types?: TypeLookup;
}

interface Names {
  /**
   * The variables that it may read, in order of appearance. In a filter also names that may turn out to be properties of
   * the element. Called names of built-in functions are none.
   */
  readonly names: readonly string[];
  /** Those of them that are called, and where: functions, where there are any. */
  readonly calledNames: ReadonlyMap<string, Span>;
}

export interface Program extends Names {
  /** @throws FeelEvaluationError, TurnBudgetError */
  readonly evaluate: (run: Evaluation, lookup: ValueLookup) => FeelValue;
}

export interface TestProgram extends Names {
  /** Whether the input passes; null: it cannot be told. @throws FeelEvaluationError, TurnBudgetError */
  readonly evaluate: (input: FeelValue, run: Evaluation, lookup: ValueLookup) => boolean | null;
}

export function compileProgram(tree: Expression, options: CompileOptions): Program {
  const { program, scope, names } = begin(options);
  const code = compileTree(tree, scope);
  const units = unitsOf(tree);
  const height = heightOf(tree);
  const variables = program.names;
  return {
    ...names(),
    evaluate(run, lookup) {
      run.meter.spend(units);
      run.enter(height);
      const value = code(newFrame(run, new Variables(variables, lookup), scope));
      run.leave(height);
      return value;
    },
  };
}

export function compileTestProgram(tests: UnaryTests, options: CompileOptions): TestProgram {
  const { program, scope, names } = begin(options);
  const test = compileUnaryTests(tests, scope);
  const nodes = tests.kind === 'any' ? [] : tests.tests;
  const units = nodes.reduce((total, node) => total + unitsOf(node), 1);
  const height = heightOfAll(nodes);
  const variables = program.names;
  return {
    ...names(),
    evaluate(input, run, lookup) {
      run.meter.spend(units);
      run.enter(height);
      const isPassed = test(newFrame(run, new Variables(variables, lookup), scope), input);
      run.leave(height);
      return isPassed;
    },
  };
}

function newFrame(run: Evaluation, variables: Variables, { layout }: RootScope): Frame {
  return new Frame(run, variables, new Array<FeelValue | undefined>(layout.size));
}

function begin({ builtins, types = () => null }: CompileOptions): {
  readonly program: ProgramScope;
  readonly scope: RootScope;
  readonly names: () => Names;
} {
  const program = new ProgramScope(builtins, types, compileTree);
  const names = (): Names => ({ names: program.names, calledNames: program.calledNames });
  return { program, scope: new RootScope(program), names };
}
