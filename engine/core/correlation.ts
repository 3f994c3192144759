/** Which wait of an instance a message is for. */
import { messageTriggersOf, type FlowNode, type SourceDefinition } from '../../definitions/model.ts';
import type { AliasValue, Wait } from './snapshot.ts';
import type { Step } from './step.ts';
import type { Stimulus } from './stimulus.ts';

type MessageStimulus = Extract<Stimulus, { readonly kind: 'message' }>;
type MessageWait = Extract<Wait, { readonly kind: 'message' | 'call' }>;
type CallWait = Extract<Wait, { readonly kind: 'call' }>;

/** Whether a message of that type (null: it names none) is one that the source takes. */
export function takesMessageType(source: SourceDefinition, messageType: string | null): boolean {
  const wanted = source.messageType;
  switch (wanted.kind) {
    case 'any':
      return true;
    case 'exact':
      return messageType === wanted.value;
    case 'pattern':
      return messageType !== null && matchesPattern(wanted.pattern, messageType);
  }
}

/** `*` stands for any text, also none. Linear in the text for each part: no pattern can make it hang. */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const [head = '', ...rest] = parts;
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (!text.startsWith(head) || text.length < head.length + tail.length || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** The `q:source` that a wait at the node is for; null when the answer of a call needs none. */
export function sourceOf(node: FlowNode, trigger = 0): SourceDefinition | null {
  return messageTriggersOf(node).find((candidate) => candidate.trigger === trigger)?.source ?? null;
}

/** The call that waits under exactly this key: the key belongs to one attempt, so it fits no other. */
export function findCall(step: Step, key: string): CallWait | undefined {
  for (const wait of step.waits.values()) {
    if (wait.kind === 'call' && wait.idempotencyKey === key) return wait;
  }
  return undefined;
}

/**
 * The wait that the message satisfies, or undefined. A call that waits under exactly this key comes first,
 * and needs no message type. Otherwise the oldest wait on the channel that the type fits and that one of the
 * aliases, or the implicit key of one of this instance's sends, belongs to; any wait for a message, when it is addressed.
 * @throws NeedsParts when that one may be in a part that the turn was not given
 */
export function findWait(
  step: Step,
  { key, aliases, channel, message, isAddressed = false }: MessageStimulus,
): MessageWait | undefined {
  const call = key === null ? undefined : findCall(step, key);
  if (call !== undefined && (channel === call.channel || channel === call.requestChannel)) return call;
  const isForAny = isAddressed || (key !== null && isKeyOfSend(step, key));
  if (!isForAny && aliases.length === 0) return undefined;
  step.requireParts();
  let oldest: MessageWait | undefined;
  for (const wait of step.waits.values()) {
    if ((wait.kind !== 'call' && wait.kind !== 'message') || wait.channel !== channel) continue;
    if (wait === call || (oldest !== undefined && oldest.id < wait.id)) continue;
    const isMeant = (wait.kind === 'message' && isForAny) || shareAlias(wait.aliases, aliases);
    if (!isMeant) continue;
    const holder = step.holderOf(wait);
    const { graph } = 'tokens' in holder ? holder : holder.scope;
    const source = sourceOf(graph.node(wait.elementId), wait.trigger);
    if (source === null || takesMessageType(source, message.messageType)) oldest = wait;
  }
  return oldest;
}

function shareAlias(left: readonly AliasValue[], right: readonly AliasValue[]): boolean {
  return left.some(({ name, value }) => right.some((other) => other.name === name && other.value === value));
}

/**
 * Whether the message can be found by nothing but the key of a call of this instance that waits no more. It fits nothing
 * later either: each request has a key of its own.
 */
export function isSpentKey(step: Step, { key, aliases }: MessageStimulus): boolean {
  if (key === null || aliases.length > 0) return false;
  const prefix = `${step.before.instanceId}:`;
  const isOfCall = key.startsWith(prefix) && /^(?:\d{1,16}\.)?call-/.test(key.slice(prefix.length));
  return isOfCall && findCall(step, key) === undefined;
}

/** Whether `key` is the idempotency key of a message that this instance sent. A call's key is not. */
function isKeyOfSend({ before }: Step, key: string): boolean {
  const prefix = `${before.instanceId}:`;
  if (!key.startsWith(prefix)) return false;
  const [, digits] = /^(?:\d{1,16}\.)?([1-9]\d{0,15})$/.exec(key.slice(prefix.length)) ?? [];
  return digits !== undefined && Number(digits) < before.nextSequence;
}
