/**
 * Decision tables.
 *
 * A blank input entry is `-`, and a blank output entry is null: modelers write cells that were left out so.
 * Source: DMN 1.5, 8.3.
 */
import type { XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import type {
  Aggregation,
  DecisionTable,
  HitPolicy,
  SourceText,
  TableInput,
  TableOutput,
  TableRule,
} from './model.ts';
import { label, optionalName, type ReadContext } from './read-context.ts';

const hitPolicies: readonly HitPolicy[] = [
  ...(['UNIQUE', 'FIRST', 'PRIORITY', 'ANY', 'COLLECT', 'RULE ORDER', 'OUTPUT ORDER'] as const),
];
const aggregations: readonly Aggregation[] = ['SUM', 'COUNT', 'MIN', 'MAX'];
const orientations = ['Rule-as-Row', 'Rule-as-Column', 'CrossTable'] as const;

/** Null: a clause of it was reported. */
export function readTable(context: ReadContext, element: XmlElement): DecisionTable | null {
  const hitPolicy = context.choice(element, 'hitPolicy', hitPolicies) ?? 'UNIQUE';
  const aggregation = readAggregation(context, element, hitPolicy);
  context.choice(element, 'preferredOrientation', orientations);
  const inputClauses = context.children(element, 'input');
  const outputClauses = context.children(element, 'output');
  const inputs = inputClauses.flatMap((clause) => readInput(context, clause) ?? []);
  const outputs = readOutputs(context, element, outputClauses);
  const rules = context
    .children(element, 'rule')
    .map((rule) => readRule(context, rule, inputClauses.length, outputClauses.length));
  if (rules.length === 0) {
    const message = `${label(element)} has no rules, so it never decides; add rules`;
    context.report.warning('SUTRA.DMN.RULES_MISSING', element, message);
  }
  if (inputs.length < inputClauses.length || outputs.length === 0) return null;
  if (outputs.length > 1 && outputs.some(({ name }) => name === null)) return null;
  return {
    kind: 'decision-table',
    place: context.placeOf(element),
    type: context.typeAttribute(element),
    hitPolicy,
    aggregation,
    inputs,
    outputs,
    rules,
  };
}

function readAggregation(
  context: ReadContext,
  element: XmlElement,
  hitPolicy: HitPolicy,
): Aggregation | null {
  const aggregation = context.choice(element, 'aggregation', aggregations);
  const attribute = findAttribute(element, 'aggregation');
  if (aggregation !== null && attribute !== null && hitPolicy !== 'COLLECT') {
    const message = `${label(element)} aggregates by ${aggregation}, but its hit policy is ${hitPolicy}; use COLLECT, or take the aggregation away`;
    context.report.attributeError('SUTRA.DMN.AGGREGATION_INVALID', element, attribute, message);
  }
  return aggregation;
}

function readInput(context: ReadContext, clause: XmlElement): TableInput | null {
  const expression = context.only(clause, 'inputExpression');
  const errorCount = context.report.errorCount;
  const source = expression === null ? null : context.source(expression);
  if (source === null && context.report.errorCount === errorCount) {
    const message = `${label(clause)} of the decision table has no expression; say what is tested`;
    context.report.error('SUTRA.DMN.EXPRESSION_MISSING', expression ?? clause, message);
  }
  const allowedValues = context.childSource(clause, 'inputValues');
  if (expression === null || source === null) return null;
  return { place: context.placeOf(clause), source, type: context.typeAttribute(expression), allowedValues };
}

function readOutputs(
  context: ReadContext,
  table: XmlElement,
  clauses: readonly XmlElement[],
): readonly TableOutput[] {
  if (clauses.length === 0) {
    const message = `${label(table)} has no output; add one`;
    context.report.error('SUTRA.DMN.ELEMENT_MISSING', table, message);
  }
  const outputs = clauses.map((clause): TableOutput => {
    const name = optionalName(clause);
    if (name === null && clauses.length > 1) {
      const message = `an output of ${label(table)} has no name; where there are several, each needs one`;
      context.report.error('SUTRA.DMN.OUTPUT_NAME_MISSING', clause, message);
    }
    return {
      place: context.placeOf(clause),
      name,
      type: context.typeAttribute(clause),
      allowedValues: context.childSource(clause, 'outputValues'),
      defaultValue: context.childSource(clause, 'defaultOutputEntry'),
    };
  });
  context.distinct(outputs.flatMap(({ name, place }) => (name === null ? [] : [{ name, place }])));
  return outputs;
}

function readRule(
  context: ReadContext,
  rule: XmlElement,
  inputCount: number,
  outputCount: number,
): TableRule {
  return {
    place: context.placeOf(rule),
    id: attributeOf(rule, 'id'),
    inputs: readEntries(context, rule, 'inputEntry', inputCount),
    outputs: readEntries(context, rule, 'outputEntry', outputCount),
  };
}

/** As many entries as clauses: another number is reported. */
function readEntries(
  context: ReadContext,
  rule: XmlElement,
  localName: 'inputEntry' | 'outputEntry',
  clauseCount: number,
): readonly (SourceText | null)[] {
  const entries = context.children(rule, localName);
  if (entries.length !== clauseCount) {
    const kind = localName === 'inputEntry' ? 'inputs' : 'outputs';
    const message = `${label(rule)} has ${entries.length} ${localName} elements, and the table ${clauseCount} ${kind}; give it one for each`;
    context.report.error('SUTRA.DMN.RULE_INVALID', rule, message);
  }
  return Array.from({ length: clauseCount }, (_, index) => {
    const entry = entries[index];
    return entry === undefined ? null : context.source(entry);
  });
}
