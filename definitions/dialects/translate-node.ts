/** One element of a process: what the vendors' settings on it become. */
import { BPMN_NAMESPACE, Q_NAMESPACE } from '../bpmn/namespaces.ts';
import type { XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { hasCallMapping, mapCall, mapInputOutput, mapLoop, translateCalled } from './camunda7-activities.ts';
import { bindCamundaWork, bindScript, hasEventDefinition, isBound } from './camunda7-tasks.ts';
import { type DialectContext, labelOf, made } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';
import { readConstants } from './jbpm-constants.ts';
import { messageOf, registerBusinessKey, sendOnChannel, waitOnChannel } from './messages.ts';
import { declareError } from './root-references.ts';
import { becomeTask } from './task-drafts.ts';
import { bindUnbound } from './unbound-work.ts';
import { camundaAttribute, zeebeElement } from './vendor-settings.ts';
import { writtenAttribute } from '../written.ts';
import {
  addOutputElement,
  bindZeebeWork,
  mapIo,
  mapZeebeCall,
  mapZeebeLoop,
  mapZeebeScript,
} from './zeebe-nodes.ts';

/** `around`: the elements around it, from the outermost. */
type Translator = (context: DialectContext, draft: ElementDraft, around: readonly XmlElement[]) => void;

const TRANSLATORS: Readonly<Record<string, Translator>> = {
  serviceTask: bindTask,
  sendTask: bindTask,
  businessRuleTask: bindTask,
  scriptTask: (context, draft) => {
    if (!bindZeebeWork(context, draft) && !mapZeebeScript(context, draft)) bindScript(context, draft);
  },
  receiveTask: receive,
  startEvent: beginWithKey,
  callActivity: (context, draft) => {
    translateCalled(context, draft);
    mapZeebeCall(context, draft);
    if (context.isCamunda7 || hasCallMapping(draft.base)) mapCall(context, draft);
  },
  intermediateThrowEvent: throwMessage,
  endEvent: throwMessage,
  messageEventDefinition: catchMessage,
  errorEventDefinition: (context, draft) => {
    declareError(context, draft);
    addCaught(context, draft, 'errorCodeVariable', 'errorMessageVariable');
  },
  escalationEventDefinition: (context, draft) => {
    addCaught(context, draft, 'escalationCodeVariable', '');
  },
  dataInputAssociation: readConstants,
  multiInstanceLoopCharacteristics: (context, draft) => {
    mapZeebeLoop(context, draft);
    mapLoop(context, draft);
  },
};

export function translateNode(
  context: DialectContext,
  draft: ElementDraft,
  around: readonly XmlElement[],
): void {
  const translate = Object.hasOwn(TRANSLATORS, draft.localName) ? TRANSLATORS[draft.localName] : undefined;
  translate?.(context, draft, around);
  mapIo(context, draft);
  mapInputOutput(context, draft);
  addOutputElement(context, draft);
}

/** A task that calls: by a vendor's setting, or by BPMN's own `implementation`, or by its message. */
function bindTask(context: DialectContext, draft: ElementDraft): void {
  if (bindZeebeWork(context, draft) || bindCamundaWork(context, draft)) return;
  const attribute = draft.attribute('implementation');
  if (draft.localName === 'sendTask') {
    if (draft.hasQ('send')) return;
    const message = messageOf(context, draft.base);
    if (message !== null) {
      sendOnChannel(context, draft, message);
      return;
    }
  } else if (isBound(draft) && /^(?:channel|registered|decision):/.test(attribute?.value ?? '')) {
    return;
  }
  // A task that only maps data has no work. Without leave the reader says what is missing.
  if (context.unboundTasks === 'refuse' || mapsData(draft)) return;
  const at =
    attribute === null
      ? made(context, draft.base, '')
      : writtenAttribute(context.document, draft.base, attribute);
  const what =
    attribute === null ? 'the work that the file leaves open' : `implementation ${shown(attribute.value)}`;
  bindUnbound(context, draft, { what, at, channel: null });
}

function mapsData(draft: ElementDraft): boolean {
  return draft.bpmn('dataInputAssociation').length + draft.bpmn('dataOutputAssociation').length > 0;
}

/** Without a message it waits, in Camunda 7, until somebody triggers it: what a user task does here. */
function receive(context: DialectContext, draft: ElementDraft): void {
  if (draft.hasQ('source')) return;
  const message = messageOf(context, draft.base);
  const isOpen = context.isCamunda7 || context.unboundTasks === 'external-task';
  if (message !== null) {
    waitOnChannel(context, draft, message, false);
  } else if (isOpen && draft.attribute('messageRef') === null && draft.attribute('instantiate') === null) {
    becomeTask(draft, 'userTask');
  }
}

/** A message start event has it beside its message. */
function beginWithKey(context: DialectContext, draft: ElementDraft, around: readonly XmlElement[]): void {
  const isOfProcess = around.at(-1)?.localName === 'process';
  const isNone = !hasEventDefinition(draft) && draft.bpmn('eventDefinitionRef').length === 0;
  if (context.isCamunda7 && isOfProcess && isNone) registerBusinessKey(context, draft);
}

function throwMessage(context: DialectContext, draft: ElementDraft): void {
  const [definition, second] = draft.bpmn('messageEventDefinition');
  const isJob = zeebeElement(draft.base, 'taskDefinition') !== null;
  if ((definition === undefined && !isJob) || second !== undefined || draft.hasQ('send')) return;
  if (bindZeebeWork(context, draft) || bindCamundaWork(context, draft)) return;
  if (definition === undefined || hasSend(definition)) return;
  const message = messageOf(context, definition);
  if (message !== null) {
    sendOnChannel(context, draft, message);
  } else if (context.unboundTasks === 'external-task') {
    const at = made(context, definition, '');
    const reference = definition.attributes.find(({ localName }) => localName === 'messageRef')?.value;
    const what =
      reference === undefined
        ? 'the message that the file does not name'
        : `the message ${shown(reference)}, which the file does not have,`;
    bindUnbound(context, draft, { what, at, channel: null });
  }
}

function hasSend(definition: XmlElement): boolean {
  return definition.children.some(
    ({ namespace, localName, children }) =>
      namespace === BPMN_NAMESPACE &&
      localName === 'extensionElements' &&
      children.some((child) => child.namespace === Q_NAMESPACE && child.localName === 'send'),
  );
}

function catchMessage(context: DialectContext, draft: ElementDraft, around: readonly XmlElement[]): void {
  const [scope, parent] = around.slice(-2);
  if (
    scope === undefined ||
    parent === undefined ||
    !/^(?:start|intermediateCatch|boundary)Event$/.test(parent.localName) ||
    draft.hasQ('source')
  ) {
    return;
  }
  const isOnEvent = parent.children.some(
    ({ namespace, localName, children }) =>
      namespace === BPMN_NAMESPACE &&
      localName === 'extensionElements' &&
      children.some((child) => child.namespace === Q_NAMESPACE),
  );
  const message = messageOf(context, draft.base);
  if (!isOnEvent && message !== null) {
    const isStart = parent.localName === 'startEvent' && scope.localName === 'process';
    waitOnChannel(context, draft, message, isStart);
  }
}

function addCaught(context: DialectContext, draft: ElementDraft, code: string, message: string): void {
  const codeVariable = camundaAttribute(context, draft.base, code);
  const messageVariable = message === '' ? null : camundaAttribute(context, draft.base, message);
  if (codeVariable === null && messageVariable === null) return;
  draft.addExtension(
    context.make.q('caught', made(context, draft.base, labelOf(draft.base)), {
      code: codeVariable,
      message: messageVariable,
    }),
  );
}
