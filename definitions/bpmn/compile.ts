/**
 * BPMN 2.0 XML to checked, immutable process models; and documents of other notations that say the same.
 *
 * P1 It never throws for bad input: every fault is a finding with a code, one sentence, and a place.
 * P2 It reports all faults of a file. Only a file that is not XML ends at its first few.
 * P3 A file with one error yields no process: a package is deployed whole or not at all.
 * P4 Whatever yields a process holds nothing that would be ignored (check-structure.ts, check-q.ts).
 */
import type { Finding } from '../../config/engine-error.ts';
import { DecisionDirectory } from '../decision-directory.ts';
import type { ModelExpression } from '../expression-check/expression-use.ts';
import type { FlowNode, ProcessDefinition, SequenceFlow } from '../model.ts';
import type { PackageFile } from '../package-model.ts';
import { attributeOf, type XmlDocument, type XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { checkGraph } from './check-graph.ts';
import { isDocumentation, StructureCheck } from './check-structure.ts';
import { deepFreeze } from '../deep-freeze.ts';
import type { ChannelWish } from '../dialects/dialect-context.ts';
import { translateDialects, type TranslateOptions } from '../dialects/translate.ts';
import { comparePlaces } from '../file-report.ts';
import { Expressions } from './expressions.ts';
import { buildGraph, type GraphDraft } from './graph.ts';
import { BPMN_NAMESPACE } from './namespaces.ts';
import { bpmnChildren, booleanOf, label, nameOf, placeOf, type ReadContext } from './read-context.ts';
import { readBpmnXml } from './read-bpmn-xml.ts';
import { readScopeVariables } from './read-data.ts';
import { readNode } from './read-nodes.ts';
import { Report } from './report.ts';
import { eventSubProcessesOf, scopeStartOf } from './scope-start.ts';

export interface BpmnResult {
  /** Empty when any finding is an error. */
  readonly processes: readonly ProcessDefinition[];
  /** In the order of the file. */
  readonly findings: readonly Finding[];
  /** Of the processes, with their places. */
  readonly expressions: readonly ModelExpression[];
  /** Channels that the file uses by the names of messages, topics and job types, without declaring them. */
  readonly wishes: readonly ChannelWish[];
}

export interface BpmnOptions extends TranslateOptions {
  /** Those of the package. Default: it has none. */
  readonly decisions?: DecisionDirectory;
}

/** Compiles one BPMN file of a package. */
export function compileBpmn(
  file: PackageFile,
  { decisions = DecisionDirectory.empty, ...allowed }: BpmnOptions = {},
): BpmnResult {
  const xml = readBpmnXml(file);
  if (xml.document === null) {
    return { processes: [], findings: xml.findings, expressions: [], wishes: [] };
  }
  const { document, wishes, findings } = translateDialects(xml.document, allowed);
  return { ...compileDocument(document, findings, decisions), wishes };
}

/** Compiles a document, whatever notation it was made from; `found` is what was found in the file so far. */
export function compileDocument(
  document: XmlDocument,
  found: readonly Finding[],
  decisions: DecisionDirectory,
): BpmnResult {
  const report = new Report(document);
  const expressions = new Expressions(document, report);
  const compiled = compileRoot(document, report, decisions, expressions);
  const findings = inOrder(found, report.findings);
  return findings.some(({ severity }) => severity === 'error')
    ? { processes: [], findings, expressions: [], wishes: [] }
    : { processes: compiled, findings, expressions: expressions.placed, wishes: [] };
}

/** Of both lists, in the order of the file; what is not listed comes last. */
function inOrder(found: readonly Finding[], reading: readonly Finding[]): readonly Finding[] {
  if (found.length === 0) return reading;
  const all = [...found, ...reading];
  const isRest = ({ code }: Finding): boolean => code === 'SUTRA.BPMN.TOO_MANY_FINDINGS';
  const listed = all.filter((finding) => !isRest(finding));
  return [...listed.toSorted((left, right) => comparePlaces(left.place, right.place)), ...all.filter(isRest)];
}

function compileRoot(
  document: XmlDocument,
  report: Report,
  decisions: DecisionDirectory,
  expressions: Expressions,
): readonly ProcessDefinition[] {
  const { root } = document;
  if (root.namespace !== BPMN_NAMESPACE || root.localName !== 'definitions') {
    const message = `the root element is ${shown(root.name)} of the namespace ${shown(root.namespace)}; it must be definitions of ${BPMN_NAMESPACE}`;
    report.error('SUTRA.BPMN.ROOT_INVALID', root, message);
    return [];
  }
  const structure = new StructureCheck(document, report);
  structure.check(isDocumentation);
  const context: ReadContext = {
    document,
    report,
    structure,
    expressions,
    roots: rootsById(root),
    decisions,
  };
  const processes = bpmnChildren(root, 'process');
  if (processes.length === 0) {
    report.error('SUTRA.BPMN.PROCESS_MISSING', root, 'the file has no process; add one or remove the file');
  }
  return processes.flatMap((process) => compileProcess(context, process) ?? []);
}

function rootsById(root: XmlElement): ReadonlyMap<string, XmlElement> {
  const roots = new Map<string, XmlElement>();
  for (const element of root.children) {
    const id = element.namespace === BPMN_NAMESPACE ? attributeOf(element, 'id') : null;
    if (id !== null && !roots.has(id)) {
      roots.set(id, element);
    }
  }
  return roots;
}

function compileProcess(context: ReadContext, process: XmlElement): ProcessDefinition | null {
  const { report } = context;
  if (isDocumentation(process)) {
    const message = `${label(process)} has isExecutable="false" and is not compiled; set it to true to run it`;
    report.warning('SUTRA.BPMN.PROCESS_NOT_EXECUTABLE', process, message);
    return null;
  }
  booleanOf(context, process, 'isExecutable', true);
  const id = attributeOf(process, 'id');
  if (id === null) {
    report.error('SUTRA.BPMN.ID_MISSING', process, 'the process has no id; give it one');
  }
  const graph = buildGraph(context, process, id ?? '');
  const flows = readFlows(context, graph);
  const nodes = new Map<string, FlowNode>();
  for (const draft of graph.nodes.values()) {
    const node = readNode(context, draft, graph);
    if (node !== null) {
      nodes.set(node.id, deepFreeze(node));
    }
  }
  checkGraph(context, process, graph, nodes);
  const variables = readScopeVariables(context, process);
  return Object.freeze({
    id: graph.processId,
    name: nameOf(process),
    place: Object.freeze(placeOf(context, process)),
    nodes,
    flows,
    children: Object.freeze(graph.children),
    start: Object.freeze(scopeStartOf(context, graph, graph.children)),
    eventSubProcessIds: Object.freeze(eventSubProcessesOf(graph, graph.children)),
    variables,
    ...(graph.isAudited ? { isAudited: true } : {}),
  });
}

function readFlows(context: ReadContext, graph: GraphDraft): ReadonlyMap<string, SequenceFlow> {
  const flows = new Map<string, SequenceFlow>();
  for (const { id, element, sourceId, targetId, condition } of graph.flows.values()) {
    flows.set(
      id,
      deepFreeze({
        id,
        name: nameOf(element),
        sourceId,
        targetId,
        condition: condition === null ? null : context.expressions.formal(condition),
        place: placeOf(context, element),
      }),
    );
  }
  return flows;
}
