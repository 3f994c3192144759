/** Which wait of an instance a message is for. */
import type { FlowNode, SourceDefinition } from '../../definitions/model.ts';
import type { Graph } from './graph.ts';
import type { AliasValue, Snapshot, Wait } from './snapshot.ts';
import type { Stimulus } from './stimulus.ts';

type MessageStimulus = Extract<Stimulus, { readonly kind: 'message' }>;

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

/** The `q:source` of a node that can wait for a message. */
export function sourceOf(node: FlowNode): SourceDefinition | null {
  switch (node.kind) {
    case 'startEvent':
    case 'userTask':
    case 'receiveTask':
      return node.source;
    case 'serviceTask':
      return node.responseSource;
    case 'intermediateCatchEvent':
    case 'boundaryEvent':
      return node.event.kind === 'message' ? node.event.source : null;
    default:
      return null;
  }
}

/**
 * The wait that the message satisfies, or undefined. A call that waits under exactly this key comes first:
 * the key belongs to one attempt, so it fits no other call, and needs no message type. Otherwise the
 * oldest wait on the channel that the type fits and that one of the aliases, or the implicit key of one
 * of this instance's sends, belongs to.
 */
export function findWait(graph: Graph, snapshot: Snapshot, stimulus: MessageStimulus): Wait | undefined {
  const { key, channel, message } = stimulus;
  const isImplicitKey = key !== null && isKeyOf(snapshot, key);
  let oldest: Wait | undefined;
  for (const wait of snapshot.waits) {
    if (wait.kind !== 'call' && wait.kind !== 'message') continue;
    if (wait.kind === 'call' && wait.idempotencyKey === key) {
      if (channel === wait.channel || channel === wait.requestChannel) return wait;
      continue;
    }
    if (wait.channel !== channel || (oldest !== undefined && oldest.id < wait.id)) continue;
    const isMeant = (wait.kind === 'message' && isImplicitKey) || shareAlias(wait.aliases, stimulus.aliases);
    if (!isMeant) continue;
    const source = sourceOf(graph.node(wait.elementId));
    if (source === null || takesMessageType(source, message.messageType)) oldest = wait;
  }
  return oldest;
}

function shareAlias(left: readonly AliasValue[], right: readonly AliasValue[]): boolean {
  return left.some(({ name, value }) => right.some((other) => other.name === name && other.value === value));
}

/** Whether `key` is the idempotency key of a message that this instance sent. A call's key is not. */
function isKeyOf(snapshot: Snapshot, key: string): boolean {
  const prefix = `${snapshot.instanceId}:`;
  if (!key.startsWith(prefix)) return false;
  const digits = key.slice(prefix.length);
  return /^[1-9]\d{0,15}$/.test(digits) && Number(digits) < snapshot.nextSequence;
}
