/** Calls: what is called exists, and takes these arguments (compile/invocation.ts). */
import { argumentValues, type Expression, type Identifier, type Invocation } from '../ast.ts';
import { builtins, refusedBuiltins } from '../builtins/index.ts';
import { CallArguments } from '../compile/arguments.ts';
import { typeOfBuiltinCall } from './builtin-calls.ts';
import type { Checker } from './checker.ts';
import { calledName, refuseArguments } from './refuse-arguments.ts';
import {
  anyType,
  describe,
  elementOf,
  kindsOf,
  mayBe,
  membersOf,
  type FunctionType,
  type StaticType,
} from './static-type.ts';

export function typeOfInvocation(node: Invocation, checker: Checker): StaticType {
  const { callee } = node;
  const isName = callee.kind === 'name' && !checker.names.declares(callee.name);
  const builtin = isName && !isRequired(callee, checker) ? builtins.get(callee.name) : undefined;
  if (isName && builtin !== undefined) return typeOfBuiltinCall(node, callee, builtin, checker);
  const type = isName ? typeOfVariable(callee, checker) : checker.typeOf(callee);
  const values = argumentValues(node.arguments).map((value) => checker.typeOf(value));
  if (mayBe(type, 'function')) return typeOfCall(node, type, values, checker);
  return checker.error(
    'SUTRA.FEEL.FUNCTION_UNKNOWN',
    callee,
    `${calledName(callee)} is ${describe(type)}, not a function`,
  );
}

/** In a decision model a function that is required comes before a built-in one of its name; a value does not. */
function isRequired({ name }: Identifier, { scope }: Checker): boolean {
  return scope.mayHoldFunctions === true && scope.names.get(name)?.kind === 'function';
}

/** A variable that is called. Where none may be a function, there is no such function. */
function typeOfVariable(callee: Expression & Identifier, checker: Checker): StaticType {
  const { name } = callee;
  const found = checker.names.find(name);
  const mayHold = checker.scope.mayHoldFunctions === true;
  if (found.kind === 'known' && (mayHold || found.type.kind === 'function')) return found.type;
  if (found.kind === 'unknown' && found.as === 'nothing' && mayHold) return anyType;
  const refusal = refusedBuiltins.get(name);
  const message =
    refusal ?? `there is no function '${name}'${checker.suggest(callee, functionNames(checker, mayHold))}`;
  return checker.error('SUTRA.FEEL.FUNCTION_UNKNOWN', callee, message);
}

function* functionNames(checker: Checker, mayHold: boolean): Iterable<string> {
  yield* builtins.keys();
  if (mayHold) yield* checker.names.known();
}

function typeOfCall(
  node: Invocation,
  type: StaticType,
  values: readonly StaticType[],
  checker: Checker,
): StaticType {
  const called = membersOf(type).find((member) => member.kind === 'function');
  if (called === undefined) return anyType;
  const { signature, parameters, result } = called;
  if (signature === null) return result;
  const places = CallArguments.of(node.arguments).placesIn([signature]);
  if (places === null) return refuseArguments(node, [signature], checker);
  checkParameters(node, { names: signature.names, parameters }, values, checker);
  return result;
}

/** An argument of another type is null, unless it can be made one of the type. */
function checkParameters(
  { arguments: args }: Invocation,
  {
    names,
    parameters,
  }: { readonly names: readonly string[]; readonly parameters: FunctionType['parameters'] },
  values: readonly StaticType[],
  checker: Checker,
): void {
  for (const [index, type] of values.entries()) {
    const position = args.kind === 'positional' ? index : names.indexOf(args.entries[index]?.name.name ?? '');
    const parameter = parameters[position] ?? anyType;
    const place = argumentValues(args)[index];
    if (place === undefined || mayBeMade(type, parameter)) continue;
    const message = `'${names[position] ?? ''}' must be ${describe(parameter)}, not ${describe(type)}`;
    checker.error('SUTRA.FEEL.TYPE_MISMATCH', place, message);
  }
}

/** Whether a value may be of the type, or be made one (compile/conformance.ts, `coerced`). */
function mayBeMade(type: StaticType, wanted: StaticType): boolean {
  const [kinds, wantedKinds] = [kindsOf(type), kindsOf(wanted)];
  if (kinds === null || wantedKinds === null || kinds.some((kind) => wantedKinds.includes(kind))) return true;
  if (wantedKinds.includes('list')) return mayBeMade(type, elementOf(wanted));
  if (kinds.includes('list') && mayBeMade(elementOf(type), wanted)) return true;
  return kinds.includes('date') && wantedKinds.includes('date-time');
}
