/**
 * Checks the flow graph of a process: what BPMN requires of how flow nodes are joined.
 *
 * Source: BPMN 2.0.2 §10.2 (activities), §10.5 (events), §10.6 (gateways), §13 (execution).
 */
import type { FlowNode } from '../model.ts';
import { attributeOf, findAttribute, type XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import type { BpmnCode } from './codes.ts';
import { ACTIVITY_KINDS, type FlowDraft, type GraphDraft, type NodeDraft } from './graph.ts';
import { label, type ReadContext } from './read-context.ts';

const BRANCHING = new Set(['exclusiveGateway', 'inclusiveGateway']);

export function checkGraph(
  context: ReadContext,
  process: XmlElement,
  graph: GraphDraft,
  models: ReadonlyMap<string, FlowNode>,
): void {
  const check = new GraphCheck(context, graph, models);
  check.checkProcess(process);
  for (const draft of graph.nodes.values()) {
    check.checkNode(draft);
  }
  check.warnUnreachable();
}

class GraphCheck {
  readonly #context: ReadContext;
  readonly #graph: GraphDraft;
  readonly #models: ReadonlyMap<string, FlowNode>;

  constructor(context: ReadContext, graph: GraphDraft, models: ReadonlyMap<string, FlowNode>) {
    this.#context = context;
    this.#graph = graph;
    this.#models = models;
  }

  checkProcess(process: XmlElement): void {
    if (this.#startsOf(this.#graph.children).length === 0) {
      this.#error('SUTRA.BPMN.START_MISSING', process, `${label(process)} has no start event; add one`);
    }
  }

  checkNode(draft: NodeDraft): void {
    this.#checkEvent(draft);
    this.#checkOutgoing(draft);
    if (draft.kind === 'subProcess' && draft.isExecuted) {
      this.#checkSubProcess(draft);
    }
    if (draft.kind === 'eventBasedGateway') {
      this.#checkEventGateway(draft);
    }
    this.#checkErrorCatches(draft);
  }

  /** Breadth first within each scope; a boundary event is reached with its activity. */
  warnUnreachable(): void {
    const reached = new Set<string>();
    const queue = [...this.#graph.nodes.values()].filter((draft) => draft.kind === 'startEvent');
    queue.forEach((draft) => reached.add(draft.id));
    for (let draft = queue.pop(); draft !== undefined; draft = queue.pop()) {
      const targets = draft.outgoing.map((id) => this.#graph.flows.get(id)?.targetId ?? '');
      for (const id of [...targets, ...draft.boundaryEventIds]) {
        const next = this.#graph.nodes.get(id);
        if (next !== undefined && !reached.has(id)) {
          reached.add(id);
          queue.push(next);
        }
      }
    }
    const scopesWithStart = new Set(
      [...this.#graph.nodes.values()].flatMap((draft) =>
        draft.kind === 'startEvent' ? [draft.parentId] : [],
      ),
    );
    for (const draft of this.#graph.nodes.values()) {
      // Without a start nothing is reachable, and the missing start was reported. What was refused may be
      // reached in ways that are not executed: event sub-processes, compensation.
      const isRefused = !draft.isExecuted || attributeOf(draft.element, 'isForCompensation') === 'true';
      if (!reached.has(draft.id) && scopesWithStart.has(draft.parentId) && !isRefused) {
        const message = `${label(draft.element)} can never be reached; connect or remove it`;
        this.#context.report.warning('SUTRA.BPMN.NODE_UNREACHABLE', draft.element, message);
      }
    }
  }

  #checkEvent({ element, kind, incoming, outgoing }: NodeDraft): void {
    if (kind === 'startEvent' && incoming.length > 0) {
      const message = `a sequence flow leads into ${label(element)}; lead it to the node after it`;
      this.#error('SUTRA.BPMN.START_EVENT_INCOMING', element, message);
    }
    if (kind === 'endEvent' && outgoing.length > 0) {
      const message = `a sequence flow leaves ${label(element)}; use an intermediate event`;
      this.#error('SUTRA.BPMN.END_EVENT_OUTGOING', element, message);
    }
    if (kind === 'boundaryEvent' && incoming.length > 0) {
      const message = `a sequence flow leads into ${label(element)}; lead it to the activity`;
      this.#error('SUTRA.BPMN.BOUNDARY_EVENT_INCOMING', element, message);
    }
  }

  /** Conditions and the default, of the node's outgoing flows. */
  #checkOutgoing(draft: NodeDraft): void {
    const { element, kind } = draft;
    const flows = draft.outgoing.flatMap((id) => this.#graph.flows.get(id) ?? []);
    const isBranching = BRANCHING.has(kind);
    if (!isBranching && !ACTIVITY_KINDS.has(kind) && kind !== 'complexGateway') {
      flows
        .filter(({ condition }) => condition !== null)
        .forEach((flow) => this.#refuseCondition(draft, flow));
      return;
    }
    const attribute = findAttribute(element, 'default');
    const defaultFlow = flows.find(({ id }) => id === attribute?.value);
    if (attribute !== null && defaultFlow === undefined) {
      const message = `default of ${label(element)} names ${shown(attribute.value)}, which is no outgoing flow of it`;
      this.#context.report.attributeError('SUTRA.BPMN.DEFAULT_FLOW_INVALID', element, attribute, message);
    }
    if (defaultFlow !== undefined && defaultFlow.condition !== null) {
      const message = `${label(defaultFlow.element)} is the default of ${label(element)} and has a condition; remove one`;
      this.#error('SUTRA.BPMN.DEFAULT_FLOW_CONDITION', defaultFlow.element, message);
    }
    if (isBranching && flows.length > 1) {
      for (const flow of flows) {
        if (flow.condition === null && flow !== defaultFlow) {
          const message = `${label(flow.element)} leaves ${label(element)} without a condition and is not its default`;
          this.#error('SUTRA.BPMN.CONDITION_MISSING', flow.element, message);
        }
      }
    }
  }

  #refuseCondition(draft: NodeDraft, flow: FlowDraft): void {
    const message = `the condition of ${label(flow.element)} is not evaluated after ${label(draft.element)}; use an exclusive gateway`;
    this.#error('SUTRA.BPMN.CONDITION_MISPLACED', flow.element, message);
  }

  #checkSubProcess(draft: NodeDraft): void {
    const starts = this.#startsOf(draft.children);
    const [start] = starts;
    const model = start === undefined ? undefined : this.#models.get(start.id);
    if (starts.length !== 1 || (model?.kind === 'startEvent' && model.source !== null)) {
      const message = `${label(draft.element)} needs exactly one start event, without a message; it has ${starts.length} start events`;
      this.#error('SUTRA.BPMN.SUB_PROCESS_START_INVALID', start?.element ?? draft.element, message);
    }
  }

  #checkEventGateway({ element, outgoing }: NodeDraft): void {
    if (outgoing.length === 0) {
      const message = `${label(element)} has no outgoing sequence flow; connect it to the events to wait for`;
      this.#error('SUTRA.BPMN.EVENT_GATEWAY_OUTGOING_MISSING', element, message);
    }
    for (const flowId of outgoing) {
      const flow = this.#graph.flows.get(flowId);
      const target = flow === undefined ? undefined : this.#graph.nodes.get(flow.targetId);
      if (flow !== undefined && target !== undefined) {
        this.#checkEventGatewayTarget(flow, target);
      }
    }
  }

  #checkEventGatewayTarget(flow: FlowDraft, target: NodeDraft): void {
    const { element } = target;
    const code = 'SUTRA.BPMN.EVENT_GATEWAY_TARGET_INVALID';
    if (target.kind !== 'intermediateCatchEvent' && target.kind !== 'receiveTask') {
      const message = `${label(flow.element)} leads from an event-based gateway to ${label(element)}; it must lead to a catch event or a receive task`;
      this.#error(code, flow.element, message);
    } else if (target.incoming.length > 1) {
      const message = `${label(element)} is behind an event-based gateway and has another incoming flow; remove that`;
      this.#error(code, element, message);
    } else if (target.boundaryEventIds.length > 0) {
      const message = `${label(element)} is behind an event-based gateway and has boundary events; put those behind the gateway too`;
      this.#error(code, element, message);
    }
  }

  #checkErrorCatches(host: NodeDraft): void {
    const seen = new Set<string | null>();
    for (const id of host.boundaryEventIds) {
      const model = this.#models.get(id);
      if (model?.kind === 'boundaryEvent' && model.event.kind === 'error') {
        const { errorCode } = model.event;
        const draft = this.#graph.nodes.get(id);
        if (seen.has(errorCode) && draft !== undefined) {
          const caught = errorCode === null ? 'every error' : `the error ${shown(errorCode)}`;
          const message = `${label(draft.element)} catches ${caught}, as another boundary event of ${label(host.element)} does`;
          this.#error('SUTRA.BPMN.ERROR_CATCH_DUPLICATE', draft.element, message);
        }
        seen.add(errorCode);
      }
    }
  }

  #startsOf(ids: readonly string[]): readonly NodeDraft[] {
    return ids.flatMap((id) => {
      const draft = this.#graph.nodes.get(id);
      return draft?.kind === 'startEvent' ? [draft] : [];
    });
  }

  #error(code: BpmnCode, element: XmlElement, message: string): void {
    this.#context.report.error(code, element, message);
  }
}
