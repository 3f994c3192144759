/**
 * Checks a BPMN file against the element table: every element known, well placed and executed; every
 * attribute known and of its type; every id valid and unique.
 *
 * C1 What passes holds nothing that would be ignored: it is executed, or documents.
 * C2 Inside descriptive elements only unknown elements are searched for; event definitions beside the
 *    processes are examined when an event refers to them; processes that are documentation are not.
 */
import type { XmlAttribute, XmlDocument, XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import { isXmlName, MAX_ID_LENGTH, readBoolean } from '../xml/schema-values.ts';
import { shown } from '../xml/shown.ts';
import { checkExtensions, checkForeign, checkForeignAttributes } from './check-q.ts';
import { bpmnElements, type ElementRow, isEventDefinition, isExecutedEvent } from './elements.ts';
import { BPMN_NAMESPACE, Q_NAMESPACE, resemblesBpmn } from './namespaces.ts';
import { refusedAttributes } from './refused-attributes.ts';
import type { Report } from './report.ts';

export class StructureCheck {
  readonly document: XmlDocument;
  readonly report: Report;
  readonly #checkedRoots = new Set<XmlElement>();

  constructor(document: XmlDocument, report: Report) {
    this.document = document;
    this.report = report;
  }

  /** Checks the whole file, but for processes that `isSkipped`. */
  check(isSkipped: (process: XmlElement) => boolean): void {
    this.#checkIds();
    const { root } = this.document;
    this.#checkOwn(root, bpmnElements.get('definitions'));
    for (const child of root.children) {
      const isRootEvent = child.namespace === BPMN_NAMESPACE && isEventDefinition(child.localName);
      if (!isRootEvent && !isSkipped(child)) {
        this.#checkChild(root, bpmnElements.get('definitions'), child);
      }
    }
  }

  /** Checks an event definition that stands beside the processes when `event` refers to it. */
  checkRootEventDefinition(event: XmlElement, reference: XmlElement, definition: XmlElement): void {
    const row = bpmnElements.get(definition.localName);
    if (row === undefined) {
      return;
    }
    this.#reportRefusal(event, definition, row, reference);
    if (row.status === 'executed' && !this.#checkedRoots.has(definition)) {
      this.#checkedRoots.add(definition);
      this.#checkInside(definition, row);
    }
  }

  /** Ids are unique in a file, whatever they belong to; drawings have ids of their own and are not read. */
  #checkIds(): void {
    const seen = new Set<string>();
    const visit = (element: XmlElement): void => {
      const attribute = element.namespace === BPMN_NAMESPACE ? findAttribute(element, 'id') : null;
      if (attribute !== null) {
        const id = attribute.value;
        if (!isXmlName(id)) {
          const message = `the id ${shown(id)} is not an XML name of at most ${MAX_ID_LENGTH} characters`;
          this.report.attributeError('SUTRA.BPMN.ID_INVALID', element, attribute, message);
        } else if (seen.has(id)) {
          const message = `the id ${shown(id)} is already used in this file; choose another`;
          this.report.attributeError('SUTRA.BPMN.ID_DUPLICATE', element, attribute, message);
        }
        seen.add(id);
      }
      if (element.localName !== 'extensionElements' || element.namespace !== BPMN_NAMESPACE) {
        element.children.forEach(visit);
      }
    };
    visit(this.document.root);
  }

  #checkInside(element: XmlElement, row: ElementRow): void {
    this.#checkOwn(element, row);
    element.children.forEach((child) => this.#checkChild(element, row, child));
  }

  #checkChild(parent: XmlElement, parentRow: ElementRow | undefined, child: XmlElement): void {
    if (child.namespace !== BPMN_NAMESPACE) {
      this.#checkOther(parent, child);
      return;
    }
    const row = bpmnElements.get(child.localName);
    if (row === undefined) {
      this.#reportUnknown(child);
      return;
    }
    if (child.localName === 'extensionElements') {
      checkExtensions(this, parent, child);
      return;
    }
    if (parentRow?.children?.has(child.localName) === false) {
      const message = `${child.localName} may not stand inside ${parent.localName}; move or remove it`;
      this.report.error('SUTRA.BPMN.ELEMENT_MISPLACED', child, message);
      return;
    }
    this.#reportRefusal(parent, child, row);
    if (row.children === null) {
      this.#searchUnknown(child);
    } else {
      this.#checkInside(child, row);
    }
  }

  #reportRefusal(parent: XmlElement, child: XmlElement, row: ElementRow, at: XmlElement = child): void {
    if (row.refusal !== null) {
      const message = `${child.localName} is recognised but not executed; ${row.refusal.remedy}`;
      this.report.error(row.refusal.code, at, message);
    } else if (isEventDefinition(child.localName) && !isExecutedEvent(parent.localName, child.localName)) {
      const message = `${child.localName} on ${parent.localName} is not executed; use another kind of event`;
      this.report.error('SUTRA.BPMN.EVENT_NOT_EXECUTED', at, message);
    }
  }

  /** An element of no namespace, of ours, or of another vendor. */
  #checkOther(parent: XmlElement, child: XmlElement): void {
    if (child.namespace === '') {
      const message = `the element ${shown(child.name)} inside ${parent.localName} has no namespace and would be ignored`;
      this.report.error('SUTRA.BPMN.NAMESPACE_INVALID', child, message);
    } else if (resemblesBpmn(child.namespace)) {
      const message = `the namespace ${shown(child.namespace)} is not that of BPMN 2.0, ${BPMN_NAMESPACE}`;
      this.report.error('SUTRA.BPMN.NAMESPACE_INVALID', child, message);
    } else {
      checkForeign(this, child);
    }
  }

  /** The element's own attributes and text. */
  #checkOwn(element: XmlElement, row: ElementRow | undefined): void {
    checkForeignAttributes(this, element);
    const known = row?.attributes ?? null;
    for (const attribute of element.attributes) {
      if (attribute.namespace === '' && known !== null) {
        this.#checkAttribute(element, attribute, known);
      }
    }
    if (row?.hasText === false && element.text.trim() !== '') {
      const message = `${element.localName} has the text ${shown(element.text.trim())}, which nothing reads; remove it`;
      this.report.error('SUTRA.BPMN.TEXT_UNEXPECTED', element, message);
    }
  }

  #checkAttribute(element: XmlElement, attribute: XmlAttribute, known: ReadonlySet<string>): void {
    const { localName, value } = attribute;
    if (!known.has(localName)) {
      const message = `${element.localName} has no attribute ${localName}${this.report.suggest(localName, known)}`;
      this.report.attributeError('SUTRA.BPMN.ATTRIBUTE_UNKNOWN', element, attribute, message);
      return;
    }
    const refusal = Object.hasOwn(refusedAttributes, localName) ? refusedAttributes[localName] : undefined;
    if (refusal === undefined) {
      return;
    }
    const isInvalid =
      (refusal.kind === 'boolean' && readBoolean(value) === null) ||
      (refusal.kind === 'integer' && !/^\d{1,9}$/.test(value));
    if (isInvalid) {
      const message = `${localName} is ${shown(value)}, which is no ${refusal.kind}`;
      this.report.attributeError('SUTRA.BPMN.VALUE_INVALID', element, attribute, message);
    } else if (normalised(refusal.kind, value) !== refusal.executed) {
      const message = `${localName}=${shown(value)} is recognised but not executed; ${refusal.remedy}`;
      this.report.attributeError(refusal.code, element, attribute, message);
    }
  }

  #reportUnknown(element: XmlElement): void {
    const hint = this.report.suggest(element.localName, bpmnElements.keys());
    this.report.error(
      'SUTRA.BPMN.ELEMENT_UNKNOWN',
      element,
      `BPMN has no element ${element.localName}${hint}`,
    );
  }

  /** In what only documents: nothing is executed, but a misspelt element may have been meant to be. */
  #searchUnknown(element: XmlElement): void {
    for (const child of element.children) {
      if (child.namespace === Q_NAMESPACE) {
        checkForeign(this, child);
      } else if (child.namespace === BPMN_NAMESPACE && !bpmnElements.has(child.localName)) {
        this.#reportUnknown(child);
      } else if (child.namespace === BPMN_NAMESPACE && child.localName === 'extensionElements') {
        checkExtensions(this, element, child);
      } else {
        this.#searchUnknown(child);
      }
    }
  }
}

/** `1` and `true` are the same boolean, `01` and `1` the same number. */
function normalised(kind: 'boolean' | 'integer' | 'text', value: string): string {
  if (kind === 'boolean') {
    return String(readBoolean(value));
  }
  return kind === 'integer' ? String(Number(value)) : value;
}

/** Whether a process says that it is documentation. The schema's default is false, but most modelers
 * that mean it write it, and most files without it are meant to run. */
export function isDocumentation(process: XmlElement): boolean {
  return (
    process.namespace === BPMN_NAMESPACE &&
    process.localName === 'process' &&
    readBoolean(attributeOf(process, 'isExecutable') ?? 'true') === false
  );
}
