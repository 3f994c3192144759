/** Activities: tasks and sub-processes to the model. */
import type {
  AssignmentDefinition,
  Implementation,
  PassThroughTask,
  ReceiveTask,
  ScriptTask,
  SendTask,
  ServiceTask,
  SubProcess,
  UserTask,
} from '../model.ts';
import type { XmlElement } from '../xml/document.ts';
import { findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { isFeelLanguage } from './expressions.ts';
import type { NodeDraft } from './graph.ts';
import { BPMN_NAMESPACE } from './namespaces.ts';
import { channelNameFault, isVariableName, MAX_NAME_LENGTH } from './q-values.ts';
import { bpmnChildren, label, placeOf, qChildren, type ReadContext, resolveRoot } from './read-context.ts';
import type { ActivityBase } from './node-base.ts';
import {
  readAliases,
  readHeaders,
  readOutputVariable,
  readParams,
  readReply,
  readSource,
  readTimeoutMs,
  rejectQ,
  requireSend,
  requireSource,
} from './read-q.ts';

export function readServiceTask(
  context: ReadContext,
  draft: NodeDraft,
  base: ActivityBase,
): ServiceTask | null {
  const { element } = draft;
  const assignments = readAssignments(context, element);
  const hasAssignments = associationsOf(element).some(
    (association) => bpmnChildren(association, 'assignment').length > 0,
  );
  const implementation = readImplementation(context, element, hasAssignments);
  if (implementation?.kind === 'registered') {
    const reason = 'a registered function has no channel';
    rejectQ(context, element, ['source', 'alias', 'header', 'timeout'], reason);
  } else if (implementation?.kind === 'data') {
    const reason = 'a task without an implementation calls nothing';
    rejectQ(context, element, ['source', 'alias', 'header', 'timeout', 'param', 'output'], reason);
  }
  const task = {
    params: readParams(context, element),
    outputVariable: readOutputVariable(element),
    headers: readHeaders(context, qChildren(element, 'header')),
    contentType: null,
    responseSource: readSource(context, element),
    aliases: readAliases(context, element),
    timeoutMs: readTimeoutMs(element),
    retry: null,
    assignments,
    reply: readReply(context, element),
  };
  return implementation === null ? null : { ...base, kind: 'serviceTask', implementation, ...task };
}

/** What the schema gives a service task that names no implementation. */
const UNSPECIFIED = new Set(['', '##unspecified', '##WebService']);

function readImplementation(
  context: ReadContext,
  element: XmlElement,
  hasAssignments: boolean,
): Implementation | null {
  const { report } = context;
  const attribute = findAttribute(element, 'implementation');
  if (attribute === null || UNSPECIFIED.has(attribute.value)) {
    if (hasAssignments) {
      return { kind: 'data' };
    }
    const message = `${label(element)} has no implementation${otherEngine(element)}; set implementation="channel:<name>" or "registered:<name>", or add assignments`;
    report.error('SUTRA.BPMN.IMPLEMENTATION_MISSING', element, message);
    return null;
  }
  const [, kind, name = ''] = /^(channel|registered):(.*)$/s.exec(attribute.value) ?? [];
  if (kind === undefined) {
    const message = `the implementation ${shown(attribute.value)} of ${label(element)} is not executed; use "channel:<name>" or "registered:<name>"`;
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

/** Says that settings of another engine were seen: an author should not have to guess that they are not read. */
function otherEngine(element: XmlElement): string {
  const attribute = element.attributes.find(({ localName }) =>
    ['topic', 'class', 'expression', 'delegateExpression', 'type'].includes(localName),
  );
  const definition = bpmnChildren(element, 'extensionElements')
    .flatMap(({ children }) => children)
    .find(({ localName }) => ['taskDefinition', 'connector'].includes(localName));
  const name = attribute?.name ?? definition?.name;
  return name === undefined ? '' : ` (${name} is a setting of another engine and is not read)`;
}

export function readSendTask(context: ReadContext, draft: NodeDraft, base: ActivityBase): SendTask | null {
  const { element } = draft;
  checkPlainTask(context, element);
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
  checkPlainTask(context, element);
  resolveRoot(context, element, 'messageRef', 'message');
  const source = requireSource(context, element);
  const aliases = readAliases(context, element);
  const reply = readReply(context, element);
  return source === null ? null : { ...base, kind: 'receiveTask', source, aliases, reply };
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
    assignments: readAssignments(context, element),
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
  checkPlainTask(context, element);
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
    assignments: readAssignments(context, element),
    reply: readReply(context, element),
  };
}

export function readSubProcess(
  context: ReadContext,
  draft: NodeDraft,
  base: ActivityBase,
  startEventId: string | null,
): SubProcess | null {
  rejectAssignments(context, draft.element);
  return startEventId === null
    ? null
    : { ...base, kind: 'subProcess', children: draft.children, startEventId };
}

/** A task that runs no assignments and calls nothing. */
function checkPlainTask(context: ReadContext, element: XmlElement): void {
  checkNoCall(context, element);
  rejectAssignments(context, element);
}

/** An author who writes a channel here means a call, and would wait for it in vain. */
function checkNoCall(context: ReadContext, element: XmlElement): void {
  const attribute = findAttribute(element, 'implementation');
  if (attribute !== null && /^(?:channel|registered):/.test(attribute.value)) {
    const message = `${label(element)} calls nothing; use a service task for implementation ${shown(attribute.value)}`;
    context.report.attributeError('SUTRA.BPMN.IMPLEMENTATION_UNSUPPORTED', element, attribute, message);
  }
}

function associationsOf(element: XmlElement): readonly XmlElement[] {
  return element.children.filter(
    (child) =>
      child.namespace === BPMN_NAMESPACE &&
      (child.localName === 'dataInputAssociation' || child.localName === 'dataOutputAssociation'),
  );
}

export function rejectAssignments(context: ReadContext, element: XmlElement): void {
  for (const assignment of associationsOf(element).flatMap((association) =>
    bpmnChildren(association, 'assignment'),
  )) {
    const message = `assignments of a ${element.localName} are not executed; move them to a task before or after it`;
    context.report.error('SUTRA.BPMN.ASSIGNMENT_NOT_EXECUTED', assignment, message);
  }
}

/** The assignments of a task, in the order of the file. */
function readAssignments(context: ReadContext, element: XmlElement): readonly AssignmentDefinition[] {
  return associationsOf(element)
    .flatMap((association) => bpmnChildren(association, 'assignment'))
    .flatMap((assignment) => readAssignment(context, element, assignment) ?? []);
}

function readAssignment(
  context: ReadContext,
  task: XmlElement,
  assignment: XmlElement,
): AssignmentDefinition | null {
  const froms = bpmnChildren(assignment, 'from');
  const tos = bpmnChildren(assignment, 'to');
  const [from] = froms;
  const [to] = tos;
  if (from === undefined || to === undefined || froms.length + tos.length > 2) {
    const message = `an assignment of ${label(task)} needs exactly one from and one to`;
    context.report.error('SUTRA.BPMN.ASSIGNMENT_INVALID', assignment, message);
    return null;
  }
  const path = to.text.trim().split('.');
  const isPath = to.text.length <= MAX_NAME_LENGTH && path.every(isVariableName);
  if (!isPath) {
    const message = `to is ${shown(to.text.trim())}; write a variable name or a dotted path, as order.total`;
    context.report.error('SUTRA.BPMN.ASSIGNMENT_INVALID', to, message);
  }
  const expression = context.expressions.formal(from);
  return expression === null || !isPath
    ? null
    : { from: expression, to: path, place: placeOf(context, assignment) };
}
