/** Events of a BPMN process to what flows wait for, throw, and end with. */
import type { NodeDraft } from '../../bpmn/graph.ts';
import { isEventDefinition } from '../../bpmn/elements.ts';
import { eventKind, findEventDefinitions, label, qChild, withoutPrefix } from '../../bpmn/read-context.ts';
import { joined, trimmed, type Written } from '../../written.ts';
import { parseDuration, parseInstant, parseRepeatingInterval } from '../../../config/iso8601.ts';
import { attributeOf, type XmlElement } from '../../xml/document.ts';
import type { FlowTimer, Handler, Start, Step, Trigger } from '../flow.ts';
import {
  readFlowAliases,
  readFlowMessage,
  readFlowReply,
  readFlowSource,
  readOutput,
  SAID,
} from './read-bpmn-q.ts';
import {
  attribute,
  type BpmnSource,
  checkSayable,
  childText,
  headOf,
  isTrue,
  refuse,
  type Sayable,
  sharedQ,
} from './read-bpmn-source.ts';

/** What an event is about: of the kind `none` nothing. */
interface EventKind {
  readonly kind: string;
  /** Null: of a none event, or of a message event that only q: makes one. */
  readonly definition: XmlElement | null;
}

export function isCompensation(source: BpmnSource, { element }: NodeDraft): boolean {
  return findEventDefinitions(source.context, element).some((each) => eventKind(each) === 'compensate');
}

/** A start event of a process; null when it was refused. */
export function readStart(source: BpmnSource, draft: NodeDraft): Start | null {
  const kind = kindOf(source, draft);
  if (kind === null) return null;
  const head = headOf(source, draft);
  if (kind.kind === 'none') {
    const isSaid = checkEvent(source, draft, kind, { alias: SAID.alias });
    return isSaid ? { ...head, trigger: null, aliases: readFlowAliases(source, draft.element) } : null;
  }
  const trigger = readTrigger(source, draft, kind);
  return trigger === null ? null : { ...head, trigger, aliases: [] };
}

/** The start event of a sub-process, which says nothing; false when it says something. */
export function checkPlainStart(source: BpmnSource, draft: NodeDraft): boolean {
  return checkEvent(source, draft, { kind: 'none', definition: null }, {});
}

export function readWait(source: BpmnSource, draft: NodeDraft): Step | null {
  const kind = kindOf(source, draft);
  const trigger = kind === null ? null : readTrigger(source, draft, kind);
  return trigger === null ? null : { ...headOf(source, draft), verb: 'wait', trigger };
}

export function readThrow(source: BpmnSource, draft: NodeDraft): Step | null {
  const kind = kindOf(source, draft);
  if (kind === null) return null;
  const { element } = draft;
  const head = headOf(source, draft);
  switch (kind.kind) {
    case 'none': {
      const reply = qChild(element, 'reply');
      if (!checkEvent(source, draft, kind, { reply: SAID.reply })) return null;
      return reply === null
        ? refuse(source, element, `${label(element)} does nothing that a step could do; remove it`)
        : { ...head, verb: 'reply', reply: readFlowReply(source, reply) };
    }
    case 'message': {
      const send = sharedQ('send', kind.definition ?? element, element);
      return checkEvent(source, draft, kind, { send: SAID.send }) && send !== null
        ? { ...head, verb: 'send', message: readFlowMessage(source, send) }
        : null;
    }
    case 'signal': {
      const signal = rootText(source, kind.definition, 'signalRef', 'name');
      const holder = sharedQ('signal', kind.definition ?? element, element);
      const body = holder === null ? null : attribute(source, holder, 'body');
      return checkEvent(source, draft, kind, { signal: SAID.signal }) && signal !== null
        ? { ...head, verb: 'signal', signal, body }
        : null;
    }
    case 'escalation': {
      const code = rootText(source, kind.definition, 'escalationRef', 'escalationCode');
      if (!checkEvent(source, draft, kind, {})) return null;
      return code === null
        ? refuse(
            source,
            element,
            `${label(element)} escalates without a code; give its bpmn:escalation an escalationCode`,
          )
        : { ...head, verb: 'escalate', code };
    }
    case 'compensate':
      return readCompensate(source, draft, kind);
    default:
      return refuse(
        source,
        element,
        `${label(element)} throws a ${kind.kind}, for which flows have no step; lead a sequence flow to where it goes on`,
      );
  }
}

function readCompensate(source: BpmnSource, draft: NodeDraft, kind: EventKind): Step | null {
  const { element } = draft;
  if (!checkEvent(source, draft, kind, {}) || kind.definition === null) return null;
  if (
    attributeOf(kind.definition, 'waitForCompletion') !== null &&
    !isTrue(kind.definition, 'waitForCompletion')
  ) {
    return refuse(
      source,
      element,
      `${label(element)} does not wait for what it undoes, and a step always does; remove waitForCompletion`,
    );
  }
  const target = attribute(source, kind.definition, 'activityRef');
  const activity = target === null ? null : source.graph.nodes.get(withoutPrefix(target.text));
  if (target !== null && (activity?.kind !== 'subProcess' || activity.element.children.some(isLoop))) {
    return refuse(
      source,
      element,
      `${label(element)} undoes something that is no sub-process without a loop; put that into one and let the event name it`,
    );
  }
  const id = target === null ? null : plainId(target);
  if (id?.text === 'all') {
    return refuse(
      source,
      element,
      `${label(element)} undoes the sub-process "all", which in a flow means everything; give that another id`,
    );
  }
  return { ...headOf(source, draft), verb: 'compensate', target: id };
}

export function readEnd(source: BpmnSource, draft: NodeDraft): Step | null {
  const { element } = draft;
  const definitions = findEventDefinitions(source.context, element);
  const kinds = definitions.map(eventKind);
  const head = headOf(source, draft);
  const [definition = null] = definitions;
  if (kinds.length === 1 && kinds[0] === 'error') {
    const code = rootText(source, definition, 'errorRef', 'errorCode');
    const isSaid = checkEvent(source, draft, { kind: 'error', definition }, {});
    return isSaid && code !== null ? { ...head, verb: 'fail', code } : null;
  }
  const other = kinds.find((kind) => kind !== 'message' && kind !== 'terminate');
  if (other !== undefined || new Set(kinds).size < kinds.length) {
    const what = other === undefined ? 'several messages' : `with ${other}`;
    const remedy = 'use an intermediate throw event and after it an end event';
    return refuse(source, element, `${label(element)} ends ${what}, and the end of a flow cannot; ${remedy}`);
  }
  const message = definitions.find((each) => eventKind(each) === 'message') ?? null;
  const send = message === null ? qChild(element, 'send') : sharedQ('send', message, element);
  const reply = qChild(element, 'reply');
  const q = { send: SAID.send, reply: SAID.reply };
  const isSaid = definitions.map((each) => checkSayable(source, each, { q })).every(Boolean);
  if (
    !checkSayable(source, element, {
      children: [...definitions.map(({ localName }) => localName), 'eventDefinitionRef'],
      q,
    }) ||
    !isSaid
  ) {
    return null;
  }
  return {
    ...head,
    verb: 'end',
    isTerminating: kinds.includes('terminate'),
    message: send === null ? null : readFlowMessage(source, send),
    reply: reply === null ? null : readFlowReply(source, reply),
  };
}

/** Without the steps that follow it. */
export type HandlerHead = Handler extends infer Each
  ? Each extends Handler
    ? Omit<Each, 'steps'>
    : never
  : never;

/** A boundary event that catches an error, a timer or an escalation; null when it was refused. */
export function readHandler(source: BpmnSource, draft: NodeDraft): HandlerHead | null {
  const kind = kindOf(source, draft);
  if (kind === null) return null;
  const { element } = draft;
  const head = headOf(source, draft);
  const isInterrupting = attributeOf(element, 'cancelActivity') === null || isTrue(element, 'cancelActivity');
  const caught = kind.definition === null ? null : qChild(kind.definition, 'caught');
  const codeVariable = caught === null ? null : attribute(source, caught, 'code');
  switch (kind.kind) {
    case 'error':
      return checkEvent(source, draft, kind, { caught: SAID.caught })
        ? {
            ...head,
            kind: 'error',
            code: rootText(source, kind.definition, 'errorRef', 'errorCode'),
            codeVariable,
            messageVariable: caught === null ? null : attribute(source, caught, 'message'),
          }
        : null;
    case 'escalation': {
      const code = rootText(source, kind.definition, 'escalationRef', 'escalationCode');
      return checkEvent(source, draft, kind, { caught: SAID.caught })
        ? { ...head, kind: 'escalation', code, codeVariable, isInterrupting }
        : null;
    }
    case 'timer': {
      const timer = checkEvent(source, draft, kind, {}) ? readFlowTimer(source, kind.definition) : null;
      return timer === null ? null : { ...head, kind: 'timeout', timer, isInterrupting };
    }
    default:
      return refuse(
        source,
        element,
        `${label(element)} catches a ${kind.kind} at a border, where flows catch errors, timers and escalations only; wait for it beside the work, as in parallel: any`,
      );
  }
}

/** What an event waits for; null when flows have no word for it, which was reported. */
function readTrigger(source: BpmnSource, draft: NodeDraft, kind: EventKind): Trigger | null {
  const { element } = draft;
  const { definition } = kind;
  switch (kind.kind) {
    case 'message': {
      const holder = definition !== null && qChild(definition, 'source') !== null ? definition : element;
      const from = qChild(holder, 'source');
      const said = draft.kind === 'startEvent' ? SAID.source : SAID.answer;
      return checkEvent(source, draft, kind, { source: said, alias: SAID.alias }) && from !== null
        ? { kind: 'message', source: readFlowSource(source, from), aliases: readFlowAliases(source, holder) }
        : null;
    }
    case 'timer': {
      const timer = checkEvent(source, draft, kind, {}) ? readFlowTimer(source, definition) : null;
      return timer === null ? null : { kind: 'timer', timer };
    }
    case 'signal': {
      const signal = rootText(source, definition, 'signalRef', 'name');
      const variable = readOutput(source, sharedQ('output', definition ?? element, element));
      return checkEvent(source, draft, kind, { output: ['variable'] }) && signal !== null
        ? { kind: 'signal', signal, variable }
        : null;
    }
    case 'conditional': {
      const condition = definition === null ? null : childText(source, definition, 'condition');
      return checkEvent(source, draft, kind, {}) && condition !== null
        ? { kind: 'condition', condition }
        : null;
    }
    default:
      return refuse(
        source,
        element,
        `${label(element)} waits for a ${kind.kind}, and flows cannot; lead a sequence flow to what follows it`,
      );
  }
}

function kindOf(source: BpmnSource, { element }: NodeDraft): EventKind | null {
  const [definition, second] = findEventDefinitions(source.context, element);
  if (second !== undefined) {
    return refuse(
      source,
      element,
      `${label(element)} has several event definitions, and a step has one; use an event for each`,
    );
  }
  if (definition !== undefined) return { kind: eventKind(definition), definition };
  const isMessage = qChild(element, 'source') !== null || qChild(element, 'send') !== null;
  return { kind: isMessage ? 'message' : 'none', definition: null };
}

/** Refuses what the event, or its definition, has besides its kind and the elements `q`. */
function checkEvent(
  source: BpmnSource,
  { element }: NodeDraft,
  kind: EventKind,
  q: Sayable['q'] & object,
): boolean {
  const children = element.children.map(({ localName }) => localName).filter(isEventDefinition);
  const isEventSaid = checkSayable(source, element, { children: [...children, 'eventDefinitionRef'], q });
  const inside = ['timeDate', 'timeDuration', 'timeCycle', 'condition'];
  return (
    (kind.definition === null || checkSayable(source, kind.definition, { children: inside, q })) &&
    isEventSaid
  );
}

const TIMES = [
  ['timeDuration', 'after', (text: string): boolean => parseDuration(text).ok],
  ['timeDate', 'at', (text: string): boolean => parseInstant(text).ok],
  ['timeCycle', 'every', (text: string): boolean => parseRepeatingInterval(text).ok],
] as const;

/** What is not ISO-8601 is FEEL, and says so in a flow. */
function readFlowTimer(source: BpmnSource, definition: XmlElement | null): FlowTimer | null {
  if (definition === null) return null;
  for (const [localName, kind, isLiteral] of TIMES) {
    const written = childText(source, definition, localName);
    if (written !== null) {
      const value = trimmed(written);
      const isReady = value.text.startsWith('=') || isLiteral(value.text);
      return { kind, value: isReady ? value : joined(value, ['=', value]) };
    }
  }
  return null;
}

/** A text of the error, escalation or signal that a definition refers to; null when there is none. */
function rootText(
  source: BpmnSource,
  definition: XmlElement | null,
  reference: string,
  attributeName: string,
): Written | null {
  const id = definition === null ? null : attributeOf(definition, reference);
  const root = id === null ? undefined : source.context.roots.get(withoutPrefix(id));
  const text = root === undefined ? null : attribute(source, root, attributeName);
  return text === null || text.text.trim() === '' ? null : text;
}

function isLoop({ localName }: XmlElement): boolean {
  return localName.endsWith('LoopCharacteristics');
}

function plainId(reference: Written): Written {
  const text = withoutPrefix(reference.text);
  return { ...reference, text };
}
