/** Events: from an element to the model; what they wait for and throw is read in read-catch.ts, read-throw.ts. */
import type {
  BoundaryEvent,
  EndEvent,
  IntermediateCatchEvent,
  IntermediateThrowEvent,
  StartEvent,
} from '../model.ts';
import { attributeOf } from '../xml/document.ts';
import type { BpmnCode } from './codes.ts';
import type { GraphDraft, NodeDraft } from './graph.ts';
import { readTriggers, type Triggers } from './read-catch.ts';
import { booleanOf, label, type ReadContext, withoutPrefix } from './read-context.ts';
import { readEventOutputs } from './read-data.ts';
import type { NodeBase } from './node-base.ts';
import { readAliases, readReply, rejectQ } from './read-q.ts';
import { readResults } from './read-throw.ts';

export function readStartEvent(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
  graph: GraphDraft,
): StartEvent | null {
  const { element } = draft;
  const triggers = readTriggers(context, draft, graph);
  // BPMN 2.0.2 §10.5.2: the attribute is ignored on the start events of everything else.
  const isOfEventSubProcess = graph.nodes.get(draft.parentId)?.isEventSubProcess === true;
  const isMarkedInterrupting = booleanOf(context, element, 'isInterrupting', true);
  const isInterrupting = !isOfEventSubProcess || isMarkedInterrupting;
  if (triggers === null) {
    return null;
  }
  checkInterrupting(context, draft, triggers, isInterrupting);
  const outputs = readEventOutputs(context, element);
  if (triggers.triggers.length > 0) {
    return { ...base, kind: 'startEvent', ...triggers, outputs, isInterrupting, aliases: [] };
  }
  // Whoever starts a process by its id can give it the variables of a key; a sub-process has no caller.
  if (draft.parentId !== graph.processId) {
    rejectQ(context, element, ['alias'], 'a sub-process is started by no message');
  }
  const aliases = readAliases(context, element);
  return { ...base, kind: 'startEvent', ...triggers, outputs, isInterrupting, aliases };
}

export function readIntermediateCatchEvent(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
  graph: GraphDraft,
): IntermediateCatchEvent | null {
  const triggers = requireTriggers(context, draft, graph);
  const outputs = readEventOutputs(context, draft.element);
  return triggers === null ? null : { ...base, kind: 'intermediateCatchEvent', ...triggers, outputs };
}

export function readBoundaryEvent(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
  graph: GraphDraft,
): BoundaryEvent | null {
  const { element } = draft;
  const isInterrupting = booleanOf(context, element, 'cancelActivity', true);
  const triggers = requireTriggers(context, draft, graph);
  if (triggers === null) {
    return null;
  }
  checkInterrupting(context, draft, triggers, isInterrupting);
  const attachedToId = withoutPrefix(attributeOf(element, 'attachedToRef') ?? '');
  const outputs = readEventOutputs(context, element);
  return { ...base, kind: 'boundaryEvent', attachedToId, isInterrupting, ...triggers, outputs };
}

export function readIntermediateThrowEvent(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
  graph: GraphDraft,
): IntermediateThrowEvent | null {
  const results = readResults(context, draft, graph);
  const reply = readReply(context, draft.element);
  return results === null ? null : { ...base, kind: 'intermediateThrowEvent', results, reply };
}

export function readEndEvent(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
  graph: GraphDraft,
): EndEvent | null {
  const results = readResults(context, draft, graph);
  const reply = readReply(context, draft.element);
  return results === null ? null : { ...base, kind: 'endEvent', results, reply };
}

/** The triggers of an event that is nothing without one. */
function requireTriggers(context: ReadContext, draft: NodeDraft, graph: GraphDraft): Triggers | null {
  const { element } = draft;
  const triggers = readTriggers(context, draft, graph);
  if (triggers?.triggers.length !== 0) {
    return triggers;
  }
  const message = `${label(element)} does not say what it waits for; add an event definition`;
  context.report.error('SUTRA.BPMN.EVENT_DEFINITION_MISSING', element, message);
  return null;
}

/**
 * What ends the activity or the scope anyway cannot be caught beside it. A compensation boundary event waits for
 * an activity that has ended, so the question does not arise there. BPMN 2.0.2 tables 10.86 and 10.90.
 */
function checkInterrupting(
  context: ReadContext,
  draft: NodeDraft,
  { triggers }: Triggers,
  isInterrupting: boolean,
): void {
  if (isInterrupting) {
    return;
  }
  const attributeName = draft.kind === 'boundaryEvent' ? 'cancelActivity' : 'isInterrupting';
  const codes: Readonly<Record<string, readonly [BpmnCode, string] | undefined>> = {
    error: ['SUTRA.BPMN.ERROR_CATCH_NOT_INTERRUPTING', 'an error'],
    cancel: ['SUTRA.BPMN.CATCH_NOT_INTERRUPTING', 'a cancellation'],
    ...(draft.kind === 'startEvent'
      ? { compensation: ['SUTRA.BPMN.CATCH_NOT_INTERRUPTING', 'compensation'] as const }
      : {}),
  };
  for (const { kind } of triggers) {
    const [code, caught] = codes[kind] ?? [null, ''];
    if (code !== null) {
      const message = `${label(draft.element)} catches ${caught}, which always interrupts; remove ${attributeName}="false"`;
      context.report.error(code, draft.element, message);
    }
  }
}
