/**
 * Decision tables.
 *
 * D1 Inputs are evaluated once, outputs only of rules that match. An input that is not of its type is null, and one that
 *    is not allowed leaves the table without a result; both are errors.
 * D2 One output is the value itself, several are a context.
 *
 * Source: DMN 1.5, 8.2 (decision tables), 8.3 (their metamodel), 10.3.2.11 (their semantics).
 */
import type { Place } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { Frame } from '../feel/compile/evaluation.ts';
import type { FeelValue } from '../feel/runtime.ts';
import type { BoxedScope, Compiled } from './compile-scope.ts';
import { compileTestText, compileText, type CompiledTests } from './compile-text.ts';
import { typed } from './compile-typed.ts';
import { compileCell, type Cell } from './decision-table-cells.ts';
import { createMatcher, type Matcher } from './decision-table-matching.ts';
import { compileOutputs, type Outputs } from './decision-table-outputs.ts';
import { fail } from './decision-run.ts';
import { policyOf, type Hit, type Policy } from './hit-policies.ts';
import { namesOnly } from './inferred-type.ts';
import { anyItem, listItem, type ItemType } from './item-types.ts';
import type { DecisionTable, TableInput } from './model.ts';

/** What a table takes of the stack besides what is in it. */
const OWN_HEIGHT = 6;
/** Units for a table, besides its inputs and the rules that are looked at. */
const OWN_UNITS = 10;

interface Input {
  readonly compiled: Compiled;
  readonly isAllowed: (value: FeelValue, frame: Frame) => boolean;
  readonly height: number;
}

interface Table {
  readonly place: Place;
  readonly inputs: readonly Input[];
  readonly match: Matcher;
  readonly outputs: Outputs;
  readonly policy: Policy;
}

export function compileDecisionTable(node: DecisionTable, scope: BoxedScope): Compiled {
  const { place } = node;
  const policy = policyOf(node.hitPolicy, node.aggregation);
  const inputs = node.inputs.map((input) => compileInput(input, scope));
  const rules = node.rules.map((rule) =>
    rule.inputs.map((entry, index) => compileCell(entry, inputs[index]?.compiled.type ?? anyItem, scope)),
  );
  const outputs = compileOutputs(node, policy.usesPriorities, scope);
  checkAggregation(node, scope);
  const table: Table = { place, inputs, match: createMatcher(rules), outputs, policy };
  return {
    code: (frame) => {
      frame.run.meter.spend(OWN_UNITS);
      return decide(table, frame);
    },
    type: typeOf(node, policy, outputs.type),
    height: OWN_HEIGHT + heightOf(inputs, rules, outputs),
  };
}

function heightOf(inputs: readonly Input[], rules: readonly (readonly Cell[])[], outputs: Outputs): number {
  let most = outputs.height;
  for (const { height } of inputs) most = Math.max(most, height);
  for (const cells of rules) for (const { height } of cells) most = Math.max(most, height);
  return most;
}

function typeOf({ aggregation }: DecisionTable, policy: Policy, output: ItemType): ItemType {
  if (aggregation !== null) return namesOnly(output);
  return policy.givesList ? listItem(output) : output;
}

function checkAggregation({ aggregation, outputs, place }: DecisionTable, scope: BoxedScope): void {
  if (aggregation === null || aggregation === 'COUNT' || outputs.length === 1) return;
  const message = `the table has ${outputs.length} outputs, and ${aggregation} is of one; take the others out, or collect a list`;
  scope.error('SUTRA.DMN.AGGREGATION_INVALID', place, message);
}

function compileInput(input: TableInput, scope: BoxedScope): Input {
  const { source, place, allowedValues } = input;
  const subject = `the input ${quoteText(source.text)}`;
  const compiled = typed(compileText(source, scope), scope.typeOf(input.type), subject, place);
  const allowed = allowedValues === null ? null : compileTestText(allowedValues, compiled.type, scope);
  return {
    compiled,
    isAllowed:
      allowed === null ? () => true : (value, frame) => passes(allowed, value, subject, place, frame),
    height: Math.max(compiled.height, allowed?.height ?? 0),
  };
}

/** Null is no value, and always allowed. */
function passes(
  { test, units }: CompiledTests,
  value: FeelValue,
  subject: string,
  place: Place,
  frame: Frame,
): boolean {
  frame.run.meter.spend(units);
  if (value === null || test(frame, value) === true) return true;
  fail(frame, 'SUTRA.DMN.VALUE_NOT_ALLOWED', place, `${subject} has a value that is not among those allowed`);
  return false;
}

function decide(table: Table, frame: Frame): FeelValue {
  const { policy, outputs, match, place } = table;
  const inputs = readInputs(table, frame);
  if (inputs === null) return null;
  const rules = match(inputs, frame, policy.limit);
  if (rules.length === 0) {
    const value = outputs.otherwise?.(frame);
    if (value !== undefined) return policy.givesList ? [value] : value;
  }
  const hits = rules.map((number): Hit => outputs.of(number, frame));
  return policy.choose(hits, place, frame);
}

/** Null: one of them cannot be decided upon. */
function readInputs({ inputs }: Table, frame: Frame): readonly FeelValue[] | null {
  const values: FeelValue[] = [];
  let areAllowed = true;
  for (const { compiled, isAllowed } of inputs) {
    const value = compiled.code(frame);
    values.push(value);
    areAllowed = isAllowed(value, frame) && areAllowed;
  }
  return areAllowed ? values : null;
}
