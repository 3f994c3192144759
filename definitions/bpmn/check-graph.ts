/**
 * Checks the flow graph of a process: what BPMN requires of how flow nodes are joined.
 *
 * Scopes and their starts are in check-scopes.ts; events that are joined otherwise than by flows in
 * check-events.ts.
 * Source: BPMN 2.0.2 §10.2 (activities), §10.5 (events), §10.6 (gateways), §13 (execution).
 */
import type { FlowNode } from '../model.ts';
import { findAttribute, type XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { type CheckContext, report } from './check-context.ts';
import { checkEventNode, checkLinks, duplicateCatches } from './check-events.ts';
import { checkProcessStart, checkSubProcess } from './check-scopes.ts';
import { type FlowDraft, type GraphDraft, type NodeDraft, SUB_PROCESS_KINDS } from './graph.ts';
import { eventKindsOf, label, type ReadContext } from './read-context.ts';
import { warnUnreachable } from './reachability.ts';

/** Every flow with a condition and no default: the others need one. BPMN 2.0.2 §10.6.2, §10.6.3, §10.6.5. */
const BRANCHING = new Set(['exclusiveGateway', 'inclusiveGateway', 'complexGateway']);
/** After these BPMN evaluates no condition; after every other flow node it does. BPMN 2.0.2 §8.4.13, §13.3.1. */
const UNCONDITIONAL = new Set(['parallelGateway', 'eventBasedGateway']);

export function checkGraph(
  context: ReadContext,
  process: XmlElement,
  graph: GraphDraft,
  models: ReadonlyMap<string, FlowNode>,
): void {
  const check: CheckContext = { context, graph, models };
  checkProcessStart(check, process);
  checkLinks(check);
  for (const draft of graph.nodes.values()) {
    checkEventNode(check, draft);
    checkOutgoing(check, draft);
    checkInstantiating(check, draft);
    if (SUB_PROCESS_KINDS.has(draft.kind) && draft.isExecuted) {
      checkSubProcess(check, draft);
    }
    if (draft.kind === 'eventBasedGateway') {
      checkEventGateway(check, draft);
    }
    if (draft.isForCompensation) {
      checkCompensationActivity(check, draft);
    }
    duplicateCatches(check, draft.boundaryEventIds, `boundary event of ${label(draft.element)}`);
  }
  warnUnreachable(check);
}

/** Conditions and the default, of the node's outgoing flows. */
function checkOutgoing(check: CheckContext, draft: NodeDraft): void {
  const { element, kind } = draft;
  const flows = draft.outgoing.flatMap((id) => check.graph.flows.get(id) ?? []);
  if (UNCONDITIONAL.has(kind)) {
    flows
      .filter(({ condition }) => condition !== null)
      .forEach((flow) => {
        const message = `the condition of ${label(flow.element)} is not evaluated after ${label(element)}; use an exclusive gateway`;
        report(check, 'SUTRA.BPMN.CONDITION_MISPLACED', flow.element, message);
      });
    return;
  }
  const attribute = findAttribute(element, 'default');
  const defaultFlow = flows.find(({ id }) => id === attribute?.value);
  if (attribute !== null && defaultFlow === undefined) {
    const message = `default of ${label(element)} names ${shown(attribute.value)}, which is no outgoing flow of it`;
    check.context.report.attributeError('SUTRA.BPMN.DEFAULT_FLOW_INVALID', element, attribute, message);
  }
  if (defaultFlow !== undefined && defaultFlow.condition !== null) {
    const message = `${label(defaultFlow.element)} is the default of ${label(element)} and has a condition; remove one`;
    report(check, 'SUTRA.BPMN.DEFAULT_FLOW_CONDITION', defaultFlow.element, message);
  }
  if (BRANCHING.has(kind) && flows.length > 1) {
    for (const flow of flows) {
      if (flow.condition === null && flow !== defaultFlow) {
        const message = `${label(flow.element)} leaves ${label(element)} without a condition and is not its default`;
        report(check, 'SUTRA.BPMN.CONDITION_MISSING', flow.element, message);
      }
    }
  }
}

/** BPMN 2.0.2 §10.3.3, §10.6.6, §13.2: what instantiates begins the process, so nothing leads there. */
function checkInstantiating(check: CheckContext, draft: NodeDraft): void {
  if (!draft.isInstantiating) {
    return;
  }
  const model = check.models.get(draft.id);
  const fault =
    draft.parentId !== check.graph.processId
      ? 'stands inside a sub-process'
      : draft.incoming.length > 0
        ? 'has an incoming sequence flow'
        : draft.isForCompensation
          ? 'is for compensation'
          : model?.kind === 'receiveTask' && model.loop !== null
            ? 'is a loop'
            : draft.boundaryEventIds.some((id) => !isCompensation(check, id))
              ? 'has boundary events, for which it never waits'
              : null;
  if (fault !== null) {
    const message = `${label(draft.element)} instantiates the process but ${fault}; remove that or instantiate`;
    report(check, 'SUTRA.BPMN.INSTANTIATE_INVALID', draft.element, message);
  }
}

/** BPMN 2.0.2 §10.6.6. */
function checkEventGateway(check: CheckContext, { element, outgoing }: NodeDraft): void {
  if (outgoing.length === 0) {
    const message = `${label(element)} has no outgoing sequence flow; connect it to the events to wait for`;
    report(check, 'SUTRA.BPMN.EVENT_GATEWAY_OUTGOING_MISSING', element, message);
  }
  for (const flowId of outgoing) {
    const flow = check.graph.flows.get(flowId);
    const target = flow === undefined ? undefined : check.graph.nodes.get(flow.targetId);
    if (flow !== undefined && target !== undefined) {
      checkEventGatewayTarget(check, flow, target);
    }
  }
}

function checkEventGatewayTarget(check: CheckContext, flow: FlowDraft, target: NodeDraft): void {
  const { element } = target;
  const code = 'SUTRA.BPMN.EVENT_GATEWAY_TARGET_INVALID';
  const isCatch =
    target.kind === 'intermediateCatchEvent' && !eventKindsOf(check.context, element).includes('link');
  const model = check.models.get(target.id);
  if (!isCatch && target.kind !== 'receiveTask') {
    const message = `${label(flow.element)} leads from an event-based gateway to ${label(element)}; it must lead to a receive task or an event that catches a message, a timer, a signal or a condition`;
    report(check, code, flow.element, message);
  } else if (target.incoming.length > 1) {
    const message = `${label(element)} is behind an event-based gateway and has another incoming flow; remove that`;
    report(check, code, element, message);
  } else if (target.boundaryEventIds.length > 0) {
    const message = `${label(element)} is behind an event-based gateway and has boundary events; put those behind the gateway too`;
    report(check, code, element, message);
  } else if (model?.kind === 'receiveTask' && model.loop !== null) {
    const message = `${label(element)} is behind an event-based gateway and is a loop; put that behind a catch event`;
    report(check, code, element, message);
  }
}

/** BPMN 2.0.2 §10.7: it runs outside the normal flow, so nothing but an association joins it. */
function checkCompensationActivity(check: CheckContext, draft: NodeDraft): void {
  const { element } = draft;
  const fault =
    draft.incoming.length + draft.outgoing.length > 0
      ? 'is joined by a sequence flow'
      : draft.boundaryEventIds.length > 0
        ? 'has boundary events'
        : null;
  if (fault !== null) {
    const message = `${label(element)} is for compensation and ${fault}; remove that or isForCompensation`;
    report(check, 'SUTRA.BPMN.COMPENSATION_FLOW_INVALID', element, message);
  }
  const isUsed = (check.graph.associated.get(draft.id) ?? []).some((id) => isCompensation(check, id));
  if (!isUsed) {
    const message = `${label(element)} is for compensation, but no compensation boundary event is associated with it; it never runs`;
    check.context.report.warning('SUTRA.BPMN.COMPENSATION_HANDLER_UNUSED', element, message);
  }
}

function isCompensation({ context, graph }: CheckContext, id: string): boolean {
  const draft = graph.nodes.get(id);
  return draft?.kind === 'boundaryEvent' && eventKindsOf(context, draft.element).includes('compensate');
}
