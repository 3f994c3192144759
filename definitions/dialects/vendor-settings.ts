/** Reads the settings of a vendor at an element. */
import { BPMN_NAMESPACE } from '../bpmn/namespaces.ts';
import type { XmlElement } from '../xml/document.ts';
import type { DialectContext } from './dialect-context.ts';
import { camunda7 } from './camunda7-registry.ts';
import { type Written, writtenAttribute } from '../written.ts';
import { zeebe } from './zeebe-registry.ts';

/** The attribute of Camunda 7 or a fork. */
export function camundaAttribute(
  { document }: DialectContext,
  element: XmlElement,
  localName: string,
): Written | null {
  const found = element.attributes.find(
    (attribute) => attribute.localName === localName && camunda7.namespaces.includes(attribute.namespace),
  );
  return found === undefined ? null : writtenAttribute(document, element, found);
}

/** The attribute of a vendor's own element: without a prefix, or with the vendor's. */
export function ownAttribute(
  { document }: DialectContext,
  element: XmlElement,
  localName: string,
): Written | null {
  const found = element.attributes.find(
    (attribute) =>
      attribute.localName === localName &&
      (attribute.namespace === '' || attribute.namespace === element.namespace),
  );
  return found === undefined ? null : writtenAttribute(document, element, found);
}

function inside(
  element: XmlElement,
  localName: string,
  namespaces: readonly string[],
): readonly XmlElement[] {
  return element.children
    .filter((child) => child.namespace === BPMN_NAMESPACE && child.localName === 'extensionElements')
    .flatMap(({ children }) => children)
    .filter((child) => child.localName === localName && namespaces.includes(child.namespace));
}

/** Camunda 7's elements of a name in the extensions of a BPMN element. */
export function camundaElements(element: XmlElement, localName: string): readonly XmlElement[] {
  return inside(element, localName, camunda7.namespaces);
}

/** Zeebe's element of a name in the extensions of a BPMN element. */
export function zeebeElement(element: XmlElement, localName: string): XmlElement | null {
  return inside(element, localName, zeebe.namespaces)[0] ?? null;
}

/** The vendor's children of a name in its own element. */
export function ownChildren(element: XmlElement, localName: string): readonly XmlElement[] {
  return element.children.filter(
    (child) => child.localName === localName && child.namespace === element.namespace,
  );
}
