/** Compiled code against an interpreter that is written for being read, over trees and data of all kinds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { UnaryTests } from '../../../definitions/feel/ast.ts';
import { Meter, TurnBudget } from '../../../definitions/feel/budget.ts';
import type { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { compileProgram, compileTestProgram } from '../../../definitions/feel/compile/program.ts';
import { FeelEvaluationError } from '../../../definitions/feel/errors.ts';
import type { FeelValue, Run } from '../../../definitions/feel/runtime.ts';
import { environmentOf, Interpreter } from '../../support/feel-interpreter.ts';
import { printExpression } from '../../support/feel-print.ts';
import { builtins, evaluated, lookupIn, NOW_MS, show } from './compile-run.ts';
import { data, trees, values } from './compile-trees.ts';

/** Its own, without an end: what the compiled code could pay for, the interpreter can do. */
function interpreter(): Interpreter {
  const meter = new Meter(new TurnBudget(NOW_MS));
  const run: Run = { meter, warn: () => undefined };
  return new Interpreter(builtins, run);
}

/** Null: the budget was used up. Whatever else is thrown is a fault. */
function within(
  evaluate: (run: Evaluation) => FeelValue,
): { readonly text: string; readonly units: number } | null {
  try {
    const { value, units } = evaluated(evaluate);
    return { text: show(value), units };
  } catch (error) {
    if (error instanceof FeelEvaluationError) return null;
    throw error;
  }
}

describe('compiled code', () => {
  it('gives what the tree says, costs the same each time, and throws only for its budget', () => {
    let comparedCount = 0;
    fc.assert(
      fc.property(trees.inner, data, (tree, variables) => {
        const program = compileProgram(tree, { builtins });
        const evaluate = (run: Evaluation): FeelValue => program.evaluate(run, lookupIn(variables));
        const compiled = within(evaluate);
        if (compiled === null) return;
        comparedCount += 1;
        const expected = interpreter().evaluate(tree, environmentOf(variables));
        assert.equal(compiled.text, show(expected), printExpression(tree));
        assert.deepEqual(within(evaluate), compiled);
      }),
      { numRuns: 4_000 },
    );
    assert.ok(comparedCount > 3_000, `${comparedCount} were compared`);
  });

  it('of unary tests gives what they say', () => {
    const tests = fc
      .record({ isNegated: fc.boolean(), tests: fc.array(trees.node, { minLength: 1, maxLength: 3 }) })
      .map((parts): UnaryTests => ({ kind: 'tests', ...parts, from: 0, to: 0 }));
    fc.assert(
      fc.property(tests, values, data, (tree, input, variables) => {
        const program = compileTestProgram(tree, { builtins });
        const compiled = within((run) => program.evaluate(input, run, lookupIn(variables)));
        if (compiled === null) return;
        assert.equal(compiled.text, show(interpreter().unaryTests(tree, input, environmentOf(variables))));
      }),
      { numRuns: 2_000 },
    );
  });

  it('names all variables that it reads', () => {
    fc.assert(
      fc.property(trees.inner, data, (tree, variables) => {
        const program = compileProgram(tree, { builtins });
        const read = new Set<string>();
        within((run) =>
          program.evaluate(run, (name) => {
            read.add(name);
            return lookupIn(variables)(name);
          }),
        );
        assert.deepEqual(
          [...read].filter((name) => !program.names.includes(name)),
          [],
        );
      }),
      { numRuns: 500 },
    );
  });
});
