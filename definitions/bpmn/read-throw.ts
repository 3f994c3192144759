/**
 * What an event throws: its event definitions to the results of the model.
 *
 * Source: BPMN 2.0.2 §10.5.3-10.5.5, tables 10.88-10.93.
 */
import type { CompiledExpression } from '../feel.ts';
import type { ThrowDefinition } from '../model.ts';
import type { XmlElement } from '../xml/document.ts';
import { findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { isExecutedEvent } from './elements.ts';
import { codeOf, requireLinkName, signalNameOf } from './event-references.ts';
import { ACTIVITY_KINDS, type GraphDraft, type NodeDraft, SUB_PROCESS_KINDS } from './graph.ts';
import { linkKey } from './graph-joins.ts';
import {
  booleanOf,
  eventDefinitionsOf,
  eventKind,
  eventKindsOf,
  label,
  qChild,
  type ReadContext,
  resolveRoot,
  siteOf,
  withoutPrefix,
} from './read-context.ts';
import { rejectQ, requireSend } from './read-q.ts';

/** Each of these ends the scope in its own way. */
const ENDING = new Set(['error', 'cancel', 'terminate']);

/** The event that its definitions are read for. */
interface ThrowingEvent {
  readonly draft: NodeDraft;
  readonly graph: GraphDraft;
  readonly element: XmlElement;
  /** Of the q:signal that its signals share. */
  readonly body: CompiledExpression | null;
  readonly unreadable: ReadonlySet<XmlElement>;
}

/** The results of an event that throws, in the order of the file; null when it has a fault, which was reported. */
export function readResults(
  context: ReadContext,
  draft: NodeDraft,
  graph: GraphDraft,
): readonly ThrowDefinition[] | null {
  const { element } = draft;
  const definitions = eventDefinitionsOf(context, element);
  checkCombination(context, element, definitions);
  const unreadable = checkQ(context, element, definitions);
  const event: ThrowingEvent = { draft, graph, element, body: bodyOf(context, element), unreadable };
  const results =
    definitions.length === 0 && qChild(element, 'send') !== null
      ? [readMessage(context, element)]
      : definitions.map((definition) => readResult(context, event, definition));
  const read = results.flatMap((result) => result ?? []);
  return read.length < results.length ? null : read;
}

/** BPMN 2.0.2 §10.5.5, multiple: all results occur, so no two may exclude each other. */
function checkCombination(context: ReadContext, event: XmlElement, definitions: readonly XmlElement[]): void {
  const endings = definitions.filter((definition) => ENDING.has(eventKind(definition)));
  if (endings.length > 1) {
    const message = `${label(event)} ends its scope in several ways; keep one of error, cancel and terminate`;
    context.report.error('SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED', event, message);
  }
  if (definitions.length > 1 && definitions.some((definition) => eventKind(definition) === 'link')) {
    const message = `linkEventDefinition of ${label(event)} is not executed beside other results; give it an event of its own`;
    context.report.error('SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED', event, message);
  }
}

/**
 * A definition has its q elements in its own extensionElements, or shares those of its event: at most one
 * message definition does, any number of signal definitions may. Whatever is read by none is refused. Returns the
 * definitions that are left without one.
 */
function checkQ(
  context: ReadContext,
  event: XmlElement,
  definitions: readonly XmlElement[],
): ReadonlySet<XmlElement> {
  const messages = definitions.filter((definition) => eventKind(definition) === 'message');
  const signals = definitions.filter((definition) => eventKind(definition) === 'signal');
  const sharing = messages.filter((definition) => qChild(definition, 'send') === null);
  const unreadable = sharing.slice(1);
  for (const definition of unreadable) {
    const message = `${label(event)} sends several messages; give each messageEventDefinition its own q:send in its extensionElements`;
    context.report.error('SUTRA.BPMN.EVENT_DEFINITION_REPEATED', siteOf(context, event, definition), message);
  }
  messages.forEach((definition) => rejectQ(context, definition, ['source', 'alias'], 'its event throws'));
  signals.forEach((definition) => rejectQ(context, definition, ['output'], 'its event throws'));
  if (definitions.length > 0 && sharing.length === 0) {
    rejectQ(context, event, ['send'], unread(messages, 'message'));
  }
  if (!signals.some((definition) => qChild(definition, 'signal') === null)) {
    rejectQ(context, event, ['signal'], unread(signals, 'signal'));
  }
  return new Set(unreadable);
}

function unread(definitions: readonly XmlElement[], kind: string): string {
  return definitions.length === 0 ? `it throws no ${kind}` : `its ${kind} definitions have their own`;
}

function readResult(
  context: ReadContext,
  event: ThrowingEvent,
  definition: XmlElement,
): ThrowDefinition | null {
  const { draft, graph, element } = event;
  if (!isExecutedEvent(element.localName, definition.localName) || event.unreadable.has(definition)) {
    return null;
  }
  switch (eventKind(definition)) {
    case 'message':
      resolveRoot(context, definition, 'messageRef', 'message');
      return readMessage(context, qChild(definition, 'send') === null ? element : definition);
    case 'signal':
      return readSignal(context, event, definition);
    case 'error':
      return readError(context, element, definition);
    case 'escalation': {
      const escalationCode = codeOf(context, definition, 'escalation');
      return escalationCode === undefined ? null : { kind: 'escalation', escalationCode };
    }
    case 'compensate':
      return readCompensation(context, draft, graph, definition);
    case 'cancel':
      return readCancel(context, draft, graph);
    case 'terminate':
      return { kind: 'terminate' };
    default:
      return readLink(context, draft, graph, definition);
  }
}

/** `holder` is the element with the q:send, or the one that misses it. */
function readMessage(context: ReadContext, holder: XmlElement): ThrowDefinition | null {
  const send = requireSend(context, holder);
  return send === null ? null : { kind: 'message', send };
}

function readSignal(
  context: ReadContext,
  event: ThrowingEvent,
  definition: XmlElement,
): ThrowDefinition | null {
  const name = signalNameOf(context, event.element, definition);
  const isOwn = qChild(definition, 'signal') !== null;
  const body = isOwn ? bodyOf(context, definition) : event.body;
  return name === null ? null : { kind: 'signal', name, body };
}

function bodyOf(context: ReadContext, holder: XmlElement): CompiledExpression | null {
  const signal = qChild(holder, 'signal');
  return signal === null ? null : context.expressions.attribute(signal, 'body');
}

function readError(context: ReadContext, event: XmlElement, definition: XmlElement): ThrowDefinition | null {
  const errorCode = codeOf(context, definition, 'error');
  if (errorCode === null) {
    const message = `${label(event)} throws an error without a code; set errorRef to a bpmn:error with an errorCode`;
    context.report.error('SUTRA.BPMN.ERROR_CODE_MISSING', event, message);
  }
  return errorCode === null || errorCode === undefined ? null : { kind: 'error', errorCode };
}

/**
 * Without an activity it compensates its scope. A named one is in the scope of the event; an event in an event
 * sub-process also reaches the scope around that. BPMN 2.0.2 §10.5.5, compensation.
 */
function readCompensation(
  context: ReadContext,
  draft: NodeDraft,
  graph: GraphDraft,
  definition: XmlElement,
): ThrowDefinition | null {
  const waitsForCompletion = booleanOf(context, definition, 'waitForCompletion', true);
  const attribute = findAttribute(definition, 'activityRef');
  if (attribute === null) {
    return { kind: 'compensation', activityId: null, waitsForCompletion };
  }
  const activity = graph.nodes.get(withoutPrefix(attribute.value));
  const fault =
    activity === undefined
      ? 'but the process has no activity of that id'
      : !ACTIVITY_KINDS.has(activity.kind)
        ? `which is no activity but of the kind ${activity.kind}`
        : activity.isForCompensation || activity.isEventSubProcess
          ? 'which is never compensated itself'
          : !scopesReachedFrom(draft, graph).includes(activity.parentId)
            ? 'which is in a scope that this event does not compensate'
            : !canBeCompensated(context, activity, graph)
              ? 'which has no compensation boundary event, so nothing undoes it'
              : null;
  if (activity === undefined || fault !== null) {
    const message = `activityRef of ${label(draft.element)} names ${shown(attribute.value)}, ${fault ?? ''}`;
    context.report.attributeError('SUTRA.BPMN.COMPENSATION_ACTIVITY_INVALID', definition, attribute, message);
    return null;
  }
  return { kind: 'compensation', activityId: activity.id, waitsForCompletion };
}

/** What runs a scope is undone by what undoes the activities inside. */
function canBeCompensated(context: ReadContext, activity: NodeDraft, graph: GraphDraft): boolean {
  return (
    SUB_PROCESS_KINDS.has(activity.kind) ||
    activity.kind === 'callActivity' ||
    activity.boundaryEventIds.some((id) => {
      const event = graph.nodes.get(id);
      return event !== undefined && eventKindsOf(context, event.element).includes('compensate');
    })
  );
}

function scopesReachedFrom(draft: NodeDraft, graph: GraphDraft): readonly string[] {
  const scopeIds = [draft.parentId];
  for (
    let scope = graph.nodes.get(draft.parentId);
    scope?.isEventSubProcess === true;
    scope = graph.nodes.get(scope.parentId)
  ) {
    scopeIds.push(scope.parentId);
  }
  return scopeIds;
}

/** BPMN 2.0.2 §10.5.3: a cancel end event stands in a transaction. */
function readCancel(context: ReadContext, draft: NodeDraft, graph: GraphDraft): ThrowDefinition | null {
  if (graph.nodes.get(draft.parentId)?.kind === 'transaction') {
    return { kind: 'cancel' };
  }
  const message = `${label(draft.element)} cancels, but does not stand directly inside a transaction`;
  context.report.error('SUTRA.BPMN.CANCEL_MISPLACED', draft.element, message);
  return null;
}

/** BPMN 2.0.2 §10.5.5, link: it goes on at the one catching link of that name in the same scope. */
function readLink(
  context: ReadContext,
  draft: NodeDraft,
  graph: GraphDraft,
  definition: XmlElement,
): ThrowDefinition | null {
  const { element } = draft;
  const name = requireLinkName(context, element, graph, definition);
  if (name === null) {
    return null;
  }
  // Several are reported at the catching events.
  const [target] = graph.links.get(linkKey(draft.parentId, name)) ?? [];
  if (target === undefined) {
    const message = `${label(element)} throws the link ${shown(name)}, which no link event of its scope catches`;
    context.report.error('SUTRA.BPMN.LINK_TARGET_MISSING', element, message);
    return null;
  }
  return { kind: 'link', targetId: target.id };
}
