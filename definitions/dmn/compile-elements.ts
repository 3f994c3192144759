/**
 * The elements of decision models to what computes them.
 *
 * E1 Elements are compiled in the order of the requirement graph, so that the types of what one requires are known. Of a
 *    function that calls itself, also through others, no more is known than its parameters.
 * E2 Functions see other functions and their arguments alone: what they give depends on nothing else.
 * E3 What an element computes counts to the height of what is running (feel/compile/evaluation.ts, V3).
 *
 * Source: DMN 1.5, 10.4 (execution semantics of decision services and decisions).
 */
import { quoteText } from '../../config/quote-text.ts';
import { TypedFunction, type FunctionType } from '../feel/compile/conformance.ts';
import { Evaluation, Frame, Variables } from '../feel/compile/evaluation.ts';
import { callBody } from '../feel/compile/functions.ts';
import type { FeelFunction, FeelValue } from '../feel/runtime.ts';
import { nothing } from './compile-context.ts';
import { compileFunctionBody } from './compile-function.ts';
import { BoxedScope, type Compilation } from './compile-scope.ts';
import { faulty, typed } from './compile-typed.ts';
import { typesOf, valueIn, visibleBy } from './decision-scope.ts';
import type { Compute, Environment } from './environment.ts';
import { TypeFault } from './item-conformance.ts';
import { readInput } from './read-input.ts';
import { anyItem, functionItem, type ItemType } from './item-types.ts';
import type { BoxedFunction } from './model.ts';
import type { DecisionNode, Element, Link, Links } from './requirement-graph.ts';

/** What a decision takes of the stack besides its logic: the look-up that asks for it. */
const LOOKUP_HEIGHT = 4;

/** An element that can be computed. */
export interface CompiledElement {
  /** Of its value; of a function the function's. */
  readonly type: ItemType;
  readonly compute: Compute;
  /** Null: it is no function. */
  readonly callable: Callable | null;
}

/** A function, as it is called from outside of all decisions. */
export interface Callable {
  readonly fn: FeelFunction;
  readonly parameters: readonly Parameter[];
  readonly result: ItemType;
}

export interface Parameter {
  readonly name: string;
  readonly type: ItemType;
}

/** What was compiled so far. */
export type Known = (element: Element) => CompiledElement | undefined;

/** A value that comes from outside. */
export function compileInput(
  element: Extract<Element, { readonly kind: 'input' }>,
  type: ItemType,
): CompiledElement {
  const { name, variable } = element.node;
  const subject = `the input ${quoteText(name)}`;
  return {
    type,
    callable: null,
    compute: (environment) => {
      const value = readInput(environment.lookup(name) ?? null, type, environment.run);
      return value instanceof TypeFault ? faulty(value, subject, variable.place, environment) : value;
    },
  };
}

export function compileDecision(
  { node }: DecisionNode,
  { inputs, knowledge }: Links,
  compilation: Compilation,
  known: Known,
): CompiledElement {
  const visible = visibleBy([...inputs, ...knowledge]);
  const boxedScope = BoxedScope.outside(
    compilation,
    typesOf(visible, (element) => typeOf(element, known)),
  );
  const logic = node.logic === null ? nothing : boxedScope.compile(node.logic);
  const { variable } = node;
  const subject = `the value of the decision ${quoteText(node.name)}`;
  const { code, type, height } = typed(logic, boxedScope.typeOf(variable.type), subject, variable.place);
  const { program, layout } = boxedScope.scope;
  const { names } = program;
  const compute = (environment: Environment): FeelValue => {
    const { run } = environment;
    const { place } = run;
    const valueOf = (link: Link): FeelValue => environment.valueOf(link);
    const variables = new Variables(names, (name) => valueIn(visible, name, valueOf));
    run.enter(height + LOOKUP_HEIGHT);
    const value = code(new Frame(run, variables, new Array<FeelValue | undefined>(layout.size)));
    run.leave(height + LOOKUP_HEIGHT);
    run.place = place;
    return value;
  };
  return { type, compute, callable: null };
}

/** What is known of its value (E1). */
export function typeOf(element: Element, known: Known): ItemType {
  return known(element)?.type ?? anyItem;
}

const noFunction: Omit<BoxedFunction, 'place'> = { kind: 'function', type: null, parameters: [], body: null };

export function compileKnowledge(
  element: Extract<Element, { readonly kind: 'knowledge' }>,
  { knowledge }: Links,
  compilation: Compilation,
  known: Known,
): CompiledElement {
  const { node } = element;
  const logic = node.logic ?? { ...noFunction, place: node.place };
  const self: Link = { element, via: null, place: node.place };
  const visible = visibleBy([self, ...knowledge]);
  const outside = BoxedScope.outside(compilation, new Map());
  const types = logic.parameters.map(({ type }) => outside.typeOf(type));
  const provisional = functionItem(types, anyItem);
  const scope = BoxedScope.outside(
    compilation,
    typesOf(visible, (other) => (other === element ? provisional : typeOf(other, known))),
  );
  const { body, type, item, result } = compileFunctionBody(logic, [logic.type, node.variable.type], scope);
  const functionOf = ({ element: other }: Link): FeelValue =>
    other === element ? fn : (known(other)?.callable?.fn ?? null);
  const variables = new Variables(scope.scope.program.names, (name) => valueIn(visible, name, functionOf));
  const names = logic.parameters.map(({ name }) => name);
  const fn = namedFunction(names, type, (args, run) => callBody(body, args, [], variables, run));
  const parameters = names.map((name, index): Parameter => ({ name, type: types[index] ?? anyItem }));
  return { type: item, compute: () => fn, callable: { fn, parameters, result } };
}

/** A function that leaves the run as it is. */
export function namedFunction(
  names: readonly string[],
  type: FunctionType,
  call: (args: readonly (FeelValue | undefined)[], run: Evaluation) => FeelValue,
): TypedFunction {
  return new TypedFunction([{ names }], type, (args, givenRun) => {
    const run = Evaluation.of(givenRun);
    const { place } = run;
    const value = call(args, run);
    // The caller may have something to say about the call.
    run.place = place;
    return value;
  });
}
