/**
 * Calls of built-in functions: whether they take the arguments, and what they give.
 *
 * B1 Of the signatures that the arguments fit, one that takes their kinds is enough: which it is, may depend on the data.
 *
 * Source: DMN 1.5, 10.3.2.13 (parameters), 10.3.2.9.4 (conversions).
 */
import { argumentValues, type Identifier, type Invocation } from '../ast.ts';
import { isBuiltinSignature } from '../builtins/define.ts';
import { wrong, type Kind } from '../builtins/parameter.ts';
import { CallArguments, type Arrangement } from '../compile/arguments.ts';
import type { FeelFunction } from '../runtime.ts';
import { itemsFault, resultOf } from './builtin-types.ts';
import type { Checker } from './checker.ts';
import { resultOfConstants, type Fit } from './constant-calls.ts';
import { refuseArguments } from './refuse-arguments.ts';
import { anyType, describe, kindsOf, mayBe, membersOf, type StaticType } from './static-type.ts';

export function typeOfBuiltinCall(
  node: Invocation,
  callee: Identifier,
  builtin: FeelFunction,
  checker: Checker,
): StaticType {
  const nodes = argumentValues(node.arguments);
  const values = nodes.map((value) => checker.typeOf(value));
  const fitting = builtin.signatures.flatMap((signature) => {
    const places = CallArguments.of(node.arguments).placesIn([signature]);
    return places === null ? [] : [{ signature, places }];
  });
  const [first] = fitting;
  if (first === undefined) return refuseArguments(node, builtin.signatures, checker);
  const faults = fitting.map((fit) => faultOf(callee.name, fit, values));
  const [fault] = faults;
  if (fault !== undefined && fault !== null && !faults.includes(null)) {
    const place = fault.index === null ? undefined : nodes[fault.index];
    return place === undefined
      ? checker.error('SUTRA.FEEL.ARGUMENTS_INVALID', node, fault.message)
      : checker.error('SUTRA.FEEL.TYPE_MISMATCH', place, fault.message);
  }
  const constant = resultOfConstants(callee.name, builtin, first, nodes);
  if (constant !== null && constant.fault !== null) {
    return checker.error('SUTRA.FEEL.VALUE_INVALID', node, constant.fault);
  }
  const result = resultOf(callee.name, inOrder(first.places, values), nodes);
  return membersOf(result).find(({ kind }) => kind === constant?.kind) ?? result;
}

interface ArgumentFault {
  /** Of the argument. Null: it is not there. */
  readonly index: number | null;
  readonly message: string;
}

/** The first argument that the function never takes, or that is not there. Null: there is none. */
function faultOf(
  name: string,
  { signature, places }: Fit,
  values: readonly StaticType[],
): ArgumentFault | null {
  const parameters = isBuiltinSignature(signature) ? signature.parameters : [];
  for (const [position, indexes] of argumentsByParameter(places, values.length).entries()) {
    const parameter = parameters[position];
    if (parameter !== undefined && indexes.length === 0 && parameter[1].read(undefined) === wrong) {
      return { index: null, message: `"${parameter[0]}" of ${name}() is not given` };
    }
    for (const index of indexes) {
      const type = values[index] ?? anyType;
      if (parameter === undefined || mayBeTaken(type, parameter[1])) continue;
      const message = `"${parameter[0]}" of ${name}() must be ${parameter[1].what}, not ${describe(type)}`;
      return { index, message };
    }
  }
  return itemsFault(name, values);
}

/** Which arguments go to each parameter. */
function argumentsByParameter(places: Arrangement, count: number): readonly (readonly number[])[] {
  if (places === 'in order') return Array.from({ length: count }, (_, index) => [index]);
  const single = places.ofParameters.map((index) => (index === null ? [] : [index]));
  return places.ofList === null ? single : [...single, places.ofList];
}

/** Whether an argument may be of the kind, or a list of one that is. */
function mayBeTaken(type: StaticType, { takes }: Kind<unknown>): boolean {
  const kinds = kindsOf(type);
  if (takes === null || kinds === null || kinds.some((kind) => takes.has(kind))) return true;
  return membersOf(type).some((member) => member.kind === 'list' && mayBe(member.element, ...takes));
}

/** The types of the arguments in the order of the parameters; a variadic one has those that are left. */
function inOrder(places: Arrangement, values: readonly StaticType[]): readonly StaticType[] {
  if (places === 'in order') return values;
  const fixed = places.ofParameters.map((index) => (index === null ? anyType : (values[index] ?? anyType)));
  return [...fixed, ...(places.ofList ?? []).map((index) => values[index] ?? anyType)];
}
