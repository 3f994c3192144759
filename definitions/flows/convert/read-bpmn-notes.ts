/**
 * What is different in the flow that a process was read into, found by building the flow and comparing.
 *
 * N1 A flow node whose id is lost is named. Of sequence flows only the number is: each has another id.
 */
import { bpmnElements, FLOW_NODES } from '../../bpmn/elements.ts';
import { BPMN_NAMESPACE } from '../../bpmn/namespaces.ts';
import { label } from '../../bpmn/read-context.ts';
import { attributeOf, type XmlElement } from '../../xml/document.ts';
import { shown } from '../../xml/shown.ts';
import { buildDocument } from '../build/document.ts';
import type { Flow } from '../flow.ts';
import type { BpmnSource } from './read-bpmn-source.ts';

const NODES: ReadonlySet<string> = new Set(FLOW_NODES);

export function noteChanges({ findings }: BpmnSource, process: XmlElement, flow: Flow): void {
  const built = elementsIn(buildDocument(flow, []).root);
  const note = (element: XmlElement, message: string): void => {
    findings.warning('SUTRA.FLOWS.CONVERSION_NOTE', element, message);
  };
  const given = elementsIn(process);
  for (const [id, element] of given.nodes) {
    const name = attributeOf(element, 'name') ?? '';
    const same = built.nodes.get(id);
    if (same === undefined) {
      const named = name.trim() === '' ? '' : `, and its name ${shown(name)}`;
      note(element, `the id of ${label(element)}${named} is not kept: a flow makes this by itself`);
    } else if (name.trim() !== '' && attributeOf(same, 'name') !== name) {
      note(element, `the name ${shown(name)} of ${label(element)} is not kept: a flow makes this by itself`);
    }
  }
  for (const [id, element] of built.nodes) {
    if (given.nodes.has(id) || !element.localName.endsWith('Gateway')) continue;
    if (countOf(built.nodes, element.localName) > countOf(given.nodes, element.localName)) {
      note(
        process,
        `the flow has the ${element.localName} ${shown(id)} besides, where paths come together without one`,
      );
    }
  }
  noteFlows(given, built, note, process);
  noteDescriptions(process, note);
}

interface Elements {
  readonly nodes: ReadonlyMap<string, XmlElement>;
  readonly flows: readonly XmlElement[];
}

function elementsIn(root: XmlElement): Elements {
  const nodes = new Map<string, XmlElement>();
  const flows: XmlElement[] = [];
  const visit = (element: XmlElement): void => {
    if (element.namespace !== BPMN_NAMESPACE) return;
    const id = attributeOf(element, 'id');
    if (NODES.has(element.localName) && id !== null) nodes.set(id, element);
    if (element.localName === 'sequenceFlow') flows.push(element);
    element.children.forEach(visit);
  };
  visit(root);
  return { nodes, flows };
}

function countOf(nodes: ReadonlyMap<string, XmlElement>, localName: string): number {
  return [...nodes.values()].filter((node) => node.localName === localName).length;
}

function noteFlows(
  given: Elements,
  built: Elements,
  note: (element: XmlElement, message: string) => void,
  process: XmlElement,
): void {
  const names = new Set(built.flows.map((flow) => attributeOf(flow, 'name')));
  for (const flow of given.flows) {
    const name = attributeOf(flow, 'name') ?? '';
    if (name.trim() !== '' && !names.has(name))
      note(flow, `the name ${shown(name)} of ${label(flow)} is not kept: only cases and branches have one`);
  }
  const ids = new Set(built.flows.map((flow) => attributeOf(flow, 'id')));
  const lost = given.flows.filter((flow) => !ids.has(attributeOf(flow, 'id'))).length;
  if (lost > 0)
    note(
      process,
      `${lost} of ${given.flows.length} sequence flows get other ids: a flow makes these by itself`,
    );
}

/** What documents or draws has no place in a flow, which has comments. */
function noteDescriptions(process: XmlElement, note: (element: XmlElement, message: string) => void): void {
  const counts = new Map<string, number>();
  const visit = (element: XmlElement): void => {
    if (element.namespace !== BPMN_NAMESPACE || element.localName === 'extensionElements') return;
    for (const child of element.children) {
      if (isDescription(child)) counts.set(child.localName, (counts.get(child.localName) ?? 0) + 1);
      else visit(child);
    }
  };
  visit(process);
  if (counts.size === 0) return;
  const listed = [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
  note(process, `what only describes is left out: ${listed}`);
}

function isDescription({ namespace, localName }: XmlElement): boolean {
  if (namespace !== BPMN_NAMESPACE || ['incoming', 'outgoing', 'extensionElements'].includes(localName))
    return false;
  const drawn = ['dataObject', 'dataObjectReference', 'dataStoreReference'];
  return drawn.includes(localName) || bpmnElements.get(localName)?.status === 'descriptive';
}
