/**
 * Decision services.
 *
 * S1 A service is a function of its input data and input decisions. They stand for what the decisions in it require of
 *    that name; it sees nothing else from outside, and nothing of what it computes is seen there.
 * S2 An argument that is not of its type leaves the service without a result.
 * S3 One output is the value itself, several are a context by their names.
 *
 * Source: DMN 1.5, 6.3.10 and 10.4; for S2 the standard's conformance tests (0085).
 */
import { quoteText } from '../../config/quote-text.ts';
import type { FunctionType } from '../feel/compile/conformance.ts';
import type { Evaluation } from '../feel/compile/evaluation.ts';
import type { FeelValue } from '../feel/runtime.ts';
import {
  namedFunction,
  typeOf,
  type CompiledElement,
  type Known,
  type Parameter,
} from './compile-elements.ts';
import { resultOf } from './compile-function.ts';
import type { Compilation } from './compile-scope.ts';
import { conformed, faulty, isAny } from './compile-typed.ts';
import { Environment } from './environment.ts';
import { conform, TypeFault } from './item-conformance.ts';
import { contextItem, functionItem, type ItemType } from './item-types.ts';
import type { Element, Link, Links, ServiceNode } from './requirement-graph.ts';

/** Units for a call, besides what is computed. */
const CALL_UNITS = 20;
/** What a service takes of the stack besides its decisions. */
const SERVICE_HEIGHT = 6;

export function compileService(
  { node }: ServiceNode,
  { inputs, outputs }: Links,
  compilation: Compilation,
  known: Known,
): CompiledElement {
  const parameters = inputs.map(({ element }): Parameter => ({
    name: element.node.name,
    type: typeOf(element, known),
  }));
  const own = typeOfOutputs(outputs, known);
  const declared = resultOf(compilation.types.resolve(node.variable.type, compilation.report));
  const result = isAny(declared) ? own : declared;
  const type: FunctionType = {
    kind: 'function',
    parameters: parameters.map((parameter) => parameter.type.feelType),
    result: result.feelType,
  };
  const subject = `the result of the decision service ${quoteText(node.name)}`;
  const fn = namedFunction(
    parameters.map(({ name }) => name),
    type,
    (args, run) => {
      run.meter.spend(CALL_UNITS);
      const given = giveArguments(inputs, parameters, args, run);
      if (given === null) return null;
      run.enter(SERVICE_HEIGHT);
      const environment = new Environment(
        run,
        (element) => known(element)?.compute,
        () => undefined,
        given,
      );
      const value = valueOfOutputs(outputs, environment);
      run.leave(SERVICE_HEIGHT);
      return isAny(declared) ? value : conformed(value, declared, subject, node.variable.place, { run });
    },
  );
  const item = functionItem(
    parameters.map((parameter) => parameter.type),
    result,
  );
  return { type: item, compute: () => fn, callable: { fn, parameters, result } };
}

function typeOfOutputs(outputs: readonly Link[], known: Known): ItemType {
  const [only, ...others] = outputs;
  if (only !== undefined && others.length === 0) return typeOf(only.element, known);
  return contextItem(new Map(outputs.map(({ element }) => [element.node.name, typeOf(element, known)])));
}

function valueOfOutputs(outputs: readonly Link[], environment: Environment): FeelValue {
  const [only, ...others] = outputs;
  if (only !== undefined && others.length === 0) return environment.valueOf(only);
  environment.run.meter.spend(outputs.length);
  return Object.fromEntries(outputs.map((link) => [link.element.node.name, environment.valueOf(link)]));
}

/** Null: one of them is not of its type (S2). */
function giveArguments(
  inputs: readonly Link[],
  parameters: readonly Parameter[],
  args: readonly (FeelValue | undefined)[],
  run: Evaluation,
): ReadonlyMap<Element, FeelValue> | null {
  const given = new Map<Element, FeelValue>();
  let areFitting = true;
  for (const [index, { element, place }] of inputs.entries()) {
    const parameter = parameters[index];
    if (parameter === undefined) continue;
    const value = conform(args[index] ?? null, parameter.type, run);
    if (value instanceof TypeFault) {
      faulty(value, `the argument ${quoteText(parameter.name)}`, place, { run });
      areFitting = false;
    } else given.set(element, value);
  }
  return areFitting ? given : null;
}
