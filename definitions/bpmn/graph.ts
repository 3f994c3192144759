/**
 * The flow graph of a process while it is being compiled: every flow node and sequence flow, joined.
 *
 * G1 Elements that are not executed are in the graph too, so that a flow to one is not called dangling.
 * G2 Only `sourceRef`, `targetRef` and `attachedToRef` join; `incoming` and `outgoing` are listings.
 * G3 Nothing is reported twice: booleans are read here without a word, and with one by the node's reader.
 */
import { attributeOf, findAttribute, type XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { readBoolean } from '../xml/schema-values.ts';
import { ACTIVITIES, bpmnElements, FLOW_NODES, SUB_PROCESSES } from './elements.ts';
import { associationsOf, type Links, linksOf } from './graph-joins.ts';
import { BPMN_NAMESPACE } from './namespaces.ts';
import { bpmnChildren, label, type ReadContext, withoutPrefix } from './read-context.ts';
import { readAudit } from './read-q.ts';

export interface NodeDraft {
  readonly element: XmlElement;
  readonly kind: string;
  readonly id: string;
  readonly parentId: string;
  /** False when the element was refused. */
  readonly isExecuted: boolean;
  /** A sub-process with `triggeredByEvent`: its start event says when it runs. BPMN 2.0.2 §13.5.4. */
  readonly isEventSubProcess: boolean;
  /** An activity that undoes another one, and no event sub-process. BPMN 2.0.2 §10.7. */
  readonly isForCompensation: boolean;
  /** A receive task or an event-based gateway that starts the process. BPMN 2.0.2 §13.2. */
  readonly isInstantiating: boolean;
  /** Ids of flow nodes directly inside, for an executed sub-process. */
  readonly children: readonly string[];
  readonly incoming: string[];
  readonly outgoing: string[];
  readonly boundaryEventIds: string[];
}

export interface FlowDraft {
  readonly element: XmlElement;
  readonly id: string;
  readonly sourceId: string;
  readonly targetId: string;
  readonly condition: XmlElement | null;
}

export interface GraphDraft extends Links<NodeDraft> {
  readonly processId: string;
  /** `q:audit` of the process. */
  readonly isAudited: boolean;
  readonly children: readonly string[];
  readonly nodes: ReadonlyMap<string, NodeDraft>;
  readonly flows: ReadonlyMap<string, FlowDraft>;
  /** By the id of a flow node: those that associations join it with, whatever their direction. */
  readonly associated: ReadonlyMap<string, readonly string[]>;
}

export const ACTIVITY_KINDS: ReadonlySet<string> = new Set(ACTIVITIES);

/** Sub-processes of every kind, by element name. */
export const SUB_PROCESS_KINDS: ReadonlySet<string> = new Set(SUB_PROCESSES);

const NODE_KINDS: ReadonlySet<string> = new Set(FLOW_NODES);

export function buildGraph(context: ReadContext, process: XmlElement, processId: string): GraphDraft {
  return new GraphBuilder(context).build(process, processId);
}

class GraphBuilder {
  readonly #context: ReadContext;
  readonly #nodes = new Map<string, NodeDraft>();
  readonly #flows = new Map<string, FlowDraft>();
  readonly #flowElements: XmlElement[] = [];
  readonly #associationElements: XmlElement[] = [];
  readonly #flowIds = new Set<string | null>();
  /** How many flows without an id join the same two nodes. */
  readonly #parallelCounts = new Map<string, number>();
  /** Ids inside refused sub-processes: they exist, but not for us. */
  readonly #unread = new Set<string>();

  constructor(context: ReadContext) {
    this.#context = context;
  }

  build(process: XmlElement, processId: string): GraphDraft {
    // Some modelers keep the associations of all processes beside the participants.
    for (const collaboration of bpmnChildren(this.#context.document.root, 'collaboration')) {
      bpmnChildren(collaboration, 'association').forEach((each) => this.#associationElements.push(each));
    }
    const children = this.#collect(process, processId);
    this.#flowElements.forEach((element) => this.#join(element));
    for (const node of this.#nodes.values()) {
      this.#attach(node);
      this.#checkListing(node, 'incoming');
      this.#checkListing(node, 'outgoing');
    }
    return {
      processId,
      isAudited: readAudit(process) ?? false,
      children,
      nodes: this.#nodes,
      flows: this.#flows,
      associated: associationsOf(this.#nodes, this.#associationElements),
      ...linksOf(this.#context, this.#nodes),
    };
  }

  /** Takes in the flow nodes directly inside `container`, and through them all that are deeper. */
  #collect(container: XmlElement, containerId: string): readonly string[] {
    const ids: string[] = [];
    for (const element of container.children) {
      if (element.namespace !== BPMN_NAMESPACE) {
        continue;
      }
      if (element.localName === 'sequenceFlow') {
        this.#flowElements.push(element);
        this.#flowIds.add(attributeOf(element, 'id'));
      } else if (element.localName === 'association') {
        this.#associationElements.push(element);
      } else if (NODE_KINDS.has(element.localName)) {
        const id = attributeOf(element, 'id');
        if (id === null) {
          const message = `${element.localName} has no id; give it one`;
          this.#context.report.error('SUTRA.BPMN.ID_MISSING', element, message);
        } else if (!this.#nodes.has(id)) {
          this.#add(element, id, containerId);
          ids.push(id);
        }
      }
    }
    return ids;
  }

  #add(element: XmlElement, id: string, parentId: string): void {
    const isSubProcess = SUB_PROCESS_KINDS.has(element.localName);
    const isExecuted = bpmnElements.get(element.localName)?.status === 'executed';
    const isEventSubProcess = element.localName === 'subProcess' && isTrue(element, 'triggeredByEvent');
    const draft = {
      element,
      kind: element.localName,
      id,
      parentId,
      isExecuted,
      isEventSubProcess,
      isForCompensation:
        ACTIVITY_KINDS.has(element.localName) && !isEventSubProcess && isTrue(element, 'isForCompensation'),
      isInstantiating: isTrue(element, 'instantiate'),
      incoming: [],
      outgoing: [],
      boundaryEventIds: [],
    };
    // Before its children: the map keeps the order of the file, and a repeated id is not entered twice.
    this.#nodes.set(id, { ...draft, children: [] });
    if (isExecuted && isSubProcess) {
      this.#nodes.set(id, { ...draft, children: this.#collect(element, id) });
    } else if (!isExecuted) {
      this.#markUnread(element);
    }
  }

  #markUnread(container: XmlElement): void {
    for (const child of container.children) {
      const id = attributeOf(child, 'id');
      if (id !== null) {
        this.#unread.add(id);
      }
      this.#markUnread(child);
    }
  }

  #join(element: XmlElement): void {
    const source = this.#end(element, 'sourceRef');
    const target = this.#end(element, 'targetRef');
    if (source === null || target === null) {
      return;
    }
    if (source.parentId !== target.parentId) {
      const message = `${label(element)} leads from ${shown(source.id)} to ${shown(target.id)} across the border of a sub-process`;
      this.#context.report.error('SUTRA.BPMN.FLOW_CROSSES_BORDER', element, message);
      return;
    }
    const id = attributeOf(element, 'id') ?? this.#derivedId(source.id, target.id);
    if (this.#flows.has(id)) {
      return;
    }
    const [condition = null, second] = bpmnChildren(element, 'conditionExpression');
    if (second !== undefined) {
      const message = 'a sequence flow has one conditionExpression; join them with "and" or "or"';
      this.#context.report.error('SUTRA.BPMN.ELEMENT_REPEATED', second, message);
    }
    this.#flows.set(id, { element, id, sourceId: source.id, targetId: target.id, condition });
    source.outgoing.push(id);
    target.incoming.push(id);
  }

  /** BPMN lets a sequence flow have no id. `>` is no letter of an id, so this one never meets another. */
  #derivedId(sourceId: string, targetId: string): string {
    const base = `${sourceId}->${targetId}`;
    const count = (this.#parallelCounts.get(base) ?? 0) + 1;
    this.#parallelCounts.set(base, count);
    return count === 1 ? base : `${base}#${count}`;
  }

  /** The node at one end of a flow; null when that was reported, here or as a refused element. */
  #end(element: XmlElement, attributeName: string): NodeDraft | null {
    const attribute = findAttribute(element, attributeName);
    if (attribute === null) {
      const message = `${label(element)} has no ${attributeName}; connect it or remove it`;
      this.#context.report.error('SUTRA.BPMN.ATTRIBUTE_MISSING', element, message);
      return null;
    }
    const id = withoutPrefix(attribute.value);
    const node = this.#nodes.get(id);
    if (node === undefined && !this.#unread.has(id)) {
      const message = `${attributeName} names ${shown(attribute.value)}, but the process has no flow node of that id`;
      this.#context.report.attributeError('SUTRA.BPMN.REFERENCE_DANGLING', element, attribute, message);
    }
    return node ?? null;
  }

  #attach(node: NodeDraft): void {
    if (node.kind !== 'boundaryEvent') {
      return;
    }
    const { report } = this.#context;
    const attribute = findAttribute(node.element, 'attachedToRef');
    if (attribute === null) {
      report.error(
        'SUTRA.BPMN.ATTRIBUTE_MISSING',
        node.element,
        `${label(node.element)} has no attachedToRef`,
      );
      return;
    }
    const id = withoutPrefix(attribute.value);
    const host = this.#nodes.get(id);
    if (host === undefined) {
      if (!this.#unread.has(id)) {
        const message = `attachedToRef names ${shown(attribute.value)}, but the process has no activity of that id`;
        report.attributeError('SUTRA.BPMN.REFERENCE_DANGLING', node.element, attribute, message);
      }
    } else if (!ACTIVITY_KINDS.has(host.kind) || host.parentId !== node.parentId) {
      const reason = ACTIVITY_KINDS.has(host.kind)
        ? 'is in another scope'
        : `is no activity but of the kind ${host.kind}`;
      const message = `attachedToRef names ${shown(attribute.value)}, which ${reason}`;
      report.attributeError('SUTRA.BPMN.BOUNDARY_EVENT_HOST_INVALID', node.element, attribute, message);
    } else {
      host.boundaryEventIds.push(node.id);
    }
  }

  #checkListing(node: NodeDraft, listing: 'incoming' | 'outgoing'): void {
    for (const element of bpmnChildren(node.element, listing)) {
      const id = withoutPrefix(element.text);
      const flow = this.#flows.get(id);
      const joinedId = listing === 'incoming' ? flow?.targetId : flow?.sourceId;
      if (flow !== undefined && joinedId !== node.id) {
        const message = `${label(node.element)} lists ${shown(id)} as ${listing}, but that flow leads from ${shown(flow.sourceId)} to ${shown(flow.targetId)}`;
        this.#context.report.warning('SUTRA.BPMN.FLOW_LISTING_MISMATCH', element, message);
      } else if (flow === undefined && !this.#flowIds.has(id)) {
        const message = `${label(node.element)} lists ${shown(id)} as ${listing}, but the process has no such sequence flow`;
        this.#context.report.warning('SUTRA.BPMN.FLOW_LISTING_MISMATCH', element, message);
      }
    }
  }
}

function isTrue(element: XmlElement, attributeName: string): boolean {
  return readBoolean(attributeOf(element, attributeName) ?? 'false') === true;
}
