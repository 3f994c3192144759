/**
 * Checks the form of q: elements: known, well placed, complete, and with values of the right type.
 *
 * What an element means at its node (a source on a timer, an alias without a source) is the readers'
 * business. Reporting here lets the readers skip silently over what they cannot read.
 */
import type { XmlAttribute, XmlDocument, XmlElement } from '../xml/document.ts';
import { findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { Q_NAMESPACE, resemblesQ } from './namespaces.ts';
import { type QAttributeRow, type QElementRow, qElementRow, qElements } from './q-elements.ts';
import { valueFault } from './q-values.ts';
import type { Report } from './report.ts';

export interface QContext {
  readonly document: XmlDocument;
  readonly report: Report;
}

/** Checks all that stands in the `extensionElements` of the BPMN element `owner`. */
export function checkExtensions(context: QContext, owner: XmlElement, extensions: XmlElement): void {
  checkSiblings(context, owner.localName, extensions.children, (element, row) => {
    if (row.owners === null || row.owners.includes(owner.localName)) {
      return null;
    }
    const places = row.parents.length > 0 ? row.parents.map((parent) => `q:${parent}`) : [];
    const allowed = [...row.owners, ...places].join(', ');
    return `q:${element.localName} has no meaning on ${owner.localName}; it may stand on: ${allowed}`;
  });
}

/** Reports q elements inside elements of other vendors, and namespaces that resemble ours. */
export function checkForeign(context: QContext, element: XmlElement): void {
  if (element.namespace === Q_NAMESPACE) {
    const message = `q:${element.localName} stands outside extensionElements; move it there`;
    context.report.error('SUTRA.Q.ELEMENT_MISPLACED', element, message);
    return;
  }
  if (resemblesQ(element.namespace)) {
    const message = `the namespace ${shown(element.namespace)} is not known; declare "${Q_NAMESPACE}"`;
    context.report.error('SUTRA.Q.NAMESPACE_UNKNOWN', element, message);
    return;
  }
  element.children.forEach((child) => checkForeign(context, child));
}

/** Reports attributes of the q namespace: none exist on elements that are not ours. */
export function checkForeignAttributes(context: QContext, element: XmlElement): void {
  for (const attribute of element.attributes) {
    if (attribute.namespace === Q_NAMESPACE) {
      const message = `there is no attribute ${attribute.name}: q: settings are elements in extensionElements`;
      context.report.attributeError('SUTRA.Q.ATTRIBUTE_UNKNOWN', element, attribute, message);
    } else if (resemblesQ(attribute.namespace)) {
      const message = `the namespace ${shown(attribute.namespace)} is not known; declare "${Q_NAMESPACE}"`;
      context.report.attributeError('SUTRA.Q.NAMESPACE_UNKNOWN', element, attribute, message);
    }
  }
}

type Placement = (element: XmlElement, row: QElementRow) => string | null;

/** `owner` is the local name of the BPMN element around them, in however many q elements they stand. */
function checkSiblings(
  context: QContext,
  owner: string,
  siblings: readonly XmlElement[],
  placement: Placement,
): void {
  const seen = new Set<string>();
  for (const element of siblings) {
    if (element.namespace !== Q_NAMESPACE) {
      checkForeign(context, element);
      continue;
    }
    const row = qElementRow(element.localName);
    if (row === null) {
      const message = `there is no q:${element.localName}${context.report.suggest(element.localName, Object.keys(qElements))}`;
      context.report.error('SUTRA.Q.ELEMENT_UNKNOWN', element, message);
      continue;
    }
    const isRepeatable = row.repeatableOn === 'all' || row.repeatableOn.includes(owner);
    if (seen.has(element.localName) && !isRepeatable) {
      const message = `q:${element.localName} may stand here only once; remove one`;
      context.report.error('SUTRA.Q.ELEMENT_REPEATED', element, message);
    }
    seen.add(element.localName);
    checkElement(context, owner, element, row, placement(element, row));
  }
}

function checkElement(
  context: QContext,
  owner: string,
  element: XmlElement,
  row: QElementRow,
  misplacement: string | null,
): void {
  const { report } = context;
  if (misplacement !== null) {
    report.error('SUTRA.Q.ELEMENT_MISPLACED', element, misplacement);
  }
  if (!row.isExecuted) {
    const message = `q:${element.localName} is recognised but not executed; take it out`;
    report.error('SUTRA.Q.ELEMENT_NOT_EXECUTED', element, message);
  }
  if (row.attributes === null) {
    return;
  }
  checkAttributes(context, owner, element, row, row.attributes);
  if (element.text.trim() !== '') {
    const message = `q:${element.localName} has text, which nothing reads; use its attributes`;
    report.error('SUTRA.BPMN.TEXT_UNEXPECTED', element, message);
  }
  checkSiblings(context, owner, element.children, (child, childRow) =>
    childRow.parents.includes(element.localName)
      ? null
      : `q:${child.localName} has no meaning inside q:${element.localName}`,
  );
}

function checkAttributes(
  context: QContext,
  owner: string,
  element: XmlElement,
  row: QElementRow,
  known: Readonly<Record<string, QAttributeRow>>,
): void {
  const { report } = context;
  for (const attribute of element.attributes) {
    if (attribute.namespace === '' && Object.hasOwn(known, attribute.localName)) {
      checkValue(context, owner, element, attribute, known[attribute.localName]);
    } else if (attribute.namespace === '' || attribute.namespace === Q_NAMESPACE) {
      const hint =
        attribute.namespace === ''
          ? context.report.suggest(attribute.localName, Object.keys(known))
          : '; write it without a prefix';
      const message = `q:${element.localName} has no attribute ${attribute.name}${hint}`;
      report.attributeError('SUTRA.Q.ATTRIBUTE_UNKNOWN', element, attribute, message);
    }
  }
  for (const [name, { isRequired }] of Object.entries(known)) {
    if (isRequired && findAttribute(element, name) === null) {
      report.error(
        'SUTRA.Q.ATTRIBUTE_MISSING',
        element,
        `q:${element.localName} needs the attribute ${name}`,
      );
    }
  }
  for (const [first, second] of row.exclusive) {
    const attribute = findAttribute(element, second);
    if (attribute !== null && findAttribute(element, first) !== null) {
      const message = `q:${element.localName} has both ${first} and ${second}; keep one`;
      report.attributeError('SUTRA.Q.ATTRIBUTES_EXCLUSIVE', element, attribute, message);
    }
  }
}

function checkValue(
  context: QContext,
  owner: string,
  element: XmlElement,
  attribute: XmlAttribute,
  row: QAttributeRow | undefined,
): void {
  const name = `${attribute.localName} of q:${element.localName}`;
  if (row?.isExecuted === false) {
    const message = `${name} is recognised but not executed; take it out`;
    context.report.attributeError('SUTRA.Q.ATTRIBUTE_NOT_EXECUTED', element, attribute, message);
    return;
  }
  if (row !== undefined && row.owners !== null && !row.owners.includes(owner)) {
    const message = `${name} has no meaning on ${owner}; it may be used on: ${row.owners.join(', ')}`;
    context.report.attributeError('SUTRA.Q.ATTRIBUTE_UNKNOWN', element, attribute, message);
    return;
  }
  const fault = row === undefined ? null : valueFault(row.kind, attribute.value);
  if (fault !== null) {
    context.report.attributeError('SUTRA.Q.VALUE_INVALID', element, attribute, `${name}: ${fault}`);
  }
}
