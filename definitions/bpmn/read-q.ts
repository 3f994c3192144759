/** Reads q: elements whose form was checked (`check-q.ts`) into the model. */
import { parseDuration } from '../../config/iso8601.ts';
import type {
  AliasDefinition,
  ErrorCondition,
  HeaderDefinition,
  ParamDefinition,
  ReplyDefinition,
  SendDefinition,
  SourceDefinition,
  VariableDeclaration,
} from '../model.ts';
import type { XmlElement } from '../xml/document.ts';
import { attributeOf, findAttribute } from '../xml/document.ts';
import { shown } from '../xml/shown.ts';
import { REPORTED } from './expressions.ts';
import { Q_NAMESPACE } from './namespaces.ts';
import { label, placeOf, qChild, qChildren, type ReadContext } from './read-context.ts';

/** `q:source`, or null when there is none. */
export function readSource(context: ReadContext, element: XmlElement): SourceDefinition | null {
  const source = qChild(element, 'source');
  if (source === null) {
    return null;
  }
  const value = attributeOf(source, 'messageTypeValue');
  const pattern = attributeOf(source, 'messageTypePattern');
  const ack = attributeOf(source, 'ack');
  return {
    channel: attributeOf(source, 'channel') ?? '',
    variable: attributeOf(source, 'name') ?? 'payload',
    mergesPayload: attributeOf(source, 'merge') === 'true',
    messageType:
      value !== null
        ? { kind: 'exact', value }
        : pattern !== null
          ? { kind: 'pattern', pattern }
          : { kind: 'any' },
    dedupKey: context.expressions.attribute(source, 'dedupKey'),
    ack: ack === 'on-persist' || ack === 'on-complete' ? ack : null,
    dataClass: attributeOf(source, 'dataClass'),
    place: placeOf(context, source),
  };
}

/** `q:source` of an element that cannot wait without one; its absence is reported. */
export function requireSource(context: ReadContext, element: XmlElement): SourceDefinition | null {
  const source = readSource(context, element);
  if (source === null) {
    const message = `${label(element)} waits for a message, but no q:source names its channel; add one`;
    context.report.error('SUTRA.BPMN.SOURCE_MISSING', element, message);
  }
  return source;
}

export function readAliases(context: ReadContext, element: XmlElement): readonly AliasDefinition[] {
  const aliases = qChildren(element, 'alias');
  checkUnique(context, aliases, (name) => name);
  return aliases.map((alias) => {
    const isUnique = attributeOf(alias, 'unique') === 'true';
    const isMulti = attributeOf(alias, 'multi') === 'true';
    if (isUnique && isMulti) {
      const message = 'q:alias is both unique and multi: a unique value is never held by several instances';
      context.report.error('SUTRA.Q.ATTRIBUTES_EXCLUSIVE', alias, message);
    }
    return {
      name: attributeOf(alias, 'name') ?? '',
      expression: context.expressions.attribute(alias, 'expression') ?? REPORTED,
      messageExpression: context.expressions.attribute(alias, 'message'),
      isUnique,
      onConflict: attributeOf(alias, 'onConflict') === 'correlate' ? 'correlate' : 'reject',
      isMulti,
      place: placeOf(context, alias),
    };
  });
}

/** `q:send` of an element that throws a message; its absence is reported. */
export function requireSend(context: ReadContext, element: XmlElement): SendDefinition | null {
  const send = qChild(element, 'send');
  if (send === null) {
    const message = `${label(element)} sends a message, but no q:send names its channel; add one`;
    context.report.error('SUTRA.BPMN.SEND_MISSING', element, message);
    return null;
  }
  const channel = attributeOf(send, 'channel');
  if (channel === null && findAttribute(send, 'destination') === null) {
    const message = 'q:send needs the attribute channel or destination';
    context.report.error('SUTRA.Q.ATTRIBUTE_MISSING', send, message);
  }
  return {
    channel,
    destination: context.expressions.attribute(send, 'destination'),
    contentType: attributeOf(send, 'contentType'),
    body: context.expressions.attribute(send, 'body'),
    headers: readHeaders(context, nestedHeaders(send)),
    place: placeOf(context, send),
  };
}

/** `q:reply`, or null when there is none. */
export function readReply(context: ReadContext, element: XmlElement): ReplyDefinition | null {
  const reply = qChild(element, 'reply');
  return reply === null
    ? null
    : {
        contentType: attributeOf(reply, 'contentType'),
        body: context.expressions.attribute(reply, 'body'),
        headers: readHeaders(context, nestedHeaders(reply)),
        isContinued: attributeOf(reply, 'continue') === 'true',
        place: placeOf(context, reply),
      };
}

export function readHeaders(
  context: ReadContext,
  headers: readonly XmlElement[],
): readonly HeaderDefinition[] {
  // Header names are compared without case on every transport.
  checkUnique(context, headers, (name) => name.toLowerCase());
  return headers.map((header) => {
    const name = attributeOf(header, 'name') ?? '';
    if (name.toLowerCase().startsWith('sutra-park-')) {
      const message = `the header ${shown(name)} is reserved and has no effect; choose another name`;
      context.report.warning('SUTRA.Q.HEADER_RESERVED', header, message);
    }
    return { name, value: context.expressions.attribute(header, 'value') ?? REPORTED };
  });
}

export function readParams(context: ReadContext, element: XmlElement): readonly ParamDefinition[] {
  const params = qChildren(element, 'param');
  checkUnique(context, params, (name) => name);
  return params.map((param) => ({
    name: attributeOf(param, 'name') ?? '',
    expression: context.expressions.attribute(param, 'expression') ?? REPORTED,
  }));
}

export function readThrows(context: ReadContext, element: XmlElement): readonly ErrorCondition[] {
  return qChildren(element, 'throw').map((thrown) => ({
    errorCode: attributeOf(thrown, 'code') ?? '',
    when: context.expressions.attribute(thrown, 'when') ?? REPORTED,
  }));
}

/** `q:audit`; null when there is none. */
export function readAudit(element: XmlElement): boolean | null {
  const audit = qChild(element, 'audit');
  return audit === null ? null : attributeOf(audit, 'payload') === 'true';
}

export function readOutputVariable(element: XmlElement): string | null {
  const output = qChild(element, 'output');
  return output === null ? null : attributeOf(output, 'variable');
}

export function readTimeoutMs(element: XmlElement): number | null {
  const timeout = qChild(element, 'timeout');
  const duration = timeout === null ? null : parseDuration(attributeOf(timeout, 'duration') ?? '');
  return duration?.ok === true ? duration.ms : null;
}

export function readVariables(
  context: ReadContext,
  process: XmlElement,
): ReadonlyMap<string, VariableDeclaration> {
  const variables = qChildren(process, 'variables').flatMap((list) =>
    list.children.filter((child) => child.namespace === Q_NAMESPACE && child.localName === 'variable'),
  );
  checkUnique(context, variables, (name) => name);
  return new Map(
    variables.map((variable) => {
      const name = attributeOf(variable, 'name') ?? '';
      const declaration: VariableDeclaration = {
        name,
        type: attributeOf(variable, 'type'),
        isSensitive: attributeOf(variable, 'sensitive') === 'true',
        isTransient: attributeOf(variable, 'transient') === 'true',
      };
      return [name, Object.freeze(declaration)] as const;
    }),
  );
}

/** Reports q elements that have no meaning at this node, although they may stand on elements of its kind. */
export function rejectQ(
  context: ReadContext,
  element: XmlElement,
  localNames: readonly string[],
  reason: string,
): void {
  for (const localName of localNames) {
    for (const misplaced of qChildren(element, localName)) {
      const message = `q:${localName} has no meaning on ${label(element)}: ${reason}`;
      context.report.error('SUTRA.Q.ELEMENT_MISPLACED', misplaced, message);
    }
  }
}

function nestedHeaders(element: XmlElement): readonly XmlElement[] {
  return element.children.filter((child) => child.namespace === Q_NAMESPACE && child.localName === 'header');
}

function checkUnique(
  context: ReadContext,
  elements: readonly XmlElement[],
  keyOf: (name: string) => string,
): void {
  const seen = new Set<string>();
  for (const element of elements) {
    const attribute = findAttribute(element, 'name');
    if (attribute === null) {
      continue;
    }
    const key = keyOf(attribute.value);
    if (seen.has(key)) {
      const message = `the name ${shown(attribute.value)} is used by another q:${element.localName} here; choose another`;
      context.report.attributeError('SUTRA.Q.NAME_DUPLICATE', element, attribute, message);
    }
    seen.add(key);
  }
}
