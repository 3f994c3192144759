/**
 * Calls whose arguments are written in the expression, and that have no value because of them: `date("2026-02-30")`,
 * `duration("5 days")`, a pattern that is none.
 */
import type { Expression } from '../ast.ts';
import { Meter, TurnBudget } from '../budget.ts';
import { isBuiltinSignature } from '../builtins/define.ts';
import { wrong } from '../builtins/parameter.ts';
import { arranged, type Arrangement } from '../compile/arguments.ts';
import { constantOf } from '../compile/constants.ts';
import { FeelEvaluationError } from '../errors.ts';
import type { FeelFunction, FeelValue, Run, Signature } from '../runtime.ts';
import { isList, kindOf, type ValueKind } from '../value-kind.ts';

/** Functions that read what a text spells. They are cheap, and give the same whenever they are called. */
const readers: ReadonlySet<string> = new Set([
  'date',
  'time',
  'date and time',
  'duration',
  'number',
  'range',
]);
/** Functions that read a pattern. What they search in is no matter. */
const matchers: ReadonlySet<string> = new Set(['matches', 'replace', 'split']);

/** What such a call gives: a value, of a kind, or null, for a reason. */
export type ConstantResult =
  { readonly kind: ValueKind; readonly fault: null } | { readonly kind: 'null'; readonly fault: string };

/** A signature that the arguments of a call fit. */
export interface Fit {
  readonly signature: Signature;
  readonly places: Arrangement;
}

/** Null: it depends on the data, or is no such call. */
export function resultOfConstants(
  name: string,
  fn: FeelFunction,
  { signature, places }: Fit,
  nodes: readonly Expression[],
): ConstantResult | null {
  const isMatcher = matchers.has(name);
  if (!isMatcher && !readers.has(name)) return null;
  const searched = places === 'in order' ? 0 : places.ofParameters[0];
  const values = nodes.map((value, index) => (isMatcher && index === searched ? '' : constantOf(value)));
  const known = values.filter((value) => value !== undefined);
  if (known.length < values.length || known.some((value) => isList(value))) return null;
  const args = arranged(places, known);
  return args.some((value, index) => value === null && !takesNull(signature, index))
    ? null
    : resultOfCall(fn, args);
}

/** Null that a function refuses may be meant: it is of every type. */
function takesNull(signature: Signature, index: number): boolean {
  const parameter = isBuiltinSignature(signature) ? signature.parameters[index] : undefined;
  return parameter !== undefined && parameter[1].read(null) !== wrong;
}

function resultOfCall(fn: FeelFunction, args: readonly (FeelValue | undefined)[]): ConstantResult | null {
  const faults: string[] = [];
  const run: Run = {
    meter: new Meter(new TurnBudget(0)),
    warn: (code, message) => {
      if (code === 'ARGUMENT') faults.push(message);
    },
  };
  try {
    const value = fn.invoke(args, run);
    if (value !== null) return { kind: kindOf(value), fault: null };
    const [fault] = faults;
    return fault === undefined ? null : { kind: 'null', fault };
  } catch (error) {
    if (error instanceof FeelEvaluationError) return null;
    throw error;
  }
}
