/** What every reader of a file shares, and the small questions they ask of elements. */
import type { Place } from '../../config/engine-error.ts';
import type { DecisionDirectory } from '../decision-directory.ts';
import type { XmlDocument, XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { collapsed, readBoolean } from '../xml/schema-values.ts';
import type { StructureCheck } from './check-structure.ts';
import { isEventDefinition } from './elements.ts';
import type { Expressions } from './expressions.ts';
import { BPMN_NAMESPACE, Q_NAMESPACE } from './namespaces.ts';
import type { Report } from './report.ts';

export interface ReadContext {
  readonly document: XmlDocument;
  readonly report: Report;
  readonly expressions: Expressions;
  readonly structure: StructureCheck;
  /** The elements beside the processes that events refer to, by id. */
  readonly roots: ReadonlyMap<string, XmlElement>;
  /** Those of the package, for business rule tasks. */
  readonly decisions: DecisionDirectory;
}

export function bpmnChildren(element: XmlElement, localName: string): readonly XmlElement[] {
  return element.children.filter(
    (child) => child.namespace === BPMN_NAMESPACE && child.localName === localName,
  );
}

/** The q elements of a name, directly in `extensionElements`. */
export function qChildren(element: XmlElement, localName: string): readonly XmlElement[] {
  return bpmnChildren(element, 'extensionElements').flatMap((extensions) =>
    extensions.children.filter((child) => child.namespace === Q_NAMESPACE && child.localName === localName),
  );
}

/** The first q element of a name; a second one was reported with the element's form. */
export function qChild(element: XmlElement, localName: string): XmlElement | null {
  return qChildren(element, localName)[0] ?? null;
}

export function nameOf(element: XmlElement): string | null {
  return attributeOf(element, 'name');
}

/** The id for messages, or the element's kind when it has none. */
export function label(element: XmlElement): string {
  const id = attributeOf(element, 'id');
  return id === null ? element.localName : `${element.localName} ${shown(id)}`;
}

/** A boolean attribute of BPMN; `defaultValue` when absent, or when it was reported here. */
export function booleanOf(
  context: ReadContext,
  element: XmlElement,
  localName: string,
  defaultValue: boolean,
): boolean {
  const attribute = findAttribute(element, localName);
  const value = attribute === null ? defaultValue : readBoolean(attribute.value);
  if (attribute !== null && value === null) {
    const message = `${localName} is ${shown(attribute.value)}, which is no boolean`;
    context.report.attributeError('SUTRA.BPMN.VALUE_INVALID', element, attribute, message);
  }
  return value ?? defaultValue;
}

/** An attribute with one of a few values; the first one when it is absent, or was reported here. */
export function choiceOf<T extends string>(
  context: ReadContext,
  element: XmlElement,
  localName: string,
  values: readonly [T, ...T[]],
): T {
  const attribute = findAttribute(element, localName);
  const value = values.find((known) => known === attribute?.value);
  if (attribute !== null && value === undefined) {
    const message = `${localName} is ${shown(attribute.value)}; write one of: ${values.join(', ')}`;
    context.report.attributeError('SUTRA.BPMN.VALUE_INVALID', element, attribute, message);
  }
  return value ?? values[0];
}

/** The one child of a name; null when there is none. A second one is reported. */
export function onlyChild(context: ReadContext, element: XmlElement, localName: string): XmlElement | null {
  const [first = null, second] = bpmnChildren(element, localName);
  if (second !== undefined) {
    const message = `${label(element)} has several ${localName} elements; keep one`;
    context.report.error('SUTRA.BPMN.ELEMENT_REPEATED', second, message);
  }
  return first;
}

/** A reference to an id may carry the prefix of the target namespace: it is a QName. */
export function withoutPrefix(reference: string): string {
  return collapsed(reference).replace(/^[^:]*:/, '');
}

/**
 * The element beside the processes that an attribute refers to: null when the attribute is absent,
 * undefined when the reference was reported as dangling.
 */
export function resolveRoot(
  context: ReadContext,
  element: XmlElement,
  attributeName: string,
  kind: string,
): XmlElement | null | undefined {
  const attribute = findAttribute(element, attributeName);
  if (attribute === null || attribute.value.trim() === '') {
    return null;
  }
  const found = context.roots.get(withoutPrefix(attribute.value));
  if (found?.localName === kind) {
    return found;
  }
  const message = `${attributeName} names ${shown(attribute.value)}, but the file has no bpmn:${kind} of that id`;
  context.report.attributeError('SUTRA.BPMN.REFERENCE_DANGLING', element, attribute, message);
  return undefined;
}

/** The event definitions of an event, those it refers to by `eventDefinitionRef` included. */
export function eventDefinitionsOf(context: ReadContext, event: XmlElement): readonly XmlElement[] {
  const inline = event.children.filter(
    (child) => child.namespace === BPMN_NAMESPACE && isEventDefinition(child.localName),
  );
  const referred = bpmnChildren(event, 'eventDefinitionRef').flatMap((reference) => {
    const definition = context.roots.get(withoutPrefix(reference.text));
    if (definition === undefined || !isEventDefinition(definition.localName)) {
      const message = `eventDefinitionRef names ${shown(reference.text.trim())}, but the file has no such event definition`;
      context.report.error('SUTRA.BPMN.REFERENCE_DANGLING', reference, message);
      return [];
    }
    context.structure.checkRootEventDefinition(event, reference, definition);
    return [definition];
  });
  return [...inline, ...referred];
}

/** What `eventDefinitionsOf` yields, without reporting anything: for questions that are asked more than once. */
export function findEventDefinitions(context: ReadContext, event: XmlElement): readonly XmlElement[] {
  const referred = bpmnChildren(event, 'eventDefinitionRef').flatMap(
    ({ text }) => context.roots.get(withoutPrefix(text)) ?? [],
  );
  return [...event.children, ...referred].filter(
    ({ namespace, localName }) => namespace === BPMN_NAMESPACE && isEventDefinition(localName),
  );
}

/**
 * What an event waits for or throws, as `timer` or `compensate`, without reporting anything. A q:source or a
 * q:send alone makes it a message event.
 */
export function eventKindsOf(context: ReadContext, event: XmlElement): readonly string[] {
  const kinds = findEventDefinitions(context, event).map(eventKind);
  const isMessage = qChild(event, 'source') !== null || qChild(event, 'send') !== null;
  return kinds.length === 0 && isMessage ? ['message'] : kinds;
}

/** Where a fault of an event definition is reported: at the event when the definition stands beside the processes. */
export function siteOf(context: ReadContext, event: XmlElement, definition: XmlElement): XmlElement {
  return context.roots.get(attributeOf(definition, 'id') ?? '') === definition ? event : definition;
}

/** The name of an event definition without the words that all have. */
export function eventKind(definition: XmlElement): string {
  return definition.localName.replace(/EventDefinition$/, '');
}

export function placeOf(context: ReadContext, element: XmlElement): Place {
  return context.report.placeOf(element);
}
