/** Camunda 7: what does the work of a task. */
import { isEventDefinition } from '../bpmn/elements.ts';
import { BPMN_NAMESPACE } from '../bpmn/namespaces.ts';
import { attributeOf, type XmlElement } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { callMapping } from './camunda7-activities.ts';
import { feelOfHolder } from './camunda7-values.ts';
import { type DialectContext, labelOf, made, refuse } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';
import { feelOfJuel, feelOfValue, isJuel, tryJuel } from './juel-written.ts';
import {
  addInputs,
  addOutputs,
  becomeTask,
  makeCall,
  makeScript,
  silence,
  type VariableMapping,
} from './task-drafts.ts';
import { bindUnbound, channelOfCode } from './unbound-work.ts';
import { addPriority } from './work-priority.ts';
import { camundaAttribute, camundaElements, ownAttribute } from './vendor-settings.ts';
import {
  filled,
  joined,
  stringLiteral,
  trimmed,
  type Written,
  writtenAttribute,
  writtenText,
} from '../written.ts';

/** Service, send and business rule tasks, and what an event with a message definition does. True: it is bound now. */
export function bindCamundaWork(context: DialectContext, draft: ElementDraft): boolean {
  const holder = workHolder(draft);
  const type = camundaAttribute(context, holder, 'type');
  if (type?.text === 'external' || type?.text === 'external-worker') {
    return bindExternal(context, draft, holder, type);
  }
  if (type !== null) {
    const work = { what: `${labelOf(holder)} of the type ${shown(type.text)}`, at: type, channel: null };
    return bindUnbound(context, draft, work);
  }
  const decision = camundaAttribute(context, holder, 'decisionRef');
  if (decision !== null) return bindDecision(context, draft, decision);
  return bindCode(context, draft, holder);
}

/** A throwing event has the settings of its work on its message definition. */
function workHolder(draft: ElementDraft): XmlElement {
  return (
    draft.base.children.find(
      ({ namespace, localName }) =>
        namespace === BPMN_NAMESPACE &&
        localName === 'messageEventDefinition' &&
        /^(?:intermediateThrow|end)Event$/.test(draft.base.localName),
    ) ?? draft.base
  );
}

function bindExternal(
  context: DialectContext,
  draft: ElementDraft,
  holder: XmlElement,
  type: Written,
): boolean {
  const topic = camundaAttribute(context, holder, 'topic');
  if (topic === null || isJuel(topic.text)) silence(context, draft);
  if (topic === null) {
    refuse(
      context,
      'SUTRA.DIALECT.VALUE_INVALID',
      type,
      `${labelOf(draft.base)} is an external task without a topic; add camunda:topic`,
    );
    return true;
  }
  if (isJuel(topic.text)) {
    const message = `the topic ${shown(topic.text)} of ${labelOf(draft.base)} must be known at deploy time; write the name of a channel`;
    refuse(context, 'SUTRA.DIALECT.VALUE_INVALID', topic, message);
    return true;
  }
  makeCall(context, draft, trimmed(topic));
  addTaskPriority(context, draft, holder, trimmed(topic));
  addFields(context, draft, holder, false);
  addThrows(context, draft, holder);
  addWorkerParameters(context, draft, holder);
  return true;
}

/** That of the process is for the tasks that say nothing themselves. */
function addTaskPriority(
  context: DialectContext,
  draft: ElementDraft,
  holder: XmlElement,
  topic: Written,
): void {
  const { process } = context;
  const ofProcess = process === null ? null : camundaAttribute(context, process, 'taskPriority');
  const priority = camundaAttribute(context, holder, 'taskPriority') ?? ofProcess;
  if (priority === null) return;
  const feel = isJuel(priority.text) ? feelOfJuel(context, priority) : null;
  if (feel !== null || !isJuel(priority.text)) addPriority(context, draft, topic, priority, feel);
}

function addHeader(context: DialectContext, draft: ElementDraft, name: Written, text: Written): void {
  const value = feelOfValue(context, text);
  if (value !== null) draft.addExtension(context.make.q('header', text, { name, value }));
}

/** What a class would have been given by injection goes to the worker, but for what is code itself where the class is. */
function addFields(
  context: DialectContext,
  draft: ElementDraft,
  holder: XmlElement,
  isUnbound: boolean,
): void {
  for (const field of camundaElements(holder, 'field')) {
    const name = ownAttribute(context, field, 'name');
    if (name === null) continue;
    const text = ownAttribute(context, field, 'stringValue') ?? ownAttribute(context, field, 'expression');
    const code = isUnbound ? codeOf(text ?? innerText(context, field)) : null;
    if (code !== null) {
      const message = `the field ${shown(name.text)} of ${labelOf(draft.base)} is code of another engine (${code}) and does not go to the worker, which does what it did`;
      context.report.warningAt('SUTRA.DIALECT.TASK_UNBOUND', name.place(), message);
    } else if (text !== null) addHeader(context, draft, name, text);
    else {
      const value = feelOfHolder(context, field);
      if (value !== null) draft.addExtension(context.make.q('header', value, { name, value }));
    }
  }
}

function innerText({ document }: DialectContext, field: XmlElement): Written {
  return trimmed(writtenText(document, field.children[0] ?? field));
}

/** Why a value is code: it has no translation. Null when it has one, or is a text. */
function codeOf(value: Written): string | null {
  const feel = isJuel(value.text) ? tryJuel(value) : value;
  return typeof feel === 'string' ? feel : null;
}

/** `camunda:errorEventDefinition` of an external task: an answer for which it throws a BPMN error. */
function addThrows(context: DialectContext, draft: ElementDraft, holder: XmlElement): void {
  for (const definition of camundaElements(holder, 'errorEventDefinition')) {
    const reference = ownAttribute(context, definition, 'errorRef');
    const condition = ownAttribute(context, definition, 'expression');
    if (reference === null || condition === null) continue;
    const when = isJuel(condition.text) ? feelOfJuel(context, condition) : stringLiteral(condition);
    const error = context.roots.get(reference.text);
    const code = (error === undefined ? null : attributeOf(error, 'errorCode')) ?? reference.text;
    if (when === null) continue;
    draft.addExtension(context.make.q('throw', condition, { code: { ...reference, text: code }, when }));
  }
}

/** Flowable says what a worker gets and gives beside the variables. */
function addWorkerParameters(context: DialectContext, draft: ElementDraft, holder: XmlElement): void {
  const read = (name: string): readonly VariableMapping[] =>
    camundaElements(holder, name).flatMap((element) => callMapping(context, element) ?? []);
  const inputs = read('externalWorkerInParameter');
  const outputs = read('externalWorkerOutParameter');
  if (camundaAttribute(context, holder, 'doNotIncludeVariables')?.text === 'true') {
    for (const { source, target, element } of inputs) {
      const at = made(context, element, '');
      draft.addExtension(context.make.q('param', at, { name: target, expression: source }));
    }
  } else {
    addInputs(context, draft, inputs);
  }
  addOutputs(context, draft, outputs);
  if (outputs.length > 0) draft.addExtension(context.make.q('local', made(context, holder, '')));
}

function bindDecision(context: DialectContext, draft: ElementDraft, decision: Written): boolean {
  if (isJuel(decision.text)) {
    silence(context, draft);
    const message = `the decision ${shown(decision.text)} of ${labelOf(draft.base)} must be known at deploy time; write its id`;
    refuse(context, 'SUTRA.DIALECT.VALUE_INVALID', decision, message);
    return true;
  }
  draft.set(context.make.attribute('implementation', joined(decision, ['decision:', decision])));
  if (resultVariable(context, draft.base) !== null) checkResultMapping(context, draft, decision);
  addResult(context, draft, draft.base);
  return true;
}

/** The result of a decision is what DMN says; only two of the mappings say the same for every decision. */
function checkResultMapping(context: DialectContext, draft: ElementDraft, decision: Written): void {
  const mapping = camundaAttribute(context, draft.base, 'mapDecisionResult');
  if (mapping?.text === 'singleEntry' || mapping?.text === 'collectEntries') return;
  const at = mapping ?? decision;
  if (mapping?.text === 'singleResult') {
    const message = `${labelOf(draft.base)}: the result of a decision with one output is its value, not a map with it; singleEntry says that`;
    context.report.warningAt('SUTRA.DIALECT.RESULT_DIFFERS', at.place(), message);
    return;
  }
  const message = `${labelOf(draft.base)} would have a list of maps as result, which a decision gives only by its hit policy; set mapDecisionResult to singleEntry or collectEntries`;
  refuse(context, 'SUTRA.DIALECT.EXTENSION_REFUSED', at, message);
}

function resultVariable(context: DialectContext, holder: XmlElement): Written | null {
  return filled(
    camundaAttribute(context, holder, 'resultVariable') ??
      camundaAttribute(context, holder, 'resultVariableName'),
  );
}

function addResult(context: DialectContext, draft: ElementDraft, holder: XmlElement): void {
  const variable = resultVariable(context, holder);
  if (variable !== null) draft.addExtension(context.make.q('output', variable, { variable }));
}

function bindCode(context: DialectContext, draft: ElementDraft, holder: XmlElement): boolean {
  const expression = camundaAttribute(context, holder, 'expression');
  if (expression !== null) return bindExpression(context, draft, holder, expression);
  for (const name of ['class', 'delegateExpression']) {
    const code = camundaAttribute(context, holder, name);
    if (code === null) continue;
    const what = `${name} ${shown(code.text)}`;
    const isBound = bindUnbound(context, draft, { what, at: code, channel: channelOfCode(code) });
    if (isBound) {
      addFields(context, draft, holder, true);
      addResult(context, draft, holder);
    }
    return true;
  }
  const [connector] = camundaElements(holder, 'connector');
  if (connector === undefined) return false;
  const at = made(context, connector, '');
  bindUnbound(context, draft, { what: 'the connector', at, channel: null });
  return true;
}

/** An expression that FEEL can say is evaluated; one that calls a bean is code. */
function bindExpression(
  context: DialectContext,
  draft: ElementDraft,
  holder: XmlElement,
  expression: Written,
): boolean {
  const feel = isJuel(expression.text) ? tryJuel(expression) : stringLiteral(expression);
  if (typeof feel !== 'string') {
    makeScript(context, draft, feel, resultVariable(context, holder));
    return true;
  }
  const what = `expression ${shown(expression.text)} (${feel})`;
  const isBound = bindUnbound(context, draft, { what, at: expression, channel: null });
  if (isBound) addResult(context, draft, holder);
  return true;
}

const JUEL_SCRIPT = /^juel$/i;
const FEEL_SCRIPT = /^(?:feel|(?:text|application)\/(?:x-)?feel|https?:\/\/www\.omg\.org\/spec\/.*FEEL\/?)$/i;

/** Script tasks of any file: JUEL is translated; other languages are code. */
export function bindScript(context: DialectContext, draft: ElementDraft): void {
  const format = draft.attribute('scriptFormat');
  const resource = camundaAttribute(context, draft.base, 'resource');
  if (resource !== null) {
    const what = `the script in ${shown(resource.text)}`;
    bindUnbound(context, draft, { what, at: resource, channel: null });
    return;
  }
  if (context.isCamunda7) addResult(context, draft, draft.base);
  if (format === null || FEEL_SCRIPT.test(format.value.trim())) return;
  // In a file of ours the reader says what is wrong.
  if (!context.isCamunda7 && context.unboundTasks === 'refuse') return;
  const [script] = draft.bpmn('script');
  const written = writtenAttribute(context.document, draft.base, format);
  if (JUEL_SCRIPT.test(format.value.trim()) && script !== undefined) {
    const feel = feelOfValue(context, trimmed(writtenText(context.document, script)));
    if (feel !== null) {
      becomeTask(draft, 'scriptTask');
      draft.addChildren(context.make.bpmnText('script', feel));
    }
    return;
  }
  const what = `the script in ${shown(format.value)}`;
  bindUnbound(context, draft, { what, at: written, channel: null });
}

/** Whether a task of BPMN says itself what it does. */
export function isBound(draft: ElementDraft): boolean {
  const implementation = attributeOf(draft.base, 'implementation');
  return implementation !== null && !/^(?:|##unspecified|##WebService)$/i.test(implementation);
}

export function hasEventDefinition(draft: ElementDraft): boolean {
  return draft.children.some(
    ({ namespace, localName }) => namespace === BPMN_NAMESPACE && isEventDefinition(localName),
  );
}
