/** What event definitions refer to: the names of signals and links, the codes of errors and escalations. */
import type { XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import type { GraphDraft } from './graph.ts';
import { bpmnChildren, label, type ReadContext, resolveRoot, siteOf, withoutPrefix } from './read-context.ts';

/** Engines that evaluate expressions here would throw something else than what is written. */
const EXPRESSION = /^\s*=|[$#]\{/;

/** The name of the signal of a `signalEventDefinition`; null when it was reported. BPMN 2.0.2 §10.5.5, signal. */
export function signalNameOf(context: ReadContext, event: XmlElement, definition: XmlElement): string | null {
  const signal = resolveRoot(context, definition, 'signalRef', 'signal');
  if (signal === undefined) {
    return null;
  }
  const name = signal === null ? null : attributeOf(signal, 'name');
  if (signal === null || name === null || name.trim() === '') {
    const message = `${label(event)} names no signal; set signalRef to a bpmn:signal with a name`;
    context.report.error('SUTRA.BPMN.SIGNAL_MISSING', event, message);
    return null;
  }
  return checkLiteral(context, definition, 'signalRef', name);
}

/**
 * The code that an error or escalation definition refers to: null for none, undefined when it was reported.
 * An empty code is none. BPMN 2.0.2 §10.5.5, error and escalation.
 */
export function codeOf(
  context: ReadContext,
  definition: XmlElement,
  kind: 'error' | 'escalation',
): string | null | undefined {
  const root = resolveRoot(context, definition, `${kind}Ref`, kind);
  if (root === undefined || root === null) {
    return root;
  }
  const code = attributeOf(root, `${kind}Code`);
  return code === null || code.trim() === ''
    ? null
    : (checkLiteral(context, definition, `${kind}Ref`, code) ?? undefined);
}

function checkLiteral(
  context: ReadContext,
  definition: XmlElement,
  attributeName: string,
  value: string,
): string | null {
  const attribute = findAttribute(definition, attributeName);
  if (attribute === null || !EXPRESSION.test(value)) {
    return value;
  }
  const message = `${attributeName} leads to ${shown(value)}; no expression is evaluated there, write the name itself`;
  context.report.attributeError('SUTRA.BPMN.NAME_NOT_LITERAL', definition, attribute, message);
  return null;
}

/**
 * The name by which links find each other; null when it was reported. `source` and `target` say the same once
 * more, or they are wrong. BPMN 2.0.2 §10.5.5, link.
 */
export function requireLinkName(
  context: ReadContext,
  event: XmlElement,
  graph: GraphDraft,
  definition: XmlElement,
): string | null {
  const name = attributeOf(definition, 'name');
  if (name === null || name.trim() === '') {
    const message = `the linkEventDefinition of ${label(event)} has no name, by which links find each other`;
    context.report.error('SUTRA.BPMN.ATTRIBUTE_MISSING', siteOf(context, event, definition), message);
    return null;
  }
  for (const end of [...bpmnChildren(definition, 'source'), ...bpmnChildren(definition, 'target')]) {
    if (graph.linkNames.get(withoutPrefix(end.text)) !== name) {
      const message = `${end.localName} names ${shown(end.text.trim())}, which is no link of the name ${shown(name)}`;
      context.report.error('SUTRA.BPMN.REFERENCE_DANGLING', end, message);
    }
  }
  return name;
}
