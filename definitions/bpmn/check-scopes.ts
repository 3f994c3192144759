/** Checks where scopes begin: processes, and sub-processes of every kind. BPMN 2.0.2 §10.3.5, §10.5.2, §13.2. */
import { attributeOf, type XmlElement } from '../xml/document.ts';
import { readBoolean } from '../xml/schema-values.ts';
import { duplicateCatches } from './check-events.ts';
import { type CheckContext, report } from './check-context.ts';
import type { NodeDraft } from './graph.ts';
import { eventKindsOf, label, type ReadContext } from './read-context.ts';
import {
  childrenOf,
  eventSubProcessesOf,
  isNoneStart,
  launchableOf,
  scopeStartOf,
  startEventsOf,
} from './scope-start.ts';

/** BPMN 2.0.2 §10.5.2, §13.2. */
export function checkProcessStart(check: CheckContext, process: XmlElement): void {
  const { context, graph } = check;
  const children = childrenOf(graph, graph.children);
  const starts = startEventsOf(graph, graph.children);
  const begins = scopeStartOf(context, graph, graph.children);
  if (
    starts.length === 0 &&
    begins.length === 0 &&
    !children.some(({ isInstantiating }) => isInstantiating)
  ) {
    const message = `${label(process)} has no start event and nothing else to begin with; add a start event`;
    report(check, 'SUTRA.BPMN.START_MISSING', process, message);
  }
  const [first, ...others] = starts.filter((draft) => isNoneStart(context, draft));
  for (const { element } of others) {
    const message = `${label(element)} waits for nothing, and so does ${label(first?.element ?? element)}; keep one`;
    report(check, 'SUTRA.BPMN.START_AMBIGUOUS', element, message);
  }
  checkEventSubProcesses(check, graph.children, label(process));
}

export function checkSubProcess(check: CheckContext, draft: NodeDraft): void {
  if (draft.isEventSubProcess) {
    checkEventSubProcess(check, draft);
  } else if (draft.kind === 'adHocSubProcess') {
    checkAdHoc(check, draft);
  } else {
    checkEmbedded(check, draft);
  }
  checkEventSubProcesses(check, draft.children, label(draft.element));
}

/** BPMN 2.0.2 §10.3.5: only a none start event; or none at all, and then what nothing leads to. */
function checkEmbedded(check: CheckContext, { element, children }: NodeDraft): void {
  const { context, graph } = check;
  const code = 'SUTRA.BPMN.SUB_PROCESS_START_INVALID';
  const starts = startEventsOf(graph, children);
  const [start] = starts;
  if (starts.length > 1) {
    const message = `${label(element)} has ${starts.length} start events; keep one`;
    report(check, code, start?.element ?? element, message);
  } else if (start !== undefined && !isNoneStart(context, start)) {
    const message = `${label(element)} begins when its flow reaches it, so its start event has no trigger; remove that`;
    report(check, code, start.element, message);
  } else if (start === undefined && scopeStartOf(context, graph, children).length === 0) {
    const message = `${label(element)} has no start event and nothing else to begin with; add a start event`;
    report(check, code, element, message);
  }
}

/** BPMN 2.0.2 §10.3.5, event sub-process; §13.5.4. */
function checkEventSubProcess(check: CheckContext, draft: NodeDraft): void {
  const { context, graph, models } = check;
  const { element } = draft;
  const starts = startEventsOf(graph, draft.children);
  const [start, second] = starts;
  if (start === undefined || second !== undefined || isNoneStart(context, start)) {
    const found = starts.length === 1 ? 'its start event has none' : `it has ${starts.length} start events`;
    const message = `${label(element)} needs exactly one start event with a trigger; ${found}`;
    report(check, 'SUTRA.BPMN.EVENT_SUB_PROCESS_START_INVALID', start?.element ?? element, message);
  }
  const model = models.get(draft.id);
  const fault =
    draft.incoming.length + draft.outgoing.length > 0
      ? 'is joined by a sequence flow'
      : draft.boundaryEventIds.length > 0
        ? 'has boundary events'
        : isForAnotherPurpose(context, element, start)
          ? 'is for compensation, which its start event does not wait for'
          : model?.kind === 'subProcess' && model.loop !== null
            ? 'is a loop'
            : null;
  if (fault !== null) {
    const message = `${label(element)} is triggered by its start event and ${fault}; remove that or triggeredByEvent`;
    report(check, 'SUTRA.BPMN.EVENT_SUB_PROCESS_JOINED', element, message);
  }
}

/** Some modelers mark an event sub-process that waits for compensation; on any other the mark says nothing. */
function isForAnotherPurpose(
  context: ReadContext,
  element: XmlElement,
  start: NodeDraft | undefined,
): boolean {
  const isMarked = readBoolean(attributeOf(element, 'isForCompensation') ?? 'false') === true;
  return isMarked && !(start !== undefined && eventKindsOf(context, start.element).includes('compensate'));
}

/** BPMN 2.0.2 §10.3.5, ad hoc: no start event and no end event; whoever performs it launches the activities. */
function checkAdHoc(check: CheckContext, draft: NodeDraft): void {
  const { graph } = check;
  const code = 'SUTRA.BPMN.AD_HOC_CONTENT_INVALID';
  for (const { kind, element } of childrenOf(graph, draft.children)) {
    if (kind === 'startEvent' || kind === 'endEvent') {
      const message = `${label(element)} stands in ${label(draft.element)}, which is ad hoc and has no ${kind}; remove it`;
      report(check, code, element, message);
    }
  }
  if (launchableOf(graph, draft.children).length === 0) {
    const message = `${label(draft.element)} is ad hoc and has no activity to launch; add one to which no sequence flow leads`;
    report(check, code, draft.element, message);
  }
}

function checkEventSubProcesses(check: CheckContext, children: readonly string[], scope: string): void {
  const starts = eventSubProcessesOf(check.graph, children).flatMap((id) =>
    startEventsOf(check.graph, check.graph.nodes.get(id)?.children ?? []).map((start) => start.id),
  );
  duplicateCatches(check, starts, `event sub-process of ${scope}`);
}
