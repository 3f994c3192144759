/** What leaves an instance: messages into the outbox, replies to the request that started it. */
import type { ReplyDefinition, SendDefinition } from '../../definitions/model.ts';
import type { Value } from '../../definitions/value.ts';
import { auditSend } from './audit.ts';
import { ElementFailure } from './element-failure.ts';
import { evaluate, evaluateHeaders, kindOf } from './evaluate.ts';
import type { LiveScope, LiveToken } from './live-state.ts';
import { visibleContext } from './scope-variables.ts';
import type { SendEffect } from './effect.ts';
import type { Step } from './step.ts';
import type { ChannelDirectory } from './stimulus.ts';
import { taskPriority } from './task-priority.ts';
import { sizeOf } from './value-size.ts';

/**
 * Units of the turn's budget for a message that leaves, and of the size of its body (value-size.ts) for one unit: it
 * is encoded and stored. 10,000 parallel calls that each send all variables may be gigabytes.
 */
const SEND_UNITS = 200;
const SIZE_PER_UNIT = 4;

/**
 * The idempotency key of the next send or call: the instance's id, the part that it is made in, if any, and a
 * number that the instance never uses again: `<id>:[<part>.][call-]<n>`. The inbound path reads the instance
 * and the part from it. A call's key tells itself apart, so that a late answer to a dead attempt satisfies
 * nothing else that waits on the channel.
 */
export function newIdempotencyKey(step: Step, { partId }: LiveScope, kind: 'send' | 'call'): string {
  const part = partId === null ? '' : `${partId}.`;
  return `${step.context.instanceId}:${part}${kind === 'call' ? 'call-' : ''}${step.allocate()}`;
}

/** @param audited what the history shows of the body; undefined: nothing */
export function emitSend(
  step: Step,
  { deploymentId, graph }: LiveScope,
  effect: Omit<SendEffect, 'kind' | 'deploymentId' | 'processId'>,
  audited: Value | undefined,
): void {
  const { elementId, channel, idempotencyKey } = effect;
  step.budget.spend(SEND_UNITS + Math.ceil(sizeOf(effect.body) / SIZE_PER_UNIT));
  step.effects.push({ kind: 'send', deploymentId, processId: graph.process.id, ...effect });
  step.history('sent', elementId, { channel, idempotencyKey }, audited);
}

/** `q:send`: a message that expects no answer. Without a body, all visible variables are sent. */
export function sendMessage(step: Step, token: LiveToken, definition: SendDefinition): void {
  const channel = definition.channel ?? destinationOf(step, token, definition);
  const headers = evaluateHeaders(step, token, definition.headers);
  const body =
    definition.body === null ? visibleContext(token.scope) : evaluate(step, token, definition.body);
  const { scope, elementId } = token;
  const priority = taskPriority(step, token, channelsAt(step, scope), { channel, body, headers });
  const effect = {
    elementId,
    channel,
    idempotencyKey: newIdempotencyKey(step, scope, 'send'),
    headers,
    contentType: definition.contentType,
    body,
    expectsAnswer: false,
    priority,
    registeredName: null,
    deadlineMs: null,
    terminalWait: null,
  };
  emitSend(step, scope, effect, auditSend(step, scope, scope.graph.node(elementId), body, definition.body));
}

function destinationOf(step: Step, token: LiveToken, definition: SendDefinition): string {
  const value = definition.destination === null ? null : evaluate(step, token, definition.destination);
  if (typeof value === 'string' && value !== '') return declaredChannel(step, token, value);
  throw new ElementFailure(
    'SUTRA.CORE.DESTINATION_INVALID',
    `the destination of ${token.elementId} must be the name of a channel and is ${value === '' ? 'empty' : `a ${kindOf(value)}`}`,
  );
}

function declaredChannel(step: Step, token: LiveToken, channel: string): string {
  const channels = channelsAt(step, token.scope);
  if (channels === undefined || channels.has(channel)) return channel;
  throw new ElementFailure(
    'SUTRA.CORE.CHANNEL_UNKNOWN',
    `the destination of ${token.elementId} is ${channel}, and the package declares no channel of that name that can be sent to`,
  );
}

/** Those of the package that the scope's process is from. */
export function channelsAt({ context }: Step, { deploymentId }: LiveScope): ChannelDirectory | undefined {
  return deploymentId === context.deploymentId ? context.channels : context.calls?.channelsOf(deploymentId);
}

/** `q:reply`. Without a body the reply is null: variables are not shown to a caller unasked. */
export function sendReply(step: Step, token: LiveToken, definition: ReplyDefinition | null): void {
  if (definition === null) return;
  const { contentType, isContinued } = definition;
  const headers = evaluateHeaders(step, token, definition.headers);
  const body = definition.body === null ? null : evaluate(step, token, definition.body);
  step.effects.push({ kind: 'reply', elementId: token.elementId, contentType, headers, body, isContinued });
}
