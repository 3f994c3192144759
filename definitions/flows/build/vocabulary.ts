/** Pieces of steps as elements of the q: vocabulary. */
import type { ElementMaker } from '../../element-maker.ts';
import type { PlaceSource } from '../../xml/translated-document.ts';
import type { XmlElement } from '../../xml/document.ts';
import type { Written } from '../../written.ts';
import { flag, made } from './context.ts';
import type {
  Audit,
  FlowAlias,
  FlowMessage,
  FlowReply,
  FlowRetry,
  FlowSource,
  FlowVariable,
  Pair,
} from '../flow.ts';

export function variablesOf(make: ElementMaker, variables: readonly FlowVariable[]): readonly XmlElement[] {
  const [first] = variables;
  if (first === undefined) return [];
  const each = variables.map(({ name, type, isSensitive, isTransient }) =>
    make.q('variable', name, {
      name,
      type,
      sensitive: flag(isSensitive, name.place),
      transient: flag(isTransient, name.place),
    }),
  );
  return [make.q('variables', first.name, {}, each)];
}

export function auditOf(make: ElementMaker, audit: Audit | undefined): readonly XmlElement[] {
  return audit === undefined ? [] : [make.q('audit', audit, { payload: audit })];
}

export function sourceOf(make: ElementMaker, source: FlowSource): XmlElement {
  const { channel, variable, isMerged, type, typePattern, dedupKey } = source;
  return make.q('source', channel, {
    channel,
    name: variable,
    merge: flag(isMerged, channel.place),
    messageTypeValue: type,
    messageTypePattern: typePattern,
    dedupKey,
  });
}

export function aliasesOf(make: ElementMaker, aliases: readonly FlowAlias[]): readonly XmlElement[] {
  return aliases.map(({ name, expression, message, isUnique, onConflict, isMulti }) =>
    make.q('alias', name, {
      name,
      expression,
      message,
      unique: flag(isUnique, name.place),
      onConflict,
      multi: flag(isMulti, name.place),
    }),
  );
}

export function sendOf(make: ElementMaker, message: FlowMessage, place: PlaceSource): XmlElement {
  const { channel, destination, contentType, body, headers } = message;
  const own = { channel, destination, contentType, body };
  return make.q('send', channel ?? destination ?? made(place), own, headersOf(make, headers));
}

export function replyOf(make: ElementMaker, reply: FlowReply, place: PlaceSource): XmlElement {
  const { contentType, body, headers, isContinued } = reply;
  const own = { contentType, body, continue: flag(isContinued, place) };
  return make.q('reply', body ?? made(place), own, headersOf(make, headers));
}

export function headersOf(make: ElementMaker, headers: readonly Pair[]): readonly XmlElement[] {
  return headers.map(({ name, value }) => make.q('header', name, { name, value }));
}

export function paramsOf(make: ElementMaker, input: readonly Pair[]): readonly XmlElement[] {
  return input.map(({ name, value }) => make.q('param', name, { name, expression: value }));
}

/** The variable that receives an answer; none: its properties become variables. */
export function outputOf(make: ElementMaker, variable: Written | null): readonly XmlElement[] {
  return variable === null ? [] : [make.q('output', variable, { variable })];
}

export function retryOf(make: ElementMaker, retry: FlowRetry | null): readonly XmlElement[] {
  if (retry === null) return [];
  const { place, maxAttempts, initialDelay, backoffCoefficient, maxDelay, nonRetryableCodes } = retry;
  const own = { maxAttempts, initialDelay, backoffCoefficient, maxDelay, nonRetryableCodes };
  return [make.q('retry', made(place), own)];
}

/** What a handler takes from what it caught. */
export function caughtOf(
  make: ElementMaker,
  code: Written | null,
  message: Written | null,
): readonly XmlElement[] {
  const first = code ?? message;
  return first === null ? [] : [make.q('caught', first, { code, message })];
}
