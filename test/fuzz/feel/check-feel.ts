/** All that is checked of one input, and what it was found to be. Runs in a process of its own (`feel-child.ts`). */
import { isDeepStrictEqual } from 'node:util';
import {
  defaultCostLimits,
  type CompiledExpression,
  type CostLimits,
  type VariableLookup,
} from '../../../definitions/feel.ts';
import type { UnaryTests } from '../../../definitions/feel/ast.ts';
import { Meter } from '../../../definitions/feel/budget.ts';
import { builtins } from '../../../definitions/feel/builtins/index.ts';
import { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { compileTestProgram } from '../../../definitions/feel/compile/program.ts';
import { deepFreeze } from '../../../definitions/deep-freeze.ts';
import { decodeValue, encodeValue } from '../../../definitions/value-codec.ts';
import { ownProperty, type Context, type Value } from '../../../definitions/value.ts';
import { CallWatch } from '../call-watch.ts';
import { failureOf, FuzzFailure, type Failure } from '../fuzz-failure.ts';
import type { Judgement } from '../judgement.ts';
import { checkEvaluation, type Outcome } from './check-evaluation.ts';
import { checkExpressionInterpreted, checkTestsInterpreted } from './check-interpreted.ts';
import { checkCompileExpression, checkParseTests } from './check-text.ts';
import { faultOfValue } from './check-value.ts';
import { decodeFeelInput, type FeelInput } from './feel-input.ts';

export interface FeelVerdict extends Judgement {
  /** What became of the text as an expression and as unary tests: `refused`, `null`, `a value`, or why there is none. */
  readonly ends: readonly string[];
  /** Of the two, how many were compared with the interpreter. */
  readonly comparedCount: number;
  /** Of the warnings, each once. */
  readonly warningCodes: readonly string[];
  /** Of both evaluations. */
  readonly units: number;
}

export function checkFeel(bytes: Uint8Array, onCall: (name: string) => void): FeelVerdict {
  const check = new FeelCheck(bytes, onCall);
  check.attempt(() => check.checkExpression());
  check.attempt(() => check.checkTests());
  return check.verdict;
}

class FeelCheck {
  /** Frozen to the leaves: what changes it, throws. */
  readonly #given: FeelInput;
  readonly #copy: FeelInput;
  readonly #watch: CallWatch;
  readonly #limits: CostLimits;
  readonly #failures = new Map<string, Failure>();
  readonly #ends: string[] = [];
  readonly #warningCodes = new Set<string>();
  #comparedCount = 0;
  #units = 0;

  constructor(bytes: Uint8Array, onCall: (name: string) => void) {
    this.#given = deepFreeze(decodeFeelInput(bytes));
    this.#limits = limitsOf(this.#given);
    this.#copy = deepFreeze(decodeFeelInput(bytes));
    this.#watch = new CallWatch(onCall);
  }

  get verdict(): FeelVerdict {
    return {
      slowestCall: this.#watch.slowest,
      failures: [...this.#failures.values()],
      ends: this.#ends,
      comparedCount: this.#comparedCount,
      warningCodes: [...this.#warningCodes],
      units: this.#units,
    };
  }

  /** What fails is noted, and the next check goes on. */
  attempt(check: () => void): void {
    try {
      check();
    } catch (error) {
      const failure = failureOf(error);
      if (!this.#failures.has(failure.signature)) this.#failures.set(failure.signature, failure);
    }
  }

  checkExpression(): void {
    const { text, variables } = this.#given;
    const compiled = checkCompileExpression(text, this.#watch);
    if (compiled === null) {
      this.#ends.push('refused');
      return;
    }
    this.attempt(() => {
      const outcome = this.#evaluate(compiled);
      this.#take(outcome);
      if (outcome.result !== undefined) checkResult(outcome.result);
    });
    this.attempt(() => {
      if (checkExpressionInterpreted(compiled.tree, variables)) this.#comparedCount += 1;
    });
  }

  checkTests(): void {
    const { text, variables, input } = this.#given;
    const tests = checkParseTests(text, this.#watch);
    if (tests === null) {
      this.#ends.push('refused');
      return;
    }
    this.attempt(() => this.#take(this.#test(tests)));
    this.attempt(() => {
      if (checkTestsInterpreted(tests, input, variables)) this.#comparedCount += 1;
    });
  }

  #evaluate(compiled: CompiledExpression): Outcome<Value> {
    return checkEvaluation<Context, Value>(
      {
        name: 'evaluate',
        text: compiled.text,
        evaluate: (variables, turn, onWarning) => compiled.evaluate(lookupIn(variables), turn, onWarning),
        given: this.#given.variables,
        limits: this.#limits,
        copy: () => this.#copy.variables,
      },
      this.#watch,
    );
  }

  #test(tests: UnaryTests): Outcome<boolean | null> {
    const program = this.#watch.time('compile tests', () => compileTestProgram(tests, { builtins }));
    return checkEvaluation<FeelInput, boolean | null>(
      {
        name: 'test',
        text: this.#given.text,
        evaluate({ input, variables }, turn, onWarning) {
          const meter = new Meter(turn);
          try {
            return program.evaluate(input, new Evaluation(meter, onWarning), lookupIn(variables));
          } finally {
            meter.end();
          }
        },
        given: this.#given,
        limits: this.#limits,
        copy: () => this.#copy,
      },
      this.#watch,
    );
  }

  #take({ result, error, warnings, units }: Outcome<Value>): void {
    this.#ends.push(result === undefined ? endOf(error ?? '') : result === null ? 'null' : 'a value');
    this.#units += units;
    for (const { code } of warnings) this.#warningCodes.add(code);
  }
}

function limitsOf({ units }: FeelInput): CostLimits {
  if (units === null) return defaultCostLimits;
  return { ...defaultCostLimits, turnUnits: units * 2, evaluationUnits: units };
}

/** Without the numbers, so that there are few different ones. */
function endOf(error: string): string {
  return error.replace(/\s*\([^)]*\)|\d+/g, '').replace(/^\w+: /, '');
}

function lookupIn(variables: Context): VariableLookup {
  return (name) => ownProperty(variables, name);
}

function checkResult(result: Value): void {
  const fault = faultOfValue(result);
  if (fault !== null) throw new FuzzFailure('a result is no value', fault);
  const parsed: unknown = JSON.parse(encodeValue(result));
  if (!isDeepStrictEqual(decodeValue(parsed), result))
    throw new FuzzFailure('a stored result is another', 'it is not what it was when it is read again');
}
