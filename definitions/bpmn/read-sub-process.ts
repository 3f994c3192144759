/** Sub-processes of every kind to the model. BPMN 2.0.2 §10.3.5, §13.3.4, §13.3.5, §13.5.4. */
import type { AdHocVariant, SubProcess } from '../model.ts';
import { findAttribute } from '../xml/document.ts';
import type { GraphDraft, NodeDraft } from './graph.ts';
import type { ActivityBase } from './node-base.ts';
import { booleanOf, choiceOf, label, onlyChild, type ReadContext } from './read-context.ts';
import { readScopeVariables } from './read-data.ts';
import { eventSubProcessesOf, launchableOf, scopeStartOf, startEventsOf } from './scope-start.ts';

/** Null when a variant has a fault; what the graph shows is reported by its check. */
export function readSubProcess(
  context: ReadContext,
  draft: NodeDraft,
  base: ActivityBase,
  graph: GraphDraft,
): SubProcess | null {
  const variant = readVariant(context, draft, graph);
  const variables = readScopeVariables(context, draft.element);
  if (variant === null) {
    return null;
  }
  const beginsByItself = variant.kind === 'embedded' || variant.kind === 'transaction';
  return {
    ...base,
    kind: 'subProcess',
    children: draft.children,
    variant,
    start: beginsByItself ? scopeStartOf(context, graph, draft.children) : [],
    eventSubProcessIds: eventSubProcessesOf(graph, draft.children),
    variables,
  };
}

function readVariant(
  context: ReadContext,
  draft: NodeDraft,
  graph: GraphDraft,
): SubProcess['variant'] | null {
  const { element } = draft;
  const isTriggered = booleanOf(context, element, 'triggeredByEvent', false);
  const attribute = findAttribute(element, 'triggeredByEvent');
  if (isTriggered && draft.kind !== 'subProcess' && attribute !== null) {
    const message = `${label(element)} is triggered by an event, which is not executed; put it into an event sub-process`;
    const code = 'SUTRA.BPMN.EVENT_SUB_PROCESS_NOT_EXECUTED';
    context.report.attributeError(code, element, attribute, message);
    return null;
  }
  if (isTriggered) {
    // The graph check reports one that has none or several.
    const [start, second] = startEventsOf(graph, draft.children);
    return start === undefined || second !== undefined ? null : { kind: 'event', startEventId: start.id };
  }
  switch (draft.kind) {
    case 'transaction':
      return { kind: 'transaction' };
    case 'adHocSubProcess':
      return readAdHoc(context, draft, graph);
    default:
      return { kind: 'embedded' };
  }
}

function readAdHoc(context: ReadContext, draft: NodeDraft, graph: GraphDraft): AdHocVariant {
  const { element } = draft;
  const condition = onlyChild(context, element, 'completionCondition');
  return {
    kind: 'adHoc',
    launchableIds: launchableOf(graph, draft.children),
    isSequential: choiceOf(context, element, 'ordering', ['Parallel', 'Sequential']) === 'Sequential',
    completionCondition: condition === null ? null : context.expressions.formal(condition),
    cancelsRemaining: booleanOf(context, element, 'cancelRemainingInstances', true),
  };
}
