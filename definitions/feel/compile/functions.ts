/**
 * Function definitions, and `instance of`.
 *
 * F1 A call pays for the body, and counts to the height of what is running (evaluation.ts, V3).
 * F2 An argument that is not of its parameter's type, and cannot be made so, is null.
 */
import type { FunctionDefinition, InstanceOf, Span } from '../ast.ts';
import type { FeelValue } from '../runtime.ts';
import { heightOf, unitsOf } from './cost.ts';
import { Evaluation, Frame, type Code } from './evaluation.ts';
import { typeOfDefinition, readType } from './read-types.ts';
import { FunctionScope, type Scope } from './scope.ts';
import { anyType, coerced, isInstance, TypedFunction, type FeelType } from './conformance.ts';
import { describe, warn } from './warnings.ts';

interface Parameter {
  readonly place: Span;
  readonly name: string;
  /** Null: there is no type of the name that is written. */
  readonly type: FeelType | null;
}

export function compileFunction(node: FunctionDefinition, scope: Scope): Code {
  const { types } = scope.program;
  const parameters = node.parameters.map(({ name, type }): Parameter => ({
    place: name,
    name: name.name,
    type: type === null ? anyType : readType(type, types),
  }));
  const names = parameters.map(({ name }) => name);
  const inner = new FunctionScope(scope, names);
  const body = inner.compile(node.body);
  const units = unitsOf(node.body);
  const height = heightOf(node.body);
  const type = typeOfDefinition(node, types);
  const { captures, layout } = inner;
  const signatures = [{ names }];
  return (maker) => {
    const { variables } = maker;
    const captured = captures.map(({ read }) => read(maker));
    return new TypedFunction(signatures, type, (args, givenRun) => {
      const run = Evaluation.of(givenRun);
      const slots = new Array<FeelValue | undefined>(layout.size);
      const frame = new Frame(run, variables, slots);
      const { place } = run;
      run.meter.spend(units);
      run.enter(height);
      for (const [index, parameter] of parameters.entries()) {
        slots[index] = argument(args[index] ?? null, parameter, frame);
      }
      for (const [index, { slot }] of captures.entries()) slots[slot] = captured[index];
      const result = body(frame);
      run.leave(height);
      // The caller may have something to say about the call.
      run.place = place;
      return result;
    });
  };
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
