/** Collects the findings of one DMN file, each with its place. */
import { FileReport } from '../file-report.ts';
import { attributeOf, type XmlDocument, type XmlElement } from '../xml/document.ts';
import type { DmnCode } from './codes.ts';
import { isDmnNamespace } from './namespaces.ts';

const OWNERS: ReadonlySet<string> = new Set([
  ...['decision', 'inputData', 'businessKnowledgeModel', 'decisionService', 'knowledgeSource'],
  ...['itemDefinition', 'import'],
]);

export class Report extends FileReport<DmnCode> {
  constructor(document: XmlDocument) {
    super(document, { ownerIdOf, tooManyFindings: 'SUTRA.DMN.TOO_MANY_FINDINGS' });
  }
}

/** Of what an author sees in the diagram or in the list of types. */
function ownerIdOf(element: XmlElement): string | null {
  return isDmnNamespace(element.namespace) && OWNERS.has(element.localName)
    ? attributeOf(element, 'id')
    : null;
}
