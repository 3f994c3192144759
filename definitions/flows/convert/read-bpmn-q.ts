/** Elements of the q: vocabulary to the options of steps. Their form was checked with the file. */
import { Q_NAMESPACE } from '../../bpmn/namespaces.ts';
import { qChildren } from '../../bpmn/read-context.ts';
import type { Written } from '../../written.ts';
import { attributeOf, type XmlElement } from '../../xml/document.ts';
import type { FlowAlias, FlowMessage, FlowReply, FlowRetry, FlowSource, Pair } from '../flow.ts';
import { attribute, type BpmnSource, required } from './read-bpmn-source.ts';

/** The attributes that options exist for, by element: what `checkSayable` takes. */
export const SAID = {
  source: ['channel', 'name', 'merge', 'messageTypeValue', 'messageTypePattern', 'dedupKey'],
  /** Of what is waited for: a key against copies is of starts alone. */
  answer: ['channel', 'name', 'merge', 'messageTypeValue', 'messageTypePattern'],
  alias: ['name', 'expression', 'message', 'unique', 'onConflict', 'multi'],
  send: ['channel', 'destination', 'contentType', 'body'],
  reply: ['contentType', 'body', 'continue'],
  header: ['name', 'value'],
  param: ['name', 'expression'],
  output: ['variable', 'expression'],
  signal: ['body'],
  throw: ['code', 'when'],
  timeout: ['duration'],
  retry: ['maxAttempts', 'initialDelay', 'backoffCoefficient', 'maxDelay', 'nonRetryableCodes'],
  loop: ['collection', 'item', 'output', 'outputItem'],
  caught: ['code', 'message'],
  variables: [],
} as const;

export function readFlowSource(source: BpmnSource, element: XmlElement): FlowSource {
  return {
    channel: required(source, element, 'channel'),
    variable: attribute(source, element, 'name'),
    isMerged: attributeOf(element, 'merge') === 'true',
    type: attribute(source, element, 'messageTypeValue'),
    typePattern: attribute(source, element, 'messageTypePattern'),
    dedupKey: attribute(source, element, 'dedupKey'),
  };
}

/** Those of the element that stand in its own `extensionElements`. */
export function readFlowAliases(source: BpmnSource, element: XmlElement): readonly FlowAlias[] {
  return qChildren(element, 'alias').map((alias) => ({
    name: required(source, alias, 'name'),
    expression: required(source, alias, 'expression'),
    message: attribute(source, alias, 'message'),
    isUnique: attributeOf(alias, 'unique') === 'true',
    onConflict: attribute(source, alias, 'onConflict'),
    isMulti: attributeOf(alias, 'multi') === 'true',
  }));
}

export function readFlowMessage(source: BpmnSource, send: XmlElement): FlowMessage {
  return {
    channel: attribute(source, send, 'channel'),
    destination: attribute(source, send, 'destination'),
    contentType: attribute(source, send, 'contentType'),
    body: attribute(source, send, 'body'),
    headers: headersIn(source, send.children),
  };
}

export function readFlowReply(source: BpmnSource, reply: XmlElement): FlowReply {
  return {
    contentType: attribute(source, reply, 'contentType'),
    body: attribute(source, reply, 'body'),
    headers: headersIn(source, reply.children),
    isContinued: attributeOf(reply, 'continue') === 'true',
  };
}

export function readFlowRetry(source: BpmnSource, retry: XmlElement): FlowRetry {
  return {
    place: () => source.context.document.placeOf(retry),
    maxAttempts: required(source, retry, 'maxAttempts'),
    initialDelay: attribute(source, retry, 'initialDelay'),
    backoffCoefficient: attribute(source, retry, 'backoffCoefficient'),
    maxDelay: attribute(source, retry, 'maxDelay'),
    nonRetryableCodes: attribute(source, retry, 'nonRetryableCodes'),
  };
}

export function readHeaders(source: BpmnSource, element: XmlElement): readonly Pair[] {
  return headersIn(source, qChildren(element, 'header'));
}

export function readParams(source: BpmnSource, element: XmlElement): readonly Pair[] {
  return qChildren(element, 'param').map((param) => pair(source, param, 'name', 'expression'));
}

export function readThrows(
  source: BpmnSource,
  element: XmlElement,
): readonly { readonly code: Written; readonly when: Written }[] {
  return qChildren(element, 'throw').map((thrown) => ({
    code: required(source, thrown, 'code'),
    when: required(source, thrown, 'when'),
  }));
}

/** The variable of `q:output`. */
export function readOutput(source: BpmnSource, output: XmlElement | null): Written | null {
  return output === null ? null : attribute(source, output, 'variable');
}

function headersIn(source: BpmnSource, elements: readonly XmlElement[]): readonly Pair[] {
  return elements
    .filter(({ namespace, localName }) => namespace === Q_NAMESPACE && localName === 'header')
    .map((header) => pair(source, header, 'name', 'value'));
}

function pair(source: BpmnSource, element: XmlElement, name: string, value: string): Pair {
  return { name: required(source, element, name), value: required(source, element, value) };
}
