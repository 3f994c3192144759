/**
 * What an event waits for: its event definitions to the triggers of the model.
 *
 * Which definitions may stand where: elements.ts by the kind of event, and here by its place.
 * Source: BPMN 2.0.2 §10.5.2-10.5.5, tables 10.84-10.93.
 */
import type { CatchDefinition } from '../model.ts';
import type { XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { isExecutedEvent } from './elements.ts';
import { codeOf, requireLinkName, signalNameOf } from './event-references.ts';
import { ACTIVITY_KINDS, type GraphDraft, type NodeDraft } from './graph.ts';
import {
  booleanOf,
  eventDefinitionsOf,
  eventKind,
  label,
  onlyChild,
  placeOf,
  qChild,
  type ReadContext,
  resolveRoot,
  siteOf,
  withoutPrefix,
} from './read-context.ts';
import { readAliases, readOutputVariable, rejectQ, requireSource } from './read-q.ts';
import { readTimer } from './read-timer.ts';

export interface Triggers {
  readonly triggers: readonly CatchDefinition[];
  readonly isParallelMultiple: boolean;
}

/** The event that its definitions are read for. */
interface CatchingEvent {
  readonly draft: NodeDraft;
  readonly graph: GraphDraft;
  readonly element: XmlElement;
  /** Of the q:output that its signals share. */
  readonly variable: string | null;
  readonly unreadable: ReadonlySet<XmlElement>;
}

/** What a start event may wait for. A start event of any other sub-process waits for nothing. */
const PROCESS_START = new Set(['message', 'timer', 'signal', 'conditional']);
/** What can occur beside other triggers that must occur too. */
const PARALLEL = new Set(['message', 'timer', 'signal', 'conditional']);
/** Joined by something other than a sequence flow: the other triggers would have no way to go. */
const ALONE = new Set(['link', 'compensate']);

/** The triggers of an event that catches, none for a none event; null when it has a fault, which was reported. */
export function readTriggers(context: ReadContext, draft: NodeDraft, graph: GraphDraft): Triggers | null {
  const { element } = draft;
  const definitions = eventDefinitionsOf(context, element);
  const isMarked = booleanOf(context, element, 'parallelMultiple', false);
  const isParallelMultiple = isMarked && definitions.length > 1;
  checkPlaces(context, draft, graph, definitions);
  checkCombination(context, element, definitions, isParallelMultiple);
  const unreadable = checkQ(context, element, definitions);
  const variable = readOutputVariable(element);
  const event: CatchingEvent = { draft, graph, element, variable, unreadable };
  const triggers =
    definitions.length === 0 && qChild(element, 'source') !== null
      ? [readMessage(context, element)]
      : definitions.map((definition) => readTrigger(context, event, definition));
  const read = triggers.flatMap((trigger) => trigger ?? []);
  return read.length < triggers.length ? null : { triggers: read, isParallelMultiple };
}

/** BPMN 2.0.2 §10.5.2, tables 10.84 and 10.86: start events of processes and of event sub-processes. */
function checkPlaces(
  context: ReadContext,
  draft: NodeDraft,
  graph: GraphDraft,
  definitions: readonly XmlElement[],
): void {
  const { element } = draft;
  if (draft.kind !== 'startEvent' || draft.parentId !== graph.processId) {
    return;
  }
  for (const definition of definitions) {
    if (!PROCESS_START.has(eventKind(definition)) && isExecutedEvent('startEvent', definition.localName)) {
      const message = `${definition.localName} does not start a process; use it in an event sub-process`;
      context.report.error('SUTRA.BPMN.EVENT_NOT_EXECUTED', siteOf(context, element, definition), message);
    }
  }
  const attribute = findAttribute(element, 'parallelMultiple');
  if (attribute !== null && definitions.length > 1 && /^(?:true|1)$/.test(attribute.value)) {
    const message = `parallelMultiple=${shown(attribute.value)} on the start event of a process is recognised but not executed; use an event-based gateway with instantiate="true" and eventGatewayType="Parallel"`;
    context.report.attributeError('SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED', element, attribute, message);
  }
}

/** BPMN 2.0.2 §10.5.5, multiple and parallel multiple. */
function checkCombination(
  context: ReadContext,
  event: XmlElement,
  definitions: readonly XmlElement[],
  isParallelMultiple: boolean,
): void {
  if (definitions.length < 2) {
    return;
  }
  for (const definition of definitions) {
    const kind = eventKind(definition);
    if (ALONE.has(kind) || (isParallelMultiple && !PARALLEL.has(kind))) {
      const others = isParallelMultiple ? 'other triggers that must all occur' : 'other triggers';
      const message = `${definition.localName} is not executed beside ${others}; give it an event of its own`;
      context.report.error(
        'SUTRA.BPMN.EVENT_COMBINATION_NOT_EXECUTED',
        siteOf(context, event, definition),
        message,
      );
    }
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
  const sharing = messages.filter((definition) => qChild(definition, 'source') === null);
  const unreadable = sharing.slice(1);
  for (const definition of unreadable) {
    const message = `${label(event)} waits for several messages; give each messageEventDefinition its own q:source in its extensionElements`;
    context.report.error('SUTRA.BPMN.EVENT_DEFINITION_REPEATED', siteOf(context, event, definition), message);
  }
  sharing.forEach((definition) => rejectQ(context, definition, ['alias'], 'its q:source is on the event'));
  messages.forEach((definition) => rejectQ(context, definition, ['send'], 'its event catches'));
  signals.forEach((definition) => rejectQ(context, definition, ['signal'], 'its event catches'));
  if (definitions.length > 0 && sharing.length === 0) {
    rejectQ(context, event, ['source', 'alias'], unread(messages, 'message'));
  }
  if (!signals.some((definition) => qChild(definition, 'output') === null)) {
    rejectQ(context, event, ['output'], unread(signals, 'signal'));
  }
  return new Set(unreadable);
}

function unread(definitions: readonly XmlElement[], kind: string): string {
  return definitions.length === 0 ? `it waits for no ${kind}` : `its ${kind} definitions have their own`;
}

function readTrigger(
  context: ReadContext,
  event: CatchingEvent,
  definition: XmlElement,
): CatchDefinition | null {
  const { draft, graph, element } = event;
  if (!isExecutedEvent(element.localName, definition.localName) || event.unreadable.has(definition)) {
    return null;
  }
  switch (eventKind(definition)) {
    case 'message':
      resolveRoot(context, definition, 'messageRef', 'message');
      return readMessage(context, qChild(definition, 'source') === null ? element : definition);
    case 'timer': {
      const timer = readTimer(context, element, definition);
      return timer === null ? null : { kind: 'timer', timer };
    }
    case 'signal':
      return readSignal(context, event, definition);
    case 'conditional':
      return readCondition(context, element, definition);
    case 'error': {
      const errorCode = codeOf(context, definition, 'error');
      return errorCode === undefined
        ? null
        : {
            kind: 'error',
            errorCode,
            codeVariable: caughtVariable(definition, 'code'),
            messageVariable: caughtVariable(definition, 'message'),
          };
    }
    case 'escalation': {
      const escalationCode = codeOf(context, definition, 'escalation');
      const codeVariable = caughtVariable(definition, 'code');
      return escalationCode === undefined ? null : { kind: 'escalation', escalationCode, codeVariable };
    }
    case 'compensate':
      return readCompensation(context, draft, graph, definition);
    case 'cancel':
      return readCancel(context, draft, graph, definition);
    default:
      return readLink(context, element, graph, definition);
  }
}

/** The variable of `q:caught` that takes the code or the message; null: none does. */
function caughtVariable(definition: XmlElement, name: 'code' | 'message'): string | null {
  const caught = qChild(definition, 'caught');
  return caught === null ? null : attributeOf(caught, name);
}

/** `holder` is the element with the q:source, or the one that misses it. */
function readMessage(context: ReadContext, holder: XmlElement): CatchDefinition | null {
  const source = requireSource(context, holder);
  const aliases = readAliases(context, holder);
  return source === null ? null : { kind: 'message', source, aliases };
}

function readSignal(
  context: ReadContext,
  event: CatchingEvent,
  definition: XmlElement,
): CatchDefinition | null {
  const name = signalNameOf(context, event.element, definition);
  const variable = readOutputVariable(definition) ?? event.variable;
  return name === null ? null : { kind: 'signal', name, variable, place: placeOf(context, definition) };
}

function readCondition(
  context: ReadContext,
  event: XmlElement,
  definition: XmlElement,
): CatchDefinition | null {
  const element = onlyChild(context, definition, 'condition');
  if (element === null) {
    const message = `${label(event)} waits for a condition and has none; add a condition element`;
    context.report.error('SUTRA.BPMN.EVENT_CONDITION_MISSING', siteOf(context, event, definition), message);
    return null;
  }
  const condition = context.expressions.formal(element);
  return condition === null ? null : { kind: 'conditional', condition, place: placeOf(context, element) };
}

/**
 * A boundary event of an activity, or the start of an event sub-process. What is compensated follows from where
 * it stands, so a catching event names no other activity. BPMN 2.0.2 §10.5.5, compensation, §10.7.
 */
function readCompensation(
  context: ReadContext,
  draft: NodeDraft,
  graph: GraphDraft,
  definition: XmlElement,
): CatchDefinition | null {
  booleanOf(context, definition, 'waitForCompletion', true);
  const compensatedId =
    draft.kind === 'boundaryEvent'
      ? withoutPrefix(attributeOf(draft.element, 'attachedToRef') ?? '')
      : (graph.nodes.get(draft.parentId)?.parentId ?? '');
  const attribute = findAttribute(definition, 'activityRef');
  if (attribute !== null && withoutPrefix(attribute.value) !== compensatedId) {
    const message = `activityRef names ${shown(attribute.value)}, but ${label(draft.element)} catches the compensation of ${shown(compensatedId)}; remove it`;
    context.report.attributeError('SUTRA.BPMN.COMPENSATION_ACTIVITY_INVALID', definition, attribute, message);
    return null;
  }
  if (draft.kind !== 'boundaryEvent') {
    return { kind: 'compensation', handlerId: null };
  }
  const handlerId = readHandler(context, draft, graph);
  return handlerId === null ? null : { kind: 'compensation', handlerId };
}

/** The activity that an association joins with a compensation boundary event. BPMN 2.0.2 §10.7. */
function readHandler(context: ReadContext, draft: NodeDraft, graph: GraphDraft): string | null {
  const { element } = draft;
  const [handler, second] = [...new Set(graph.associated.get(draft.id))].flatMap((id) => {
    const node = graph.nodes.get(id);
    return node !== undefined && ACTIVITY_KINDS.has(node.kind) ? [node] : [];
  });
  if (handler === undefined) {
    const message = `${label(element)} has no activity that undoes; draw an association to one with isForCompensation="true"`;
    context.report.error('SUTRA.BPMN.COMPENSATION_HANDLER_MISSING', element, message);
    return null;
  }
  const fault =
    second !== undefined
      ? `${label(element)} has several associated activities; put them into one sub-process`
      : !handler.isForCompensation
        ? `${label(handler.element)} undoes what ${label(element)} is attached to; give it isForCompensation="true"`
        : handler.parentId !== draft.parentId
          ? `${label(handler.element)} is in another scope than ${label(element)}; move it there`
          : null;
  if (fault !== null) {
    context.report.error('SUTRA.BPMN.COMPENSATION_HANDLER_INVALID', element, fault);
    return null;
  }
  return handler.id;
}

/** BPMN 2.0.2 §10.5.4: a cancel boundary event is attached to a transaction only. */
function readCancel(
  context: ReadContext,
  draft: NodeDraft,
  graph: GraphDraft,
  definition: XmlElement,
): CatchDefinition | null {
  const host = graph.nodes.get(withoutPrefix(attributeOf(draft.element, 'attachedToRef') ?? ''));
  if (host !== undefined && host.kind !== 'transaction') {
    const message = `${label(draft.element)} catches a cancellation, but ${label(host.element)} is no transaction`;
    context.report.error('SUTRA.BPMN.CANCEL_MISPLACED', siteOf(context, draft.element, definition), message);
    return null;
  }
  return { kind: 'cancel' };
}

function readLink(
  context: ReadContext,
  event: XmlElement,
  graph: GraphDraft,
  definition: XmlElement,
): CatchDefinition | null {
  const name = requireLinkName(context, event, graph, definition);
  return name === null ? null : { kind: 'link', name };
}
