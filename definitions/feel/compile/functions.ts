/**
 * Function definitions, and `instance of`.
 *
 * F1 A call pays for the body, and counts to the height of what is running (evaluation.ts, V3).
 * F2 An argument that is not of its parameter's type, and cannot be made so, is null.
 */
import type { FunctionDefinition, InstanceOf, Span } from '../ast.ts';
import type { FeelValue } from '../runtime.ts';
import { heightOf, unitsOf } from './cost.ts';
import { Evaluation, Frame, type Code, type Variables } from './evaluation.ts';
import { typeOfDefinition, readType } from './read-types.ts';
import { FunctionScope, type Scope } from './scope.ts';
import {
  anyType,
  coerced,
  isInstance,
  TypedFunction,
  type FeelType,
  type FunctionType,
} from './conformance.ts';
import { describe, warn } from './warnings.ts';

interface Parameter {
  readonly place: Span;
  readonly name: string;
  /** Null: there is no type of the name that is written. */
  readonly type: FeelType | null;
}

/** What an argument becomes in the function: null where it is not of the parameter's type (F2). */
export type Accept = (value: FeelValue, frame: Frame) => FeelValue;

/** The body of a function, compiled, and what goes with it. */
export interface FunctionBody {
  readonly scope: FunctionScope;
  /** In the order of the scope's parameters. */
  readonly parameters: readonly Accept[];
  readonly code: Code;
  readonly units: number;
  readonly height: number;
}

export function compileFunction(node: FunctionDefinition, scope: Scope): Code {
  const { types } = scope.program;
  const parameters = node.parameters.map(({ name, type }): Parameter => ({
    place: name,
    name: name.name,
    type: type === null ? anyType : readType(type, types),
  }));
  const inner = new FunctionScope(
    scope,
    parameters.map(({ name }) => name),
  );
  const body: FunctionBody = {
    scope: inner,
    parameters: parameters.map((parameter) => (value, frame) => argument(value, parameter, frame)),
    code: inner.compile(node.body),
    units: unitsOf(node.body),
    height: heightOf(node.body),
  };
  return makeFunction(body, typeOfDefinition(node, types));
}

/** Makes the function, with what it captures (scope.ts, N3). */
export function makeFunction(body: FunctionBody, type: FunctionType): Code {
  const { captures, parameters } = body.scope;
  const signatures = [{ names: parameters }];
  return (maker) => {
    const { variables } = maker;
    const { text } = maker.run;
    const captured = captures.map(({ read }) => read(maker));
    return new TypedFunction(signatures, type, (args, givenRun) => {
      const run = Evaluation.of(givenRun);
      const { place, text: textOfCall } = run;
      run.text = text;
      const result = callBody(body, args, captured, variables, run);
      // The caller may have something to say about the call.
      run.place = place;
      run.text = textOfCall;
      return result;
    });
  };
}

/** Runs a function's body (F1). @param captured in the order of the scope's captures */
export function callBody(
  { scope, parameters, code, units, height }: FunctionBody,
  args: readonly (FeelValue | undefined)[],
  captured: readonly (FeelValue | undefined)[],
  variables: Variables,
  run: Evaluation,
): FeelValue {
  const slots = new Array<FeelValue | undefined>(scope.layout.size);
  const frame = new Frame(run, variables, slots);
  run.meter.spend(units);
  run.enter(height);
  for (const [index, accept] of parameters.entries()) slots[index] = accept(args[index] ?? null, frame);
  for (const [index, { slot }] of scope.captures.entries()) slots[slot] = captured[index];
  const result = code(frame);
  run.leave(height);
  return result;
}

function argument(value: FeelValue, { type, name, place }: Parameter, frame: Frame): FeelValue {
  if (type === anyType) return value;
  if (type === null) return warn(frame, place, 'NAME', `there is no type of the name that '${name}' has`);
  const result = coerced(value, type, frame.run);
  if (result !== undefined) return result;
  return warn(frame, place, 'ARGUMENT', `${describe(value)} is not of the type of the parameter '${name}'`);
}

export function compileInstanceOf(node: InstanceOf, scope: Scope): Code {
  const code = scope.compile(node.value);
  const type = readType(node.type, scope.program.types);
  if (type === null) return (frame) => warn(frame, node.type, 'NAME', 'there is no type of this name');
  return (frame) => isInstance(code(frame), type, frame.run);
}
