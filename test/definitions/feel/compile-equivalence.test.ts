/** Compiled code against an interpreter that is written for being read, over trees and data of all kinds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { UnaryTests } from '../../../definitions/feel/ast.ts';
import { builtins as engineBuiltins } from '../../../definitions/feel/builtins/index.ts';
import type { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { compileProgram, compileTestProgram } from '../../../definitions/feel/compile/program.ts';
import { FeelEvaluationError } from '../../../definitions/feel/errors.ts';
import type { FeelValue } from '../../../definitions/feel/runtime.ts';
import { environmentOf } from '../../support/feel-interpreter.ts';
import { printExpression, printUnaryTests } from '../../support/feel-print.ts';
import { interpreted } from '../../support/interpreted.ts';
import { treesWithCalls } from './compile-calls.ts';
import { builtins as fewBuiltins, evaluated, lookupIn, NOW_MS, show } from './compile-run.ts';
import { data, trees, values } from './compile-trees.ts';
import { typedTrees } from './compile-typed-trees.ts';

/** Those of the engine, and `apply` of these tests. */
const builtins = new Map([...fewBuiltins, ...engineBuiltins]);

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

const anyTree = fc.oneof(trees.inner, treesWithCalls.inner, typedTrees);

describe('compiled code', () => {
  for (const [what, kind, runs] of [
    ['of any parts', trees.inner, 2_000],
    ['with calls of all functions', treesWithCalls.inner, 1_000],
    ['whose parts go together', typedTrees, 2_500],
  ] as const) {
    it(`of trees ${what} gives what they say, costs the same each time, and throws only for its budget`, () => {
      let comparedCount = 0;
      fc.assert(
        fc.property(kind, data, (tree, variables) => {
          const program = compileProgram(tree, { builtins });
          const evaluate = (run: Evaluation): FeelValue => program.evaluate(run, lookupIn(variables));
          const compiled = within(evaluate);
          if (compiled === null) return;
          const expected = interpreted(builtins, NOW_MS, (interpreter) =>
            interpreter.evaluate(tree, environmentOf(variables)),
          );
          if (expected === undefined) return;
          comparedCount += 1;
          assert.equal(compiled.text, show(expected), printExpression(tree));
          assert.deepEqual(within(evaluate), compiled);
        }),
        { numRuns: runs },
      );
      assert.ok(comparedCount > runs * 0.75, `${comparedCount} were compared`);
    });
  }

  it('of unary tests gives what they say', () => {
    const tests = fc
      .record({
        isNegated: fc.boolean(),
        tests: fc.array(fc.oneof(trees.node, anyTree), { minLength: 1, maxLength: 3 }),
      })
      .map((parts): UnaryTests => ({ kind: 'tests', ...parts, from: 0, to: 0 }));
    fc.assert(
      fc.property(tests, values, data, (tree, input, variables) => {
        const program = compileTestProgram(tree, { builtins });
        const compiled = within((run) => program.evaluate(input, run, lookupIn(variables)));
        if (compiled === null) return;
        const expected = interpreted(builtins, NOW_MS, (interpreter) =>
          interpreter.unaryTests(tree, input, environmentOf(variables)),
        );
        if (expected !== undefined) assert.equal(compiled.text, show(expected), printUnaryTests(tree));
      }),
      { numRuns: 2_000 },
    );
  });

  it('names all variables that it reads', () => {
    fc.assert(
      fc.property(anyTree, data, (tree, variables) => {
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
