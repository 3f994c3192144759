/**
 * BPMN files as XML: ids and references are read without the spaces around them.
 *
 * Source: BPMN 2.0.2, BPMN20.xsd: ids are of the type xs:ID, references of xs:IDREF or xs:QName.
 */
import type { PackageFile } from '../package-file.ts';
import type { XmlAttribute } from '../xml/document.ts';
import { readXml, type XmlResult } from '../xml/read-xml.ts';
import { BPMN_NAMESPACE } from './namespaces.ts';

/** `id`, `default`, and what ends in `Ref`: BPMN has no attribute of such a name that is of another type. */
const NAME_OR_REFERENCE = /^(?:id|default|\w+Ref)$/;

export function readBpmnXml(file: PackageFile): XmlResult {
  return readXml(file, isNameOrReference);
}

function isNameOrReference(element: string, { namespace, localName }: Omit<XmlAttribute, 'value'>): boolean {
  return element === BPMN_NAMESPACE && namespace === '' && NAME_OR_REFERENCE.test(localName);
}
