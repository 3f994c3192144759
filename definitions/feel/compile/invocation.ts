/**
 * Calls.
 *
 * I1 A name that is called is the built-in function of that name, unless the expression declares it: also where an
 *    element that is filtered has a property of that name.
 * I2 A call whose arguments do not fit is null, as is a call of what is no function. The arguments are not evaluated
 *    then.
 *
 * Source: DMN 1.5, 10.3.2.15, table 63.
 */
import { argumentValues, type Arguments, type Expression, type Invocation, type Span } from '../ast.ts';
import { FeelFunction, type FeelValue, type Signature } from '../runtime.ts';
import { arranged, CallArguments, type Arrangement } from './arguments.ts';
import { evaluateAll, type Code, type Frame } from './evaluation.ts';
import { compileBorrowed } from './names.ts';
import { readerOf, type Scope } from './scope.ts';
import { describe, warn } from './warnings.ts';

/** Functions that keep nothing of a list but elements, so that a list that still grows need not be copied for them. */
const borrowers: ReadonlySet<string> = new Set(
  ['count', 'sum', 'product', 'mean', 'min', 'max', 'all', 'any'].concat('list contains'),
);

export function compileInvocation(node: Invocation, scope: Scope): Code {
  const { callee } = node;
  const builtin = builtinOf(callee, scope);
  if (builtin !== undefined) return compileKnown(node, builtin, scope);
  const target = compileCallee(callee, scope);
  const values = argumentValues(node.arguments).map((value) => scope.compile(value));
  const args = CallArguments.of(node.arguments);
  return (frame) => {
    const called = target(frame);
    if (!(called instanceof FeelFunction)) return warn(frame, callee, 'CALL', noFunction(callee, called));
    const places = args.placesIn(called.signatures);
    if (places === null) return warn(frame, node, 'CALL', noSignature(node));
    return callArranged(node, called, places, evaluateAll(values, frame), frame);
  };
}

function builtinOf(callee: Expression, scope: Scope): FeelFunction | undefined {
  if (callee.kind !== 'name' || scope.declares(callee.name)) return undefined;
  return scope.program.builtins.get(callee.name);
}

/** Nearly all built-in functions are called with one or two arguments as they are. */
function compileKnown(node: Invocation, called: FeelFunction, scope: Scope): Code {
  const { callee } = node;
  const isBorrower = callee.kind === 'name' && borrowers.has(callee.name);
  const values = argumentValues(node.arguments).map((value) =>
    isBorrower && value.kind === 'name' ? compileBorrowed(value, scope) : scope.compile(value),
  );
  const places = CallArguments.of(node.arguments).placesIn(called.signatures);
  if (places === null) return (frame) => warn(frame, node, 'CALL', noSignature(node));
  const [first, second] = values;
  if (places !== 'in order' || first === undefined || values.length > 2) {
    return (frame) => callArranged(node, called, places, evaluateAll(values, frame), frame);
  }
  return second === undefined
    ? (frame) => invoke(node, called, [first(frame)], frame)
    : (frame) => invoke(node, called, [first(frame), second(frame)], frame);
}

/** Calls a function with the values of arguments that fit it. @param node where the call stands */
export function callArranged(
  node: Span,
  called: FeelFunction,
  places: Arrangement,
  values: readonly FeelValue[],
  frame: Frame,
): FeelValue {
  const byNames = places === 'in order' ? undefined : places.byNames;
  return invoke(node, called, arranged(places, values), frame, byNames);
}

function invoke(
  node: Span,
  called: FeelFunction,
  args: readonly (FeelValue | undefined)[],
  { run }: Frame,
  byNames?: Signature,
): FeelValue {
  run.place = node;
  return called.invoke(args, run, byNames);
}

/** Undefined: nothing has the name. */
function compileCallee(callee: Expression, scope: Scope): (frame: Frame) => FeelValue | undefined {
  if (callee.kind !== 'name') return scope.compile(callee);
  if (!scope.declares(callee.name)) scope.program.call(callee.name, callee);
  return readerOf(scope.find(callee.name));
}

function noFunction(callee: Expression, called: FeelValue | undefined): string {
  const name = callee.kind === 'name' ? `'${callee.name}'` : 'what is called';
  return called === undefined
    ? `there is no function ${name}`
    : `${name} is ${describe(called)}, not a function`;
}

function noSignature({ callee, arguments: args }: Invocation): string {
  const name = callee.kind === 'name' ? `'${callee.name}'` : 'the function';
  return args.kind === 'positional'
    ? `${name} does not take ${args.values.length} arguments`
    : `${name} does not take these arguments: ${namesOf(args)}`;
}

function namesOf(args: Extract<Arguments, { readonly kind: 'named' }>): string {
  return args.entries.map(({ name }) => name.name).join(', ');
}
