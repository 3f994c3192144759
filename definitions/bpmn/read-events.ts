/** Events: from an element and its event definition to the model. */
import type {
  BoundaryEvent,
  CatchDefinition,
  EndEvent,
  IntermediateCatchEvent,
  IntermediateThrowEvent,
  SendDefinition,
  StartEvent,
} from '../model.ts';
import type { XmlElement } from '../xml/document.ts';
import { attributeOf } from '../xml/document.ts';
import { isExecutedEvent } from './elements.ts';
import type { NodeDraft } from './graph.ts';
import {
  booleanOf,
  eventDefinitionsOf,
  label,
  qChild,
  type ReadContext,
  resolveRoot,
  withoutPrefix,
} from './read-context.ts';
import type { NodeBase } from './node-base.ts';
import { readAliases, readReply, rejectQ, requireSend, requireSource } from './read-q.ts';
import { readTimer } from './read-timer.ts';

/**
 * The one event definition; null for a none event; undefined when the event cannot be read, which was
 * reported.
 */
function definitionOf(context: ReadContext, event: XmlElement): XmlElement | null | undefined {
  const [definition, second] = eventDefinitionsOf(context, event);
  if (definition === undefined) {
    return null;
  }
  if (second !== undefined) {
    const message = `${label(event)} has several event definitions; use one event for each`;
    context.report.error('SUTRA.BPMN.EVENT_DEFINITION_REPEATED', event, message);
    return undefined;
  }
  return isExecutedEvent(event.localName, definition.localName) ? definition : undefined;
}

/** A message definition, or none but a q element that makes it one. */
function isMessage(definition: XmlElement | null, event: XmlElement, qName: string): boolean {
  return definition === null
    ? qChild(event, qName) !== null
    : definition.localName === 'messageEventDefinition';
}

function checkMessageRef(context: ReadContext, definition: XmlElement | null): void {
  if (definition !== null) {
    resolveRoot(context, definition, 'messageRef', 'message');
  }
}

export function readStartEvent(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
  processId: string,
): StartEvent | null {
  const { element } = draft;
  const definition = definitionOf(context, element);
  if (definition === undefined) {
    return null;
  }
  if (!isMessage(definition, element, 'source')) {
    // Whoever starts a process by its id can give it the variables of a key; a sub-process has no caller.
    if (draft.parentId !== processId) {
      rejectQ(context, element, ['alias'], 'a sub-process is started by no message');
    }
    return { ...base, kind: 'startEvent', source: null, aliases: readAliases(context, element) };
  }
  checkMessageRef(context, definition);
  const source = requireSource(context, element);
  const aliases = readAliases(context, element);
  return source === null ? null : { ...base, kind: 'startEvent', source, aliases };
}

export function readIntermediateCatchEvent(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
): IntermediateCatchEvent | null {
  const event = readCatch(context, draft.element);
  return event === null ? null : { ...base, kind: 'intermediateCatchEvent', event };
}

export function readBoundaryEvent(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
): BoundaryEvent | null {
  const { element } = draft;
  const isInterrupting = booleanOf(context, element, 'cancelActivity', true);
  const event = readCatch(context, element);
  if (event?.kind === 'error' && !isInterrupting) {
    const message = `${label(element)} catches an error, which always interrupts; remove cancelActivity="false"`;
    context.report.error('SUTRA.BPMN.ERROR_CATCH_NOT_INTERRUPTING', element, message);
  }
  const attachedToId = withoutPrefix(attributeOf(element, 'attachedToRef') ?? '');
  return event === null ? null : { ...base, kind: 'boundaryEvent', attachedToId, isInterrupting, event };
}

function readCatch(context: ReadContext, element: XmlElement): CatchDefinition | null {
  const definition = definitionOf(context, element);
  if (definition === undefined) {
    return null;
  }
  if (isMessage(definition, element, 'source')) {
    checkMessageRef(context, definition);
    const source = requireSource(context, element);
    const aliases = readAliases(context, element);
    return source === null ? null : { kind: 'message', source, aliases };
  }
  if (definition === null) {
    const message = `${label(element)} does not say what it waits for; add an event definition`;
    context.report.error('SUTRA.BPMN.EVENT_DEFINITION_MISSING', element, message);
    return null;
  }
  rejectQ(context, element, ['source', 'alias'], 'it waits for no message');
  if (definition.localName === 'timerEventDefinition') {
    const timer = readTimer(context, element, definition);
    return timer === null ? null : { kind: 'timer', timer };
  }
  const error = resolveRoot(context, definition, 'errorRef', 'error');
  // No reference, or an error without a code: every BPMN error.
  const errorCode = error ? attributeOf(error, 'errorCode') : null;
  return {
    kind: 'error',
    errorCode: errorCode === '' ? null : errorCode,
    codeVariable: null,
    messageVariable: null,
  };
}

export function readIntermediateThrowEvent(
  context: ReadContext,
  draft: NodeDraft,
  base: NodeBase,
): IntermediateThrowEvent | null {
  const { element } = draft;
  const definition = definitionOf(context, element);
  const reply = readReply(context, element);
  if (definition === undefined) {
    return null;
  }
  if (!isMessage(definition, element, 'send')) {
    return { ...base, kind: 'intermediateThrowEvent', event: { kind: 'none' }, reply };
  }
  const send = readThrownMessage(context, element, definition);
  return send === null
    ? null
    : { ...base, kind: 'intermediateThrowEvent', event: { kind: 'message', send }, reply };
}

export function readEndEvent(context: ReadContext, draft: NodeDraft, base: NodeBase): EndEvent | null {
  const { element } = draft;
  const definition = definitionOf(context, element);
  const reply = readReply(context, element);
  const result = definition === undefined ? null : readResult(context, element, definition);
  return result === null ? null : { ...base, kind: 'endEvent', result, reply };
}

function readResult(
  context: ReadContext,
  element: XmlElement,
  definition: XmlElement | null,
): EndEvent['result'] | null {
  if (isMessage(definition, element, 'send')) {
    const send = readThrownMessage(context, element, definition);
    return send === null ? null : { kind: 'message', send };
  }
  if (definition === null) {
    return { kind: 'none' };
  }
  rejectQ(context, element, ['send'], 'it throws no message');
  if (definition.localName === 'terminateEventDefinition') {
    return { kind: 'terminate' };
  }
  const error = resolveRoot(context, definition, 'errorRef', 'error');
  const errorCode = error ? attributeOf(error, 'errorCode') : null;
  if (error !== undefined && (errorCode === null || errorCode.trim() === '')) {
    const message = `${label(element)} throws an error without a code; set errorRef to a bpmn:error with an errorCode`;
    context.report.error('SUTRA.BPMN.ERROR_CODE_MISSING', element, message);
  }
  return errorCode === null ? null : { kind: 'error', errorCode };
}

function readThrownMessage(
  context: ReadContext,
  element: XmlElement,
  definition: XmlElement | null,
): SendDefinition | null {
  checkMessageRef(context, definition);
  return requireSend(context, element);
}
