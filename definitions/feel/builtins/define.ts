/**
 * Built-in functions from what they take and what they do.
 *
 * D1 A function is called with arguments that are of the kinds of its parameters; else its result is null.
 * D2 Arguments of a variadic function arrive as one list, which a single list among them stands for: `min(1, 2)` and
 *    `min([1, 2])` are the same.
 */
import { FeelFunction, type FeelValue, type Invoke, type Run, type Signature } from '../runtime.ts';
import { isList } from '../value-kind.ts';
import { readArgument, wrong, type Parameter } from './parameter.ts';

/** A function under its name. */
export type Builtin = readonly [name: string, fn: FeelFunction];

/** Units for a call, whatever it does. */
const CALL_UNITS = 5;

/** A signature that knows what its parameters take; a variadic one, what each argument is. */
export interface BuiltinSignature extends Signature {
  readonly parameters: readonly Parameter<unknown>[];
}

export function isBuiltinSignature(signature: Signature): signature is BuiltinSignature {
  return 'parameters' in signature;
}

/** Only the last parameters may be left out. */
export function signatureOf(...parameters: readonly Parameter<unknown>[]): BuiltinSignature {
  return {
    names: parameters.map(([name]) => name),
    least: parameters.filter(([, kind]) => !kind.isOptional).length,
    parameters,
  };
}

/** The last parameter takes any number of arguments. */
export function variadicSignatureOf(
  least: number,
  ...parameters: readonly Parameter<unknown>[]
): BuiltinSignature {
  return { ...signatureOf(...parameters), least, isVariadic: true };
}

export function nullary(name: string, body: (run: Run) => FeelValue): Builtin {
  const fn = new FeelFunction([signatureOf()], (_args, run) => {
    run.meter.spend(CALL_UNITS);
    return body(run);
  });
  return [name, fn];
}

export function unary<A>(name: string, a: Parameter<A>, body: (a: A, run: Run) => FeelValue): Builtin {
  const fn = new FeelFunction([signatureOf(a)], (args, run) => {
    run.meter.spend(CALL_UNITS);
    const readA = readArgument(name, a, args[0], run);
    return readA === wrong ? null : body(readA, run);
  });
  return [name, fn];
}

export function binary<A, B>(
  name: string,
  a: Parameter<A>,
  b: Parameter<B>,
  body: (a: A, b: B, run: Run) => FeelValue,
): Builtin {
  const fn = new FeelFunction([signatureOf(a, b)], (args, run) => {
    run.meter.spend(CALL_UNITS);
    const readA = readArgument(name, a, args[0], run);
    if (readA === wrong) return null;
    const readB = readArgument(name, b, args[1], run);
    return readB === wrong ? null : body(readA, readB, run);
  });
  return [name, fn];
}

export function ternary<A, B, C>(
  name: string,
  a: Parameter<A>,
  b: Parameter<B>,
  c: Parameter<C>,
  body: (a: A, b: B, c: C, run: Run) => FeelValue,
): Builtin {
  const fn = new FeelFunction([signatureOf(a, b, c)], (args, run) => {
    run.meter.spend(CALL_UNITS);
    const readA = readArgument(name, a, args[0], run);
    if (readA === wrong) return null;
    const readB = readArgument(name, b, args[1], run);
    if (readB === wrong) return null;
    const readC = readArgument(name, c, args[2], run);
    return readC === wrong ? null : body(readA, readB, readC, run);
  });
  return [name, fn];
}

export function quaternary<A, B, C, D>(
  name: string,
  a: Parameter<A>,
  b: Parameter<B>,
  c: Parameter<C>,
  d: Parameter<D>,
  body: (a: A, b: B, c: C, d: D, run: Run) => FeelValue,
): Builtin {
  const fn = new FeelFunction([signatureOf(a, b, c, d)], (args, run) => {
    run.meter.spend(CALL_UNITS);
    const readA = readArgument(name, a, args[0], run);
    if (readA === wrong) return null;
    const readB = readArgument(name, b, args[1], run);
    if (readB === wrong) return null;
    const readC = readArgument(name, c, args[2], run);
    if (readC === wrong) return null;
    const readD = readArgument(name, d, args[3], run);
    return readD === wrong ? null : body(readA, readB, readC, readD, run);
  });
  return [name, fn];
}

/** Of any number of arguments, at least one, or a list of any number (D2). */
export function variadic(name: string, body: (items: readonly FeelValue[], run: Run) => FeelValue): Builtin {
  const fn = new FeelFunction([{ names: ['list'], least: 1, isVariadic: true }], ([given], run) => {
    run.meter.spend(CALL_UNITS);
    return body(itemsOf(given), run);
  });
  return [name, fn];
}

/** What a variadic parameter was given, or the single list that stands for all (D2). */
export function itemsOf(given: FeelValue | undefined): readonly FeelValue[] {
  const all = givenOf(given);
  const [first] = all;
  return all.length === 1 && first !== undefined && isList(first) ? first : all;
}

/** What a variadic parameter was given, as the list that it always is. */
export function givenOf(given: FeelValue | undefined): readonly FeelValue[] {
  if (given === undefined) return [];
  return isList(given) ? given : [given];
}

/** One function of several; the number of arguments tells which. The parts are in the order of their lengths. */
export function overloaded(name: string, parts: readonly Builtin[]): Builtin {
  const functions = parts.map(([, fn]) => ({
    fn,
    most: Math.max(...fn.signatures.map(({ names }) => names.length)),
  }));
  const signatures = functions.flatMap(({ fn }) => fn.signatures);
  const fn = new FeelFunction(signatures, (args, run) => {
    const count = args.findLastIndex((arg) => arg !== undefined) + 1;
    const part = functions.find(({ most }) => count <= most) ?? functions.at(-1);
    return part === undefined ? null : part.fn.invoke(args, run);
  });
  return [name, fn];
}

/** A function that reads its arguments by itself. It is told by which names it was called, if by names. */
export function custom(name: string, signatures: readonly Signature[], body: Invoke): Builtin {
  const fn = new FeelFunction(signatures, (args, run, byNames) => {
    run.meter.spend(CALL_UNITS);
    return body(args, run, byNames);
  });
  return [name, fn];
}
