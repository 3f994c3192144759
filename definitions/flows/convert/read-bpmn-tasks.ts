/** Tasks and call activities of a BPMN process to steps. */
import type { NodeDraft } from '../../bpmn/graph.ts';
import { bpmnChildren, label, qChild, qChildren, withoutPrefix } from '../../bpmn/read-context.ts';
import { BPMN_NAMESPACE } from '../../bpmn/namespaces.ts';
import { DECISION_PREFIX } from '../../bpmn/read-decision.ts';
import { part, trimmed } from '../../written.ts';
import { attributeOf, type XmlElement } from '../../xml/document.ts';
import { shown } from '../../xml/shown.ts';
import type { Pair, Step } from '../flow.ts';
import {
  readFlowAliases,
  readFlowRetry,
  readFlowSource,
  readHeaders,
  readOutput,
  readParams,
  readThrows,
  SAID,
} from './read-bpmn-q.ts';
import {
  attribute,
  type BpmnSource,
  checkSayable,
  childText,
  headOf,
  refuse,
  required,
} from './read-bpmn-source.ts';

const CHANNEL_PREFIX = 'channel:';
const REGISTERED_PREFIX = 'registered:';
const DATA: ReadonlySet<string> = new Set([
  ...['dataObject', 'dataObjectReference', 'dataStoreReference', 'dataInput', 'dataOutput', 'property'],
]);

export function readServiceTask(source: BpmnSource, draft: NodeDraft): Step | null {
  const { element } = draft;
  const implementation = attribute(source, element, 'implementation');
  const { text } = implementation ?? { text: '' };
  if (implementation === null || !/^(?:channel|registered):/.test(text)) return readSet(source, draft);
  if (text.startsWith(`${CHANNEL_PREFIX}${REGISTERED_PREFIX}`)) {
    return refuse(
      source,
      element,
      `the channel of ${label(element)} begins with "registered:", which in a flow is a function; rename the channel`,
    );
  }
  const {
    param,
    output,
    header,
    timeout,
    retry,
    alias,
    source: from,
    throw: thrown,
  } = { ...SAID, source: SAID.answer };
  const q = { param, output, header, timeout, retry, alias, source: from, throw: thrown };
  if (!checkSayable(source, element, { q })) return null;
  const [own] = qChildren(element, 'timeout');
  const [policy] = qChildren(element, 'retry');
  const [response] = qChildren(element, 'source');
  return {
    ...headOf(source, draft),
    verb: 'call',
    target: text.startsWith(CHANNEL_PREFIX) ? part(implementation, CHANNEL_PREFIX.length) : implementation,
    input: readParams(source, element),
    output: readOutput(source, qChild(element, 'output')),
    headers: readHeaders(source, element),
    timeout: own === undefined ? null : attribute(source, own, 'duration'),
    retry: policy === undefined ? null : readFlowRetry(source, policy),
    aliases: readFlowAliases(source, element),
    response: response === undefined ? null : readFlowSource(source, response),
    throws: readThrows(source, element),
  };
}

/** A task without an implementation assigns what its data output associations say. */
function readSet(source: BpmnSource, draft: NodeDraft): Step | null {
  const { element } = draft;
  if (!checkSayable(source, element, { children: ['dataOutputAssociation'] })) return null;
  const associations = bpmnChildren(element, 'dataOutputAssociation');
  const assignments: Pair[] = [];
  for (const association of associations) {
    const isPlain = association.children.every(
      ({ namespace, localName }) => namespace !== BPMN_NAMESPACE || localName === 'assignment',
    );
    if (!isPlain) {
      return refuse(
        source,
        association,
        `a data association of ${label(element)} has a source, a target or a transformation; write it as an assignment with from and to`,
      );
    }
    for (const assignment of bpmnChildren(association, 'assignment')) {
      const to = childText(source, assignment, 'to');
      const value = childText(source, assignment, 'from');
      if (to !== null && value !== null) assignments.push({ name: trimmed(to), value });
    }
  }
  return checkTargets(source, element, assignments)
    ? { ...headOf(source, draft), verb: 'set', assignments }
    : null;
}

/** A mapping has each key once, and its keys are variables. */
function checkTargets(source: BpmnSource, element: XmlElement, assignments: readonly Pair[]): boolean {
  const data = dataIdsIn(source.context.document.root);
  const seen = new Set<string>();
  for (const { name } of assignments) {
    if (seen.has(name.text)) {
      refuse(source, element, `${label(element)} sets ${shown(name.text)} twice; use a task for each`);
      return false;
    }
    if (data.has(name.text)) {
      refuse(
        source,
        element,
        `${label(element)} sets the data object ${shown(name.text)}; write the variable itself`,
      );
      return false;
    }
    seen.add(name.text);
  }
  return true;
}

/** By the root of a file, which is searched once. */
const knownDataIds = new WeakMap<XmlElement, ReadonlySet<string>>();

function dataIdsIn(root: XmlElement): ReadonlySet<string> {
  const known = knownDataIds.get(root);
  if (known !== undefined) return known;
  const ids = new Set<string>();
  const visit = (element: XmlElement): void => {
    const id = DATA.has(element.localName) ? attributeOf(element, 'id') : null;
    if (id !== null) ids.add(id);
    element.children.forEach(visit);
  };
  visit(root);
  knownDataIds.set(root, ids);
  return ids;
}

export function readBusinessRuleTask(source: BpmnSource, draft: NodeDraft): Step | null {
  const { element } = draft;
  const implementation = attribute(source, element, 'implementation');
  if (implementation?.text.startsWith(DECISION_PREFIX) !== true) {
    return refuse(
      source,
      element,
      `${label(element)} asks no decision of the package; make it a service task`,
    );
  }
  if (!checkSayable(source, element, { q: { param: SAID.param, output: SAID.output } })) return null;
  return {
    ...headOf(source, draft),
    verb: 'decide',
    decision: trimmed(part(implementation, DECISION_PREFIX.length)),
    input: readParams(source, element),
    output: readOutput(source, qChild(element, 'output')),
  };
}

export function readCallActivity(source: BpmnSource, draft: NodeDraft): Step | null {
  const { element } = draft;
  if (!checkSayable(source, element, { q: { param: SAID.param, output: SAID.output } })) return null;
  const outputs = qChildren(element, 'output');
  if (outputs.some((output) => attributeOf(output, 'expression') === null)) {
    return refuse(
      source,
      element,
      `q:output of ${label(element)} takes all variables of the called process; give it an expression`,
    );
  }
  const called = required(source, element, 'calledElement');
  const isExpression = called.text.trimStart().startsWith('=');
  return {
    ...headOf(source, draft),
    verb: 'flow',
    process: isExpression ? trimmed(called) : { ...called, text: withoutPrefix(called.text) },
    input: readParams(source, element),
    output: outputs.map((output) => ({
      name: required(source, output, 'variable'),
      value: required(source, output, 'expression'),
    })),
  };
}

const REMEDIES: Readonly<Record<string, string>> = {
  userTask: 'flows have no user tasks: call a channel whose worker shows the task to people',
  scriptTask:
    'flows have no script tasks: use a service task without an implementation, whose dataOutputAssociation has an assignment',
  sendTask: 'use an intermediate throw event with a message',
  receiveTask: 'use an intermediate catch event with a message',
  task: 'flows have no tasks that do nothing: remove it, or give it something to do',
  manualTask: 'flows have no tasks that do nothing: remove it, or give it something to do',
  inclusiveGateway:
    'a flow takes one way or all: use exclusive gateways inside the branches of a parallel one',
  complexGateway: 'a flow waits for one way or for all: use an exclusive or a parallel gateway',
  transaction: 'flows have no transactions: use a sub-process, and throw compensation',
  adHocSubProcess: 'flows have no ad hoc sub-processes: draw in which order its activities run',
};

/** An element of a kind for which there is no step. */
export function refuseKind(source: BpmnSource, { element }: NodeDraft): null {
  const remedy = REMEDIES[element.localName] ?? 'remove it';
  return refuse(source, element, `${label(element)} cannot be said in a flow; ${remedy}`);
}
