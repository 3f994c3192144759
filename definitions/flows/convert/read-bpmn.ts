/**
 * A BPMN process to a flow: structural analysis of what docs/flows.md says a flow becomes, backwards.
 *
 * C1 It takes nothing that it cannot say: what has no step, option or form is refused, all of it at once, each with
 *    its place and what to do instead.
 * C2 What it takes runs as before. Ids of steps stay; what a flow makes by itself (joins, sequence flows, starts and
 *    ends of parts) gets the ids that the flow makes, which is noted.
 * C3 The file was compiled before: its own faults are not this reader's.
 */
import type { Finding } from '../../../config/engine-error.ts';
import { isDocumentation, StructureCheck } from '../../bpmn/check-structure.ts';
import { Expressions } from '../../bpmn/expressions.ts';
import { buildGraph } from '../../bpmn/graph.ts';
import { BPMN_NAMESPACE, Q_NAMESPACE } from '../../bpmn/namespaces.ts';
import { bpmnChildren, qChildren, type ReadContext } from '../../bpmn/read-context.ts';
import { Report } from '../../bpmn/report.ts';
import { DecisionDirectory } from '../../decision-directory.ts';
import { filled } from '../../written.ts';
import { attributeOf, type XmlDocument, type XmlElement } from '../../xml/document.ts';
import type { Flow, FlowVariable } from '../flow.ts';
import { noteChanges } from './read-bpmn-notes.ts';
import { readProcessSteps } from './read-bpmn-scope.ts';
import { attribute, auditIn, type BpmnSource, required } from './read-bpmn-source.ts';
import type { FlowCode } from '../read/value.ts';

export interface BpmnReading {
  /** One for each executable process that could be said. */
  readonly flows: readonly Flow[];
  /** Errors: what cannot be said. Warnings: what is different in the flow. */
  readonly findings: readonly Finding[];
}

/** Reads the executable processes of a document that compiles. */
export function readBpmn(document: XmlDocument): BpmnReading {
  const findings = new Report<FlowCode>(document);
  const context = contextOf(document);
  const processes = bpmnChildren(document.root, 'process').filter((process) => !isDocumentation(process));
  const flows = processes.flatMap((process) => {
    const graph = buildGraph(context, process, attributeOf(process, 'id') ?? '');
    const source: BpmnSource = { context, graph, findings };
    const faultCount = findings.errorCount;
    const flow = readProcess(source, process);
    if (flow === null || findings.errorCount > faultCount) return [];
    noteChanges(source, process, flow);
    return [flow];
  });
  for (const collaboration of bpmnChildren(document.root, 'collaboration')) {
    const message = 'the collaboration is left out: a flow has neither pools nor message flows';
    findings.warning('SUTRA.FLOWS.CONVERSION_NOTE', collaboration, message);
  }
  return { flows, findings: findings.findings };
}

/** For the graph alone, whose faults were found when the file was compiled. */
function contextOf(document: XmlDocument): ReadContext {
  const report = new Report(document);
  const roots = document.root.children.flatMap((element) => {
    const id = element.namespace === BPMN_NAMESPACE ? attributeOf(element, 'id') : null;
    return id === null ? [] : [[id, element] as const];
  });
  return {
    document,
    report,
    structure: new StructureCheck(document, report),
    expressions: new Expressions(document, report),
    roots: new Map(roots),
    decisions: DecisionDirectory.empty,
  };
}

function readProcess(source: BpmnSource, process: XmlElement): Flow | null {
  const read = readProcessSteps(source, process);
  return read === null
    ? null
    : {
        id: required(source, process, 'id'),
        name: filled(attribute(source, process, 'name')),
        place: () => source.context.document.placeOf(process),
        ...auditIn(source, process),
        variables: readVariables(source, process),
        ...read,
      };
}

function readVariables(source: BpmnSource, process: XmlElement): readonly FlowVariable[] {
  return qChildren(process, 'variables').flatMap(({ children }) =>
    children
      .filter(({ namespace, localName }) => namespace === Q_NAMESPACE && localName === 'variable')
      .map((variable) => ({
        name: required(source, variable, 'name'),
        type: attribute(source, variable, 'type'),
        isSensitive: attributeOf(variable, 'sensitive') === 'true',
        isTransient: attributeOf(variable, 'transient') === 'true',
      })),
  );
}
