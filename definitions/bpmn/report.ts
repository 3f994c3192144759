/** Collects the findings of one BPMN file, each with its place. */
import { FileReport } from '../file-report.ts';
import { attributeOf, type XmlDocument, type XmlElement } from '../xml/document.ts';
import type { BpmnCode } from './codes.ts';
import { FLOW_NODES } from './elements.ts';
import { BPMN_NAMESPACE } from './namespaces.ts';

export type ReportCode = BpmnCode | 'SUTRA.FEEL.SYNTAX_INVALID';

const OWNERS: ReadonlySet<string> = new Set([...FLOW_NODES, 'sequenceFlow', 'process']);

/** `More`: codes of a translation that reports faults of the same file. */
export class Report<More extends string = never> extends FileReport<ReportCode | More> {
  constructor(document: XmlDocument) {
    super(document, { ownerIdOf, tooManyFindings: 'SUTRA.BPMN.TOO_MANY_FINDINGS' });
  }
}

/** Of a flow node, sequence flow or process: what an author can find. */
function ownerIdOf(element: XmlElement): string | null {
  const isOwner = element.namespace === BPMN_NAMESPACE && OWNERS.has(element.localName);
  return isOwner ? attributeOf(element, 'id') : null;
}
