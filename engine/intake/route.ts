/**
 * Where a message goes. Source: protocol §8.
 *
 * First the starts of the active deployment, by message type; else the waits on the channel, by the implicit
 * key that the message echoes, then by aliases. Whether an instance really waits is only known under its lock:
 * the targets are alternatives, tried in order. Behind a parallel event-based gateway that instantiates, the
 * waits come first: a message that another of them has made way for starts no second instance.
 */
import { EngineError } from '../../config/engine-error.ts';
import type { TurnBudget } from '../../definitions/feel.ts';
import { aliasText } from '../core/aliases.ts';
import type { AliasValue, ReplyAddress } from '../core/snapshot.ts';
import type { InboundMessage } from '../core/stimulus.ts';
import { matchStarts, type ChannelRoute, type StartRoute } from '../deployments/routing.ts';
import { newId } from '../new-id.ts';
import type { AliasKey } from '../store/turn-aliases.ts';
import { evaluateOverMessage } from './dedup.ts';
import { instanceOfKey } from './implicit-key.ts';
import type { AliasTarget, StartTarget, Target } from './turn.ts';

export interface MessagePlan {
  /** What the message can start; its first may have a dedup key and an acknowledgement of its own. */
  readonly starts: readonly StartRoute[];
  readonly targets: readonly Target[];
  /** All starts are taken together. */
  readonly isBroadcast: boolean;
}

/** @throws EngineError as `waitTargets`, when the message starts nothing. */
export function planMessage(
  route: ChannelRoute,
  starts: readonly StartRoute[],
  message: InboundMessage,
  budget: TurnBudget,
  replyTo: ReplyAddress | null,
): MessagePlan {
  if (starts.length === 0)
    return { starts, targets: waitTargets(route, message, budget), isBroadcast: false };
  const isBroadcast = starts.length > 1;
  const resumed =
    !isBroadcast && starts[0]?.resumesFirst === true ? keyedTargets(route, message, budget) : [];
  return { starts, targets: [...resumed, ...startTargets(route, starts, message, replyTo)], isBroadcast };
}

/** What this message starts; more than one only on a broadcast channel. */
export function startsOf(route: ChannelRoute, message: InboundMessage): readonly StartRoute[] {
  const starts = matchStarts(route, message.messageType);
  return route.channel.isBroadcast ? starts : starts.slice(0, 1);
}

function startTargets(
  route: ChannelRoute,
  starts: readonly StartRoute[],
  message: InboundMessage,
  replyTo: ReplyAddress | null,
): StartTarget[] {
  return starts.map((start) => ({
    kind: 'start',
    instanceId: newId(),
    tenant: route.tenant,
    module: route.module,
    deploymentId: start.deploymentId,
    processId: start.processId,
    stimulus: {
      kind: 'start',
      startEventId: start.startEventId,
      trigger: start.trigger,
      message,
      variables: {},
      replyTo,
    },
  }));
}

/**
 * The waits that a message may satisfy.
 * @throws EngineError SUTRA.INBOUND.NO_SUBSCRIBER when the channel has none at all,
 *   SUTRA.INBOUND.NOT_CORRELATED when the message carries no usable key.
 */
function waitTargets(route: ChannelRoute, message: InboundMessage, budget: TurnBudget): Target[] {
  if (!route.hasWaits) {
    throw new EngineError(
      'SUTRA.INBOUND.NO_SUBSCRIBER',
      `Nothing is started by this message and no wait listens on channel ${route.channel.name}` +
        (message.messageType === null ? '.' : ` (message type ${message.messageType}).`),
      { attributes: { channel: route.channel.name, messageType: message.messageType } },
    );
  }
  const targets = keyedTargets(route, message, budget);
  if (targets.length === 0) {
    throw new EngineError(
      'SUTRA.INBOUND.NOT_CORRELATED',
      `The message on channel ${route.channel.name} carries no value that a waiting instance could be found by.`,
      { attributes: { channel: route.channel.name, retryable: false } },
    );
  }
  return targets;
}

function keyedTargets(route: ChannelRoute, message: InboundMessage, budget: TurnBudget): Target[] {
  const targets: Target[] = [];
  const aliases = aliasTarget(route, message, budget);
  for (const header of ['correlation-id', 'idempotency-key']) {
    const key = message.headers[header];
    const instanceId = key === undefined ? null : instanceOfKey(key);
    if (key === undefined || instanceId === null) continue;
    if (
      targets.some(
        (target) =>
          target.kind === 'instance' && target.stimulus.kind === 'message' && target.stimulus.key === key,
      )
    )
      continue;
    targets.push({
      kind: 'instance',
      instanceId,
      scope: { tenant: route.tenant, module: route.module },
      stimulus: {
        kind: 'message',
        channel: route.channel.name,
        key,
        aliases: aliases?.stimulus.aliases ?? [],
        message,
      },
    });
  }
  if (aliases !== null) targets.push(aliases);
  return targets;
}

/** Null when no alias of the channel's waits has a value in this message. */
function aliasTarget(route: ChannelRoute, message: InboundMessage, budget: TurnBudget): AliasTarget | null {
  const values = new Map<string, AliasValue>();
  const multiNames = new Set<string>();
  for (const { alias, variable } of route.aliases) {
    const value = evaluateOverMessage(
      alias.messageExpression ?? alias.expression,
      message,
      variable,
      budget,
      `alias ${alias.name}`,
    );
    const key = aliasText(value);
    if (key.kind !== 'text') continue;
    values.set(JSON.stringify([alias.name, key.text]), { name: alias.name, value: key.text });
    if (alias.isMulti) multiNames.add(alias.name);
  }
  if (values.size === 0) return null;
  const aliases = [...values.values()];
  const keys: AliasKey[] = aliases.map((alias) => ({ tenant: route.tenant, module: route.module, ...alias }));
  return {
    kind: 'alias',
    keys,
    multiNames,
    stimulus: { kind: 'message', channel: route.channel.name, key: null, aliases, message },
  };
}
