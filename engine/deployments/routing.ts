/**
 * Where messages of each channel go: computed once whenever the set of live deployments changes.
 *
 * R1 Only active deployments start instances; active and draining ones resume theirs.
 * R2 Routes are immutable; a change of deployments publishes a new table.
 */
import type { ChannelDefinition, PackageModel } from '../../definitions/package-model.ts';
import { takesMessageType } from '../core/correlation.ts';
import type { AliasDefinition, FlowNode, SourceDefinition, StartEvent } from '../../definitions/model.ts';

export interface LiveDeployment {
  readonly id: string;
  readonly state: 'active' | 'draining';
  readonly model: PackageModel;
  readonly deployedAt: Date;
}

/** A start event that takes messages. */
export interface StartRoute {
  readonly deploymentId: string;
  readonly processId: string;
  readonly event: StartEvent;
  readonly source: SourceDefinition;
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
    for (const process of deployment.model.processes.values()) {
      for (const node of process.nodes.values()) addNode(drafts, deployment, process.id, node);
    }
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

function addNode(
  drafts: Map<string, RouteDraft>,
  deployment: LiveDeployment,
  processId: string,
  node: FlowNode,
): void {
  const { tenant, module } = deployment.model.identity;
  const draftOf = (channel: string): RouteDraft | undefined => drafts.get(routeKey(tenant, module, channel));
  if (node.kind === 'startEvent') {
    if (node.source === null || deployment.state !== 'active') return;
    draftOf(node.source.channel)?.starts.push({
      deploymentId: deployment.id,
      processId,
      event: node,
      source: node.source,
    });
    return;
  }
  for (const wait of waitsOf(node)) {
    const draft = draftOf(wait.channel);
    if (draft === undefined) continue;
    draft.hasWaits = true;
    if (node.kind !== 'serviceTask' || wait.aliases.length > 0) draft.hasMessageWaits = true;
    for (const alias of wait.aliases) {
      const key = JSON.stringify([alias.name, alias.expression.text, alias.isMulti, wait.variable]);
      if (!draft.aliases.has(key)) draft.aliases.set(key, { alias, variable: wait.variable });
    }
  }
}

interface WaitOnChannel {
  readonly channel: string;
  readonly variable: string;
  readonly aliases: readonly AliasDefinition[];
}

function waitsOf(node: FlowNode): readonly WaitOnChannel[] {
  switch (node.kind) {
    case 'receiveTask':
      return [{ ...node.source, aliases: node.aliases }];
    case 'userTask':
      return node.source === null ? [] : [{ ...node.source, aliases: node.aliases }];
    case 'serviceTask':
      if (node.implementation.kind !== 'channel') return [];
      return [
        node.responseSource === null
          ? { channel: node.implementation.channel, variable: 'payload', aliases: node.aliases }
          : { ...node.responseSource, aliases: node.aliases },
      ];
    case 'intermediateCatchEvent':
    case 'boundaryEvent':
      return node.event.kind === 'message' ? [{ ...node.event.source, aliases: node.event.aliases }] : [];
    default:
      return [];
  }
}

/**
 * The start events that a message type reaches: by exact type, else by pattern, else the catch-alls.
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
