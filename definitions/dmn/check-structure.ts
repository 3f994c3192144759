/**
 * Checks a DMN file against the element table: every element known and well placed, every attribute known, every id
 * unique.
 *
 * C1 What passes holds nothing that would be ignored: it decides, or it documents.
 * C2 Elements and attributes of other vendors' namespaces are data, wherever they stand, with all that is inside.
 */
import type { XmlElement } from '../xml/document.ts';
import { findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { dmnElements, type ElementRow } from './elements.ts';
import { isDmnNamespace, resemblesDmn } from './namespaces.ts';
import type { Report } from './report.ts';

/** @param root the definitions of a file, whose namespace is that of the whole file */
export function checkStructure(root: XmlElement, report: Report): void {
  const row = dmnElements.get(root.localName);
  if (row !== undefined) new StructureCheck(root.namespace, report).checkInside(root, row);
}

class StructureCheck {
  readonly #namespace: string;
  readonly #report: Report;
  readonly #ids = new Set<string>();

  constructor(namespace: string, report: Report) {
    this.#namespace = namespace;
    this.#report = report;
  }

  checkInside(element: XmlElement, row: ElementRow): void {
    this.#checkId(element);
    this.#checkAttributes(element, row);
    if (!row.hasText && element.text.trim() !== '') {
      const message = `${element.localName} has the text ${shown(element.text.trim())}, which nothing reads; remove it`;
      this.#report.error('SUTRA.DMN.TEXT_UNEXPECTED', element, message);
    }
    if (row.children !== null) {
      for (const child of element.children) this.#checkChild(element, row.children, child);
    }
  }

  #checkChild(parent: XmlElement, known: ReadonlySet<string>, child: XmlElement): void {
    const { localName, namespace } = child;
    if (namespace !== this.#namespace) {
      this.#checkForeign(parent, child);
      return;
    }
    const row = dmnElements.get(localName);
    if (row === undefined) {
      const hint = this.#report.suggest(localName, dmnElements.keys());
      this.#report.error('SUTRA.DMN.ELEMENT_UNKNOWN', child, `DMN has no element ${shown(localName)}${hint}`);
    } else if (!known.has(localName)) {
      const message = `${localName} may not stand inside ${parent.localName}; move or remove it`;
      this.#report.error('SUTRA.DMN.ELEMENT_MISPLACED', child, message);
    } else {
      this.checkInside(child, row);
    }
  }

  #checkForeign(parent: XmlElement, child: XmlElement): void {
    const { name, namespace } = child;
    const site = `the element ${shown(name)} inside ${parent.localName}`;
    if (namespace === '') {
      const message = `${site} has no namespace and would be ignored; use that of definitions, ${shown(this.#namespace)}`;
      this.#report.error('SUTRA.DMN.NAMESPACE_INVALID', child, message);
    } else if (isDmnNamespace(namespace) || resemblesDmn(namespace)) {
      const message = `${site} is of the namespace ${shown(namespace)}; use that of definitions, ${shown(this.#namespace)}`;
      this.#report.error('SUTRA.DMN.NAMESPACE_INVALID', child, message);
    }
  }

  #checkId(element: XmlElement): void {
    const attribute = findAttribute(element, 'id');
    if (attribute === null) return;
    if (this.#ids.has(attribute.value)) {
      const message = `the id ${shown(attribute.value)} is already used in this file; choose another`;
      this.#report.attributeError('SUTRA.DMN.ID_DUPLICATE', element, attribute, message);
    }
    this.#ids.add(attribute.value);
  }

  #checkAttributes(element: XmlElement, { attributes }: ElementRow): void {
    if (attributes === null) return;
    for (const attribute of element.attributes) {
      if (attribute.namespace !== '' || attributes.has(attribute.localName)) continue;
      const hint = this.#report.suggest(attribute.localName, attributes);
      const message = `${element.localName} has no attribute ${shown(attribute.localName)}${hint}`;
      this.#report.attributeError('SUTRA.DMN.ATTRIBUTE_UNKNOWN', element, attribute, message);
    }
  }
}
