/** Settings of other engines that stand where one of ours is missing. */
import type { XmlElement } from '../xml/document.ts';
import { BPMN_NAMESPACE } from './namespaces.ts';
import { bpmnChildren } from './read-context.ts';

/**
 * Says that such a setting was seen: an author should not have to guess that it is not read. Empty when the
 * element has none of the attributes, and its `extensionElements` none of the elements, whatever their prefix.
 */
export function otherEngineHint(
  element: XmlElement,
  attributes: readonly string[],
  elements: readonly string[],
): string {
  const attribute = element.attributes.find(
    ({ namespace, localName }) => namespace !== '' && attributes.includes(localName),
  );
  const extension = bpmnChildren(element, 'extensionElements')
    .flatMap(({ children }) => children)
    .find(({ namespace, localName }) => namespace !== BPMN_NAMESPACE && elements.includes(localName));
  const name = attribute?.name ?? extension?.name;
  return name === undefined ? '' : ` (${name} is a setting of another engine and is not read)`;
}
