/** Runs expressions for the tests of the compiler, and writes values so that tables can be read. */
import { Meter, TurnBudget } from '../../../definitions/feel/budget.ts';
import { Evaluation, type Warning } from '../../../definitions/feel/compile/evaluation.ts';
import { compileProgram, compileTestProgram } from '../../../definitions/feel/compile/program.ts';
import type { TypeLookup } from '../../../definitions/feel/compile/scope.ts';
import { toText } from '../../../definitions/feel/number-text.ts';
import { isFeelNumber } from '../../../definitions/feel/number.ts';
import { parseExpression, parseUnaryTests } from '../../../definitions/feel/parse-expression.ts';
import {
  FeelFunction,
  FeelRange,
  type FeelContext,
  type FeelValue,
  type Run,
} from '../../../definitions/feel/runtime.ts';
import { temporalFromText } from '../../../definitions/feel/temporal/functions.ts';
import { isFeelContext, isList } from '../../../definitions/feel/value-kind.ts';
import { Temporal } from '../../../definitions/value.ts';

/** 2026-03-01T10:00:00Z */
export const NOW_MS = 1_772_359_200_000;

/** Enough built-in functions for what the compiler does with them. */
export const builtins: ReadonlyMap<string, FeelFunction> = new Map([
  ['not', define(['negand'], ([negand]) => (typeof negand === 'boolean' ? !negand : null))],
  ['count', define(['list'], ([list = null], run) => (isList(list) ? list.length : wrong(run)))],
  [
    'sum',
    new FeelFunction([{ names: ['list'], isVariadic: true }], ([given = null]) => {
      const [first = null] = isList(given) ? given : [];
      const numbers = isList(first) ? first : isList(given) ? given : [];
      return numbers.reduce<number>((total, number) => total + (typeof number === 'number' ? number : 0), 0);
    }),
  ],
  [
    'substring',
    new FeelFunction(
      [{ names: ['string', 'start position', 'length'], least: 2 }],
      ([text, start, length]) => {
        if (typeof text !== 'string' || typeof start !== 'number') return null;
        return text.slice(start - 1, typeof length === 'number' ? start - 1 + length : undefined);
      },
    ),
  ],
  [
    'append',
    new FeelFunction([{ names: ['list', 'item'], isVariadic: true }], ([list = null, items = null]) => [
      ...listOf(list),
      ...listOf(items),
    ]),
  ],
  [
    'apply',
    define(['f', 'value'], ([f, value = null], run) => {
      const result = f instanceof FeelFunction ? f.invoke([value], run) : null;
      if (result === null) run.warn('ARGUMENT', 'the function gave null');
      return result;
    }),
  ],
  ['date', define(['from'], ([text]) => (typeof text === 'string' ? temporalFromText(text) : null))],
]);

function define(names: readonly string[], invoke: FeelFunction['invoke']): FeelFunction {
  return new FeelFunction([{ names }], invoke);
}

function listOf(value: FeelValue): readonly FeelValue[] {
  return isList(value) ? value : [value];
}

function wrong(run: Run): null {
  run.warn('ARGUMENT', 'the argument is no list');
  return null;
}

export interface Outcome {
  readonly value: FeelValue;
  readonly warnings: readonly Warning[];
  readonly units: number;
}

export interface Given {
  readonly variables?: FeelContext;
  readonly types?: TypeLookup;
  readonly knownNames?: readonly string[];
}

/** The value of an expression, of which every evaluation has a budget of its own. */
export function run(
  text: string,
  { variables = {}, types = () => null, knownNames = [] }: Given = {},
): Outcome {
  const program = compileProgram(parseExpression(text, { knownNames }), { builtins, types });
  return evaluated((evaluation) => program.evaluate(evaluation, lookupIn(variables)));
}

/** Whether `input` passes unary tests. */
export function test(text: string, input: FeelValue, { variables = {} }: Given = {}): Outcome {
  const program = compileTestProgram(parseUnaryTests(text), { builtins });
  return evaluated((evaluation) => program.evaluate(input, evaluation, lookupIn(variables)));
}

export function evaluated(evaluate: (evaluation: Evaluation) => FeelValue): Outcome {
  const meter = new Meter(new TurnBudget(NOW_MS));
  const warnings: Warning[] = [];
  const value = evaluate(new Evaluation(meter, (warning) => warnings.push(warning)));
  return { value, warnings, units: meter.spentUnits };
}

export function lookupIn(variables: FeelContext): (name: string) => FeelValue | undefined {
  return (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined);
}

/** `[1, "a", {k: null}, 2026-03-01, [1..5)]`. Of functions it only says that they are. */
export function show(value: FeelValue): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (isFeelNumber(value)) return toText(value);
  if (value instanceof Temporal) return value.text;
  if (isList(value)) return `[${value.map(show).join(', ')}]`;
  if (value instanceof FeelRange) {
    const [start, end] = [value.start, value.end].map((bound) => (bound === null ? '' : show(bound)));
    return `${value.isStartIncluded ? '[' : '('}${start ?? ''}..${end ?? ''}${value.isEndIncluded ? ']' : ')'}`;
  }
  if (!isFeelContext(value)) return 'function';
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}: ${show(item)}`)
    .join(', ')}}`;
}
