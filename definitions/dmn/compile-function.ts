/** Boxed function definitions and invocations. Source: DMN 1.5, 7.3.3 (invocations), 7.3.8 (functions). */
import { quoteText } from '../../config/quote-text.ts';
import { CallArguments } from '../feel/compile/arguments.ts';
import { anyType, type FunctionType } from '../feel/compile/conformance.ts';
import { evaluateAll } from '../feel/compile/evaluation.ts';
import { makeFunction, type Accept, type FunctionBody } from '../feel/compile/functions.ts';
import { callArranged } from '../feel/compile/invocation.ts';
import { FunctionScope } from '../feel/compile/scope.ts';
import { describe, warn } from '../feel/compile/warnings.ts';
import { FeelFunction } from '../feel/runtime.ts';
import { nothing } from './compile-context.ts';
import type { BoxedScope, Compiled } from './compile-scope.ts';
import { inText } from './compile-text.ts';
import { conformed, isAny, typed } from './compile-typed.ts';
import { textAt } from './decision-run.ts';
import { namesOnly } from './inferred-type.ts';
import { anyItem, functionItem, type ItemType } from './item-types.ts';
import type { BoxedFunction, BoxedInvocation, TypeReference, Variable } from './model.ts';

/** Units for a call, besides its arguments and the body. */
const CALL_UNITS = 8;
/** What a call takes of the stack besides its arguments. */
const CALL_HEIGHT = 4;
/** Of a text that is but a place. */
const start = { from: 0, to: 0 };

/** A function that can be made. */
export interface CompiledFunction {
  readonly body: FunctionBody;
  readonly type: FunctionType;
  /** Of the function. */
  readonly item: ItemType;
  readonly result: ItemType;
}

/** @param declared types of the function or of its result, each as it comes: all hold */
export function compileFunctionBody(
  node: BoxedFunction,
  declared: readonly (TypeReference | null)[],
  scope: BoxedScope,
): CompiledFunction {
  const names = node.parameters.map(({ name }) => name);
  const functionScope = new FunctionScope(scope.scope, names);
  const types = node.parameters.map(({ type }) => scope.typeOf(type));
  const known = names.map((name, index): [string, ItemType] => [name, types[index] ?? anyItem]);
  const inner = scope.declaring(functionScope, new Map(known));
  let result = node.body === null ? nothing : inner.compile(node.body);
  for (const reference of declared) {
    if (reference === null) continue;
    const type = resultOf(scope.typeOf(reference));
    result = typed(result, type, 'the result of the function', reference.place);
  }
  const parameters = node.parameters.map((parameter, index) => acceptAs(parameter, types[index] ?? anyItem));
  const { code, height } = result;
  const item = functionItem(types, result.type);
  return {
    body: { scope: functionScope, parameters, code, units: CALL_UNITS, height },
    type: {
      kind: 'function',
      parameters: types.map(({ feelType }) => feelType),
      result: result.type.feelType,
    },
    item,
    result: result.type,
  };
}

/** Of a function's type that of its result; any other is that already. */
export function resultOf(type: ItemType): ItemType {
  if (type.feelType.kind !== 'function') return type;
  const { result } = type.feelType;
  return result === anyType ? anyItem : { ...anyItem, name: 'the type of the result', feelType: result };
}

function acceptAs({ name, place }: Variable, type: ItemType): Accept {
  if (isAny(type)) return (value) => value;
  const subject = `the argument ${quoteText(name)}`;
  return (value, frame) => conformed(value, type, subject, place, frame);
}

export function compileFunctionDefinition(node: BoxedFunction, scope: BoxedScope): Compiled {
  const { body, type, item } = compileFunctionBody(node, [node.type], scope);
  return { code: inText(textAt(node.place), CALL_UNITS, makeFunction(body, type)), type: item, height: 2 };
}

/** Parameters are bound by name. Those that are not are null. */
export function compileInvocation(node: BoxedInvocation, scope: BoxedScope): Compiled {
  const callee = scope.compile(node.callee);
  const values = node.bindings.map(({ value }) => (value === null ? nothing : scope.compile(value)));
  const codes = values.map(({ code }) => code);
  const args = new CallArguments(node.bindings.map(({ parameter }) => parameter.name));
  const code = inText(textAt(node.place), CALL_UNITS + codes.length, (frame) => {
    const called = callee.code(frame);
    if (!(called instanceof FeelFunction)) {
      return warn(frame, start, 'CALL', `what is called is ${describe(called)}, not a function`);
    }
    const places = args.placesIn(called.signatures);
    if (places === null) {
      return warn(frame, start, 'CALL', 'the parameters that are bound are not those of the function');
    }
    return callArranged(start, called, places, evaluateAll(codes, frame), frame);
  });
  return {
    code,
    type: namesOnly(callee.type),
    height: CALL_HEIGHT + [callee, ...values].reduce((most, { height }) => Math.max(most, height), 0),
  };
}
