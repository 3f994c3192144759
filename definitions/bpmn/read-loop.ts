/**
 * Loop characteristics: standard loops and multi-instance activities. BPMN 2.0.2 §10.3.8, §13.3.6, §13.3.7.
 *
 * A collection and the variables around it are written as BPMN writes them, with references to data, or
 * shorter as `q:loop`. `loopDataInputRef` and `loopDataOutputRef` may name a variable where BPMN wants an id.
 */
import type { CompiledExpression } from '../feel.ts';
import type { LoopDefinition, MultiInstanceLoop, StandardLoop } from '../model.ts';
import { attributeOf, findAttribute, type XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { type DataIndex, dataIndexOf } from './data-index.ts';
import { REPORTED } from './expressions.ts';
import { BPMN_NAMESPACE } from './namespaces.ts';
import { otherEngineHint } from './other-engines.ts';
import { isVariableName } from './q-values.ts';
import {
  bpmnChildren,
  booleanOf,
  label,
  nameOf,
  onlyChild,
  placeOf,
  qChild,
  type ReadContext,
} from './read-context.ts';
import { associationsOf, readAssignmentParts, requireVariable } from './read-associations.ts';

const LOOPS: ReadonlySet<string> = new Set([
  'standardLoopCharacteristics',
  'multiInstanceLoopCharacteristics',
]);

/** The loop of an activity; null when it runs once, or when a fault was reported. */
export function readLoop(context: ReadContext, element: XmlElement): LoopDefinition | null {
  const [loop, second] = element.children.filter(
    (child) => child.namespace === BPMN_NAMESPACE && LOOPS.has(child.localName),
  );
  if (loop === undefined) {
    return null;
  }
  if (second !== undefined) {
    const message = `${label(element)} has several loop characteristics; keep one`;
    context.report.error('SUTRA.BPMN.ELEMENT_REPEATED', second, message);
  }
  return loop.localName === 'standardLoopCharacteristics'
    ? readStandardLoop(context, element, loop)
    : readMultiInstance({ context, element, loop });
}

function readStandardLoop(context: ReadContext, element: XmlElement, loop: XmlElement): StandardLoop | null {
  const { report } = context;
  const conditionElement = onlyChild(context, loop, 'loopCondition');
  const maximum = findAttribute(loop, 'loopMaximum');
  if (maximum !== null && !/^[1-9]\d{0,8}$/.test(maximum.value)) {
    const message = `loopMaximum is ${shown(maximum.value)}, which is no whole number from 1 to 999999999`;
    report.attributeError('SUTRA.BPMN.VALUE_INVALID', loop, maximum, message);
    return null;
  }
  if (conditionElement === null && maximum === null) {
    const message = `the loop of ${label(element)} has neither a loopCondition nor a loopMaximum and would never end; add one`;
    report.error('SUTRA.BPMN.LOOP_INVALID', loop, message);
    return null;
  }
  return {
    kind: 'standard',
    isTestedBefore: booleanOf(context, loop, 'testBefore', false),
    condition: conditionElement === null ? null : context.expressions.formal(conditionElement),
    maximum: maximum === null ? null : Number(maximum.value),
    place: placeOf(context, loop),
  };
}

interface LoopContext {
  readonly context: ReadContext;
  /** The activity. */
  readonly element: XmlElement;
  readonly loop: XmlElement;
}

type Collection = Pick<
  MultiInstanceLoop,
  'collection' | 'itemVariable' | 'outputItemVariable' | 'outputCollection'
>;

function readMultiInstance(of: LoopContext): MultiInstanceLoop | null {
  const { context, element, loop } = of;
  const { report, expressions } = context;
  const cardinality = onlyChild(context, loop, 'loopCardinality');
  const completion = onlyChild(context, loop, 'completionCondition');
  const shorthand = qChild(loop, 'loop');
  const references = ['loopDataInputRef', 'loopDataOutputRef', 'inputDataItem', 'outputDataItem'].flatMap(
    (name) => onlyChild(context, loop, name) ?? [],
  );
  const [reference] = references;
  if (shorthand !== null && reference !== undefined) {
    const message = `${label(element)} has q:loop and ${reference.localName}; keep one of the two forms`;
    report.error('SUTRA.BPMN.LOOP_INVALID', reference, message);
    return null;
  }
  const collection = shorthand === null ? readReferences(of) : readShorthand(of, shorthand);
  if (collection === null) {
    return null;
  }
  if ((cardinality === null) === (collection.collection === null)) {
    const hint = otherEngineHint(loop, ['collection'], ['loopCharacteristics']);
    const remedy = 'add a loopCardinality, or q:loop with a collection';
    const message =
      cardinality === null
        ? `the multi-instance ${label(element)} does not say how many instances it has; ${remedy}${hint}`
        : `the multi-instance ${label(element)} has a loopCardinality and a collection; keep one`;
    report.error('SUTRA.BPMN.LOOP_INVALID', cardinality ?? loop, message);
    return null;
  }
  return {
    kind: 'multiInstance',
    isSequential: booleanOf(context, loop, 'isSequential', false),
    cardinality: cardinality === null ? null : expressions.formal(cardinality),
    ...collection,
    completionCondition: completion === null ? null : expressions.formal(completion),
    place: placeOf(context, loop),
  };
}

/** `q:loop`, whose attributes were checked one by one. */
function readShorthand({ context }: LoopContext, shorthand: XmlElement): Collection | null {
  const value = (name: string): string | null => attributeOf(shorthand, name);
  const needs = (name: string, other: string): boolean => {
    if (value(name) === null || value(other) !== null) {
      return false;
    }
    const message = `q:loop has ${name} and not ${other}; add it`;
    context.report.error('SUTRA.Q.ATTRIBUTE_MISSING', shorthand, message);
    return true;
  };
  const faults = [needs('item', 'collection'), needs('output', 'outputItem'), needs('outputItem', 'output')];
  return faults.includes(true)
    ? null
    : {
        collection:
          value('collection') === null
            ? null
            : (context.expressions.attribute(shorthand, 'collection') ?? REPORTED),
        itemVariable: value('item'),
        outputItemVariable: value('outputItem'),
        outputCollection: value('output'),
      };
}

/** BPMN's own references; null when one is faulty, which was reported. */
function readReferences(of: LoopContext): Collection | null {
  const { context, loop } = of;
  const [input, item, output, outputItem] = [
    'loopDataInputRef',
    'inputDataItem',
    'loopDataOutputRef',
    'outputDataItem',
  ].map((name) => bpmnChildren(loop, name)[0] ?? null);
  const needs = (
    part: XmlElement | null | undefined,
    other: XmlElement | null | undefined,
    name: string,
  ): boolean => {
    if (!part || other) {
      return false;
    }
    const message = `${part.localName} has no meaning without ${name}; add it`;
    context.report.error('SUTRA.BPMN.LOOP_INVALID', part, message);
    return true;
  };
  const faults = [
    needs(item, input, 'loopDataInputRef'),
    needs(output, outputItem, 'outputDataItem'),
    needs(outputItem, output, 'loopDataOutputRef'),
  ];
  if (faults.includes(true)) {
    return null;
  }
  return {
    collection: input ? (readCollection(of, input) ?? REPORTED) : null,
    itemVariable: item ? readItemName(context, item) : null,
    outputItemVariable: outputItem ? readItemName(context, outputItem) : null,
    outputCollection: output ? readOutputCollection(of, output) : null,
  };
}

/**
 * What `loopDataInputRef` names. A task's own data input is evaluated for the whole activity: what its
 * association puts into it is the collection.
 */
function readCollection(of: LoopContext, reference: XmlElement): CompiledExpression | null {
  const { context, element } = of;
  const association = ownAssociation(of, reference, 'input');
  if (association === undefined) {
    return null;
  }
  if (association === null) {
    return readVariableReference(of, reference)?.expression ?? null;
  }
  const [transformation] = bpmnChildren(association, 'transformation');
  const [assignment] = bpmnChildren(association, 'assignment');
  if (assignment !== undefined) {
    return readAssignmentParts(context, element, assignment)?.from ?? null;
  }
  if (transformation !== undefined) {
    return context.expressions.formal(transformation);
  }
  const [source] = bpmnChildren(association, 'sourceRef');
  return source === undefined ? null : (readVariableReference(of, source)?.expression ?? null);
}

/** Where the output items go: a variable, or what the task's own data output is written to. */
function readOutputCollection(of: LoopContext, reference: XmlElement): string | null {
  const association = ownAssociation(of, reference, 'output');
  if (association === undefined) {
    return null;
  }
  const target = association === null ? reference : bpmnChildren(association, 'targetRef')[0];
  return target === undefined ? null : (readVariableReference(of, target)?.name ?? null);
}

/**
 * The association that fills the activity's own data input, or takes its own data output away, when
 * `reference` names one: null when there is none, undefined when it cannot be read, which was reported.
 */
function ownAssociation(
  { context, element }: LoopContext,
  reference: XmlElement,
  direction: 'input' | 'output',
): XmlElement | null | undefined {
  const index = dataIndexOf(context);
  const id = reference.text.trim();
  if (index.find(id)?.owner !== element) {
    return null;
  }
  const inner = direction === 'input' ? 'targetRef' : 'sourceRef';
  const [association = null, second] = associationsOf(element, direction).filter(
    (found) => !index.isDrawn(found) && bpmnChildren(found, inner).some(({ text }) => text.trim() === id),
  );
  if (association === null) {
    return null;
  }
  if (second !== undefined || !isReadable(index, association, direction)) {
    const message = `${label(element)} loops over ${shown(id)}: one association with one variable is read at its outer end, for an input also one transformation or one assignment to ${shown(id)}; move the rest to a task of its own`;
    context.report.error('SUTRA.BPMN.LOOP_INVALID', second ?? association, message);
    return undefined;
  }
  return association;
}

/** Whether the association says only what the collection is, or where it goes. */
function isReadable(index: DataIndex, association: XmlElement, direction: 'input' | 'output'): boolean {
  const textsOf = (name: string): readonly string[] =>
    bpmnChildren(association, name).map(({ text }) => text.trim());
  const [sources, targets, transformations] = [
    textsOf('sourceRef'),
    textsOf('targetRef'),
    textsOf('transformation'),
  ];
  const assignments = bpmnChildren(association, 'assignment');
  if ([...sources, ...targets].some((id) => index.find(id)?.kind === 'dataStoreReference')) {
    return false;
  }
  if (targets.length > 1 || transformations.length + assignments.length > 1) {
    return false;
  }
  if (transformations.length + assignments.length === 0) {
    return sources.length === 1;
  }
  const to = assignments.flatMap((assignment) => bpmnChildren(assignment, 'to'))[0]?.text.trim();
  return direction === 'input' && (to === undefined || targets.includes(to));
}

/** The variable that a reference names by the id of data or by its own name. */
function readVariableReference(
  { context, element }: LoopContext,
  reference: XmlElement,
): { readonly name: string; readonly expression: CompiledExpression } | null {
  const text = reference.text.trim();
  const index = dataIndexOf(context);
  const item = index.find(text);
  if (item?.kind === 'dataStoreReference') {
    const message = `${label(element)} loops over a data store; read or write the store in a task of its own`;
    context.report.error('SUTRA.BPMN.LOOP_INVALID', reference, message);
    return null;
  }
  if (item !== null && index.isVisible(item, element)) {
    return requireVariable(context, element, item, reference);
  }
  const expression = isVariableName(text) ? context.expressions.variable(text, reference) : null;
  if (expression === null) {
    const message = `${reference.localName} names ${shown(text)}, which is neither data that ${label(element)} sees nor a variable`;
    context.report.error('SUTRA.BPMN.REFERENCE_DANGLING', reference, message);
    return null;
  }
  return { name: text, expression };
}

/** The variable of an `inputDataItem` or `outputDataItem`. */
function readItemName(context: ReadContext, item: XmlElement): string | null {
  const name = nameOf(item) ?? attributeOf(item, 'id') ?? '';
  if (isVariableName(name) && context.expressions.variable(name, item) !== null) {
    return name;
  }
  const message = `${item.localName} is a variable, but ${shown(name)} is no name of one; give it a name with letters, digits and _`;
  context.report.error('SUTRA.BPMN.DATA_NAME_INVALID', item, message);
  return null;
}
