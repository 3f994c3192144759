/**
 * Where messages of each channel go: computed once whenever the set of live deployments changes.
 *
 * R1 Only active deployments start instances; active and draining ones resume theirs.
 * R2 Routes are immutable; a change of deployments publishes a new table.
 */
import {
  messageTriggersOf,
  startPointsOf,
  type AliasDefinition,
  type FlowNode,
  type ProcessDefinition,
  type SourceDefinition,
} from '../../definitions/model.ts';
import type { ChannelDefinition, PackageModel } from '../../definitions/package-model.ts';
import { takesMessageType } from '../core/correlation.ts';

export interface LiveDeployment {
  readonly id: string;
  readonly state: 'active' | 'draining';
  readonly model: PackageModel;
  readonly deployedAt: Date;
}

/** A place at which a message starts an instance. */
export interface StartRoute {
  readonly deploymentId: string;
  readonly processId: string;
  /** A start event, a receive task that instantiates, or what stands behind a gateway that does. */
  readonly startEventId: string;
  readonly trigger: number;
  readonly source: SourceDefinition;
  /**
   * Behind a parallel event-based gateway: an instance that another of its messages has started may wait for
   * this one, and is looked for first. BPMN 2.0.2 §10.6.6.
   */
  readonly resumesFirst: boolean;
}

/** An alias that a wait on the channel may be found by. Equal ones of several waits are one. */
export interface AliasRoute {
  readonly alias: AliasDefinition;
  /** The name under which the expression finds the payload, beside `payload`: the wait's own variable. */
  readonly variable: string;
}

export interface ChannelRoute {
  readonly tenant: string;
  readonly module: string;
  /** The channel as its active deployment declares it, or else the newest draining one. */
  readonly channel: ChannelDefinition;
  /** The deployment whose declaration this is. */
  readonly deploymentId: string;
  readonly starts: readonly StartRoute[];
  readonly aliases: readonly AliasRoute[];
  /** Does any live deployment have a wait (a catch, a receive, a call's answer) on this channel? */
  readonly hasWaits: boolean;
  /** Does any of these waits take more than the answer to its own call? */
  readonly hasMessageWaits: boolean;
}

export type RoutingTable = ReadonlyMap<string, ChannelRoute>;

export function routeKey(tenant: string, module: string, channel: string): string {
  return JSON.stringify([tenant, module, channel]);
}

interface RouteDraft {
  readonly deployment: LiveDeployment;
  readonly channel: ChannelDefinition;
  readonly starts: StartRoute[];
  readonly aliases: Map<string, AliasRoute>;
  hasWaits: boolean;
  hasMessageWaits: boolean;
}

/** `deployments` in order of preference: active before draining, newer before older. */
export function buildRoutingTable(deployments: readonly LiveDeployment[]): RoutingTable {
  const drafts = new Map<string, RouteDraft>();
  for (const deployment of deployments) {
    const { tenant, module } = deployment.model.identity;
    for (const channel of deployment.model.channels.values()) {
      const key = routeKey(tenant, module, channel.name);
      if (!drafts.has(key)) {
        const isWaitedFor = { hasWaits: false, hasMessageWaits: false };
        drafts.set(key, { deployment, channel, starts: [], aliases: new Map(), ...isWaitedFor });
      }
    }
    for (const process of deployment.model.processes.values()) addProcess(drafts, deployment, process);
  }
  const table = new Map<string, ChannelRoute>();
  for (const [key, draft] of drafts) {
    table.set(key, {
      tenant: draft.deployment.model.identity.tenant,
      module: draft.deployment.model.identity.module,
      channel: draft.channel,
      deploymentId: draft.deployment.id,
      starts: draft.starts,
      aliases: [...draft.aliases.values()],
      hasWaits: draft.hasWaits,
      hasMessageWaits: draft.hasMessageWaits,
    });
  }
  return table;
}

function addProcess(
  drafts: Map<string, RouteDraft>,
  deployment: LiveDeployment,
  process: ProcessDefinition,
): void {
  const { tenant, module } = deployment.model.identity;
  const draftOf = (channel: string): RouteDraft | undefined => drafts.get(routeKey(tenant, module, channel));
  const resumable = behindParallelGateways(process);
  const startIds = new Set<string>();
  for (const { nodeId, trigger, event } of startPointsOf(process)) {
    if (!resumable.has(nodeId)) startIds.add(nodeId);
    if (event.kind !== 'message' || deployment.state !== 'active') continue;
    draftOf(event.source.channel)?.starts.push({
      deploymentId: deployment.id,
      processId: process.id,
      startEventId: nodeId,
      trigger,
      source: event.source,
      resumesFirst: resumable.has(nodeId),
    });
  }
  for (const node of process.nodes.values()) {
    if (startIds.has(node.id)) continue;
    for (const wait of waitsOf(node)) {
      const draft = draftOf(wait.channel);
      if (draft !== undefined) addWait(draft, node, wait);
    }
  }
}

/** What waits on when another event behind the same gateway has started the instance. */
function behindParallelGateways(process: ProcessDefinition): ReadonlySet<string> {
  const ids = process.children.flatMap((id) => {
    const node = process.nodes.get(id);
    if (node?.kind !== 'eventBasedGateway' || !node.instantiates || !node.isParallel) return [];
    return node.outgoing.flatMap((flowId) => process.flows.get(flowId)?.targetId ?? []);
  });
  return new Set(ids);
}

function addWait(draft: RouteDraft, node: FlowNode, wait: WaitOnChannel): void {
  draft.hasWaits = true;
  if (!isCall(node) || wait.aliases.length > 0) draft.hasMessageWaits = true;
  for (const alias of wait.aliases) {
    const key = JSON.stringify([
      alias.name,
      (alias.messageExpression ?? alias.expression).text,
      alias.isMulti,
      wait.variable,
    ]);
    if (!draft.aliases.has(key)) draft.aliases.set(key, { alias, variable: wait.variable });
  }
}

interface WaitOnChannel {
  readonly channel: string;
  readonly variable: string;
  readonly aliases: readonly AliasDefinition[];
}

function isCall(node: FlowNode): node is Extract<FlowNode, { readonly implementation: unknown }> {
  return node.kind === 'serviceTask' || node.kind === 'businessRuleTask';
}

/** Its message triggers; a channel call without an answering channel is answered where it asked. */
function waitsOf(node: FlowNode): readonly WaitOnChannel[] {
  if (isCall(node)) {
    const { implementation, responseSource, aliases } = node;
    if (implementation.kind !== 'channel') return [];
    if (responseSource === null) return [{ channel: implementation.channel, variable: 'payload', aliases }];
  }
  return messageTriggersOf(node).map(({ source, aliases }) => ({ ...source, aliases }));
}

/**
 * The starts that a message type reaches: by exact type, else by pattern, else the catch-alls.
 */
export function matchStarts(route: ChannelRoute, messageType: string | null): readonly StartRoute[] {
  for (const kind of ['exact', 'pattern', 'any'] as const) {
    const matching = route.starts.filter(
      ({ source }) => source.messageType.kind === kind && takesMessageType(source, messageType),
    );
    if (matching.length > 0) return matching;
  }
  return [];
}
