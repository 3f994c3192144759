/** What a decision model consists of: inputs, decisions, knowledge models and services. Source: DMN 1.5, 6.3. */
import type { XmlElement } from '../xml/document.ts';
import { attributeOf } from '../xml/document.ts';
import type {
  BoxedFunction,
  DecisionElement,
  DecisionService,
  InputData,
  KnowledgeModel,
  Requirements,
} from './model.ts';
import { readChildExpression, readFunction } from './read-boxed.ts';
import { label, optionalName, type ReadContext } from './read-context.ts';
import type { References } from './read-references.ts';

/** What all of them have. Null: it has no name, which was reported. */
function readBase(context: ReadContext, element: XmlElement): InputData | null {
  const name = context.name(element);
  const variable = context.only(element, 'variable');
  if (name === null) return null;
  const place = context.placeOf(element);
  return {
    id: attributeOf(element, 'id'),
    name,
    place,
    variable: {
      // Modelers leave an empty name where it would be the same.
      name: (variable === null ? null : optionalName(variable)) ?? name,
      type: variable === null ? null : context.typeAttribute(variable),
      place: variable === null ? place : context.placeOf(variable),
    },
  };
}

export function readInputData(context: ReadContext, element: XmlElement): InputData | null {
  return readBase(context, element);
}

export function readDecision(
  context: ReadContext,
  references: References,
  element: XmlElement,
): DecisionElement | null {
  const base = readBase(context, element);
  const requires = readRequirements(context, references, element);
  const errorCount = context.report.errorCount;
  const logic = readChildExpression(context, element);
  if (logic === null && context.report.errorCount === errorCount) reportNoLogic(context, element);
  return base === null ? null : { ...base, requires, logic };
}

export function readKnowledgeModel(
  context: ReadContext,
  references: References,
  element: XmlElement,
): KnowledgeModel | null {
  const base = readBase(context, element);
  const requires = readRequirements(context, references, element);
  const errorCount = context.report.errorCount;
  const logic = readLogic(context, element);
  const hasBody = logic !== null && logic.body !== null;
  if (!hasBody && context.report.errorCount === errorCount) reportNoLogic(context, element);
  return base === null ? null : { ...base, requires, logic };
}

function readLogic(context: ReadContext, element: XmlElement): BoxedFunction | null {
  const logic = context.only(element, 'encapsulatedLogic');
  return logic === null ? null : readFunction(context, logic);
}

function reportNoLogic(context: ReadContext, element: XmlElement): void {
  const message = `${label(element)} has no logic, so its value is null; write its expression`;
  context.report.warning('SUTRA.DMN.LOGIC_MISSING', element, message);
}

function readRequirements(context: ReadContext, references: References, element: XmlElement): Requirements {
  const information = context.children(element, 'informationRequirement');
  const knowledge = context.children(element, 'knowledgeRequirement');
  for (const requirement of information) {
    const targets = ['requiredInput', 'requiredDecision'].flatMap((localName) =>
      context.children(requirement, localName),
    );
    checkTarget(context, requirement, targets, 'requiredInput or requiredDecision');
  }
  for (const requirement of knowledge) {
    const targets = context.children(requirement, 'requiredKnowledge');
    checkTarget(context, requirement, targets, 'requiredKnowledge');
  }
  return {
    inputs: information.flatMap((requirement) =>
      references.read(requirement, 'requiredInput', ['inputData']),
    ),
    decisions: information.flatMap((requirement) =>
      references.read(requirement, 'requiredDecision', ['decision']),
    ),
    knowledge: knowledge.flatMap((requirement) =>
      references.read(requirement, 'requiredKnowledge', ['businessKnowledgeModel', 'decisionService']),
    ),
  };
}

/** A requirement has one target. */
function checkTarget(
  context: ReadContext,
  requirement: XmlElement,
  targets: readonly XmlElement[],
  expected: string,
): void {
  const [first, second] = targets;
  if (first === undefined) {
    const message = `${label(requirement)} has no ${expected}; say what is required`;
    context.report.error('SUTRA.DMN.ELEMENT_MISSING', requirement, message);
  } else if (second !== undefined) {
    const message = `${label(requirement)} requires several elements; write a requirement for each`;
    context.report.error('SUTRA.DMN.ELEMENT_REPEATED', second, message);
  }
}

export function readService(
  context: ReadContext,
  references: References,
  element: XmlElement,
): DecisionService | null {
  const base = readBase(context, element);
  if (context.children(element, 'outputDecision').length === 0) {
    const message = `${label(element)} has no outputDecision, so it gives nothing; say which decisions it gives`;
    context.report.error('SUTRA.DMN.ELEMENT_MISSING', element, message);
  }
  const outputs = references.read(element, 'outputDecision', ['decision']);
  const encapsulated = references.read(element, 'encapsulatedDecision', ['decision']);
  const inputDecisions = references.read(element, 'inputDecision', ['decision']);
  const inputs = references.read(element, 'inputData', ['inputData']);
  return base === null ? null : { ...base, outputs, encapsulated, inputDecisions, inputs };
}
