/**
 * jBPM: what an input is set to is a text, whatever the language of the file, and `#{…}` in it an expression.
 *
 * Source: jBPM's TaskHandler, readDataInputAssociation: without a sourceRef the text of `from` is the parameter.
 */
import { BPMN_NAMESPACE } from '../bpmn/namespaces.ts';
import { attributeOf, type XmlElement } from '../xml/document.ts';
import type { DialectContext } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';
import { feelOfValue } from './juel-written.ts';
import { isJuelExpression } from './translate-expression.ts';
import { part, trimmed, type Written, writtenText } from '../written.ts';

/** What its modelers declare. */
export const JBPM_NAMESPACE = 'http://www.jboss.org/drools';

/** The assignments of a `dataInputAssociation` that has no source. */
export function readConstants(context: DialectContext, draft: ElementDraft): void {
  if (!context.isJbpm || draft.bpmn('sourceRef').length > 0) return;
  const assignments = draft.bpmn('assignment');
  draft.dropChildren((child) => assignments.includes(child));
  draft.addChildren(
    ...assignments.map((assignment) => ({
      ...assignment,
      children: assignment.children.map((child) => (isText(child) ? constantOf(context, child) : child)),
    })),
  );
}

/** What begins with `#{` is an expression as in any other file, and is FEEL by now. */
function isText(element: XmlElement): boolean {
  return (
    element.namespace === BPMN_NAMESPACE &&
    element.localName === 'from' &&
    attributeOf(element, 'language') === null &&
    !isJuelExpression(element.text)
  );
}

function constantOf(context: DialectContext, from: XmlElement): XmlElement {
  const value = feelOfValue(context, unquoted(trimmed(writtenText(context.document, from))));
  return value === null ? from : context.make.feel(from, value);
}

function unquoted(text: Written): Written {
  return /^".*"$/s.test(text.text) ? part(text, 1, text.text.length - 1) : text;
}
