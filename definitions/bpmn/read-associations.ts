/**
 * Data associations: what each one moves, as mappings of the model.
 *
 * What the mappings mean to the core: an input mapping reads as the activity's surroundings do, with what
 * earlier mappings have set, and writes into the activity; an output mapping reads inside the activity and
 * writes to its surroundings. So a data input can have the name of the data object that fills it.
 *
 * Source: BPMN 2.0.2 §10.4.2 (data associations and their execution).
 */
import type { CompiledExpression } from '../feel.ts';
import type { DataMapping, StoreReference } from '../model.ts';
import { attributeOf, type XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { type DataIndex, dataIndexOf, type DataItem } from './data-index.ts';
import { isVariableName, MAX_NAME_LENGTH } from './q-values.ts';
import { bpmnChildren, label, placeOf, qChild, type ReadContext } from './read-context.ts';
import { readStore } from './read-store.ts';

export type Direction = 'input' | 'output';

/** The data associations of an activity that move something or were drawn, in the order of the file. */
export function associationsOf(element: XmlElement, direction: Direction): readonly XmlElement[] {
  return bpmnChildren(element, direction === 'input' ? 'dataInputAssociation' : 'dataOutputAssociation');
}

export interface AssociationContext {
  readonly context: ReadContext;
  readonly index: DataIndex;
  readonly element: XmlElement;
  readonly direction: Direction;
  readonly locals: Set<string>;
}

/** The mappings of one association; none when it is a drawing, or has a fault, which was reported. */
export function readAssociation(of: AssociationContext, association: XmlElement): readonly DataMapping[] {
  const { context, index, element } = of;
  const ends = (name: string): readonly (End | null)[] =>
    bpmnChildren(association, name).map((reference) => readEnd(of, reference));
  if (index.isDrawn(association)) {
    reportDrawn(of, association);
    return [];
  }
  const sources = ends('sourceRef');
  const targets = ends('targetRef');
  const transformations = bpmnChildren(association, 'transformation');
  const assignments = bpmnChildren(association, 'assignment');
  const fault = formFault(sources.length, targets.length, transformations.length, assignments.length);
  if (fault !== null) {
    const message = `a ${association.localName} of ${label(element)} ${fault}`;
    context.report.error('SUTRA.BPMN.DATA_ASSOCIATION_INVALID', association, message);
    return [];
  }
  const [source = null] = sources;
  const [target = null] = targets;
  const [transformation] = transformations;
  const place = placeOf(context, association);
  if (assignments.length > 0) {
    return [
      ...readIntoLocals(of, sources, association),
      ...assignments.flatMap((assignment) => readAssignment(of, assignment, target) ?? []),
    ];
  }
  if (target === null) {
    return [];
  }
  if (transformation !== undefined) {
    const expression = context.expressions.formal(transformation);
    return expression === null
      ? []
      : [
          ...readIntoLocals(of, sources, association),
          { from: { kind: 'expression', expression }, to: target.to, place },
        ];
  }
  return source === null ? [] : [{ from: source.from, to: target.to, place }];
}

/** What is wrong with the parts of an association, as the rest of a sentence, or null. BPMN 2.0.2 §10.4.2. */
function formFault(
  sourceCount: number,
  targetCount: number,
  transformationCount: number,
  assignmentCount: number,
): string | null {
  if (targetCount > 1) {
    return 'has several targets; use an association for each';
  }
  if (transformationCount > 1 || (transformationCount > 0 && assignmentCount > 0)) {
    return 'has more than one transformation, or one and assignments; keep one of them';
  }
  if (transformationCount > 0 && targetCount === 0) {
    return 'has a transformation and no target; add targetRef';
  }
  return sourceCount > 1 && transformationCount + assignmentCount === 0
    ? 'has several sources; say with a transformation what becomes of them'
    : null;
}

/** A drawn association of a store that names a record was meant to move something. */
function reportDrawn({ context, index, element }: AssociationContext, association: XmlElement): void {
  const references = [...bpmnChildren(association, 'sourceRef'), ...bpmnChildren(association, 'targetRef')];
  const isOfRecord = references.some(({ text }) => {
    const item = index.find(text.trim());
    return item?.kind === 'dataStoreReference' && qChild(item.element, 'store') !== null;
  });
  if (isOfRecord) {
    const message = `a ${association.localName} of ${label(element)} does not say what is read or written; add sourceRef and targetRef, or an assignment`;
    context.report.error('SUTRA.BPMN.DATA_ASSOCIATION_INVALID', association, message);
  } else {
    const message = `a ${association.localName} of ${label(element)} is a drawing: it moves nothing without a source and a target, or an assignment`;
    context.report.warning('SUTRA.BPMN.DATA_ASSOCIATION_DRAWN', association, message);
  }
}

/** One end of an association. */
interface End {
  readonly id: string;
  /** The variable; of a store the name under which expressions see what was read. */
  readonly name: string;
  readonly store: StoreReference | null;
  readonly from: DataMapping['from'];
  readonly to: DataMapping['to'];
}

/** What a `sourceRef` or `targetRef` names; null when that was reported. */
function readEnd(
  { context, index, element, direction }: AssociationContext,
  reference: XmlElement,
): End | null {
  const { report } = context;
  const id = reference.text.trim();
  const item = index.find(id);
  if (item === null || !index.isVisible(item, element)) {
    const message = `${reference.localName} names ${shown(id)}, but ${label(element)} sees no data of that id`;
    report.error('SUTRA.BPMN.REFERENCE_DANGLING', reference, message);
    return null;
  }
  if (item.kind === 'dataStoreReference') {
    const isSource = reference.localName === 'sourceRef';
    if (isSource !== (direction === 'input')) {
      const message = isSource
        ? `a dataOutputAssociation writes what ${label(element)} has worked out; read ${label(item.element)} with a dataInputAssociation`
        : `a dataInputAssociation reads before ${label(element)} begins; write ${label(item.element)} with a dataOutputAssociation`;
      report.error('SUTRA.BPMN.DATA_ASSOCIATION_INVALID', reference, message);
      return null;
    }
    const store = readStore(context, item.element);
    return store === null
      ? null
      : {
          id,
          name: index.nameOf(item),
          store,
          from: { kind: 'store', store },
          to: { kind: 'store', store },
        };
  }
  const variable = requireVariable(context, element, item, reference);
  return variable === null
    ? null
    : {
        id,
        name: variable.name,
        store: null,
        from: { kind: 'expression', expression: variable.expression },
        to: { kind: 'variable', path: [variable.name] },
      };
}

/** Expressions see a record under the name of its reference: it is read into a local variable first. */
function readIntoLocals(
  { context, locals }: AssociationContext,
  sources: readonly (End | null)[],
  association: XmlElement,
): readonly DataMapping[] {
  return sources.flatMap((source) => {
    if (source === null || source.store === null) {
      return [];
    }
    if (!isVariableName(source.name)) {
      const message = `the data store reference ${shown(source.id)} is named in expressions, but ${shown(source.name)} is no name of a variable; rename it, with letters, digits and _`;
      context.report.error('SUTRA.BPMN.DATA_NAME_INVALID', association, message);
      return [];
    }
    locals.add(source.name);
    return [
      {
        from: source.from,
        to: { kind: 'variable', path: [source.name] },
        place: placeOf(context, association),
      },
    ];
  });
}

function readAssignment(
  of: AssociationContext,
  assignment: XmlElement,
  target: End | null,
): DataMapping | null {
  const { context, element } = of;
  const parts = readAssignmentParts(context, element, assignment);
  if (parts === null) {
    return null;
  }
  const to = readTo(of, parts.to, target);
  return to === null
    ? null
    : {
        from: { kind: 'expression', expression: parts.from },
        to,
        place: placeOf(context, assignment),
      };
}

/** `from` as an expression and the element `to`; null when a fault was reported. */
export function readAssignmentParts(
  context: ReadContext,
  element: XmlElement,
  assignment: XmlElement,
): { readonly from: CompiledExpression; readonly to: XmlElement } | null {
  const froms = bpmnChildren(assignment, 'from');
  const tos = bpmnChildren(assignment, 'to');
  const [from] = froms;
  const [to] = tos;
  if (from === undefined || to === undefined || froms.length + tos.length > 2) {
    const message = `an assignment of ${label(element)} needs exactly one from and one to`;
    context.report.error('SUTRA.BPMN.ASSIGNMENT_INVALID', assignment, message);
    return null;
  }
  const expression = context.expressions.formal(from);
  return expression === null ? null : { from: expression, to };
}

/** `to`: the id of the association's target or of other data, a variable, or a dotted path into one. */
function readTo(of: AssociationContext, to: XmlElement, target: End | null): DataMapping['to'] | null {
  const { context, index, element } = of;
  const text = to.text.trim();
  if (target !== null && (text === target.id || text === target.name)) {
    return target.to;
  }
  const item = index.find(text);
  if (item !== null && index.isVisible(item, element)) {
    return readEnd(of, to)?.to ?? null;
  }
  const path = text.split('.');
  if (target !== null && target.store !== null) {
    const message = `to is ${shown(text)}, but the association's target is the store; write ${shown(target.name)}`;
    context.report.error('SUTRA.BPMN.ASSIGNMENT_INVALID', to, message);
    return null;
  }
  if (text.length > MAX_NAME_LENGTH || !path.every(isVariableName)) {
    const message = `to is ${shown(text)}; write a variable name or a dotted path, as order.total`;
    context.report.error('SUTRA.BPMN.ASSIGNMENT_INVALID', to, message);
    return null;
  }
  return { kind: 'variable', path };
}

/** The variable that the item is, or null when its name is none that FEEL can read. */
export function variableNameOf(index: DataIndex, item: DataItem): string | null {
  const name = index.nameOf(item);
  return isVariableName(name) ? name : null;
}

/**
 * The variable that the item is, as the node `element` sees it; null when its name is none, or its data object
 * cannot be seen, which is reported at `at`.
 */
export function requireVariable(
  context: ReadContext,
  element: XmlElement,
  item: DataItem,
  at: XmlElement,
): { readonly name: string; readonly expression: CompiledExpression } | null {
  const index = dataIndexOf(context);
  const object = index.objectOf(item);
  const objectRef = attributeOf(item.element, 'dataObjectRef');
  if (
    (item.kind === 'dataObjectReference' && objectRef !== null && object === item) ||
    !index.isVisible(object, element)
  ) {
    const message = `${label(item.element)} stands for the data object ${shown(objectRef ?? '')}, but ${label(element)} sees none of that id`;
    context.report.error('SUTRA.BPMN.REFERENCE_DANGLING', at, message);
    return null;
  }
  const name = variableNameOf(index, item);
  const expression = name === null ? null : context.expressions.variable(name, at);
  if (name === null || expression === null) {
    const message = `${label(item.element)} is used as a variable, but ${shown(index.nameOf(item))} is no name of one; rename it, with letters, digits and _`;
    context.report.error('SUTRA.BPMN.DATA_NAME_INVALID', at, message);
    return null;
  }
  return { name, expression };
}
