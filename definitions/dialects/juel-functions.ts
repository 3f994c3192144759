/** Functions that the engines of the source bring: the few that FEEL has too, and what to do in place of the others. */
import { shown } from '../xml/shown.ts';
import { atLeast, called, type FeelText, levels, written } from './juel-feel-text.ts';
import { JuelFault } from './juel-fault.ts';
import { binaryOperators, emptiness, equal } from './juel-operators.ts';
import { type Replacements, variable } from './juel-paths.ts';

export interface JuelFunctionCall {
  readonly name: string;
  readonly args: readonly FeelText[];
  readonly offset: number;
  readonly replacements: Replacements;
}

/** Of a variable and a value; of functions with one argument the value is the variable too. */
type VariableFunction = (variable: FeelText, value: FeelText, offset: number) => FeelText;

const not = (operand: FeelText, offset: number): FeelText =>
  called(offset, 'not', [operand], { kind: 'boolean', isTotal: operand.isTotal });
const get: VariableFunction = (of) => of;
const getOrDefault: VariableFunction = (of, value, offset) =>
  written(offset, ['if ', of, ' = null then ', atLeast(levels.or, value), ' else ', of], {
    level: levels.conditional,
  });
const equals: VariableFunction = (of, value, offset) => equal('=', of, value, offset);
const notEquals: VariableFunction = (of, value, offset) => equal('!=', of, value, offset);

/**
 * Flowable's functions `variables:…`, by name and number of arguments. Their first argument is a variable, whose name may
 * be quoted. Source: Flowable, BPMN user guide, expressions, functions.
 */
const variableFunctions: Readonly<Record<string, VariableFunction | undefined>> = {
  ...{ 'get/1': get, 'getOrDefault/2': getOrDefault },
  ...{ 'equals/2': equals, 'eq/2': equals, 'notEquals/2': notEquals, 'ne/2': notEquals },
  'isEmpty/1': (of, _, offset) => emptiness(of, offset),
  'isNotEmpty/1': (of, _, offset) => not(emptiness(of, offset), offset),
  ...{
    'lowerThan/2': binaryOperators['<'],
    'lessThan/2': binaryOperators['<'],
    'lt/2': binaryOperators['<'],
  },
  ...{ 'lowerThanOrEquals/2': binaryOperators['<='], 'lessThanOrEquals/2': binaryOperators['<='] },
  ...{ 'lte/2': binaryOperators['<='], 'gte/2': binaryOperators['>='] },
  ...{ 'greaterThan/2': binaryOperators['>'], 'gt/2': binaryOperators['>'] },
  'greaterThanOrEquals/2': binaryOperators['>='],
};

const remedies: Readonly<Record<string, string | undefined>> = {
  dateTime: 'write FEEL: now() + duration("P2D") for dateTime().plusDays(2)',
  currentUser: 'who is asking is nothing that a process knows; pass it as a variable',
  currentUserGroups: 'who is asking is nothing that a process knows; pass them as a variable',
  S: 'JSON is a value like any other here; write customer.name for S(customer).prop("name").stringValue()',
  JSON: 'JSON is a value like any other here; write customer.name for JSON(customer).prop("name").stringValue()',
  XML: 'XML is decoded by the channel that brings it; write the path of the value',
};

/** `name(…)` or `prefix:name(…)`. @throws JuelFault for those that FEEL has not */
export function functionCall(call: JuelFunctionCall): FeelText {
  const { name, args, offset } = call;
  if (name === 'now' && args.length === 0) return called(offset, 'now', []);
  const ofVariable = /^(?:variables|vars|var):(.*)$/.exec(name)?.[1];
  if (ofVariable !== undefined) return variableFunction(call, ofVariable);
  const remedy = Object.hasOwn(remedies, name) ? remedies[name] : undefined;
  const message = `there is no function ${shown(name)} here; ${remedy ?? 'write it in FEEL, or let a worker compute it in a task before'}`;
  throw new JuelFault('call', message, offset);
}

function variableFunction({ name, args, offset, replacements }: JuelFunctionCall, local: string): FeelText {
  const key = `${local}/${args.length}`;
  const translate = Object.hasOwn(variableFunctions, key) ? variableFunctions[key] : undefined;
  const [first, value = first] = args;
  if (translate === undefined || first === undefined || value === undefined) {
    const message = `there is no function ${shown(name)} here; write an operator, as x == 5 or x != null`;
    throw new JuelFault('call', message, offset);
  }
  if (first.kind === 'string' && first.literal !== null) {
    const named = variable(first.literal, first.offset, replacements);
    return translate(named, value, offset);
  }
  if (first.isPlain && first.path !== null) return translate(first, value, offset);
  const message = `${name} takes the name of a variable first; write it, with quotes or without`;
  throw new JuelFault('call', message, first.offset);
}
