/** Tasks to the model. */
import type {
  Implementation,
  PassThroughTask,
  ReceiveTask,
  ScriptTask,
  SendTask,
  ServiceTask,
  UserTask,
} from '../model.ts';
import type { XmlAttribute, XmlElement } from '../xml/document.ts';
import { findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { isFeelLanguage } from './expressions.ts';
import type { NodeDraft } from './graph.ts';
import { otherEngineHint } from './other-engines.ts';
import { channelNameFault } from './q-values.ts';
import { booleanOf, bpmnChildren, label, qChildren, type ReadContext, resolveRoot } from './read-context.ts';
import { DECISION_PREFIX, readDecision } from './read-decision.ts';
import type { ActivityBase } from './node-base.ts';
import {
  readAliases,
  readHeaders,
  readOutputVariable,
  readParams,
  readReply,
  readSource,
  readThrows,
  readTimeoutMs,
  rejectQ,
  requireSend,
  requireSource,
} from './read-q.ts';
import { readRetry } from './read-retry.ts';

/** Service tasks and business rule tasks: whatever works on them is reached in the same ways, but for decisions. */
export function readServiceTask(
  context: ReadContext,
  draft: NodeDraft,
  base: ActivityBase,
): ServiceTask | null {
  const { element } = draft;
  const hasMappings = base.data.inputs.length + base.data.outputs.length > 0;
  const implementation = readImplementation(context, element, hasMappings);
  if (implementation?.kind === 'registered') {
    const reason = 'a registered function has no channel';
    rejectQ(context, element, ['source', 'alias', 'header', 'timeout'], reason);
  } else if (implementation?.kind === 'data') {
    const reason = 'a task without an implementation calls nothing';
    rejectQ(
      context,
      element,
      ['source', 'alias', 'header', 'timeout', 'retry', 'throw', 'param', 'output'],
      reason,
    );
  }
  const task = {
    params: readParams(context, element),
    outputVariable: readOutputVariable(element),
    headers: readHeaders(context, qChildren(element, 'header')),
    contentType: null,
    responseSource: readSource(context, element),
    aliases: readAliases(context, element),
    timeoutMs: readTimeoutMs(element),
    retry: readRetry(context, element),
    throws: readThrows(context, element),
    reply: readReply(context, element),
  };
  const kind = draft.kind === 'businessRuleTask' ? 'businessRuleTask' : 'serviceTask';
  return implementation === null ? null : { ...base, kind, implementation, ...task };
}

/** What the schema gives a task that names no implementation. */
const UNSPECIFIED = new Set(['', '##unspecified', '##WebService']);
/** What other engines call what a task runs. */
const SETTINGS = [
  ...['topic', 'class', 'expression', 'delegateExpression', 'type', 'decisionRef', 'ruleFlowGroup'],
];
/** Names of decision languages, and what other engines write before the name of a decision. */
const OTHER_DECISION = /^(?:https?:\/\/www\.omg\.org\/spec\/DMN\b|(?:decision|dmn|rules?):)/i;
const USE = 'use "channel:<name>" or "registered:<name>"';
/** What a business rule task can do besides. */
const USE_DECISION = ', or "decision:<id or name>"';

function readImplementation(
  context: ReadContext,
  element: XmlElement,
  hasMappings: boolean,
): Implementation | null {
  const { report } = context;
  const attribute = findAttribute(element, 'implementation');
  if (attribute === null || UNSPECIFIED.has(attribute.value)) {
    if (hasMappings) {
      return { kind: 'data' };
    }
    const hint = otherEngineHint(element, SETTINGS, ['taskDefinition', 'connector', 'calledDecision']);
    const or = element.localName === 'businessRuleTask' ? USE_DECISION : '';
    const message = `${label(element)} has no implementation${hint}; set implementation="channel:<name>" or "registered:<name>"${or}, or add data associations`;
    report.error('SUTRA.BPMN.IMPLEMENTATION_MISSING', element, message);
    return null;
  }
  if (element.localName === 'businessRuleTask' && attribute.value.startsWith(DECISION_PREFIX)) {
    const decision = readDecision(context, element, attribute);
    return decision === null ? null : { kind: 'decision', decision };
  }
  const [, kind, name = ''] = /^(channel|registered):(.*)$/s.exec(attribute.value) ?? [];
  if (kind === undefined) {
    const message = `the implementation ${shown(attribute.value)} of ${label(element)} ${remedyOf(element, attribute)}`;
    report.attributeError('SUTRA.BPMN.IMPLEMENTATION_UNSUPPORTED', element, attribute, message);
    return null;
  }
  const fault = channelNameFault(name);
  if (fault !== null) {
    const message = `the name ${shown(name)} after "${kind}:" ${fault}`;
    report.attributeError('SUTRA.BPMN.VALUE_INVALID', element, attribute, message);
  }
  return kind === 'channel' ? { kind, channel: name } : { kind: 'registered', name };
}

/** Why an implementation is of no kind that is executed here, and what to do. */
function remedyOf({ localName }: XmlElement, { value }: XmlAttribute): string {
  if (localName === 'businessRuleTask') {
    return OTHER_DECISION.test(value)
      ? 'names no decision: write "decision:<id or name>"'
      : `is not executed; ${USE}${USE_DECISION}`;
  }
  return OTHER_DECISION.test(value)
    ? `is a decision; make it a business rule task with "decision:<id or name>", or ${USE}`
    : `is not executed; ${USE}`;
}

export function readSendTask(context: ReadContext, draft: NodeDraft, base: ActivityBase): SendTask | null {
  const { element } = draft;
  checkNoCall(context, element);
  resolveRoot(context, element, 'messageRef', 'message');
  const send = requireSend(context, element);
  const reply = readReply(context, element);
  return send === null ? null : { ...base, kind: 'sendTask', send, reply };
}

export function readReceiveTask(
  context: ReadContext,
  draft: NodeDraft,
  base: ActivityBase,
): ReceiveTask | null {
  const { element } = draft;
  checkNoCall(context, element);
  resolveRoot(context, element, 'messageRef', 'message');
  const source = requireSource(context, element);
  const aliases = readAliases(context, element);
  const reply = readReply(context, element);
  const instantiates = booleanOf(context, element, 'instantiate', false);
  return source === null ? null : { ...base, kind: 'receiveTask', instantiates, source, aliases, reply };
}

export function readUserTask(context: ReadContext, draft: NodeDraft, base: ActivityBase): UserTask {
  const { element } = draft;
  checkNoCall(context, element);
  const source = readSource(context, element);
  if (source === null) {
    rejectQ(context, element, ['alias'], 'no message completes it; add q:source');
  }
  return {
    ...base,
    kind: 'userTask',
    source,
    aliases: source === null ? [] : readAliases(context, element),
    reply: readReply(context, element),
  };
}

export function readScriptTask(
  context: ReadContext,
  draft: NodeDraft,
  base: ActivityBase,
): ScriptTask | null {
  const { element } = draft;
  const { report } = context;
  checkNoCall(context, element);
  const outputVariable = readOutputVariable(element);
  const reply = readReply(context, element);
  const format = findAttribute(element, 'scriptFormat');
  if (format !== null && !isFeelLanguage(format.value)) {
    const message = `scriptFormat ${shown(format.value)} of ${label(element)} is not executed; write the script in FEEL`;
    report.attributeError('SUTRA.BPMN.EXPRESSION_LANGUAGE_UNSUPPORTED', element, format, message);
    return null;
  }
  const scripts = bpmnChildren(element, 'script');
  const [scriptElement, second] = scripts;
  if (second !== undefined) {
    report.error('SUTRA.BPMN.ELEMENT_REPEATED', second, `${label(element)} has several scripts; join them`);
  }
  if (scriptElement === undefined || scriptElement.text.trim() === '') {
    report.error('SUTRA.BPMN.SCRIPT_MISSING', element, `${label(element)} has no script; write one in FEEL`);
    return null;
  }
  const script = context.expressions.text(scriptElement);
  return script === null ? null : { ...base, kind: 'scriptTask', script, outputVariable, reply };
}

export function readPassThroughTask(
  context: ReadContext,
  draft: NodeDraft,
  base: ActivityBase,
): PassThroughTask {
  const { element } = draft;
  return {
    ...base,
    kind: draft.kind === 'manualTask' ? 'manualTask' : 'task',
    reply: readReply(context, element),
  };
}

/** An author who writes a channel or a decision here means a call, and would wait for it in vain. */
function checkNoCall(context: ReadContext, element: XmlElement): void {
  const attribute = findAttribute(element, 'implementation');
  if (attribute !== null && /^(?:channel|registered|decision):/.test(attribute.value)) {
    const kind = attribute.value.startsWith(DECISION_PREFIX) ? 'business rule' : 'service';
    const message = `${label(element)} calls nothing; use a ${kind} task for implementation ${shown(attribute.value)}`;
    context.report.attributeError('SUTRA.BPMN.IMPLEMENTATION_UNSUPPORTED', element, attribute, message);
  }
}
